// Drives the page of `examples/axum_mount` in Chromium, and prints a line for each check.
//
//     node page.mjs PROGRAM PAGE_FOLDER CHROMIUM [SCREENSHOT_FOLDER]
//
// Most checks use the program itself. What it never says (lines that end in odd ways, a stream that breaks) comes from
// a server below, which has the same page.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { chromium } from "playwright-core";

const [program, pageFolder, chromiumPath, screenshotFolder] = process.argv.slice(2);

/** The tool takes so long for an order. */
const STEP = 400;
const ORDERS = ["A17", "B42", "C03", "C28", "D11", "E36", "F09", "G54"];

// ---- What is checked with

let passed = 0;
let failed = 0;

async function check(name, test) {
    const cleanups = [];
    const timeout = new AbortController();
    const late = sleep(20_000, undefined, timeout).then(() => assert.fail("it took longer than 20 s"));
    try {
        await Promise.race([test((cleanup) => cleanups.push(cleanup)), late]);
        console.log(`ok   ${name}`);
        passed += 1;
    } catch (error) {
        console.log(`FAIL ${name}`);
        console.log(String(error.stack ?? error).replace(/^/gm, "     "));
        failed += 1;
    } finally {
        timeout.abort();
        late.catch(() => {});
        for (const cleanup of cleanups.reverse()) {
            await cleanup();
        }
    }
}

function endWithSum() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
}

setTimeout(() => assert.fail("all of it took longer than 150 s"), 150_000).unref();

// What goes wrong between the checks.
process.once("uncaughtException", (error) => {
    console.log(`FAIL ${error.stack ?? error}`);
    failed += 1;
    endWithSum();
});

/** Starts the program at a free port, and gives its address. */
async function startProgram() {
    const child = spawn(program, ["127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve, reject) => {
        child.once("exit", (code, signal) => resolve(signal ?? code));
        child.once("error", reject);
    });
    process.once("exit", () => child.kill("SIGKILL"));
    const line = await Promise.race([
        once(createInterface({ input: child.stdout }), "line").then(([line]) => line),
        ended.then((code) => assert.fail(`the program ended at once: ${code}`)),
    ]);
    const url = /http:\/\/\S+/.exec(line)?.[0];
    assert.ok(url, `no address in: ${line}`);
    return {
        url,
        /** Sends a signal; gives how the program ended, and after how long. */
        async end(signal = "SIGTERM") {
            const start = performance.now();
            child.kill(signal);
            const how = await Promise.race([ended, sleep(10_000, "it still runs after 10 s")]);
            return { how, ms: performance.now() - start };
        },
    };
}

