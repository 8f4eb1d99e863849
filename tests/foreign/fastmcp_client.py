"""FastMCP, `fastmcp` 4.x. Its `Client` selects the era with `mode=`: a version, `"legacy"` or `"auto"`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

import fastmcp
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

import checks


class Connection:
    def __init__(self, client: fastmcp.Client, noise: checks.Noise) -> None:
        self.client = client
        self.noise = noise

    @property
    def protocol_version(self) -> str | None:
        return self.client.protocol_version

    async def tools(self) -> list[checks.Tool]:
        return [checks.Tool(tool.name, tool.description, tool.input_schema) for tool in await self.client.list_tools()]

    async def call(self, on_progress: checks.OnProgress | None) -> str:
        # Without a handler of ours the client puts in its own, which logs.
        result = await self.client.call_tool(checks.TOOL, checks.ARGUMENTS, progress_handler=on_progress)
        [content] = result.content
        return content.text


@asynccontextmanager
async def connect(server: list[str], mode: str) -> AsyncIterator[Connection]:
    noise = checks.Noise()
    if checks.is_url(server):
        transport = StreamableHttpTransport(server[0])
    else:
        # Otherwise the server outlives its client.
        transport = StdioTransport(server[0], server[1:], keep_alive=False)
    async with fastmcp.Client(transport, mode=mode, message_handler=noise.handle) as client:
        yield Connection(client, noise)


def modes(server: list[str]) -> list[checks.Mode]:
    return [
        checks.Mode("modern", partial(connect, server, "2026-07-28"), "2026-07-28", always_asks=True),
        checks.Mode("legacy", partial(connect, server, "legacy"), "2025-11-25", always_asks=True),
        checks.Mode("auto", partial(connect, server, "auto"), "2026-07-28", always_asks=True),
    ]


checks.main(f"fastmcp {version('fastmcp')}", modes)
