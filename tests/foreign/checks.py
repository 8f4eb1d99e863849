"""What each Python client of these tests is put through.

A client program describes its `Mode`s and hands them to `main`; everything that is asked of them, and how it is
reported, is here. `checks.mjs` is the same for JavaScript: change both.

A server is the command that starts it, or one that runs: its URL then stands in the place of the command.
"""

import argparse
import asyncio
import faulthandler
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import anyio

TOOL = "export_orders"
DESCRIPTION = "Export orders to the accounting system, one at a time."
ARGUMENTS = {"order_ids": ["A17", "B42", "C03"]}
REPORTS = [(1.0, 3.0, "exported A17"), (2.0, 3.0, "exported B42"), (3.0, 3.0, "exported C03")]
RESULT = "Exported 3 orders."

# A call lasts 0.3 s, so whatever takes this long hangs.
LIMIT_SECONDS = 15
# The clients terminate a server that is still there 2 s after its stdin was closed.
END_SECONDS = 1.5
# Four calls that sleep most of the time leave the machine idle. Their ticks of 100 ms are spread over one another.
IDLE_AT_ONCE = 4
# A late report is told from a lost one by waiting so long after the result.
GRACE_SECONDS = 0.5
# The first and the last report are 0.2 s apart. What holds reports back until the response ends lets all go at once, in
# each call; on a machine with too much to do a client reads those of a few calls at once.
LIVE_SECONDS = 0.05

Report = tuple[float, float | None, str | None]
OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass
class Tool:
    name: str
    description: str | None
    schema: dict[str, Any]


@dataclass
class Noise:
    """What a connection heard beside the answers and the reports that it asked for."""

    progress: list[Any] = field(default_factory=list)
    faults: list[Any] = field(default_factory=list)

    async def handle(self, message: Any, *_: Any) -> None:
        """Serves as the `message_handler` of both generations of the Python SDK."""
        message = getattr(message, "root", message)
        if isinstance(message, Exception):
            self.faults.append(message)
        elif getattr(message, "method", None) == "notifications/progress":
            self.progress.append(message)


class Connection(Protocol):
    noise: Noise
    protocol_version: str | None

    async def tools(self) -> list[Tool]: ...

    async def call(self, on_progress: OnProgress | None) -> str:
        """Calls the tool with `ARGUMENTS`, gives back the text of the result; a result that is an error raises."""
        ...


@dataclass
class Mode:
    """One way to connect: `connect` starts a fresh client, and a fresh server unless one runs."""

    name: str
    connect: Callable[..., AbstractAsyncContextManager[Connection]]
    # What has to come out of the negotiation, `None` where the client does not tell.
    protocol_version: str | None = None
    # FastMCP asks for progress even if nobody listens.
    always_asks: bool = False
    # Whether `connect` keeps a server, or a session, until it is left; otherwise each call has one of its own.
    keeps_server: bool = True


class Wrong(Exception):
    """The server, or the client, did not do what it has to."""


@dataclass
class Call:
    text: str
    before: list[Report]
    after: list[Report]
    # How many seconds lay between the first and the last report.
    span: float

    def lost(self) -> int:
        return max(0, len(REPORTS) - len(self.before) - len(self.after))

    def check(self) -> None:
        if self.text != RESULT:
            raise Wrong(f"the result is {self.text!r}, not {RESULT!r}")
        if self.before == REPORTS and not self.after:
            return
        if self.lost():
            fault = f"{self.lost()} reports lost"
        elif self.after:
            fault = f"{len(self.after)} reports came after the result"
        elif sorted(self.before, key=repr) == sorted(REPORTS, key=repr):
            fault = "reports out of order"
        else:
            fault = "wrong reports"
        raise Wrong(f"{fault}: before the result {self.before}, after it {self.after}")


async def call(connection: Connection) -> Call:
    reports: list[Report] = []
    times: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))
        times.append(time.monotonic())

    text = await connection.call(on_progress)
    before = list(reports)
    if len(before) < len(REPORTS):
        await anyio.sleep(GRACE_SECONDS)
    return Call(text, before, reports[len(before) :], times[-1] - times[0] if times else 0.0)


async def check_tools(mode: Mode) -> None:
    async with mode.connect() as connection:
        tools = await connection.tools()
        version = connection.protocol_version
        if mode.protocol_version and version != mode.protocol_version:
            raise Wrong(f"negotiated {version}, not {mode.protocol_version}")
        if [tool.name for tool in tools] != [TOOL]:
            raise Wrong(f"the tools are {[tool.name for tool in tools]}, not {[TOOL]}")
        [tool] = tools
        if tool.description != DESCRIPTION:
            raise Wrong(f"the description is {tool.description!r}, not {DESCRIPTION!r}")
        order_ids = tool.schema.get("properties", {}).get("order_ids", {})
        if (
            tool.schema.get("type") != "object"
            or order_ids.get("type") != "array"
            or order_ids.get("items", {}).get("type") != "string"
            or "order_ids" not in tool.schema.get("required", [])
        ):
            raise Wrong(f"the schema asks for no array of strings `order_ids`: {tool.schema}")
        no_faults(connection)


async def check_progress(mode: Mode) -> None:
    async with mode.connect() as connection:
        (await call(connection)).check()
        no_faults(connection)


