"""Where does the time of a check go on each OpenGL device, and how many checks a second is that?

The crowded table: 10 figures, 12 pieces of terrain, all 90 pairs at 0.1 mm, judged again and again by one process, then
by several at once on the same device, each with a context of its own. For one process, milliseconds per check:

    submit     Python and the driver put together what is to be drawn
    draw       waiting for the device, until all of it is drawn
    readback   what was drawn comes back
    layers     it is laid out as layers
    counting   everything else: views, arcs, masks, counts, errors, the verdict

To be run wherever there is a GPU. ``python -m tests.benchmarks.gpu [--workers 1,4,16] [--pixel 0.1] [--seconds 5]
[--device N]`` measures devices in software as well.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, permutations
from pathlib import Path
from typing import Any

from silhouette.errors import RendererUnavailable
from silhouette.renderers import choose
from silhouette.renderers.gl.devices import listed_devices
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from silhouette.workers import cores
from tests.benchmarks.crowded_table import crowded_document, loaded
from tests.benchmarks.tables import CannotRunError, Options, Table, show
from tests.support.rulings import ruled

PARTS = ("submit", "draw", "readback", "layers", "counting")
READY = "ready"
PIXEL = 0.1
SECONDS = 5.0


class Clock:
    """What is spent where, measured round the renderer's own steps; a step within another counts for itself alone."""

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

    def watch(self) -> None:
        """Measures every renderer from now on, which then waits for the device before it reads back."""
        from OpenGL import GL

        from silhouette.renderers.gl.depth_pass import DepthPass
        from silhouette.renderers.gl.renderer import GLRenderer

        fetched = self.step("readback", DepthPass._fetched)
        finish = self.step("draw", GL.glFinish)

        def waited(one: DepthPass, *arguments: Any) -> Any:
            finish()
            self.spent["pixels"] += arguments[1]
            return fetched(one, *arguments)

        def drawn_bodies(function: Callable[..., Any]) -> Callable[..., Any]:
            def counted(one: DepthPass, view: Any, bodies: Any, *rest: Any) -> Any:
                self.spent["bodies"] += len(bodies)
                return function(one, view, bodies, *rest)

            return counted

        replaced: dict[str, Callable[..., Any]] = {"_fetched": waited}
        replaced |= {
            name: drawn_bodies(self.step("submit", getattr(DepthPass, name))) for name in ("windows", "depths")
        }
        for name, replacement in replaced.items():
            setattr(DepthPass, name, replacement)
        separately = GLRenderer.render_separately
        listed: dict[str, Callable[..., Any]] = {
            "render": GLRenderer.render,
            "render_separately": lambda *arguments: iter(list(separately(*arguments))),
        }
        for name, function in listed.items():
            setattr(GLRenderer, name, self.step("layers", function))


def judge_for(seconds: float, device: int | None, pixel: float, *, watched: bool, wait: bool) -> dict[str, Any]:
    """Judges for so long, and says how many checks a second that was and what was spent where.

    With ``wait`` it says when it is ready and begins when a line is read.
    """
    renderer: Any = choose("gl", None if device is None else str(device))
    scene = loaded({**crowded_document(), "readings": Readings().model_dump()})
    figures = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    checks = [Check(*pair) for pair in permutations(figures, 2)]
    for check in checks:
        ruled(NECROMUNDA, scene, check, renderer, pixel)
    clock = Clock()
    if watched:
        clock.watch()
    if wait:
        print(READY, flush=True)
        sys.stdin.readline()
    judged, start = 0, time.perf_counter()
    for check in cycle(checks):
        ruled(NECROMUNDA, scene, check, renderer, pixel)
        judged += 1
        passed = time.perf_counter() - start
        if passed >= seconds:
            break
    clock.spent["counting"] = passed - sum(clock.spent[part] for part in PARTS if part != "counting")
    each = {name: value / judged for name, value in clock.spent.items()}
    told = {"device": renderer.device, "driver": renderer.driver, "hardware": renderer.hardware}
    return {**told, "rate": judged / passed, "each": each}


def several(count: int, device: int, pixel: float, seconds: float) -> list[dict[str, Any]]:
    """What so many processes tell that judge at the same time on one device."""
    command = [sys.executable, "-m", "tests.benchmarks.gpu", "--child", "--device", str(device)]
    command += ["--pixel", str(pixel), "--seconds", str(seconds)]
    folder = Path(__file__).resolve().parents[2]
    pipe = subprocess.PIPE
    command += ["--watched"] if count == 1 else []
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=folder) for _ in range(count)]
    try:
        for process in processes:
            assert process.stdout is not None
            if process.stdout.readline().strip() != READY:
                raise CannotRunError(f"device {device}: a process ended before it began")
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        return [json.loads(process.communicate()[0].splitlines()[-1]) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def tables(options: Options) -> Iterator[Table]:
    """A table for each GPU."""
    devices = [one for one in listed_devices() if not one.software]
    if not devices:
        raise CannotRunError("there is no GPU, only OpenGL in software")
    yield from tables_of(devices, (1, cores()), PIXEL, 1.0 if options.rounds else SECONDS)


def tables_of(devices: Iterable[Any], workers: Iterable[int], pixel: float, seconds: float) -> Iterator[Table]:
    """A table for each device: checks a second, and what one process spends its time on."""
    for device in devices:
        rows = []
        for count in sorted({1, *workers}):
            told = several(count, device.index, pixel, seconds)
            rows.append((f"checks a second, processes: {count}", f"{sum(one['rate'] for one in told):,.1f}"))
            if count == 1:
                alone = told[0]
        each = alone["each"]
        rows += [(f"ms a check: {part}", f"{each[part] * 1e3:.2f}") for part in PARTS]
        rows += [("bodies drawn a check", f"{each['bodies']:.1f}")]
        rows += [("MB read back a check", f"{each['pixels'] * 4 / 1e6:.2f}")]
        kind = "a GPU" if alone["hardware"] else "in software"
        title = f"Device {device.index}: {alone['device']} ({kind}; {alone['driver']})"
        yield Table(title, ("", "measured"), tuple(rows), compared=("measured",))


def main() -> None:
    """Prints a table for each device."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", default=f"1,{cores()}", help="numbers of processes, such as 1,4,16")
    parser.add_argument("--pixel", type=float, default=PIXEL)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--device", type=int, help="only this one")
    for hidden in ("--child", "--watched"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(judge_for(asked.seconds, asked.device, asked.pixel, watched=asked.watched, wait=True)))
        return
    try:
        devices = [one for one in listed_devices() if asked.device in (None, one.index)]
    except RendererUnavailable as reason:
        raise SystemExit(str(reason)) from None
    show(tables_of(devices, map(int, asked.workers.split(",")), asked.pixel, asked.seconds))


if __name__ == "__main__":
    main()
