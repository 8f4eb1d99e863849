"""The Python SDK, `mcp` 2.x. Its `Client` selects the era with `mode=`: a version, `"legacy"` or `"auto"`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

import mcp

import checks


class Connection:
    def __init__(self, client: mcp.Client, noise: checks.Noise) -> None:
        self.client = client
        self.noise = noise

    @property
    def protocol_version(self) -> str:
        return self.client.protocol_version

    async def tools(self) -> list[checks.Tool]:
        listed = await self.client.list_tools()
        return [checks.Tool(tool.name, tool.description, tool.input_schema) for tool in listed.tools]

    async def call(self, on_progress: checks.OnProgress | None) -> str:
        result = await self.client.call_tool(checks.TOOL, checks.ARGUMENTS, progress_callback=on_progress)
        [content] = result.content
        if result.is_error:
            raise checks.Wrong(f"the call failed: {content.text}")
        return content.text


@asynccontextmanager
async def connect(server: list[str], mode: str) -> AsyncIterator[Connection]:
    noise = checks.Noise()
    target = server[0] if checks.is_url(server) else mcp.StdioServerParameters(command=server[0], args=server[1:])
    async with mcp.Client(target, mode=mode, message_handler=noise.handle) as client:
        yield Connection(client, noise)


def modes(server: list[str]) -> list[checks.Mode]:
    return [
        checks.Mode("modern", partial(connect, server, "2026-07-28"), "2026-07-28"),
        checks.Mode("legacy", partial(connect, server, "legacy"), "2025-11-25"),
        checks.Mode("auto", partial(connect, server, "auto"), "2026-07-28"),
    ]


checks.main(f"python mcp {version('mcp')}", modes)
