"""The Python SDK, `mcp` 2.x, in sessions with the examples.

The sessions are in `examples.json`; `typescript_examples.mjs` plays them too. For each example there are the arguments
of the program and its checks. A check is what is done on one connection, step by step:

- `method` and `params` are asked of the server; `gives` is what is in the result, `fails` what is in the error. Where
  `progress` stands, the client listens, and these reports come before the result. `asks` are the questions that come
  meanwhile, each of which gets `answer`; where a check has none, its client does not offer to be asked. The method
  `server` stands for what the server tells of itself.
- `watch` are the resources to be told about from now on, and those watched before no longer; `told` are those that
  have changed next, in this order.
- `since` and `before` are protocol versions: with others the step is left out, and so is a check without steps.

Of an object only the members that are expected are compared, and one that is expected to be `null` has to be missing,
which `isError` has to be wherever it is not expected.
Whatever the client itself finds wrong fails the check: it validates each message, and structured results by the schema
of their tool.

What this client has no way to do: offer another version than 2025-11-25 in the handshake.
"""

import argparse
import asyncio
import faulthandler
import json
import logging
import sys
import warnings
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mcp
import mcp_types as types
from mcp.client.subscriptions import Subscription
from mcp.shared.exceptions import MCPDeprecationWarning

import checks

# The methods of the older era are deprecated, all of them.
warnings.simplefilter("ignore", MCPDeprecationWarning)


class Complaints(logging.Handler):
    """What the client drops it tells its log only."""

    def __init__(self, noise: checks.Noise) -> None:
        super().__init__(logging.WARNING)
        self.noise = noise

    def emit(self, record: logging.LogRecord) -> None:
        self.noise.faults.append(self.format(record))


