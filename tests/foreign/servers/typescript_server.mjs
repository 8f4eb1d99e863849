// A server of the second generation of the TypeScript SDK, `@modelcontextprotocol/server` 2.x, for our client to talk
// to. It speaks both eras, on either transport, with a session for each client of the older one.
//
//     node typescript_server.mjs [--http PORT]
//
// What a tool asks of its client it returns as `inputRequired`, and it is called again with the answer. For the older
// era the SDK sends the question as a request of its own.

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

import { toNodeHandler } from '@modelcontextprotocol/node';
import {
    completable, createMcpHandler, inputRequired, isLegacyRequest, McpServer, ResourceTemplate,
    WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = text => ({ content: [{ type: 'text', text }] });
const question = request => inputRequired({ inputRequests: { question: request } });
const startingWith = (value, known) => known.filter(one => one.startsWith(value));
const Sum = z.object({ sum: z.int() });
const Person = z.object({ name: z.string() });

// `announcing` is how changes are told. Where a request has a server of its own, that server reaches no other stream.
function create(announcing) {
    const server = new McpServer(
        { name: 'typescript_server', version: '1.0.0' },
        { capabilities: { logging: {}, resources: { subscribe: true } } },
    );
    const { toolsChanged, resourceUpdated } = announcing ?? {
        toolsChanged: () => server.sendToolListChanged(),
        resourceUpdated: uri => server.server.sendResourceUpdated({ uri }),
    };

    const tool = (name, description, input, call, outputSchema) =>
        server.registerTool(name, { description, inputSchema: z.object(input), outputSchema }, call);

    tool('add', 'Add two numbers.', { a: z.int(), b: z.int() }, ({ a, b }) => (
        { ...text(`${a + b}`), structuredContent: { sum: a + b } }
    ), Sum);

    tool('count', 'Count to a number and report each step.', { n: z.int() }, async ({ n }, { mcpReq }) => {
        const { progressToken } = mcpReq._meta ?? {};
        for (let i = 1; progressToken !== undefined && i <= n; i++) {
            const params = { progressToken, progress: i, total: n, message: `step ${i}` };
            await mcpReq.notify({ method: 'notifications/progress', params });
        }
        return text(`counted to ${n}`);
    });

    tool('fail', 'Fail.', {}, () => {
        throw new Error('failed on purpose');
    });

    tool('ask', 'Ask the user for a name.', {}, (_, { mcpReq }) => {
        const answer = mcpReq.inputResponses?.question;
        if (!answer) return question(inputRequired.elicit({ message: 'Who?', requestedSchema: Person }));
        if (answer.action === 'accept') return text(`hello ${answer.content.name}`);
        return text(answer.action === 'decline' ? 'declined' : 'cancelled');
    });

    tool('ask_model', 'Ask the model for a word.', {}, (_, { mcpReq }) => {
        const answer = mcpReq.inputResponses?.question;
        const messages = [{ role: 'user', content: { type: 'text', text: 'Say a word' } }];
        if (!answer) return question(inputRequired.createMessage({ messages, maxTokens: 10 }));
        return text(`model said ${answer.content.text}`);
    });

    tool('where', "Tell the client's roots.", {}, (_, { mcpReq }) => {
        const answer = mcpReq.inputResponses?.question;
        if (!answer) return question(inputRequired.listRoots());
        return text(answer.roots.map(root => root.uri).join(' '));
    });

    tool('log', 'Send a log message.', { text: z.string() }, async (input, { mcpReq }) => {
        await mcpReq.log('info', input.text);
        return text('logged');
    });

    tool('change', 'Tell that the tools have changed.', {}, () => {
        toolsChanged();
        return text('changed');
    });

    tool('touch', 'Tell that a resource was updated.', {}, async () => {
        await resourceUpdated('test://text');
        return text('touched');
    });

    tool('sleep', 'Sleep for some milliseconds.', { ms: z.int() }, async ({ ms }, { mcpReq }) => {
        try {
            await setTimeout(ms, undefined, { signal: mcpReq.signal });
        } catch (error) {
            if (process.env.CANCEL_LOG) appendFileSync(process.env.CANCEL_LOG, 'cancelled\n');
            throw error;
        }
        return text('slept');
    });

    tool('region', 'Tell the region, which travels as a header too.', {
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

    // The older era subscribes with them.
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));

    server.registerPrompt('greet', {
        description: 'Greet somebody.',
        argsSchema: z.object({
            name: completable(z.string(), value => startingWith(value, ['Alan', 'Alice', 'Bob'])),
        }),
    }, ({ name }) => (
        { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }
    ));

    return server;
}

// A session is a server and its transport; both know when they end.
const sessions = new Map();
async function inSession(request) {
    const id = request.headers.get('mcp-session-id');
    if (sessions.has(id)) return sessions.get(id).handleRequest(request);
    if (id) {
        const error = { code: -32001, message: 'Session not found' };
        return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => void sessions.set(id, transport),
        onsessionclosed: id => void sessions.delete(id),
    });
    await create().connect(transport);
    return transport.handleRequest(request);
}

if (process.argv[2] === '--http') {
    const modern = createMcpHandler(() => create(modern.notify), { legacy: 'reject' });
    const either = async (request, options) =>
        (await isLegacyRequest(request)) ? inSession(request) : modern.fetch(request, options);
    const listener = toNodeHandler({ fetch: either });
    createServer((request, response) => {
        if (request.url === '/mcp') return listener(request, response);
        response.writeHead(404).end();
    }).listen(Number(process.argv[3]), '127.0.0.1', () => console.error('listening'));
} else {
    serveStdio(() => create());
}
