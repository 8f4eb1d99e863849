"""A server of FastMCP, `fastmcp` 4.x, for our client to talk to. It speaks both eras, on either transport.

    python python_fastmcp.py [--http PORT]

Its lists come in pages. What a tool asks of its client, it sends as a request in the older era, and returns as an
`InputRequiredResult` in the newer one, which calls it again with the answer.

What it has no way to do: serve `resources/subscribe` and `subscriptions/listen`. It announces unasked that something
has changed, with the response of the call.
"""

import asyncio
import os
import sys
import warnings
from typing import Annotated, Any

import mcp_types as types
import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, Field

# Logs, sampling and roots are deprecated, all of them.
warnings.simplefilter("ignore", MCPDeprecationWarning)

server = FastMCP("python_fastmcp", version="1.0.0", list_page_size=4)


class Sum(BaseModel):
    sum: int


class Person(BaseModel):
    name: str


def is_modern(ctx: Context) -> bool:
    return ctx.request_context.protocol_version in MODERN_PROTOCOL_VERSIONS


def answer(ctx: Context) -> Any:
    """What the client said to the only question, `None` where it was not asked yet."""
    return (ctx.input_responses or {}).get("question")


def question(request: types.InputRequest) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests={"question": request})


@server.tool(output_schema=Sum.model_json_schema())
def add(a: int, b: int) -> ToolResult:
    """Add two numbers."""
    return ToolResult(content=str(a + b), structured_content={"sum": a + b})


@server.tool(output_schema=None)
async def count(n: int, ctx: Context) -> str:
    """Count to a number and report each step."""
    for i in range(1, n + 1):
        await ctx.report_progress(i, n, f"step {i}")
    return f"counted to {n}"


@server.tool(output_schema=None)
def fail() -> str:
    """Fail."""
    raise ToolError("failed on purpose")


@server.tool(output_schema=None)
async def ask(ctx: Context) -> str | types.InputRequiredResult:
    """Ask the user for a name."""
    if not is_modern(ctx):
        result = await ctx.elicit("Who?", Person)
        name = result.data.name if result.action == "accept" else None
    elif result := answer(ctx):
        name = result.content["name"] if result.action == "accept" else None
    else:
        schema = Person.model_json_schema()
        params = types.ElicitRequestFormParams(message="Who?", requested_schema=schema)
        return question(types.ElicitRequest(params=params))
    return {"accept": f"hello {name}", "decline": "declined", "cancel": "cancelled"}[result.action]


@server.tool(output_schema=None)
async def ask_model(ctx: Context) -> str | types.InputRequiredResult:
    """Ask the model for a word."""
    text = types.TextContent(type="text", text="Say a word")
    messages = [types.SamplingMessage(role="user", content=text)]
    if not is_modern(ctx):
        result = await ctx.session.create_message(messages, max_tokens=10, related_request_id=ctx.request_id)
    elif not (result := answer(ctx)):
        params = types.CreateMessageRequestParams(messages=messages, max_tokens=10)
        return question(types.CreateMessageRequest(params=params))
    return f"model said {result.content.text}"


@server.tool(output_schema=None)
async def where(ctx: Context) -> str | types.InputRequiredResult:
    """Tell the client's roots."""
    if not is_modern(ctx):
        # Over HTTP this comes on the stream that the client opened with GET.
        result = await ctx.session.list_roots()
    elif not (result := answer(ctx)):
        return question(types.ListRootsRequest())
    return " ".join(str(root.uri) for root in result.roots)


@server.tool(output_schema=None)
async def log(text: str, ctx: Context) -> str:
    """Send a log message."""
    await ctx.session.send_log_message("info", text, related_request_id=ctx.request_id)
    return "logged"


@server.tool(output_schema=None)
async def change(ctx: Context) -> str:
    """Tell that the tools have changed."""
    await ctx.send_notification(types.ToolListChangedNotification())
    return "changed"


@server.tool(output_schema=None)
async def touch(ctx: Context) -> str:
    """Tell that a resource was updated."""
    params = types.ResourceUpdatedNotificationParams(uri="test://text")
    await ctx.send_notification(types.ResourceUpdatedNotification(params=params))
    return "touched"


@server.tool(output_schema=None)
async def sleep(ms: int) -> str:
    """Sleep for some milliseconds."""
    try:
        await asyncio.sleep(ms / 1000)
    except asyncio.CancelledError:
        if path := os.environ.get("CANCEL_LOG"):
            with open(path, "a") as file:
                file.write("cancelled\n")
        raise
    return "slept"


@server.tool(output_schema=None)
def region(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Tell the region, which travels as a header too."""
    return f"region {region}"


@server.resource("test://text", mime_type="text/plain")
def text() -> str:
    return "hello"


@server.resource("test://bytes", mime_type="application/octet-stream")
def data() -> bytes:
    return bytes([0, 1, 2])


@server.resource("test://item/{id}", mime_type="text/plain")
def item(id: str) -> str:
    return f"item {id}"


@server.prompt
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Greet {name}"


@server.completion
def complete(
    ref: types.PromptReference | types.ResourceTemplateReference,
    argument: types.CompletionArgument,
    context: types.CompletionContext | None,
) -> list[str]:
    known = ["Alan", "Alice", "Bob"] if isinstance(ref, types.PromptReference) else ["1", "2", "33"]
    return [value for value in known if value.startswith(argument.value)]


class HttpServer(uvicorn.Server):
    async def startup(self, sockets: list | None = None) -> None:
        await super().startup(sockets)
        print("listening", file=sys.stderr, flush=True)


if sys.argv[1:2] == ["--http"]:
    # Otherwise it waits on SIGTERM for as long as a client listens.
    config = uvicorn.Config(server.http_app(), port=int(sys.argv[2]), log_level="warning", timeout_graceful_shutdown=1)
    HttpServer(config).run()
else:
    server.run(show_banner=False, log_level="WARNING")
