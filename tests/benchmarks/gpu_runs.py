"""What is measured on a device, each run in a process of its own: what is left of one does not weigh on the next."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any, TypeVar

import numpy as np

from silhouette.judging import JudgingOptions, judge_all
from silhouette.judging.maps import MapRequest, map_of
from silhouette.renderers import choose
from silhouette.renderers.cuda.renderer import TOGETHER_ON_GPU
from silhouette.renderers.protocol import Capabilities
from silhouette.renderers.registry import looking_between_pixels, survives_fork
from silhouette.rules.base import Rule, Settings
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from silhouette.workers import cores
from tests.benchmarks.crowded_table import loaded_anywhere, wide_document
from tests.benchmarks.gpu_steps import STEPS, Clock
from tests.benchmarks.maps import FIGURES_THERE, PIECES_THERE, PROCESSES
from tests.benchmarks.scale import Layout, everyone
from tests.benchmarks.tables import CannotRunError
from tests.support.rulings import ruled

PATIENCE = 300.0
"""Seconds for which a process waits until all others are ready."""

SETTINGS = ((0.1, 0.002), (0.1, 0.005), (0.1, 0.01), (0.2, 0.01))
"""Asked for by ``--pixel`` and ``--error``."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Place:
    """Where checks are judged.

    Attributes:
        renderer: by name.
        device: as ``--device`` spells it; None for a renderer that has one only.
        title: in words.
        is_gpu: whether it is no CPU.
    """

    renderer: str
    device: str | None
    title: str
    is_gpu: bool = False

    @property
    def together(self) -> tuple[int, ...]:
        """How many checks are judged at once, each number in turn."""
        return tuple(sorted({1, Capabilities().together, self.usual}))

    @property
    def usual(self) -> int:
        """How many checks the commands judge at once."""
        return TOGETHER_ON_GPU if self.renderer == "cuda" and self.is_gpu else Capabilities().together

    def start(self) -> Any:
        """The renderer, started."""
        return choose(self.renderer, self.device)


@dataclass(frozen=True)
class Rates:
    """What a setting gives: checks a second by how many are judged at once, and the errors of `errors_of`."""

    rates: tuple[float, ...]
    errors: tuple[float, float, float]


@dataclass(frozen=True)
class Mapped:
    """A map that was drawn: its places, the checks that it stands for, and seconds."""

    places: int
    checks: int
    seconds: float


def table() -> tuple[TableScene, str]:
    """The table of `scale`, ten figures among ten pieces, and which meshes stand on it."""
    return loaded_anywhere(Layout(10, 10).document())


def alone(function: Callable[..., Found], *arguments: Any) -> Found:
    """What a function of this module answers in a process of its own.

    Raises:
        CannotRunError: where the process dies.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        try:
            return executor.submit(function, *arguments).result()
        except BrokenProcessPool:
            raise CannotRunError("the process that measured has died") from None


def judged(scene: TableScene, settings: Settings, checks: Sequence[Check], together: int, seconds: float) -> float:
    """Checks a second that are judged within a time, so many at once; all checks in turn, again and again."""
    done, stream, start = 0, cycle(checks), time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        done += judged_once(scene, settings, list(islice(stream, together)))
    return done / passed


def judged_once(scene: TableScene, settings: Settings, checks: Sequence[Check]) -> int:
    """The number of the checks, which are judged at once."""
    rule: Rule[Any, Any] = NECROMUNDA
    return len(list(rule.judge([(scene, check) for check in checks], settings)))


def warmed(place: Place) -> tuple[TableScene, Any, list[Check]]:
    """The table, the renderer with all meshes on its device, and the checks, in no order."""
    scene, renderer = table()[0], place.start()
    checks = everyone(scene)
    judged_once(scene, Settings(renderer, 0.1), checks)
    order = np.random.default_rng(7).permutation(len(checks))
    return scene, renderer, [checks[number] for number in order]


def truth(scene: TableScene, checks: Sequence[Check]) -> list[float]:
    """The share that is obscured in each check, by rays on the CPU in a view four times as fine."""
    renderer, fine = looking_between_pixels(), replace(scene, error=1e-4)
    return [ruled(NECROMUNDA, fine, check, renderer, 0.025).occluded for check in checks]


def errors_of(
    scene: TableScene, checks: Sequence[Check], exact: Sequence[float], options: JudgingOptions
) -> tuple[float, float, float]:
    """The median error of the checks that are partly obscured, the largest of all, and the largest that is stated."""
    verdicts: list[Any] = [one.verdict for one in judge_all([(scene, check) for check in checks], options)]
    off = np.array([abs(verdict.occluded - share) for verdict, share in zip(verdicts, exact, strict=True)])
    partly = np.array([0.0 < share < 1.0 for share in exact])
    stated = max(verdict.counts.error for verdict in verdicts)
    return float(np.median(off[partly])), float(off.max()), float(stated)


def by_setting(place: Place, seconds: float) -> list[Rates]:
    """For each of `SETTINGS`, rates by `Place.together`, and errors."""
    scene, renderer, checks = warmed(place)
    exact, found = truth(scene, checks), []
    for pixel, error in SETTINGS:
        rough, settings = replace(scene, error=error), Settings(renderer, pixel)
        rates = tuple(judged(rough, settings, checks, together, seconds) for together in place.together)
        found.append(Rates(rates, errors_of(rough, checks, exact, JudgingOptions(renderer, pixel=pixel))))
    return found


def steps(place: Place, seconds: float, together: int) -> list[dict[str, float]]:
    """For each of `SETTINGS` what a check costs, so many at once: seconds by step and Python's, and what is counted."""
    scene, renderer, checks = warmed(place)
    clock = Clock()
    clock.watch(renderer)
    found = []
    for pixel, error in SETTINGS:
        clock.spent.clear()
        start = time.perf_counter()
        rate = judged(replace(scene, error=error), Settings(renderer, pixel), checks, together, seconds)
        passed = time.perf_counter() - start
        count = rate * passed
        clock.spent["Python"] = passed - sum(clock.spent[step] for step in STEPS[place.renderer])
        found.append({name: value / count for name, value in clock.spent.items()})
    return found


