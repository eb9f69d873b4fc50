"""Does a batch on a device wait for scenes to be read, and where does its time go?

`batch --renderer cuda` of 10,000 small scenes of one check, and of one scene of 100,000 checks, everyone against
everyone; on the CPU, if there is no GPU, of a tenth of them; with `--rounds N` of N hundred scenes and N thousand
checks. As many processes as there are cores; the sums are those of all that do the same:

    read       the scenes are read and cut into chunks
    upload     meshes are put onto the device, with their hierarchies
    launch     kernels run, or are waited for
    copy       arrays are sent to the device, and results come back
    asking     instead of these three, if more processes judge than there are devices: the process that holds the
               device is waited for; see `gpu` for what it does meanwhile
    Python     all else in processes that judge: scenes unpacked, sights, proofs, verdicts, rows
    waiting    they have nothing to judge; wanted: next to nothing after the first scenes
    journal    the process that gives out the work, and keeps the rows

Linux only: processes are forked with the clocks in place. What a process does before its first task is left out.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from silhouette.batches.feeding import FeedingPool, LoadJudge, SceneReader
from silhouette.batches.run import make_pool, write_batch
from silhouette.batches.settings import BatchSettings
from silhouette.renderers.cuda.devices import has_gpu, is_installed
from silhouette.workers import CAN_FORK
from tests.benchmarks.tables import CannotRunError, Options, Table, options_of, progress, show

SCENES, CHECKS = 10_000, 100_000
ON_CPU = 10
"""Without a GPU, so many times fewer."""

MODELS = Path(__file__).resolve().parents[2] / "models"
PARTS = ("upload", "launch", "copy", "asking", "Python", "waiting")


class Clock:
    """Seconds of one process by what they were spent on; a step within another counts for itself alone."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def step(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, measured."""

        def measured(*arguments: Any, **named: Any) -> Any:
            start = time.perf_counter()
            self._inner.append(0.0)
            try:
                return function(*arguments, **named)
            finally:
                passed = time.perf_counter() - start
                self.spent[name] += passed - self._inner.pop()
                self._inner[-1] += passed

        return measured

    def tasks(self, name: str, work: Callable[..., Iterator[Any]], folder: Path) -> Callable[..., Iterator[Any]]:
        """The same work of a worker, measured, and the waiting between its tasks; each task writes the sums down."""
        ended = [0.0]

        def measured(*given: Any) -> Iterator[Any]:
            if ended[0]:
                self.spent["waiting"] += time.perf_counter() - ended[0]
            yield from self.step(name, lambda: list(work(*given)))()
            ended[0] = time.perf_counter()
            (folder / f"{name} {os.getpid()}").write_text(json.dumps(self.spent))

        return measured


def watch(folder: Path) -> None:
    """Has the processes that are forked from now on measure themselves, and write the sums into a folder."""
    from silhouette.renderers.cuda.renderer import CudaRenderer
    from silhouette.renderers.cuda.served import ServedRenderer

    clock = Clock()
    started, launch = CudaRenderer.__init__, CudaRenderer.launch

    def launched(renderer: Any, *given: Any) -> None:
        launch(renderer, *given)
        renderer.warp.synchronize()

    def start(renderer: Any, *given: Any) -> None:
        started(renderer, *given)
        clock.spent.clear()
        renderer.warp.array.numpy = clock.step("copy", renderer.warp.array.numpy)

    replaced: dict[str, Callable[..., Any]] = {
        "__init__": clock.step("start", start),
        "launch": clock.step("launch", launched),
        "given": clock.step("copy", CudaRenderer.given),
        "_upload": clock.step("upload", CudaRenderer._upload),
    }
    for name, replacement in replaced.items():
        setattr(CudaRenderer, name, replacement)
    setattr(ServedRenderer, "ask", clock.step("asking", ServedRenderer.ask))  # noqa: B010
    for kind, name in ((SceneReader, "read"), (LoadJudge, "Python")):
        setattr(kind, "__call__", clock.tasks(name, kind.__call__, folder))  # noqa: B010


def piece(name: str, model: str, x: float, y: float, facing: float) -> dict[str, Any]:
    """A piece of a scene."""
    return {"name": name, "model": str(MODELS / f"{model}.toml"), "at": [x, y], "facing": facing}