/** A server with the same page, where `answer` is called with each request for the protocol: the body, the response. */
async function startScript(answer) {
    const types = { html: "text/html", js: "text/javascript", css: "text/css" };
    const server = createServer(async (request, response) => {
        if (request.method === "GET") {
            const file = request.url === "/" ? "index.html" : request.url.slice(1);
            response.setHeader("Content-Type", types[file.split(".").pop()]);
            response.end(await readFile(join(pageFolder, file)));
            return;
        }
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
        response.setHeader("Content-Type", "text/event-stream");
        await answer(body, response);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${server.address().port}`,
        close() {
            server.closeAllConnections();
            server.close();
        },
    };
}

const browser = await chromium.launch({
    executablePath: chromiumPath,
    // Root may not have a sandbox. The name is one of a stranger that leads to this machine.
    args: ["--no-sandbox", "--host-resolver-rules=MAP stranger.example 127.0.0.1"],
});

/** Opens the page, and notes all that it shows, and what it complains about. */
async function open(url, options = {}) {
    const context = await browser.newContext({ viewport: { width: 900, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints = [];
    const asked = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    await page.addInitScript(() => {
        window.shown = [];
        addEventListener("DOMContentLoaded", () => {
            const element = (id) => document.getElementById(id);
            const observer = new MutationObserver(() => {
                const bar = element("bar");
                const state = element("run").dataset.state;
                const valueText = bar.getAttribute("aria-valuetext");
                const count = `${bar.getAttribute("aria-valuenow")}/${bar.getAttribute("aria-valuemax")}`;
                window.shown.push({
                    at: performance.now(),
                    state,
                    count,
                    valueText,
                    message: element("message").textContent,
                    outcome: element("outcome").textContent,
                });
            });
            observer.observe(element("run"), { attributes: true, childList: true, subtree: true });
        });
    });
    await page.goto(url);
    return { context, page, complaints, asked };
}

/** All that the page has shown, or all since `clear`. */
const shown = (page) => page.evaluate(() => window.shown);
const clear = (page) => page.evaluate(() => (window.shown = []));
const outcome = (page) => page.locator("#outcome").textContent();
const ended = (page, state) => page.locator(`#run[data-state="${state}"]`).waitFor();
/** Waits until so much is done, or more: on a busy machine a step may be over before it is looked for. */
const reached = (page, done) => {
    const isReached = (done) => document.getElementById("bar").getAttribute("aria-valuenow") >= done;
    return page.waitForFunction(isReached, done, { polling: 20 });
};
const picture = async (page, name) => {
    if (screenshotFolder) {
        await page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true });
    }
};

/** Checks that each report was drawn by itself, in its time, before the result. */
function assertDrawn(seen, orders, step = STEP) {
    const steps = orders.map((id, at) => {
        const count = `${at + 1}/${orders.length}`;
        const drawn = seen.find((entry) => entry.count === count);
        assert.ok(drawn, `${count} was never shown: ${JSON.stringify(seen)}`);
        assert.equal(drawn.message, `exported ${id}`);
        assert.equal(drawn.valueText, `${at + 1} of ${orders.length}, exported ${id}`);
        assert.equal(drawn.state, "running");
        assert.equal(drawn.outcome, "", `${count} came after the result`);
        return drawn.at;
    });
    steps.slice(1).forEach((at, index) => {
        const between = at - steps[index];
        assert.ok(between > step / 4, `only ${between} ms between ${index + 1} and ${index + 2}`);
    });
    const result = seen.find((entry) => entry.outcome);
    assert.ok(result.at >= steps.at(-1), "the result was shown before the last report");
}

// ---- The page and the program

const server = await startProgram();
const { context, page, complaints, asked } = await open(server.url);

await check("the page opens, and needs nothing from elsewhere", async () => {
    assert.equal(await page.title(), "Shop support: export orders");
    assert.equal(await page.locator("input:checked").count(), 3);
    assert.deepEqual([...new Set(asked.map((url) => new URL(url).origin))], [server.url]);
    await picture(page, "light-idle");
});

await check("the bar moves with each report, and the result comes after", async () => {
    await page.getByRole("button", { name: "Export 3 orders" }).click();
    await ended(page, "done");
    assert.equal(await outcome(page), "Exported 3 orders.");
    const seen = await shown(page);
    assertDrawn(seen, ORDERS.slice(0, 3));
    const steps = [1, 2, 3].map((n) => seen.find((entry) => entry.count === `${n}/3`).at);
    const result = seen.find((entry) => entry.outcome).at;
    const ms = [...steps, result].map((at) => Math.round(at - seen[0].at));
    console.log(`     reports ${ms.slice(0, 3).join(", ")} ms after the button, the result at ${ms[3]} ms`);
    await picture(page, "light-done");
});

await check("a second run begins anew", async () => {
    await clear(page);
    await page.getByRole("button", { name: "Choose all" }).click();
    await page.getByRole("button", { name: "Export 8 orders" }).click();
    await reached(page, 3);
    await sleep(300); // for the bar to have moved there
    const { part, done } = await page.getByRole("progressbar", { name: "Orders exported" }).evaluate((bar) => {
        const [all, filled] = [bar, bar.firstElementChild].map((element) => element.getBoundingClientRect());
        return { part: (filled.right - all.left) / all.width, done: bar.getAttribute("aria-valuenow") };
    });
    assert.ok(part > (done - 1) / 8 && part < (done + 0.1) / 8, `the bar is ${part} full at ${done} of 8`);
    await picture(page, "light-running");
    await ended(page, "done");
    assert.equal(await outcome(page), "Exported 8 orders.");
    assertDrawn(await shown(page), ORDERS);
});

await check("a call that is cancelled in the middle stops, and has no result", async () => {
    await clear(page);
    await page.getByRole("button", { name: "Export 8 orders" }).click();
    await reached(page, 2);
    await page.getByRole("button", { name: "Cancel" }).click();
    await ended(page, "cancelled");
    assert.equal(await outcome(page), "Cancelled. The tool has stopped.");
    await picture(page, "light-cancelled");
    const { count } = (await shown(page)).at(-1);
    assert.match(count, /^[2-7]\/8$/);
    await sleep(3 * STEP);
    const last = (await shown(page)).at(-1);
    assert.deepEqual([last.count, last.state], [count, "cancelled"]);
});

await check("the page works with the keyboard alone, also after it was cancelled", async () => {
    await page.getByRole("button", { name: "Choose none" }).click();
    const exportButton = page.locator("#export");
    assert.ok(await exportButton.isDisabled(), "nothing is chosen, and the button can be pressed");
    await page.locator("input").first().focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await clear(page);
    await exportButton.focus();
    await page.keyboard.press("Enter");
    const focused = () => page.evaluate(() => document.activeElement.id);
    assert.equal(await focused(), "cancel");
    await ended(page, "done");
    assert.equal(await outcome(page), "Exported 2 orders.");
    assert.equal(await focused(), "export");
    assertDrawn(await shown(page), ORDERS.slice(0, 2));
});

/** Sends something else than what the page says, for once. */
async function altered(page, alter, headers = {}) {
    await page.route("**/mcp", async (route) => {
        const body = route.request().postDataJSON();
        alter(body.params);
        await route.continue({ postData: JSON.stringify(body), headers: { ...route.request().headers(), ...headers } });
    }, { times: 1 });
    await page.locator("#export").click();
    await ended(page, "failed");
    return outcome(page);
}

await check("a call that the server refuses is seen to be refused", async () => {
    const text = await altered(page, (params) => (params.name = "export_ordres"), { "mcp-name": "export_ordres" });
    assert.match(text, /^The server refused the call: no tool is named `export_ordres`.*\(-32602\)$/);
    await picture(page, "light-failed");
});

await check("a call that fails in the tool is seen to have failed", async () => {
    const text = await altered(page, (params) => (params.arguments.order_ids = "A17"));
    assert.match(text, /order_ids/);
});

await check("nothing was complained about so far", async () => {
    assert.deepEqual(complaints, []);
});

await check("a call that is refused with an HTTP error is seen to be refused", async () => {
    const text = await altered(page, (params) => (params.name = "another_name"));
    assert.match(text, /^The server refused the call: .*Mcp-Name.*\(-3\d+\)$/i);
});

// ---- Narrow, dark, and for those who see little or want no motion

await check("on a narrow screen nothing sticks out, and the bar is in sight", async (after) => {
    const narrow = await open(server.url, { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 });
    after(() => narrow.context.close());
    await picture(narrow.page, "narrow-idle");
    await narrow.page.locator("#all").click();
    await narrow.page.locator("#export").click();
    await reached(narrow.page, 3);
    const wide = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `the page is ${wide} px wide`);
    await sleep(300);
    const bottom = await narrow.page.locator("#bar").evaluate((bar) => bar.getBoundingClientRect().bottom);
    assert.ok(bottom <= 740, `the bar ends at ${bottom} px, which is out of sight`);
    await picture(narrow.page, "narrow-running");
});

