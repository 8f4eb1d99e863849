"""A server of the Python SDK, `mcp` 2.x, for our client to talk to. It speaks both eras, on either transport.

    python python_mcp.py [--http PORT]

What a tool asks of its client it declares as a parameter: the SDK sends a request of its own in the older era, and
answers `input_required` in the newer one.
"""

import os
import sys
import warnings
from typing import Annotated

import anyio
import mcp_types as types
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.resolve import AcceptedElicitation, Elicit, ElicitationResult, ListRoots, Resolve, Sample
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, Field

# Logs, sampling and roots are deprecated, all of them.
warnings.simplefilter("ignore", MCPDeprecationWarning)

server = MCPServer("python_mcp", version="1.0.0", log_level="WARNING")


class Sum(BaseModel):
    sum: int


class Person(BaseModel):
    name: str


@server.tool()
def add(a: int, b: int) -> Annotated[types.CallToolResult, Sum]:
    """Add two numbers."""
    text = types.TextContent(type="text", text=str(a + b))
    return types.CallToolResult(content=[text], structured_content={"sum": a + b})


@server.tool(structured_output=False)
async def count(n: int, ctx: Context) -> str:
    """Count to a number and report each step."""
    for i in range(1, n + 1):
        await ctx.report_progress(i, n, f"step {i}")
    return f"counted to {n}"


@server.tool(structured_output=False)
def fail() -> str:
    """Fail."""
    raise ToolError("failed on purpose")


def ask_name() -> Elicit[Person]:
    return Elicit("Who?", Person)


@server.tool(structured_output=False)
def ask(person: Annotated[ElicitationResult[Person], Resolve(ask_name)]) -> str:
    """Ask the user for a name."""
    if isinstance(person, AcceptedElicitation):
        return f"hello {person.data.name}"
    return "declined" if person.action == "decline" else "cancelled"


def ask_word() -> Sample:
    text = types.TextContent(type="text", text="Say a word")
    return Sample([types.SamplingMessage(role="user", content=text)], max_tokens=10)


@server.tool(structured_output=False)
def ask_model(message: Annotated[types.CreateMessageResult, Resolve(ask_word)]) -> str:
    """Ask the model for a word."""
    return f"model said {message.content.text}"


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool(structured_output=False)
def where(result: Annotated[types.ListRootsResult, Resolve(ask_roots)]) -> str:
    """Tell the client's roots."""
    return " ".join(str(root.uri) for root in result.roots)


@server.tool(structured_output=False)
async def log(text: str, ctx: Context) -> str:
    """Send a log message."""
    await ctx.log("info", text)
    return "logged"


@server.tool(structured_output=False)
async def change(ctx: Context) -> str:
    """Tell that the tools have changed."""
    # Each era has a channel of its own, and drops what is sent on the other one.
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await ctx.notify_tools_changed()
    else:
        await ctx.session.send_tool_list_changed()
    return "changed"


@server.tool(structured_output=False)
async def touch(ctx: Context) -> str:
    """Tell that a resource was updated."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await ctx.notify_resource_updated("test://text")
    else:
        await ctx.session.send_resource_updated("test://text")
    return "touched"


@server.tool(structured_output=False)
async def sleep(ms: int) -> str:
    """Sleep for some milliseconds."""
    try:
        await anyio.sleep(ms / 1000)
    except anyio.get_cancelled_exc_class():
        if path := os.environ.get("CANCEL_LOG"):
            with open(path, "a") as file:
                file.write("cancelled\n")
        raise
    return "slept"


@server.tool(structured_output=False)
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


@server.prompt()
def greet(name: str) -> list[UserMessage]:
    """Greet somebody."""
    return [UserMessage(f"Greet {name}")]


@server.completion()
async def complete(
    ref: types.PromptReference | types.ResourceTemplateReference,
    argument: types.CompletionArgument,
    context: types.CompletionContext | None,
) -> types.Completion:
    known = ["Alan", "Alice", "Bob"] if isinstance(ref, types.PromptReference) else ["1", "2", "33"]
    return types.Completion(values=[value for value in known if value.startswith(argument.value)])


async def accept(_: object, params: types.RequestParams) -> types.EmptyResult:
    return types.EmptyResult()


# `MCPServer` itself has no way to offer these, which the older era calls before it expects updates and logs.
for method, params in {
    "resources/subscribe": types.SubscribeRequestParams,
    "resources/unsubscribe": types.UnsubscribeRequestParams,
    "logging/setLevel": types.SetLevelRequestParams,
}.items():
    server._lowlevel_server.add_request_handler(method, params, accept)


class HttpServer(uvicorn.Server):
    async def startup(self, sockets: list | None = None) -> None:
        await super().startup(sockets)
        print("listening", file=sys.stderr, flush=True)


if sys.argv[1:2] == ["--http"]:
    # Otherwise it waits on SIGTERM for as long as a client listens.
    config = uvicorn.Config(
        server.streamable_http_app(), port=int(sys.argv[2]), log_level="warning", timeout_graceful_shutdown=1
    )
    HttpServer(config).run()
else:
    server.run()
