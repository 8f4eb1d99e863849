// What each JavaScript client of these tests is put through.
//
// A client program describes its modes and hands them to `main`; everything that is asked of them, and how it is
// reported, is here. `checks.py` is the same for Python: change both.
//
// A mode is `{ name, protocolVersion, connect }`. `connect` starts a fresh client, and a fresh server unless one runs,
// and gives `{ protocolVersion, noise, tools(), call(onProgress), close() }`: `tools` gives the list of
// `{ name, description, schema }`, `call` the text of the result, and `noise` is whatever the client complained of.
//
// A server is the command that starts it, or one that runs: its URL then stands in the place of the command.

import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';

export const TOOL = 'export_orders';
const DESCRIPTION = 'Export orders to the accounting system, one at a time.';
export const ARGUMENTS = { order_ids: ['A17', 'B42', 'C03'] };
const REPORTS = [
    { progress: 1, total: 3, message: 'exported A17' },
    { progress: 2, total: 3, message: 'exported B42' },
    { progress: 3, total: 3, message: 'exported C03' },
];
const RESULT = 'Exported 3 orders.';

// A call lasts 0.3 s, so whatever takes this long hangs.
const LIMIT_SECONDS = 15;
// The clients terminate a server that is still there 2 s after its stdin was closed.
const END_SECONDS = 1.5;
// A late report is told from a lost one by waiting so long after the result.
const GRACE_SECONDS = 0.5;
// The first and the last report are 0.2 s apart. What holds reports back until the response ends lets all go at once, in
// each call; on a machine with too much to do a client reads those of a few calls at once.
const LIVE_SECONDS = 0.05;

/** The server, or the client, did not do what it has to. */
export class Wrong extends Error {}

const told = error => (error instanceof Wrong ? error.message : `${error?.name}: ${error?.message}`);
const show = value => JSON.stringify(value);
const inMs = seconds => (seconds * 1000).toFixed();

class Call {
    /** `span` is how many seconds lay between the first and the last report. */
    constructor(text, before, after, span) {
        Object.assign(this, { text, before, after, span });
    }

    lost() {
        return Math.max(0, REPORTS.length - this.before.length - this.after.length);
    }

    check() {
        if (this.text !== RESULT) throw new Wrong(`the result is ${show(this.text)}, not ${show(RESULT)}`);
        if (isDeepStrictEqual(this.before, REPORTS) && this.after.length === 0) return;
        let fault = 'wrong reports';
        if (this.lost()) fault = `${this.lost()} reports lost`;
        else if (this.after.length) fault = `${this.after.length} reports came after the result`;
        else if (isDeepStrictEqual(this.before.map(show).sort(), REPORTS.map(show).sort()))
            fault = 'reports out of order';
        throw new Wrong(`${fault}: before the result ${show(this.before)}, after it ${show(this.after)}`);
    }
}

async function call(connection) {
    const reports = [];
    const times = [];
    const text = await connection.call(report => {
        reports.push(report);
        times.push(performance.now());
    });
    const before = [...reports];
    if (before.length < REPORTS.length) await sleep(GRACE_SECONDS * 1000);
    const span = times.length ? (times.at(-1) - times[0]) / 1000 : 0;
    return new Call(text, before, reports.slice(before.length), span);
}

export async function withConnection(mode, use) {
    const connection = await mode.connect();
    try {
        return await use(connection);
    } finally {
        await connection.close();
    }
}

export const noNoise = connection => {
    if (connection.noise.length) throw new Wrong(`the client complained: ${connection.noise.map(told).join('; ')}`);
};

const checkTools = mode =>
    withConnection(mode, async connection => {
        const tools = await connection.tools();
        const version = connection.protocolVersion;
        if (version !== mode.protocolVersion) throw new Wrong(`negotiated ${version}, not ${mode.protocolVersion}`);
        const names = tools.map(tool => tool.name);
        if (!isDeepStrictEqual(names, [TOOL])) throw new Wrong(`the tools are ${show(names)}, not ${show([TOOL])}`);
        const [{ description, schema }] = tools;
        if (description !== DESCRIPTION)
            throw new Wrong(`the description is ${show(description)}, not ${show(DESCRIPTION)}`);
        const orderIds = schema.properties?.order_ids;
        if (
            schema.type !== 'object' ||
            orderIds?.type !== 'array' ||
            orderIds.items?.type !== 'string' ||
            !schema.required?.includes('order_ids')
        )
            throw new Wrong(`the schema asks for no array of strings \`order_ids\`: ${show(schema)}`);
        noNoise(connection);
    });

const checkProgress = mode =>
    withConnection(mode, async connection => {
        (await call(connection)).check();
        noNoise(connection);
    });

const checkSilence = mode =>
    withConnection(mode, async connection => {
        const text = await connection.call(undefined);
        if (text !== RESULT) throw new Wrong(`the result is ${show(text)}, not ${show(RESULT)}`);
        // A report that nobody asked for has a token that the client does not know, of which it complains.
        noNoise(connection);
    });

