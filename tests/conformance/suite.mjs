// Runs the suite once for each `LEG=PROGRAM`, where LEG is a revision, or the version of a suite that knows but one, and
// holds what it has written against what is to be.
//
//     suite.mjs URL FOLDER LEG=PROGRAM...

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [url, folder, ...legs] = process.argv.slice(2);
let passed = 0;
let failed = 0;

function suite(program, ...args) {
    const run = spawnSync(process.execPath, [program, ...args], { encoding: "utf8", timeout: 300_000 });
    return run.stdout + run.stderr;
}

// Extensions are never part of a revision's scenarios.
function scenarios(program, revision) {
    const listed = suite(program, "list", "--server", ...revision);
    return [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
}

// The checks of each scenario are in a folder that is named after it and the time.
function checksOf(output, scenario) {
    const name = new RegExp(`^server-${scenario}-\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z$`);
    const found = existsSync(output) ? readdirSync(output).filter(entry => name.test(entry)) : [];
    return found.flatMap(entry => JSON.parse(readFileSync(join(output, entry, "checks.json"), "utf8")));
}

for (const [leg, program] of legs.map(leg => leg.split("="))) {
    const revision = /^\d{4}-/.test(leg) ? ["--spec-version", leg] : [];
    const output = join(folder, leg);
    const log = suite(program, "server", "--url", url, "--suite", "all", ...revision, "-o", output);
    const names = scenarios(program, revision);
    if (names.length < 20) {
        console.log(`FAIL ${leg}: only ${names.length} scenarios are known\n${log}`);
        failed += 1;
    }
    for (const name of names) {
        const checks = checksOf(output, name);
        const wrong = checks.filter(check => check.status === "FAILURE" || check.status === "WARNING");
        const right = checks.filter(check => check.status === "SUCCESS");
        if (wrong.length || !right.length) {
            failed += 1;
            console.log(`FAIL ${leg} ${name}`);
            wrong.forEach(check => console.log(`     ${check.id}: ${check.errorMessage ?? check.description}`));
            if (!checks.length) console.log(`     nothing was checked\n${log}`);
        } else {
            passed += 1;
            console.log(`ok   ${leg} ${name}: ${right.length} checks`);
        }
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