def small_scenes(folder: Path, count: int) -> Path:
    """So many scenes of two figures and two pieces of terrain, with one check each."""
    for number in range(count):
        x, y = number % 61 - 30.0, 216.0 + number % 53
        terrain = [piece("barricade", "barricade", 2, 196, 270), piece("barrels", "barrel_stack", 58, 228, 40)]
        fighters = [piece("Kal", "ganger_rifle", 0, 0, 90), piece("Vex", "ganger_blade", x, y, 270)]
        asked = [{"attacker": "Kal", "target": "Vex"}]
        document = {"rules": "necromunda", "terrain": terrain, "fighter": fighters, "check": asked}
        (folder / f"{number:05}.json").write_text(json.dumps(document))
    return folder


def large_scene(folder: Path, checks: int) -> Path:
    """One scene of about so many checks, everyone against everyone: figures in a square, each third place terrain."""
    figures = round(checks**0.5)
    side = round((1.5 * figures) ** 0.5)
    places = [(100.0 * (number % side), 100.0 * (number // side)) for number in range(figures + figures // 2)]
    fighters = [
        piece(f"M{number}", ("ganger_rifle", "ganger_blade")[number % 2], *place, 37.0 * number % 360)
        for number, place in enumerate(place for number, place in enumerate(places) if number % 3)
    ]
    terrain = [piece(f"wall {number}", "barricade", *place, 90.0 * number) for number, place in enumerate(places[::3])]
    (folder / "large.json").write_text(json.dumps({"rules": "necromunda", "terrain": terrain, "fighter": fighters}))
    return folder


def measured(folder: Path, sums: Path, device: str | None, *, everyone: bool) -> dict[str, float]:
    """Seconds of a batch of the scenes in a folder, by what they were spent on, its processes, and its rows."""
    before, start = time.process_time(), time.perf_counter()
    settings = BatchSettings("cuda", everyone=everyone, device=device)
    pool = make_pool(settings)
    assert isinstance(pool, FeedingPool)
    summary = write_batch([folder], folder / "rows.jsonl", settings, pool)
    spent: defaultdict[str, float] = defaultdict(float)
    spent["all"], spent["journal"] = time.perf_counter() - start, time.process_time() - before
    assert not summary.failed, summary.failed[:3]
    spent["checks"] = summary.rows
    for file in sums.iterdir():
        kind = file.name.split()[0]
        spent["judging"] += kind == "Python"
        for name, seconds in json.loads(file.read_text()).items():
            if kind == "Python" or name == "read":
                spent[name] += seconds
    return spent


def tables(options: Options) -> Iterator[Table]:
    """Two columns: many small scenes, and one large."""
    if not is_installed():
        raise CannotRunError("warp-lang is not installed")
    if not CAN_FORK:
        raise CannotRunError("processes are not forked on this system")
    fewer = 1 if has_gpu() else ON_CPU
    scenes, checks = SCENES // fewer, CHECKS // fewer
    if options.rounds is not None:
        scenes, checks = min(scenes, 100 * options.rounds), min(checks, 1000 * options.rounds)
    found = list[dict[str, float]]()
    makers = {"small": partial(small_scenes, count=scenes), "large": partial(large_scene, checks=checks)}
    with tempfile.TemporaryDirectory() as name:
        sums = Path(name, "sums")
        watch(sums)
        for kind, make in makers.items():
            sums.mkdir()
            Path(name, kind).mkdir()
            made = make(Path(name, kind))
            found.append(measured(made, sums, None if has_gpu() else "cpu", everyone=kind == "large"))
            sums.rename(Path(name, f"sums of {kind}"))
            progress((f"{found[-1]['checks']:,.0f} checks", f"{found[-1]['all']:.1f} s"))
    rows = [
        ("checks", *(f"{one['checks']:,.0f}" for one in found)),
        ("processes that judge", *(f"{one['judging']:.0f}" for one in found)),
        ("s, the whole batch", *(f"{one['all']:.1f}" for one in found)),
        ("checks a second", *(f"{one['checks'] / one['all']:,.0f}" for one in found)),
        *((f"ms a check: {part}", *_each(found, part)) for part in ("read", *PARTS, "journal")),
    ]
    notes = () if has_gpu() else ("There is no GPU: the kernels ran on the CPU.",)
    yield Table("Where the time goes", ("", "small scenes", "one scene"), tuple(rows), notes)


def _each(found: list[dict[str, float]], part: str) -> Iterator[str]:
    return (f"{one[part] * 1e3 / one['checks']:.3f}" for one in found)


def main() -> None:
    """Prints the table."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
