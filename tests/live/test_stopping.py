"""A process stops in the middle of an answer that nobody waits for, and goes on with the next question."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.live.judges import CheckQuestion, Desk, Judges, StoppableRenderer
from silhouette.live.live_table import LiveTable
from silhouette.measure.observe import observe
from silhouette.renderers import choose
from silhouette.renderers.protocol import Body, Cast, ForwardingRenderer, Renderer
from silhouette.renderers.views import View
from silhouette.rules import rule_called
from silhouette.workers import PATIENT
from silhouette.workers.process import STOP, Stopped
from tests.conftest import started
from tests.support.hard_sights import KINDS, case
from tests.support.live_clients import processes_of
from tests.support.shapes import spot

SECONDS = 20.0
"""What a question takes that is not stopped."""

VIEW = View(np.zeros(3), np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]]), -0.5, 0.5, 0.5, width=2, height=2)


@dataclass(frozen=True)
class EndlessQuestion:
    """A question that looks again and again; a file tells how often it was begun.

    Attributes:
        log: the file, which gets a byte each time.
    """

    log: Path

    def answered(self, desk: Desk) -> str:
        """Looks until it is stopped."""
        with self.log.open("ab") as file:
            file.write(b".")
        if len(self.log.read_bytes()) > 1:
            return "the second time"
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            desk.renderer.render(VIEW, [])
            time.sleep(0.001)
        return "never stopped"


def duel() -> dict[str, Any]:
    """Two stand-ins."""
    figure = {"figure": {"base": 32, "height": 38}, "facing": 0}
    return {
        "rules": "necromunda",
        "fighter": [{"name": "Kal", "at": [0, 0], **figure}, {"name": "Vex", "at": [200, 0], **figure}],
    }


def with_judges(folder: Path, use: Callable[[LiveTable, Judges], Awaitable[None]]) -> None:
    """Has a function use a table and one process that judges it."""
    table = LiveTable(folder / "duel.toml", duel(), Cache(None))
    judges = Judges(table.scene, table.cache, "reference", workers=1, pixel=2.0)

    async def used() -> None:
        async with judges:
            await use(table, judges)

    try:
        asyncio.run(used())
    finally:
        judges.close()


async def begun(log: Path) -> None:
    """Waits until a question was begun."""
    while not log.exists():
        await asyncio.sleep(0.001)


@pytest.mark.slow
def test_the_process_of_a_cancelled_question_answers_the_next_one_at_once(tmp_path: Path) -> None:
    async def use(table: LiveTable, judges: Judges) -> None:
        checks = rule_called("necromunda").everyone(table.scene)
        (expected,) = await judges.ask(table.now, CheckQuestion(checks[:1]))
        processes = processes_of(judges)
        endless = judges.ask(table.now, EndlessQuestion(tmp_path / "log"))
        await begun(tmp_path / "log")
        endless.cancel()
        start = time.monotonic()
        assert await judges.ask(table.now, CheckQuestion(checks[:1])) == [expected]
        assert time.monotonic() - start < SECONDS / 2
        assert processes_of(judges) == processes

    with_judges(tmp_path, use)


@pytest.mark.slow
def test_a_patient_question_begins_anew_after_an_urgent_one(tmp_path: Path) -> None:
    async def use(table: LiveTable, judges: Judges) -> None:
        checks = rule_called("necromunda").everyone(table.scene)
        patient = judges.ask(table.now, EndlessQuestion(tmp_path / "log"), PATIENT)
        await begun(tmp_path / "log")
        start = time.monotonic()
        assert (await judges.ask(table.now, CheckQuestion(checks[:1])))[0].row["verdict"] == "open"
        assert time.monotonic() - start < SECONDS / 2
        assert await patient == "the second time"

    with_judges(tmp_path, use)


def test_a_stop_that_comes_too_late_stops_nothing(tmp_path: Path) -> None:
    async def use(table: LiveTable, judges: Judges) -> None:
        checks = rule_called("necromunda").everyone(table.scene)
        processes_of(judges)
        judges._pool._slots[0].pipe.send(STOP)
        assert len(await judges.ask(table.now, CheckQuestion(checks))) == 2

    with_judges(tmp_path, use)


@pytest.mark.parametrize("name", ["embree", "reference"])
def test_a_stoppable_renderer_sees_what_its_own_sees_until_a_message_comes(name: str) -> None:
    ours, theirs = Pipe()
    renderer = choose(name)
    stoppable = StoppableRenderer(renderer, theirs)
    assert (stoppable.name, stoppable.device) == (renderer.name, renderer.device)
    assert stoppable.capabilities == renderer.capabilities
    assert stoppable.underlying is renderer
    body, places = spot(VIEW, 0, 0, 1, 1, 9.0), np.array([[0.0, 0.0], [1.0, 1.0]])
    casts = [Cast(VIEW, body, places)]
    assert stoppable.depths(casts).tolist() == [9.0, np.inf]
    ours.send(STOP)
    with pytest.raises(Stopped):
        stoppable.depths(casts)
    assert stoppable.render(VIEW, [body]).ids.tolist() == [[1, 0], [0, 0]]


def test_a_stoppable_renderer_hands_on_all_that_a_renderer_can_be_asked() -> None:
    """None of it is answered by the default: else a renderer that does better would be slower here, in silence."""
    public = {name for name in vars(Renderer) if not name.startswith("_")} - {"capabilities"}
    assert {"render", "depths", "underlying", "close"} < public <= vars(ForwardingRenderer).keys()
    assert issubclass(StoppableRenderer, ForwardingRenderer)


PLACES = np.zeros((1, 2))


def depths_of(renderer: Renderer, bodies: list[Body]) -> Any:
    return renderer.depths([Cast(VIEW, body, PLACES) for body in bodies])


@pytest.mark.parametrize(("name", "looks"), [("embree", 0), ("reference", 1), ("gl", 1)])
def test_a_message_stops_it_between_two_looks(name: str, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that comes while the first of three bodies is looked at; what looks at all at once renders none."""
    ours, theirs = Pipe()
    renderer, rendered = started(name), list[int]()
    stoppable, render = StoppableRenderer(renderer, theirs), renderer.render

    def interrupted(view: View, bodies: list[Body], pixels: Any = None) -> Any:
        rendered.append(len(bodies))
        ours.send(STOP)
        return render(view, bodies, pixels)

    bodies = [spot(VIEW, 0, 0, 1, 1, 9.0 + number) for number in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(renderer, "render", interrupted)
        if looks:
            with pytest.raises(Stopped):
                depths_of(stoppable, bodies)
        else:
            depths_of(stoppable, bodies)
    assert len(rendered) == looks
    ours.send(STOP)
    with pytest.raises(Stopped):
        depths_of(stoppable, bodies)


@pytest.mark.parametrize("name", ["embree", "cuda"])
def test_a_table_is_measured_by_a_stoppable_renderer_as_by_its_own(name: str) -> None:
    """With cuda, what is counted stays on the device of the renderer below."""
    renderer, sight = started(name), case(next(iter(KINDS)), 0).sight
    _, theirs = Pipe()
    exact, stoppable = (observe(sight, one, 0.1) for one in (renderer, StoppableRenderer(renderer, theirs)))
    assert vars(stoppable.counts) == vars(exact.counts)


SKIRMISH = Path(__file__).resolve().parents[2] / "scenes" / "necromunda" / "skirmish.toml"

CANCELLED, BETWEEN = 15, 0.001
"""How many questions are cancelled, and by how many seconds of work each of them is further on than the one before."""

STOPS_WITHIN = 0.004
"""Seconds of the processor, by the median."""


def seconds_of(process: int) -> float:
    """What the clock of another process says, which counts the seconds that it has run on a processor."""
    return time.clock_gettime((~process << 3) | 2)  # see clock_getcpuclockid(3)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the clock of another process is not to be had")
def test_a_process_works_at_most_4_ms_on_a_check_that_is_cancelled() -> None:
    """As that of the chosen pair is in each pose of a moving hand: from then to the last word of the process about it.

    Of many checks together it ends later, since many are looked at and proven at once: see `MOST_GROUP_CHECKS`.
    """
    table = LiveTable.opened(SKIRMISH, Cache(None), recover=False)
    judges, spent = Judges(table.scene, table.cache, "auto", workers=1), list[float]()

    async def use() -> None:
        async with judges:
            checks = rule_called("necromunda").everyone(table.scene)
            (process,), (slot,) = processes_of(judges), judges._pool._slots
            question = CheckQuestion(checks[:1], views=True)
            await judges.ask(table.now, question)
            for number in range(1, CANCELLED + 1):
                begun = seconds_of(process)
                answer = judges.ask(table.now, question)
                while seconds_of(process) < begun + number * BETWEEN and not answer.done():
                    await asyncio.sleep(0.0)
                if answer.done():  # a fast processor
                    break
                before = seconds_of(process)
                judges.drop(answer)
                while slot.running is not None:
                    time.sleep(0.001)
                spent.append(seconds_of(process) - before)

    try:
        asyncio.run(use())
    finally:
        judges.close()
    assert len(spent) >= CANCELLED // 5  # a check with silhouettes that are kept is soon answered
    assert statistics.median(spent) <= STOPS_WITHIN, spent