for (const colorScheme of ["light", "dark"]) {
    await check(`every text can be read in ${colorScheme} colours`, async (after) => {
        const coloured = await open(server.url, { colorScheme });
        after(() => coloured.context.close());
        await picture(coloured.page, `${colorScheme}-idle`);
        await coloured.page.locator("#all").click();
        await coloured.page.locator("#export").click();
        await reached(coloured.page, 3);
        await sleep(300);
        await picture(coloured.page, `${colorScheme}-running`);
        const pale = await coloured.page.evaluate(paleTexts);
        await ended(coloured.page, "done");
        await sleep(300);
        await picture(coloured.page, `${colorScheme}-done`);
        pale.push(...(await coloured.page.evaluate(paleTexts)));
        assert.deepEqual(pale, []);
    });
}

/** Texts with less contrast than 4.5 : 1 (WCAG 2, 1.4.3), but for those of disabled buttons. */
function paleTexts() {
    const numbers = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = (color) => {
        const [r, g, b] = numbers(color).slice(0, 3).map((part) => {
            const value = part / 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const isClear = (color) => numbers(color)[3] === 0;
    const background = (element) => {
        const color = getComputedStyle(element).backgroundColor;
        return isClear(color) && element.parentElement ? background(element.parentElement) : color;
    };
    const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const texts = [...document.querySelectorAll("body *:not(template, :disabled)")].filter(hasText);
    if (texts.length < 20) {
        return [`only ${texts.length} texts were found`];
    }
    return texts.flatMap((element) => {
        const [a, b] = [getComputedStyle(element).color, background(element)].map(luminance);
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        return contrast < 4.5 ? [`${contrast.toFixed(2)}: ${element.textContent.trim()}`] : [];
    });
}

await check("who wants no motion sees none", async (after) => {
    const still = await open(server.url, { reducedMotion: "reduce" });
    after(() => still.context.close());
    const durationOf = (element) => getComputedStyle(element).transitionDuration;
    assert.equal(await still.page.locator("#bar div").evaluate(durationOf), "0s");
});

// ---- Pages that are none of the program's

await check("a page of another port may not call the server, nor read from it", async (after) => {
    const other = await startScript(() => {});
    after(() => other.close());
    const stranger = await open(other.url);
    after(() => stranger.context.close());
    const sent = [];
    stranger.page.on("response", (response) => sent.push(response.status()));
    const called = await stranger.page.evaluate(async (url) => {
        const { callTool } = await import("./mcp.js");
        return callTool(`${url}/mcp`, "export_orders", { order_ids: ["A17"] }).then(JSON.stringify, String);
    }, server.url);
    assert.equal(called, "TypeError: Failed to fetch");
    // What a browser sends without a question first: the server has to refuse that by itself.
    sent.length = 0;
    await stranger.page.evaluate(async (url) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
        await fetch(`${url}/mcp`, { method: "POST", mode: "no-cors", body });
    }, server.url);
    assert.deepEqual(sent, [415]);
});

await check("a name of a stranger that leads to this machine is not answered to", async (after) => {
    const rebound = await open(server.url.replace("127.0.0.1", "stranger.example"));
    after(() => rebound.context.close());
    await rebound.page.locator("#export").click();
    await ended(rebound.page, "failed");
    assert.match(await outcome(rebound.page), /does not answer to the host `stranger\.example/);
});

// ---- Streams as other servers may write them

const report = (progress, total, message) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: 1, progress, ...(total && { total }), message },
});
const result = (id, text, isError) => ({
    jsonrpc: "2.0",
    id,
    result: { resultType: "complete", content: [{ type: "text", text }], isError },
});
const event = (message) => `data: ${JSON.stringify(message)}\n\n`;

/** Opens the page at a server that answers in its own way. */
async function scripted(after, answer) {
    const script = await startScript(answer);
    after(() => script.close());
    const opened = await open(script.url);
    after(() => opened.context.close());
    await opened.page.locator("#export").click();
    return opened.page;
}

for (const [name, end] of [["LF", "\n"], ["CR LF", "\r\n"], ["CR", "\r"]]) {
    await check(`a stream of lines with ${name} is read, wherever it is cut`, async (after) => {
        const page = await scripted(after, async ({ id }, response) => {
            const first = JSON.stringify(report(1, 2, "exported Ærøskøbing 🚲"));
            const second = JSON.stringify(result(id, "Exported\u2028all."));
            const cut = second.indexOf(",") + 1;
            // A mark of the byte order, comments, other fields, an empty event, data in two lines.
            const lines = ["\ufeff: hello", "", "retry: 10", "id: 1", "event: message", `data: ${first}`, ""];
            lines.push("data:", "", ":", "", `data:${second.slice(0, cut)}`, `data: ${second.slice(cut)}`, "");
            lines.push("data: never ended");
            response.socket.setNoDelay();
            for (const byte of Buffer.from(lines.join(end))) {
                response.write(Buffer.of(byte));
                await new Promise(setImmediate);
            }
            response.end();
        });
        await ended(page, "done");
        assert.equal(await outcome(page), "Exported\u2028all.");
        const reported = (await shown(page)).find(({ count }) => count === "1/2");
        assert.equal(reported?.message, "exported Ærøskøbing 🚲");
    });
}

await check("a result without a stream is shown", async (after) => {
    const page = await scripted(after, ({ id }, response) => {
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(result(id, "Exported at once.")));
    });
    await ended(page, "done");
    assert.equal(await outcome(page), "Exported at once.");
});

await check("reports without a total are drawn as such", async (after) => {
    const page = await scripted(after, ({ id }, response) => {
        response.write(event(report(5, undefined, "exported many")));
        setTimeout(() => response.end(event(result(id, "Enough.", true))), 500);
    });
    const bar = page.locator("#bar:not([aria-valuenow])");
    await bar.waitFor();
    assert.equal(await bar.getAttribute("aria-valuetext"), "5, exported many");
    await picture(page, "light-no-total");
    await ended(page, "failed");
    assert.equal(await outcome(page), "Enough.");
});

for (const [name, end] of [
    ["ends", (response) => response.end()],
    ["breaks", (response) => response.destroy()],
]) {
    await check(`a stream that ${name} too early is seen to have no result`, async (after) => {
        const page = await scripted(after, (_, response) => {
            response.write(event(report(1, 3, "exported A17")));
            setTimeout(() => end(response), 200);
        });
        await ended(page, "failed");
        assert.match(await outcome(page), /^There is no answer: /);
        assert.equal((await shown(page)).at(-1).count, "1/3");
    });
}

// ---- The end of the program

await check("a call that was cancelled does not keep the program", async (after) => {
    const other = await startProgram();
    after(() => other.end("SIGKILL"));
    const opened = await open(other.url);
    after(() => opened.context.close());
    await opened.page.locator("#all").click();
    await opened.page.locator("#export").click();
    await reached(opened.page, 1);
    await opened.page.locator("#cancel").click();
    await ended(opened.page, "cancelled");
    const { how, ms } = await other.end();
    assert.equal(how, 0);
    assert.ok(ms < 1_000, `it ended after ${ms} ms: seven orders would have taken 2800 ms`);
    console.log(`     it ended after ${Math.round(ms)} ms`);
});

await check("a call that runs is finished before the program ends", async (after) => {
    const other = await startProgram();
    after(() => other.end("SIGKILL"));
    const opened = await open(other.url);
    after(() => opened.context.close());
    await opened.page.locator("#all").click();
    await opened.page.locator("#export").click();
    await reached(opened.page, 1);
    const [{ how }] = await Promise.all([other.end(), ended(opened.page, "done")]);
    assert.equal(how, 0);
    assert.equal(await outcome(opened.page), "Exported 8 orders.");
});

await check("open streams and silent connections do not keep the program", async (after) => {
    const other = await startProgram();
    after(() => other.end("SIGKILL"));
    const headers = { "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };
    const clientInfo = { name: "an older client", version: "1" };
    const initialized = await fetch(`${other.url}/mcp`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
        }),
    });
    await initialized.text();
    headers["Mcp-Session-Id"] = initialized.headers.get("Mcp-Session-Id");
    const stream = await fetch(`${other.url}/mcp`, { headers });
    assert.equal(stream.status, 200);
    // Browsers open some in advance.
    const silent = connect(new URL(other.url).port, "127.0.0.1").on("error", () => {});
    after(() => silent.destroy());
    await once(silent, "connect");

    const [{ how, ms }] = await Promise.all([other.end(), stream.text()]);
    assert.equal(how, 0);
    assert.ok(ms < 1_000, `it ended after ${ms} ms`);
    console.log(`     it ended after ${Math.round(ms)} ms`);
});

await check("Ctrl-C ends the program, and the page says that there is no server", async () => {
    const { how, ms } = await server.end("SIGINT");
    assert.equal(how, 0);
    assert.ok(ms < 1_000, `it ended after ${ms} ms`);
    await page.locator("#export").click();
    await ended(page, "failed");
    assert.equal(await outcome(page), "There is no answer: Failed to fetch. Is the server running?");
    await picture(page, "light-no-server");
});

await context.close();
await browser.close();
endWithSum();
