// The TypeScript SDK of the first generation, `@modelcontextprotocol/sdk` 1.x: it knows the handshake only.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { ARGUMENTS, isUrl, main, TOOL, versionOf, Wrong } from './checks.mjs';

async function connect(server) {
    const noise = [];
    const [command, ...args] = server;
    const transport = isUrl(server)
        ? new StreamableHTTPClientTransport(new URL(command))
        : new StdioClientTransport({ command, args });
    const client = new Client({ name: 'foreign-test', version: '1.0.0' });
    client.onerror = error => noise.push(error);
    let protocolVersion;
    const { setProtocolVersion } = transport;
    transport.setProtocolVersion = version => {
        protocolVersion = version;
        setProtocolVersion?.call(transport, version);
    };
    await client.connect(transport);
    return {
        protocolVersion,
        noise,
        async close() {
            await transport.terminateSession?.();
            await client.close();
        },
        async tools() {
            const { tools } = await client.listTools();
            return tools.map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema }));
        },
        async call(onprogress) {
            const result = await client.callTool({ name: TOOL, arguments: ARGUMENTS }, undefined, { onprogress });
            const [content] = result.content;
            if (result.isError) throw new Wrong(`the call failed: ${content.text}`);
            return content.text;
        },
    };
}

await main(`typescript sdk ${versionOf('@modelcontextprotocol/sdk')}`, server => [
    { name: 'legacy', protocolVersion: '2025-11-25', connect: () => connect(server) },
]);
