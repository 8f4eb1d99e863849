// Calls the tools of an MCP server from a page: Streamable HTTP, revision 2026-07-28, in plain `fetch`.
//
//     import { callTool } from "./mcp.js";
//     const result = await callTool("/mcp", "export_orders", { order_ids: ["A17"] }, {
//         onProgress: ({ progress, total, message }) => console.log(progress, total, message),
//     });
//
// Specification: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

const VERSION = "2026-07-28";

/** What the server answers when it does not run a call: `code` and `data` are those of JSON-RPC. */
export class RefusedError extends Error {
    constructor({ message, code, data }) {
        super(message);
        this.name = "RefusedError";
        this.code = code;
        this.data = data;
    }
}

let calls = 0;

/**
 * Calls a tool, and gives its result. `onProgress` is called with each report: `{ progress, total?, message? }`.
 *
 * Aborting `signal` cancels the call: the connection ends, and with it whatever the tool still does.
 *
 * A tool that failed has a result too, with `isError`. A call that the server refused throws `RefusedError`; anything
 * else that is thrown means that there is no answer.
 */
export async function callTool(url, name, args, { onProgress, signal } = {}) {
    const id = ++calls;
    const request = {
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: {
            name,
            arguments: args,
            _meta: {
                "io.modelcontextprotocol/protocolVersion": VERSION,
                "io.modelcontextprotocol/clientInfo": { name: "a web page", version: "1.0.0" },
                "io.modelcontextprotocol/clientCapabilities": {},
                // Without a token the server sends no reports. One answer has those of one call, so any value will do.
                progressToken: id,
            },
        },
    };
    const response = await fetch(url, {
        method: "POST",
        headers: {
            "Content-Type": "application/json",
            // The server chooses: one JSON text, or a stream of events that ends with the result.
            "Accept": "application/json, text/event-stream",
            // What stands in the body stands here too, for proxies, which read headers alone. Servers compare the two.
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": request.method,
            "Mcp-Name": name,
        },
        body: JSON.stringify(request),
        signal,
    });
    for await (const message of messages(response)) {
        if (message.method === "notifications/progress") {
            onProgress?.(message.params);
        } else if (message.error) {
            throw new RefusedError(message.error);
        } else if (message.result) {
            return message.result;
        }
    }
    throw new Error("the answer ended before the result");
}

/** The messages of a response, each as soon as it has come. */
async function* messages(response) {
    const type = response.headers.get("Content-Type") ?? "";
    if (type.startsWith("text/event-stream")) {
        for await (const data of events(response.body)) {
            // Empty ones are there to show that the connection works.
            if (data) {
                yield JSON.parse(data);
            }
        }
    } else if (type.startsWith("application/json")) {
        yield await response.json();
    } else {
        throw new Error(`the server answered with status ${response.status}`);
    }
}

/**
 * The data of each event of a stream. `EventSource` would read it as well, but can't send a body.
 *
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
async function* events(body) {
    // Decodes as it goes: a chunk may end anywhere, even within a character.
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let line = "";
    let data = [];
    let endedInCr = false;
    try {
        for (;;) {
            let { done, value: text } = await reader.read();
            if (done) {
                // What has no empty line behind it is no whole event, and does not count.
                return;
            }
            // Lines end with LF, CR or CR LF, and a chunk may end between these two.
            if (endedInCr && text.startsWith("\n")) {
                text = text.slice(1);
            }
            endedInCr = text.endsWith("\r");
            const lines = (line + text).split(/\r\n|\n|\r/);
            line = lines.pop();
            for (const complete of lines) {
                // Other lines have no messages: `event`, `id`, and comments (`:`), which keep a quiet connection open.
                const field = /^data(?:: ?(.*))?$/s.exec(complete);
                if (field) {
                    data.push(field[1] ?? "");
                } else if (complete === "" && data.length) {
                    yield data.join("\n");
                    data = [];
                }
            }
        }
    } finally {
        // Whoever has seen enough leaves the loop, and ends the stream by that.
        reader.cancel().catch(() => {});
    }
}