export const checkEnd = async mode => {
    const connection = await mode.connect();
    await connection.tools();
    const start = performance.now();
    await connection.close();
    const took = (performance.now() - start) / 1000;
    if (took > END_SECONDS)
        throw new Wrong(`the client had to wait for the server for ${took.toFixed(1)} s`);
};

/** Prints one line a group, `ok` or `FAIL`: `run` counts them. */
export class Tally {
    failed = false;

    constructor(client) {
        this.client = client;
    }

    report(group, faults) {
        this.failed ||= faults.length > 0;
        console.log(faults.length ? 'FAIL' : 'ok  ', this.client, group);
        for (const fault of faults.slice(0, 5)) console.log('     ', fault.replaceAll('\n', '\n       '));
    }
}

async function limited(work) {
    const timer = new AbortController();
    const limit = sleep(LIMIT_SECONDS * 1000, undefined, { signal: timer.signal }).then(() => {
        throw new Wrong(`no end after ${LIMIT_SECONDS} s`);
    });
    try {
        return await Promise.race([work, limit]);
    } finally {
        timer.abort();
        await limit.catch(() => {});
    }
}

export async function single(tally, mode, group, check) {
    const faults = [];
    try {
        await limited(check(mode));
    } catch (error) {
        faults.push(told(error));
    }
    tally.report(`${mode.name} ${group}`, faults);
}

/**
 * `pairs` times a fresh client, a fresh server unless one runs, and one call with progress.
 *
 * One after another, also on an idle machine: to start a process holds up Node for several milliseconds, so that the
 * client would read a report of another pair together with its response, and drop it.
 */
async function repeat(tally, mode, load, pairs) {
    const faults = [];
    const spans = [];
    let [ran, lost, late] = [0, 0, 0];
    while (ran < pairs) {
        ran++;
        let done;
        try {
            done = await limited(withConnection(mode, call));
        } catch (error) {
            // The others would most likely break the same way, a server that hangs after the time limit each.
            faults.push(`pair ${ran} broke, no more are tried: ${told(error)}`);
            lost += REPORTS.length;
            break;
        }
        lost += done.lost();
        late += done.after.length;
        spans.push(done.span);
        try {
            done.check();
        } catch (error) {
            faults.push(`pair ${ran}: ${told(error)}`);
        }
    }
    let counts = `${ran} pairs, ${lost} reports lost of ${ran * REPORTS.length}`;
    if (late) counts += `, ${late} late`;
    if (spans.length) {
        spans.sort((a, b) => a - b);
        counts += `, at least ${inMs(spans[0])} ms from first to last`;
        if (!lost && spans[Math.floor(spans.length / 2)] < LIVE_SECONDS)
            faults.push('the reports were held back: in most calls all came at once');
    }
    tally.report(`${mode.name} ${load}: ${counts}`, faults);
}

/** One busy loop a core plus one, for as long as `work` lasts. */
async function whileEveryCoreIsBusy(work) {
    const loops = Array.from({ length: os.availableParallelism() + 1 }, () =>
        spawn(fileURLToPath(new URL('./busy', import.meta.url)), [String(process.pid)], { stdio: 'inherit' }),
    );
    try {
        await Promise.all(loops.map(loop => once(loop, 'spawn')));
        await work();
    } finally {
        for (const loop of loops) {
            loop.kill('SIGKILL');
            if (loop.exitCode === null && loop.signalCode === null) await once(loop, 'exit');
        }
    }
}

/** The version of an installed package. */
export const versionOf = name =>
    JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

/** Should a client hang where no time limit reaches it, the program ends all the same. */
export function watchdog(client, seconds) {
    setTimeout(() => {
        console.log('FAIL', client, 'hangs');
        process.exit(1);
    }, seconds * 1000);
}

export const isUrl = server => server[0].startsWith('http://');

/** Runs the program: `modes` makes the modes from the server. */
export async function main(client, modes) {
    const { values, positionals: server } = parseArgs({
        args: process.argv.slice(2),
        options: {
            pairs: { type: 'string', default: '20' },
            // The names of those to try, with commas between, unless it is all.
            modes: { type: 'string' },
            // What to call this kind of server.
            label: { type: 'string' },
        },
        allowPositionals: true,
    });
    const pairs = Number(values.pairs);
    assert(
        Number.isInteger(pairs) && server.length,
        'usage: CLIENT [--pairs N] [--modes MODES] [--label LABEL] -- SERVER_COMMAND... | URL',
    );

    watchdog(client, 120 + pairs * 15);
    const tally = new Tally(values.label ? `${client} ${values.label}` : client);
    for (const mode of modes(server)) {
        if (values.modes && !values.modes.split(',').includes(mode.name)) continue;
        await single(tally, mode, 'lists the tool', checkTools);
        await single(tally, mode, 'calls with progress', checkProgress);
        await single(tally, mode, 'calls without progress', checkSilence);
        await single(tally, mode, isUrl(server) ? 'leaves the server' : 'ends the server', checkEnd);
        await repeat(tally, mode, 'idle', pairs);
        await whileEveryCoreIsBusy(() => repeat(tally, mode, 'busy', pairs));
    }
    process.exit(tally.failed ? 1 : 0);
}
