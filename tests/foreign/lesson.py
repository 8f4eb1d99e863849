"""The progress lesson of the Python SDK, with the server in another process: listen to a call, then print its result.

    python lesson.py SERVER_COMMAND...
    python lesson.py URL
"""

import sys

import anyio
from mcp import Client, StdioServerParameters


async def print_report(progress: float, total: float | None, message: str | None) -> None:
    print(f"{message} ({progress}/{total})")


async def main() -> None:
    command, *arguments = sys.argv[1:]
    is_url = command.startswith("http://")
    async with Client(command if is_url else StdioServerParameters(command=command, args=arguments)) as client:
        orders = {"order_ids": ["A17", "B42", "C03"]}
        result = await client.call_tool("export_orders", orders, progress_callback=print_report)
    print(result.content[0].text)


anyio.run(main)
