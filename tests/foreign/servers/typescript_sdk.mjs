// A server of the first generation of the TypeScript SDK, `@modelcontextprotocol/sdk` 1.x, for our client to talk to.
// It speaks the older era only, on either transport, over HTTP with a session for each client.
//
//     node typescript_sdk.mjs [--http PORT]

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const text = text => ({ content: [{ type: 'text', text }] });
const startingWith = (value, known) => known.filter(one => one.startsWith(value));

function create() {
    const server = new McpServer(
        { name: 'typescript_sdk', version: '1.0.0' },
        { capabilities: { logging: {}, resources: { subscribe: true } } },
    );
    const tool = (name, description, inputSchema, call, outputSchema) =>
        server.registerTool(name, { description, inputSchema, outputSchema }, call);

    tool('add', 'Add two numbers.', { a: z.int(), b: z.int() }, ({ a, b }) => (
        { ...text(`${a + b}`), structuredContent: { sum: a + b } }
    ), { sum: z.int() });

    tool('count', 'Count to a number and report each step.', { n: z.int() }, async ({ n }, extra) => {
        const { progressToken } = extra._meta ?? {};
        for (let i = 1; progressToken !== undefined && i <= n; i++) {
            const params = { progressToken, progress: i, total: n, message: `step ${i}` };
            await extra.sendNotification({ method: 'notifications/progress', params });
        }
        return text(`counted to ${n}`);
    });

    tool('fail', 'Fail.', {}, () => {
        throw new Error('failed on purpose');
    });

    // Over HTTP what is not related to the call comes on the stream that the client opened with GET.
    const related = extra => ({ relatedRequestId: extra.requestId });

    tool('ask', 'Ask the user for a name.', {}, async (_, extra) => {
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
        const answer = await server.server.elicitInput({ message: 'Who?', requestedSchema }, related(extra));
        if (answer.action === 'accept') return text(`hello ${answer.content.name}`);
        return text(answer.action === 'decline' ? 'declined' : 'cancelled');
    });

    tool('ask_model', 'Ask the model for a word.', {}, async (_, extra) => {
        const messages = [{ role: 'user', content: { type: 'text', text: 'Say a word' } }];
        const answer = await server.server.createMessage({ messages, maxTokens: 10 }, related(extra));
        return text(`model said ${answer.content.text}`);
    });

    tool('where', "Tell the client's roots.", {}, async (_, extra) => {
        const { roots } = await server.server.listRoots(undefined, related(extra));
        return text(roots.map(root => root.uri).join(' '));
    });

    tool('log', 'Send a log message.', { text: z.string() }, async (input, extra) => {
        await server.sendLoggingMessage({ level: 'info', data: input.text }, extra.sessionId);
        return text('logged');
    });

    tool('change', 'Tell that the tools have changed.', {}, () => {
        server.sendToolListChanged();
        return text('changed');
    });

    tool('touch', 'Tell that a resource was updated.', {}, async () => {
        await server.server.sendResourceUpdated({ uri: 'test://text' });
        return text('touched');
    });

    tool('sleep', 'Sleep for some milliseconds.', { ms: z.int() }, async ({ ms }, { signal }) => {
        try {
            await setTimeout(ms, undefined, { signal });
        } catch (error) {
            if (process.env.CANCEL_LOG) appendFileSync(process.env.CANCEL_LOG, 'cancelled\n');
            throw error;
        }
        return text('slept');
    });

    tool('region', 'Tell the region, which newer clients send as a header too.', {
        region: z.string().meta({ 'x-mcp-header': 'Region' }),
    }, ({ region }) => text(`region ${region}`));

    const resource = (name, uri, mimeType, contents) =>
        server.registerResource(name, uri, { mimeType }, ({ href }, variables) => (
            { contents: [{ uri: href, mimeType, ...contents(variables) }] }
        ));

    resource('text', 'test://text', 'text/plain', () => ({ text: 'hello' }));
    resource('data', 'test://bytes', 'application/octet-stream', () => (
        { blob: Buffer.from([0, 1, 2]).toString('base64') }
    ));
    resource('item', new ResourceTemplate('test://item/{id}', {
        list: undefined,
        complete: { id: value => startingWith(value, ['1', '2', '33']) },
    }), 'text/plain', ({ id }) => ({ text: `item ${id}` }));

    server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
    server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));

    server.registerPrompt('greet', {
        description: 'Greet somebody.',
        argsSchema: { name: completable(z.string(), value => startingWith(value, ['Alan', 'Alice', 'Bob'])) },
    }, ({ name }) => (
        { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }
    ));

    return server;
}

// A session is a server and its transport; both know when they end.
const sessions = new Map();
async function inSession(request, response) {
    const id = request.headers['mcp-session-id'];
    if (sessions.has(id)) return sessions.get(id).handleRequest(request, response);
    if (id) {
        const error = { code: -32001, message: 'Session not found' };
        response.writeHead(404, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    }
    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => void sessions.set(id, transport),
        onsessionclosed: id => void sessions.delete(id),
    });
    await create().connect(transport);
    return transport.handleRequest(request, response);
}

if (process.argv[2] === '--http') {
    createServer((request, response) => {
        if (request.url === '/mcp') return inSession(request, response);
        response.writeHead(404).end();
    }).listen(Number(process.argv[3]), '127.0.0.1', () => console.error('listening'));
} else {
    await create().connect(new StdioServerTransport());
}