async def check_silence(mode: Mode) -> None:
    async with mode.connect() as connection:
        text = await connection.call(None)
        if text != RESULT:
            raise Wrong(f"the result is {text!r}, not {RESULT!r}")
        if connection.noise.progress and not mode.always_asks:
            raise Wrong(f"reports that nobody asked for: {connection.noise.progress}")
        no_faults(connection)


async def check_end(mode: Mode) -> None:
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(mode.connect())
        await connection.tools()
        start = time.monotonic()
        await stack.aclose()
        took = time.monotonic() - start
        if took > END_SECONDS:
            raise Wrong(f"the client had to wait for the server for {took:.1f} s")


def no_faults(connection: Connection) -> None:
    if connection.noise.faults:
        raise Wrong(f"the client could not read what came: {connection.noise.faults}")


class Tally:
    """Prints one line a group, `ok` or `FAIL`: `run` counts them."""

    def __init__(self, client: str) -> None:
        self.client = client
        self.failed = False

    def report(self, group: str, faults: list[str]) -> None:
        self.failed = self.failed or bool(faults)
        print("FAIL" if faults else "ok  ", self.client, group, flush=True)
        for fault in faults[:5]:
            print("     ", fault.replace("\n", "\n       "), flush=True)


async def limited(check: Awaitable[Any]) -> Any:
    try:
        with anyio.fail_after(LIMIT_SECONDS):
            return await check
    except TimeoutError:
        raise Wrong(f"no end after {LIMIT_SECONDS} s") from None


def told(error: BaseException) -> str:
    # What a client's tasks raise comes wrapped into groups of errors.
    while inner := getattr(error, "exceptions", ()):
        error = inner[0]
    return str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"


async def once(tally: Tally, mode: Mode, group: str, check: Callable[[Mode], Awaitable[None]]) -> None:
    faults = []
    try:
        await limited(check(mode))
    except Exception as error:
        faults.append(told(error))
    tally.report(f"{mode.name} {group}", faults)


async def repeat(tally: Tally, mode: Mode, load: str, pairs: int, at_once: int) -> None:
    """`pairs` times a fresh client, a fresh server unless one runs, and one call with progress."""
    faults: list[str] = []
    ran = lost = late = 0
    spans: list[float] = []
    left = iter(range(1, pairs + 1))

    async def pair() -> Call:
        async with mode.connect() as connection:
            return await call(connection)

    async def worker(index: int) -> None:
        nonlocal ran, lost, late
        await anyio.sleep(index * 0.1 / at_once)
        for number in left:
            ran += 1
            try:
                done = await limited(pair())
            except Exception as error:
                # The others would most likely break the same way, a server that hangs after the time limit each.
                faults.append(f"pair {number} broke, no more are tried: {told(error)}")
                lost += len(REPORTS)
                for _ in left:
                    pass
                return
            lost += done.lost()
            late += len(done.after)
            spans.append(done.span)
            try:
                done.check()
            except Wrong as error:
                faults.append(f"pair {number}: {error}")

    await asyncio.gather(*(worker(index) for index in range(at_once)))
    counts = f"{ran} pairs, {lost} reports lost of {ran * len(REPORTS)}" + (f", {late} late" if late else "")
    if spans:
        counts += f", at least {min(spans) * 1000:.0f} ms from first to last"
        if not lost and median(spans) < LIVE_SECONDS:
            faults.append("the reports were held back: in most calls all came at once")
    tally.report(f"{mode.name} {load}: {counts}", faults)


class EveryCoreBusy:
    """One busy loop a core plus one, for as long as the block lasts."""

    def __enter__(self) -> None:
        loop = str(Path(__file__).with_name("busy"))
        self.loops = [subprocess.Popen([loop, str(os.getpid())]) for _ in range((os.cpu_count() or 1) + 1)]

    def __exit__(self, *_: object) -> None:
        for loop in self.loops:
            loop.kill()
        for loop in self.loops:
            loop.wait()


def is_url(server: list[str]) -> bool:
    return server[0].startswith("http://")


async def every_check(tally: Tally, mode: Mode, over_http: bool, pairs: int) -> None:
    await once(tally, mode, "lists the tool", check_tools)
    await once(tally, mode, "calls with progress", check_progress)
    await once(tally, mode, "calls without progress", check_silence)
    if mode.keeps_server:
        await once(tally, mode, "leaves the server" if over_http else "ends the server", check_end)
    # To make an HTTP client reads the system's certificates, for which the other clients have to wait.
    await repeat(tally, mode, "idle", pairs, 1 if over_http else IDLE_AT_ONCE)
    with EveryCoreBusy():
        await repeat(tally, mode, "busy", pairs, 1)


def main(client: str, modes: Callable[[list[str]], list[Mode]]) -> None:
    """Runs the program: `modes` makes the modes from the server."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--pairs", type=int, default=20)
    arguments.add_argument("--modes", help="the names of those to try, with commas between, unless it is all")
    arguments.add_argument("--label", help="what to call this kind of server")
    arguments.add_argument("server", nargs="+", help="its command, or its URL")
    options = arguments.parse_args()

    # Should a client hang where no time limit reaches it, the program ends all the same.
    faulthandler.dump_traceback_later(120 + options.pairs * 15, exit=True)
    tally = Tally(f"{client} {options.label}" if options.label else client)

    async def every_mode() -> None:
        for mode in modes(options.server):
            if not options.modes or mode.name in options.modes.split(","):
                await every_check(tally, mode, is_url(options.server), options.pairs)

    asyncio.run(every_mode())
    sys.exit(tally.failed)