def side_by_side(place: Place, count: int, seconds: float) -> tuple[float, float, float | None]:
    """Checks a second of so many processes at the same time, MB of the largest, MB that the first took on the device.

    Each has a connection to the device of its own.

    Raises:
        CannotRunError: where a process dies.
    """
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(count)
    with ProcessPoolExecutor(count, context, initializer=_meet_at, initargs=(barrier,)) as executor:
        running = [executor.submit(_one_of_several, place, seconds) for _ in range(count)]
        try:
            told = [one.result() for one in running]
        except BrokenProcessPool:
            raise CannotRunError(f"{place.title}: one of {count} processes has died") from None
    return sum(one[0] for one in told), max(one[1] for one in told), told[0][2]


_others: list[Any] = []


def _meet_at(barrier: Any) -> None:
    _others.append(barrier)


def _one_of_several(place: Place, seconds: float) -> tuple[float, float, float | None]:
    before = _free(place)
    scene, renderer, checks = warmed(place)
    _others[0].wait(PATIENCE)
    rate = judged(scene, Settings(renderer, 0.1), checks, place.usual, seconds)
    after = _free(place)
    taken = None if before is None or after is None else (before - after) / 2**20
    return rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, taken


def _free(place: Place) -> int | None:
    """Bytes that are free on a GPU with CUDA; None where nothing tells."""
    if place.renderer != "cuda":
        return None
    from silhouette.renderers.cuda.devices import chosen_device

    device = chosen_device(place.device)
    return device.free if device.is_gpu else None


def mapped(place: Place, grid: float) -> Mapped:
    """The map of `tests.benchmarks.maps` with twelve attackers; in two processes where the renderer can be forked."""
    scene, _ = loaded_anywhere(wide_document(FIGURES_THERE, PIECES_THERE))
    renderer = place.start()
    request = MapRequest("figure 0", (), grid=grid)
    settings, workers = Settings(renderer, 0.1), PROCESSES if survives_fork(place.renderer) else 1
    map_of(scene, replace(request, within=2 * grid), settings)
    start = time.perf_counter()
    drawn = map_of(scene, request, settings, workers)
    return Mapped(len(drawn.index), len(drawn.index) * len(drawn.checks), time.perf_counter() - start)


def listed(renderer: str) -> list[Place]:
    """The devices of ``cuda`` or ``gl``, the CPU too.

    Raises:
        RendererUnavailable: where they cannot be listed.
    """
    if renderer == "cuda":
        from silhouette.renderers.cuda import devices as of_cuda

        return [_cuda_place(device) for device in of_cuda.listed_devices()]
    from silhouette.renderers.gl import context as of_gl

    return [_gl_place(device.index, device.software) for device in of_gl.listed_devices()]


def _cuda_place(device: Any) -> Place:
    words = f"{device.title}, {device.driver}" if device.is_gpu else f"no GPU, its kernels on the CPU, {cores()} cores"
    return Place("cuda", device.name, f"cuda, {device.name} ({words})", device.is_gpu)


def _gl_place(number: int, is_software: bool) -> Place:
    words = "no GPU, in software" if is_software else "a GPU"
    return Place("gl", str(number), f"gl, device {number} ({words})", not is_software)
