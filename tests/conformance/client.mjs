// Runs the client scenarios of the suite, one after the other, and holds what it has written against what is to be.
//
//     client.mjs COMMAND FOLDER REVISION=PROGRAM...
//
// COMMAND is a client that the suite starts with a URL. Scenarios of logging in are left out, since a client here is
// given its token.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [command, folder, ...legs] = process.argv.slice(2);
let passed = 0;
let failed = 0;

// What the suite has said, and whether it and the client that it started have ended well.
function suite(program, ...args) {
    const run = spawnSync(process.execPath, [program, ...args], { encoding: "utf8", timeout: 120_000 });
    return { log: run.stdout + run.stderr, well: run.status === 0 };
}

// The checks of the one scenario in a folder.
function checksIn(output) {
    const found = existsSync(output) ? readdirSync(output) : [];
    return found.flatMap(entry => {
        const checks = join(output, entry, "checks.json");
        return existsSync(checks) ? JSON.parse(readFileSync(checks, "utf8")) : [];
    });
}

for (const [revision, program] of legs.map(leg => leg.split("="))) {
    const { log: listed } = suite(program, "list", "--client", "--spec-version", revision);
    const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name).filter(name => !name.startsWith("auth/"));
    if (names.length < 5) {
        console.log(`FAIL client ${revision}: only ${names.length} scenarios are known\n${listed}`);
        failed += 1;
    }
    for (const name of names) {
        const output = join(folder, `client-${revision}`, name);
        const args = ["--command", command, "--scenario", name, "--spec-version", revision, "-o", output];
        const { log, well } = suite(program, "client", ...args);
        const checks = checksIn(output);
        const wrong = checks.filter(check => check.status === "FAILURE" || check.status === "WARNING");
        const right = checks.filter(check => check.status === "SUCCESS");
        if (!well || wrong.length || !right.length) {
            failed += 1;
            console.log(`FAIL client ${revision} ${name}`);
            wrong.forEach(check => console.log(`     ${check.id}: ${check.errorMessage ?? check.description}`));
            console.log(log);
        } else {
            passed += 1;
            console.log(`ok   client ${revision} ${name}: ${right.length} checks`);
        }
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