class Connection:
    client: mcp.Client

    def __init__(self) -> None:
        self.noise = checks.Noise()
        self.answer: Any = None
        self.asked: list[Any] = []
        self.watching = AsyncExitStack()
        self.subscription: Subscription | None = None
        self.updates: asyncio.Queue[str] = asyncio.Queue()

    @property
    def protocol_version(self) -> str:
        return self.client.protocol_version

    async def tools(self) -> list[types.Tool]:
        return (await self.client.list_tools()).tools

    async def handle(self, message: Any) -> None:
        await self.noise.handle(message)
        if isinstance(message, types.ResourceUpdatedNotification):
            self.updates.put_nowait(message.params.uri)

    async def elicited(self, _: object, question: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(wire(question))
        return types.ElicitResult.model_validate(self.answer)

    async def play(self, step: dict[str, Any]) -> None:
        if "watch" in step:
            await self.watch(step["watch"])
        elif "told" in step:
            compare("the updates", step["told"], [await self.next_update() for _ in step["told"]])
        else:
            await self.ask(step)

    async def ask(self, step: dict[str, Any]) -> None:
        method, params = step["method"], step.get("params", {})
        reports: list[Any] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            reports.append({"progress": progress, "total": total, "message": message})

        self.answer, self.asked = step.get("answer"), []
        try:
            result = await self.request(method, params, on_progress if "progress" in step else None)
        except mcp.MCPError as error:
            if "fails" not in step:
                raise
            compare(f"the error of {method} {params}", step["fails"], wire(error.error))
        else:
            if "fails" in step:
                raise checks.Wrong(f"{method} {params} did not fail, but gave {wire(result)}")
            compare(f"the result of {method} {params}", {"isError": None, **step.get("gives", {})}, wire(result))
        compare("the reports before the result", step.get("progress", []), reports)
        compare("what the user was asked", step.get("asks", []), self.asked)

    async def request(self, method: str, params: dict[str, Any], on_progress: checks.OnProgress | None) -> Any:
        client = self.client
        match method:
            case "server":
                return types.InitializeResult(
                    protocol_version=client.protocol_version,
                    capabilities=client.server_capabilities,
                    server_info=client.server_info,
                    instructions=client.instructions,
                )
            case "tools/list":
                return await client.list_tools()
            case "tools/call":
                return await client.call_tool(**params, progress_callback=on_progress)
            case "resources/list":
                return await client.list_resources()
            case "resources/templates/list":
                return await client.list_resource_templates()
            case "resources/read":
                return await client.read_resource(**params)
            case "prompts/list":
                return await client.list_prompts()
            case "prompts/get":
                return await client.get_prompt(**params)
            case "completion/complete":
                is_prompt = params["ref"]["type"] == "ref/prompt"
                reference = types.PromptReference if is_prompt else types.ResourceTemplateReference
                return await client.complete(reference.model_validate(params["ref"]), params["argument"])
        raise checks.Wrong(f"there is no step {method}")

    async def watch(self, uris: list[str]) -> None:
        await self.watching.aclose()
        if self.protocol_version >= "2026-07-28":
            subscribing = self.client.listen(resource_subscriptions=uris)
            self.subscription = await self.watching.enter_async_context(subscribing)
            compare("what is watched", uris, self.subscription.honored.resource_subscriptions)
        else:
            for uri in uris:
                await self.client.subscribe_resource(uri)
                self.watching.push_async_callback(self.client.unsubscribe_resource, uri)

    async def next_update(self) -> str:
        if self.subscription:
            return (await anext(self.subscription)).uri
        return await self.updates.get()


def wire(model: Any) -> Any:
    """The message as it came, without the defaults of the client."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)


def compare(what: str, expected: Any, given: Any) -> None:
    if not fits(expected, given):
        raise checks.Wrong(f"{what}: expected {json.dumps(expected)}, got {json.dumps(given)}")


def fits(expected: Any, given: Any) -> bool:
    if isinstance(expected, dict):
        return isinstance(given, dict) and all(fits(value, given.get(key)) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(given, list) and len(expected) == len(given) and all(map(fits, expected, given))
    return expected == given


@asynccontextmanager
async def connect(
    server: list[str], mode: str, protocol_version: str, *, answers: bool = False
) -> AsyncIterator[Connection]:
    connection = Connection()
    command = mcp.StdioServerParameters(command=server[0], args=server[1:])
    client = mcp.Client(
        command,
        mode=mode,
        message_handler=connection.handle,
        elicitation_callback=connection.elicited if answers else None,
    )
    complaints = Complaints(connection.noise)
    logging.getLogger().addHandler(complaints)
    try:
        async with client as connection.client, connection.watching:
            compare("the negotiated version", protocol_version, connection.protocol_version)
            yield connection
    finally:
        logging.getLogger().removeHandler(complaints)


async def play(steps: list[dict[str, Any]], mode: checks.Mode) -> None:
    async with mode.connect(answers=any("answer" in step for step in steps)) as connection:
        for step in steps:
            await connection.play(step)
        checks.no_faults(connection)


async def every_example(tally: checks.Tally, folder: Path) -> None:
    examples = json.loads(Path(__file__).with_name("examples.json").read_text())
    for name, example in examples.items():
        server = [str(folder.resolve() / name), *example.get("arguments", [])]
        # A version as the mode asks nothing of the server: it would tell nothing of itself.
        for select, protocol_version in [("auto", "2026-07-28"), ("legacy", "2025-11-25")]:
            mode = checks.Mode(
                f"{protocol_version} {name}", partial(connect, server, select, protocol_version), protocol_version
            )
            for group, steps in example["checks"].items():
                steps = [
                    step
                    for step in steps
                    if step.get("since", "") <= protocol_version < step.get("before", "9999-12-31")
                ]
                if steps:
                    await checks.once(tally, mode, group, partial(play, steps))
            await checks.once(tally, mode, "ends with its client", checks.check_end)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path, help="where the programs of the examples are")
    folder = arguments.parse_args().folder

    # Should the client hang where no time limit reaches it, the program ends all the same.
    faulthandler.dump_traceback_later(300, exit=True)
    tally = checks.Tally(f"python mcp {version('mcp')}")
    asyncio.run(every_example(tally, folder))
    sys.exit(tally.failed)


main()
