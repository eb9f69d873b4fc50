"""How soon does the live table answer while a figure is moved?

A table of 44 x 60 inches with 1.3 million triangles: 20 figures and 30 pieces of terrain, real meshes. The finest
figure is dragged along random paths of four poses; it and another are the chosen pair. Two processes judge. First each
pose waits for its answer; then poses come thirty times a second, and the newest wins: milliseconds from a pose to the
first verdict as new, and from the last pose to all that is selected. CPU time is that of all processes, for each pose.

Wanted, on two cores: the chosen pair within 40 ms, at 95 % within 100 ms; all lines of the figure within 200 ms, and
300 ms after letting go; all 380 checks within a second; at the start, with a warm cache, the first shapes within 2 s,
at most 5 MB.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session
from tests.benchmarks.crowded_table import FIGURES, MESHES, MISSING, TERRAIN, wide_document
from tests.benchmarks.processes import PROJECT
from tests.benchmarks.tables import CannotRunError, Options, Table, options_of, progress, show

FIGURES_THERE, PIECES_THERE = 20, 30
PROCESSES = 2
PATHS, STEPS = 200, 4
REACH, STRIDE = (480.0, 680.0), 6.0
"""mm: how far from the middle paths begin, along x and y, and the longest way between two poses of a path."""

INTERVAL = 1.0 / 30.0
"""Seconds between the poses of a hand."""

MOVED, OTHER = "figure 0", "figure 1"
FRESH, HELD = "One pose after the other", "Thirty poses a second"


def scene_file(folder: Path) -> Path:
    """The table as a file."""
    if not MESHES.is_dir():
        raise CannotRunError(MISSING)
    document = wide_document(FIGURES_THERE, PIECES_THERE, FIGURES[1:3], TERRAIN[3:])
    for piece in (*document["fighter"], *document["terrain"]):
        piece["mesh"] = str(MESHES / piece["mesh"])
    path = folder / "live.json"
    path.write_text(json.dumps(document))
    return path


def paths(count: int) -> list[list[dict[str, Any]]]:
    """Edits, those of each path together."""
    chance, found = random.Random(3), list[Any]()
    for _ in range(count):
        x, y = (chance.uniform(-reach, reach) for reach in REACH)
        across, along = (chance.uniform(-STRIDE, STRIDE) for _ in range(2))
        facing = chance.randrange(360)
        found.append(
            [
                {
                    "piece": MOVED,
                    "at": [round(x + step * across, 2), round(y + step * along, 2)],
                    "facing": (facing + 15 * step) % 360,
                    "on": "surface",
                }
                for step in range(STEPS)
            ]
        )
    return found


class Hand:
    """A client that drags a figure, and keeps when what was told.

    Attributes:
        sent: when each pose was asked for, by its number, seconds.
        chosen: (pose, seconds) of each verdict on the chosen pair.
        settled: when all was told that is watched, by the number of the pose.
    """

    def __init__(self, table: LiveTable, judges: Judges) -> None:
        self.session = Session(table, judges, self._told)
        self.sent, self.settled = dict[int, float](), dict[int, float]()
        self.chosen = list[tuple[int, float]]()
        self._news = asyncio.Event()

    def _told(self, message: dict[str, Any]) -> None:
        assert "error" not in message, message
        pose, now = message["pose"], time.perf_counter()
        if [MOVED, OTHER] in message["pairs"]:
            self.chosen.append((pose, now))
        if message["settled"]:
            self.settled[pose] = now
            self._news.set()

    async def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request."""
        answer = await self.session.answer({"id": 1, **request})
        assert "error" not in answer, answer
        return answer

    async def drag(self, edit: dict[str, Any], path: int) -> int:
        """Moves the figure, and gives the number of the pose."""
        start = time.perf_counter()
        answer = await self.ask(do="edit", drag=str(path), edits=[edit])
        pose: int = answer["pose"]
        self.sent[pose] = start
        return pose

    async def all_told(self, pose: int) -> None:
        """Waits until all is told of a pose."""
        while pose not in self.settled:
            self._news.clear()
            await self._news.wait()

    def until_chosen(self) -> list[float]:
        """Seconds from each pose to the first verdict on the chosen pair that is as new."""
        waits, told = list[float](), sorted(self.chosen)
        for pose, start in self.sent.items():
            waits.append(min(now for newer, now in told if newer >= pose) - start)
        return waits


