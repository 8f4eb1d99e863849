// The TypeScript SDK of the second generation, `@modelcontextprotocol/client` 2.x. Its `Client` selects the era with
// `versionNegotiation.mode`: `'legacy'` (the default), `'auto'` or `{ pin: VERSION }`. The last two ask a server of
// their own with `server/discover`, terminate it, and start the one that they use.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { ARGUMENTS, isUrl, main, TOOL, versionOf, Wrong } from './checks.mjs';

async function connect(server, mode) {
    const noise = [];
    const [command, ...args] = server;
    const transport = isUrl(server)
        ? new StreamableHTTPClientTransport(new URL(command))
        : new StdioClientTransport({ command, args });
    const client = new Client({ name: 'foreign-test', version: '1.0.0' }, { versionNegotiation: { mode } });
    client.onerror = error => noise.push(error);
    await client.connect(transport);
    return {
        protocolVersion: client.getNegotiatedProtocolVersion(),
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
            const result = await client.callTool({ name: TOOL, arguments: ARGUMENTS }, { onprogress });
            const [content] = result.content;
            if (result.isError) throw new Wrong(`the call failed: ${content.text}`);
            return content.text;
        },
    };
}

await main(`typescript client ${versionOf('@modelcontextprotocol/client')}`, server => [
    { name: 'modern', protocolVersion: '2026-07-28', connect: () => connect(server, { pin: '2026-07-28' }) },
    { name: 'legacy', protocolVersion: '2025-11-25', connect: () => connect(server, 'legacy') },
    { name: 'auto', protocolVersion: '2026-07-28', connect: () => connect(server, 'auto') },
]);
