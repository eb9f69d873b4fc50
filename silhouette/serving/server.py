"""TELL, assistants: the Model Context Protocol on standard input and output, by the official SDK (extra ``mcp``).

The SDK reads and writes messages, and cancels a call that the client gave up. One thread answers what is judged or
drawn, one call after the other, and another one what is quickly told; meanwhile the loop tells how far that has come.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from silhouette.common.arguments import ARGUMENT_NAMES, in_arguments
from silhouette.common.installation import VERSION
from silhouette.common.text import problem
from silhouette.serving.bench import Bench, ToolCall
from silhouette.serving.tools import INSTRUCTIONS, TOOLS, ToolAnswer, answered

Report = Callable[
    [float, float | None, str], Awaitable[None]
]  # tells the client the steps that are done, and of how many

PROGRESS_AFTER_S, PROGRESS_EVERY_S = 2.0, 1.0  # seconds until a call first says how far it has come, and then again
LEAST_PROGRESS = 1e-3  # steps: what is told must rise each time, though nothing was done


def serve_tools(bench: Bench) -> None:
    """Answers a client until standard input ends; what is still being worked out then is given up."""
    asyncio.run(_serve(bench))


async def _serve(bench: Bench) -> None:
    with ThreadPoolExecutor(1) as judging, ThreadPoolExecutor(1) as telling:
        desk = ToolDesk(bench, judging, telling)
        server: Any = Server(
            "silhouette",
            version=VERSION,
            title="Silhouette",
            instructions=INSTRUCTIONS,
            on_list_tools=desk.list_tools,
            on_call_tool=desk.call_tool,
        )
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


class ToolDesk:
    """Takes calls of tools, and has threads answer them: one those that judge, another one those that are quick."""

    def __init__(self, bench: Bench, judging: ThreadPoolExecutor, telling: ThreadPoolExecutor) -> None:
        self._bench, self._judging, self._telling = bench, judging, telling

    async def list_tools(self, context: Any, parameters: Any) -> Any:
        """The tools, with the schemas of their arguments."""
        reads_alone = types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )
        tools = [
            types.Tool(
                name=name,
                description=tool.description,
                input_schema=tool.arguments.model_json_schema(),
                annotations=reads_alone,
            )
            for name, tool in TOOLS.items()
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, context: Any, parameters: Any) -> Any:
        """The answer of a tool; what goes wrong is one line, as the error of the tool."""
        call, name = ToolCall(), parameters.name
        thread = self._judging if name in TOOLS and TOOLS[name].judges else self._telling
        answer = asyncio.wrap_future(thread.submit(answered, self._bench, name, parameters.arguments or {}, call))
        try:
            return _result(await _awaited(answer, call, name, context.session.report_progress))
        except Exception as error:
            names = TOOLS[name].argument_names if name in TOOLS else ARGUMENT_NAMES
            message = in_arguments(self._bench.folder.plain(problem(error)), names)
            return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)
        finally:
            call.stop()  # nobody waits any longer, if the client has given up
            answer.cancel()


async def _awaited(answer: asyncio.Future[ToolAnswer], call: ToolCall, name: str, report: Report) -> ToolAnswer:
    """The answer, when it is there; until then how far it has come, if the client wants to know."""
    patience, before = PROGRESS_AFTER_S, 0.0
    while not (await asyncio.wait([answer], timeout=patience))[0]:
        before, patience = max(call.done, round(before + LEAST_PROGRESS, 6)), PROGRESS_EVERY_S
        words = f"{name} is at work" if call.total is None else f"{name}: {int(call.done)} of {call.total}"
        await report(before, None if call.total is None else max(call.total, before), words)
    return answer.result()


def _result(answer: ToolAnswer) -> Any:
    pictures = [types.ImageContent(data=b64encode(data).decode(), mime_type="image/png") for data in answer.pictures]
    text = types.TextContent(text=answer.text)
    return types.CallToolResult(content=[text, *pictures], structured_content=answer.content)
