// The TypeScript SDK of the second generation, `@modelcontextprotocol/client` 2.x, in sessions with the examples.
//
// The sessions are in `examples.json`; `python_examples.py` plays them too, and tells what is in them. Whatever the
// client itself finds wrong fails the check: it validates each message, and structured results by the schema of their
// tool if the tools were listed before.
//
// What this client has no way to do: tell that a resource is missing by the code -32002 of the older era, since it
// makes -32602 of it. In the handshake it offers each version that it is given.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { checkEnd, noNoise, single, Tally, versionOf, watchdog, withConnection, Wrong } from './checks.mjs';

const MODERN = '2026-07-28';
const HANDSHAKES = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const METHODS = {
    server: async client => ({
        serverInfo: client.getServerVersion(),
        capabilities: client.getServerCapabilities(),
        instructions: client.getInstructions(),
    }),
    'tools/list': client => client.listTools(),
    'tools/call': (client, params, options) => client.callTool(params, options),
    'resources/list': client => client.listResources(),
    'resources/templates/list': client => client.listResourceTemplates(),
    'resources/read': (client, params) => client.readResource(params),
    'prompts/list': client => client.listPrompts(),
    'prompts/get': (client, params) => client.getPrompt(params),
    'completion/complete': (client, params) => client.complete(params),
};

const show = value => JSON.stringify(value);

function compare(what, expected, given) {
    if (!fits(expected, given)) throw new Wrong(`${what}: expected ${show(expected)}, got ${show(given)}`);
}

function fits(expected, given) {
    if (expected === null) return given === undefined || given === null;
    if (typeof expected !== 'object') return expected === given;
    if (typeof given !== 'object' || given === null || Array.isArray(expected) !== Array.isArray(given)) return false;
    if (Array.isArray(expected) && expected.length !== given.length) return false;
    return Object.entries(expected).every(([key, value]) => fits(value, given[key]));
}

class Connection {
    noise = [];
    unwatch = async () => {};
    updates = [];
    updated = () => {};

    constructor(protocolVersion, answers) {
        this.isModern = protocolVersion === MODERN;
        this.client = new Client(
            { name: 'foreign-test', version: '1.0.0' },
            {
                capabilities: answers ? { elicitation: { form: {} } } : {},
                supportedProtocolVersions: [protocolVersion],
                versionNegotiation: { mode: this.isModern ? { pin: MODERN } : 'legacy' },
            },
        );
        this.client.onerror = error => this.noise.push(error);
        if (answers)
            this.client.setRequestHandler('elicitation/create', ({ params }) => {
                this.asked.push(params);
                return this.answer;
            });
        this.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
            this.updates.push(params.uri);
            this.updated();
        });
    }

    tools = () => this.client.listTools();
    close = () => this.client.close();

    async play(step) {
        if (step.watch) await this.watch(step.watch);
        else if (step.told) compare('the updates', step.told, await this.nextUpdates(step.told.length));
        else await this.ask(step);
    }

    async ask({ method, params, progress = [], asks = [], answer, gives, fails }) {
        const reports = [];
        const onprogress = progress.length ? report => reports.push(report) : undefined;
        [this.asked, this.answer] = [[], answer];
        const what = `${method} ${show(params)}`;
        const { result, error } = await METHODS[method](this.client, params, { onprogress }).then(
            result => ({ result }),
            error => ({ error }),
        );
        if (error) {
            if (!fails) throw error;
            const { code, message, data } = error;
            compare(`the error of ${what}`, fails, { code, message, data });
        } else {
            if (fails) throw new Wrong(`${what} did not fail, but gave ${show(result)}`);
            compare(`the result of ${what}`, { isError: null, ...gives }, result);
        }
        compare('the reports before the result', progress, reports);
        compare('what the user was asked', asks, this.asked);
    }

    async watch(uris) {
        await this.unwatch();
        if (this.isModern) {
            const subscription = await this.client.listen({ resourceSubscriptions: uris });
            compare('what is watched', uris, subscription.honoredFilter.resourceSubscriptions);
            this.unwatch = () => subscription.close();
        } else {
            for (const uri of uris) await this.client.subscribeResource({ uri });
            this.unwatch = async () => {
                for (const uri of uris) await this.client.unsubscribeResource({ uri });
            };
        }
    }

    async nextUpdates(count) {
        while (this.updates.length < count) await new Promise(resolve => (this.updated = resolve));
        return this.updates.splice(0, count);
    }
}

async function connect(command, args, protocolVersion, answers) {
    const connection = new Connection(protocolVersion, answers);
    const { client } = connection;
    await client.connect(new StdioClientTransport({ command, args }));
    compare('the negotiated version', protocolVersion, client.getNegotiatedProtocolVersion());
    // From here on it validates what they give.
    await client.listTools();
    return connection;
}

const play = ({ connect }, steps) =>
    withConnection({ connect: () => connect(steps.some(step => step.answer)) }, async connection => {
        for (const step of steps) await connection.play(step);
        noNoise(connection);
    });

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: typescript_examples.mjs FOLDER');
const examples = JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8'));
const program = `typescript client ${versionOf('@modelcontextprotocol/client')}`;
const tally = new Tally(program);
watchdog(program, 300);
for (const [name, { arguments: args = [], checks }] of Object.entries(examples)) {
    for (const version of [MODERN, ...HANDSHAKES]) {
        const mode = {
            name: `${version} ${name}`,
            connect: answers => connect(path.resolve(folder, name), args, version, answers),
        };
        for (const [group, all] of Object.entries(checks)) {
            const steps = all.filter(({ since = '', before = '9999-12-31' }) => since <= version && version < before);
            if (steps.length) await single(tally, mode, group, mode => play(mode, steps));
        }
        await single(tally, mode, 'ends with its client', checkEnd);
    }
}
process.exit(tally.failed ? 1 : 0);