async def dragged(table: LiveTable, judges: Judges, count: int, interval: float | None) -> tuple[Hand, list[float]]:
    """A hand that went along all paths, and the seconds until all was told; of every pose, or of the last of each path.

    Args:
        table: the table.
        judges: judge it.
        count: the number of paths.
        interval: seconds between two poses; None where each waits for all that is told of the one before.
    """
    hand, lasts = Hand(table, judges), list[int]()
    await hand.ask(do="watch", selected=MOVED, chosen=[MOVED, OTHER])
    await hand.all_told(table.pose)
    hand.chosen.clear()
    for number, path in enumerate(paths(count)):
        begin = time.perf_counter()
        for step, edit in enumerate(path):
            if interval is not None:
                await asyncio.sleep(max(0.0, begin + step * interval - time.perf_counter()))
            pose = await hand.drag(edit, number)
            if interval is None:
                await hand.all_told(pose)
                lasts.append(pose)
        if interval is not None:
            await hand.ask(do="watch", selected=MOVED, chosen=[MOVED, OTHER])  # it lets go
        await hand.all_told(pose)
        lasts += [pose] if interval is not None else []
    hand.session.close()
    return hand, [hand.settled[pose] - hand.sent[pose] for pose in lasts]


def milliseconds(what: str, seconds: list[float]) -> tuple[str, ...]:
    """A row: the median, what 95 % are within, and the worst."""
    numbers = [*np.percentile(seconds, (50, 95)), max(seconds)]
    return progress((what, *(f"{1e3 * number:.0f}" for number in numbers)))


def cpu() -> float:
    """CPU seconds of this process and of those that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def dragging(path: Path, title: str, count: int, interval: float | None) -> Table:
    """The table of one way to drag."""
    table = LiveTable.opened(path, Cache.default())
    before, judges = cpu(), Judges(table.scene, table.cache, workers=PROCESSES)

    async def dragging() -> tuple[Hand, list[float]]:
        async with judges:
            return await dragged(table, judges, count, interval)

    hand, whole = asyncio.run(dragging())
    rows = [
        milliseconds("verdict of the chosen pair", hand.until_chosen()),
        milliseconds("all, after letting go" if interval else "all that is selected", whole),
    ]
    poses, triangles = len(hand.sent), sum(len(piece.model.mesh.faces) for piece in table.scene.pieces)
    each = 1e3 * (cpu() - before) / poses
    note = f"{triangles / 1e6:.2f} million triangles, {poses} poses, {each:.0f} ms of CPU for each."
    columns = ("ms from a pose to", "median", "95 %", "worst")
    return Table(title, columns, tuple(rows), (note,), compared=("median", "95 %"))


def everyone(path: Path, laps: int) -> Table:
    """The table of all checks."""
    table = LiveTable.opened(path, Cache.default())
    before, judges = cpu(), Judges(table.scene, table.cache, workers=PROCESSES)

    async def asked() -> list[float]:
        seconds = []
        async with judges:
            hand = Hand(table, judges)
            for number, (edit, *_) in enumerate(paths(laps + 1)):
                await hand.drag(edit, number)
                start = time.perf_counter()
                answer = await hand.ask(do="check", everyone=True)
                seconds.append(time.perf_counter() - start)
                assert len(answer["results"]) == FIGURES_THERE * (FIGURES_THERE - 1)
        return seconds

    first, *others = asyncio.run(asked())
    rows = (
        ("the first time", f"{first:.2f}"),
        ("after another pose, median", f"{np.median(others):.2f}"),
        ("CPU, mean", f"{(cpu() - before) / (laps + 1):.2f}"),
    )
    return Table("All 380 checks", ("", "seconds"), tuple(map(progress, rows)), compared=("seconds",))


def starting(path: Path, laps: int) -> Table:
    """The table of a start: from that of the process until the shapes are there."""
    told, shown, size = list[float](), list[float](), 0
    for _ in range(laps + 1):
        start = time.perf_counter()
        command = [sys.executable, "-m", "silhouette", "serve", str(path), "--stdio", "--workers", str(PROCESSES)]
        with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b'{"id": 1, "do": "state"}\n{"id": 2, "do": "shapes"}\n')
            process.stdin.flush()
            process.stdout.readline()
            told.append(time.perf_counter() - start)
            size = len(process.stdout.readline())
            shown.append(time.perf_counter() - start)
    rows = (
        ("from the start until the state is told, s", f"{np.median(told[1:]):.2f}"),
        ("until the shapes are told, s", f"{np.median(shown[1:]):.2f}"),
        ("the shapes, MB", f"{size / 1e6:.1f}"),
    )
    return Table("The start, warm cache", ("", "measured"), tuple(map(progress, rows)), compared=("measured",))


def tables(options: Options) -> Iterator[Table]:
    """Dragging, all checks, and the start."""
    with tempfile.TemporaryDirectory() as name:
        path = scene_file(Path(name))
        paths_each = PATHS if options.rounds is None else options.laps(PATHS) * 10
        yield dragging(path, FRESH, paths_each, None)
        yield dragging(path, HELD, paths_each, INTERVAL)
        yield everyone(path, options.laps(5))
        yield starting(path, options.laps(3))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
