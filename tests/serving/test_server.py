"""The server of tools within this process: how far a call has come, and what becomes of one that nobody waits for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.renderers import choose
from silhouette.serving import server
from silhouette.serving.bench import Bench, CallRenderer, ToolCall
from silhouette.serving.folder import ServedFolder
from silhouette.serving.server import ToolDesk
from silhouette.serving.tools import TOOLS, AssistantTool, ToolAnswer
from silhouette.workers.process import Stopped

Run = Callable[[ToolDesk, Any], Any]


def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[ToolCall], None], run: Run) -> Any:
    """What ``run`` gives, for a desk with the tool "work", and its context, which keeps what was reported."""

    def do(bench: Bench, given: Any, call: ToolCall) -> ToolAnswer:
        work(call)
        return ToolAnswer("done", {})

    monkeypatch.setattr(server, "PROGRESS_AFTER_S", 0.02)
    monkeypatch.setattr(server, "PROGRESS_EVERY_S", 0.01)
    monkeypatch.setitem(TOOLS, "work", AssistantTool("Works.", Entry, do))  # type: ignore[attr-defined]
    reports: list[tuple[float, float | None, str]] = []

    async def report(done: float, total: float | None, words: str) -> None:
        reports.append((done, total, words))

    async def serve() -> Any:
        with ThreadPoolExecutor(1) as judging, ThreadPoolExecutor(1) as telling:
            desk = ToolDesk(Bench(ServedFolder(tmp_path), Cache(None)), judging, telling)
            context = SimpleNamespace(session=SimpleNamespace(report_progress=report), reports=reports)
            return await run(desk, context)

    return asyncio.run(serve())


def asked(name: str = "work") -> Any:
    return SimpleNamespace(name=name, arguments=None)


def test_a_call_that_takes_long_says_how_far_it_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    until = threading.Event()

    def work(call: ToolCall) -> None:
        until.wait(10)

    async def run(desk: ToolDesk, context: Any) -> Any:
        call = asyncio.create_task(desk.call_tool(context, asked()))
        while len(context.reports) < 3:
            await asyncio.sleep(0.01)
        until.set()
        return await call, context.reports

    result, reports = called(tmp_path, monkeypatch, work, run)
    assert result.content[0].text == "done"
    assert all(words == "work is at work" for _, _, words in reports)
    done = [number for number, _, _ in reports]
    assert done == sorted(set(done))  # it must rise each time, says the protocol


def test_steps_are_told_with_their_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    until = threading.Event()

    def work(call: ToolCall) -> None:
        call.step(3, 12)
        until.wait(10)

    async def run(desk: ToolDesk, context: Any) -> Any:
        call = asyncio.create_task(desk.call_tool(context, asked()))
        while not context.reports:
            await asyncio.sleep(0.01)
        until.set()
        await call
        return context.reports[0]

    assert called(tmp_path, monkeypatch, work, run) == (3, 12, "work: 3 of 12")


def test_a_call_that_is_given_up_ends_and_the_next_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, number = threading.Event(), iter(range(9))

    def work(call: ToolCall) -> None:
        if next(number):
            return
        try:
            for step in range(100_000):
                call.step(step, 100_000)
                ended.wait(0.001)
        except Stopped:
            ended.set()
            raise

    async def run(desk: ToolDesk, context: Any) -> Any:
        first = asyncio.create_task(desk.call_tool(context, asked()))
        waiting = asyncio.create_task(desk.call_tool(context, asked()))
        while not context.reports:
            await asyncio.sleep(0.01)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await waiting

    assert called(tmp_path, monkeypatch, work, run).content[0].text == "done"
    assert ended.is_set()


def test_what_is_quickly_told_does_not_wait_for_what_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    until = threading.Event()

    async def run(desk: ToolDesk, context: Any) -> Any:
        slow = asyncio.create_task(desk.call_tool(context, asked()))
        quick = await desk.call_tool(context, asked("games"))
        assert not slow.done()
        until.set()
        await slow
        return quick

    assert not called(tmp_path, monkeypatch, lambda call: bool(until.wait(10)) and None, run).is_error


def test_what_goes_wrong_within_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(call: ToolCall) -> None:
        raise ZeroDivisionError("division\nby zero")

    result = called(tmp_path, monkeypatch, work, lambda desk, context: desk.call_tool(context, asked()))
    assert result.is_error
    assert result.content[0].text.startswith("internal: ZeroDivisionError: division by zero; please report it")


def test_a_renderer_of_a_call_that_is_stopped_measures_nothing() -> None:
    call = ToolCall()
    renderer = CallRenderer(choose("reference"), call)
    renderer.go_on()
    call.stop()
    with pytest.raises(Stopped):
        renderer.go_on()
