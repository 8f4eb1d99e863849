"""LangChain's adapters, which sit on `mcp` 1.x: they know the handshake only, so there is no era to select.

Their two ways to use a server are the modes: a server, or a session, for each call, which is what `get_tools` gives,
and one for all.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

from langchain_core.tools import BaseTool
from langchain_mcp_adapters.callbacks import CallbackContext, Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp import ClientSession

import checks


class Connection:
    protocol_version = None

    def __init__(self, server: list[str]) -> None:
        self.noise = checks.Noise()
        self.session: ClientSession | None = None
        self.settings = {"session_kwargs": {"message_handler": self.noise.handle}}
        if checks.is_url(server):
            self.settings |= {"transport": "streamable_http", "url": server[0]}
        else:
            self.settings |= {"transport": "stdio", "command": server[0], "args": server[1:]}

    def client(self, callbacks: Callbacks | None = None) -> MultiServerMCPClient:
        return MultiServerMCPClient({"shop": self.settings}, callbacks=callbacks)

    async def load(self, callbacks: Callbacks | None = None) -> list[BaseTool]:
        if self.session is None:
            return await self.client(callbacks).get_tools()
        return await load_mcp_tools(self.session, callbacks=callbacks)

    async def tools(self) -> list[checks.Tool]:
        return [checks.Tool(tool.name, tool.description, tool.args_schema) for tool in await self.load()]

    async def call(self, on_progress: checks.OnProgress | None) -> str:
        async def show(progress: float, total: float | None, message: str | None, context: CallbackContext) -> None:
            await on_progress(progress, total, message)

        [tool] = await self.load(Callbacks(on_progress=show) if on_progress else None)
        [content] = await tool.ainvoke(checks.ARGUMENTS)
        return content["text"]


@asynccontextmanager
async def connect(server: list[str], in_session: bool) -> AsyncIterator[Connection]:
    connection = Connection(server)
    if not in_session:
        yield connection
        return
    async with connection.client().session("shop") as connection.session:
        yield connection


def modes(server: list[str]) -> list[checks.Mode]:
    return [
        checks.Mode("get_tools", partial(connect, server, False), keeps_server=False),
        checks.Mode("session", partial(connect, server, True)),
    ]


checks.main(f"langchain-mcp-adapters {version('langchain-mcp-adapters')} (mcp {version('mcp')})", modes)
