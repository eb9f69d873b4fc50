"""How soon does a hand in the browser see what it has done to the live table?

The table of ``live``, in Chromium without a graphics card, on the cores that judge. The mouse drags a figure along
random paths of eight places, one every 33 ms, and lets it go. Times are taken in the page: to the first answer of its
own judge that is as new, to such a verdict of the desk on the chosen pair, to the lines to all 19 others, from letting
go to the last verdict, and from the start of the command to the first whole picture. Wanted is what ``live`` wants,
and a first answer within 5 ms of the judge's own time (``page_judge``).
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.live import MOVED, OTHER, PATHS, PROCESSES, REACH, milliseconds, scene_file
from tests.benchmarks.processes import PROJECT
from tests.benchmarks.tables import CannotRunError, Options, Table, options_of, progress, show

WINDOW = (1440, 900)
STEPS, INTERVAL = 8, 33.0
"""Places of a path, and ms between two of them."""

STRIDE = 12.0
"""CSS pixels between two places."""

SCRIPT = Path(__file__).with_suffix(".js")
PATIENCE = 120.0
"""Seconds until a page must be settled."""

JUDGE_PATIENCE = 30.0
"""Seconds that its judge may take to be ready, where the game and the size of the table let it judge."""


@dataclass(frozen=True)
class Opened:
    """A page of the table, settled.

    Attributes:
        page: Playwright's.
        began: when the command was started, seconds since 1970.
    """

    page: Any
    began: float

    def settled(self) -> None:
        """Waits until nothing is under way."""
        end = time.monotonic() + PATIENCE
        while not self.page.evaluate("Boolean(window.silhouette) && window.silhouette.state().settled"):
            assert time.monotonic() < end, "the page never settled"
            self.page.wait_for_timeout(20)

    def judging(self) -> bool:
        """Whether the judge in the page knows how the table stands, which may take a while."""
        end = time.monotonic() + JUDGE_PATIENCE
        ready = "document.documentElement.dataset.judge === 'ready'"
        while not self.page.evaluate(ready) and time.monotonic() < end:
            self.page.wait_for_timeout(20)
        return bool(self.page.evaluate(ready))

    def log(self) -> dict[str, Any]:
        """What the page has kept, which then keeps anew."""
        found: dict[str, Any] = self.page.evaluate(
            "(() => { const log = structuredClone(window.measured);"
            "Object.assign(window.measured, { moves: [], edits: [], told: [], asked: [], first: [], let: [] });"
            "return log; })()"
        )
        return found


@contextmanager
def opened_page(scene: Path) -> Iterator[Opened]:
    """The table in a browser."""
    try:
        from tests.support.browsing import IN_SOFTWARE, chromium, launched
    except ImportError as error:
        raise CannotRunError(f"{error.name} is not installed") from None
    if chromium() is None:
        raise CannotRunError("there is no Chromium")
    command = [sys.executable, "-m", "silhouette", "table", str(scene), "--no-browser", "--workers", str(PROCESSES)]
    with launched(IN_SOFTWARE) as browser:
        began = time.time()
        with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                address = process.stdout.readline().strip()
                if not address:
                    raise CannotRunError("silhouette table did not start")
                before = SCRIPT.read_text(encoding="utf-8")
                with browser.visit(address, WINDOW, before, guarded=False) as visit:
                    opened = Opened(visit.page, began)
                    visit.until("Boolean(window.silhouette) && window.measured.shaped !== null")
                    visit.until("window.measured.pictures.some((at) => at > window.measured.shaped)")
                    opened.settled()
                    yield opened
            finally:
                process.terminate()


def starting(scene: Path, laps: int) -> Table:
    """The table of the start."""
    seconds, sizes = list[float](), list[float]()
    for _ in range(laps + 1):
        with opened_page(scene) as opened:
            log = opened.log()
            files = "performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)"
            sizes.append(log["bytes"] + opened.page.evaluate(files))
            first = min(at for at in log["pictures"] if at > log["shaped"])
            seconds.append(first / 1e3 - opened.began)
    rows = (
        ("until the first whole picture, s", f"{np.median(seconds[1:]):.2f}"),
        ("files and messages, MB", f"{max(sizes) / 1e6:.1f}"),
    )
    return Table(
        "The start in the browser, warm cache", ("", "measured"), tuple(map(progress, rows)), compared=("measured",)
    )


def placed(opened: Opened, chance: random.Random) -> tuple[float, float]:
    """Puts the figure at a random place, and gives that of its name in the window."""
    page = opened.page
    x, y = (round(chance.uniform(-reach, reach), 2) for reach in REACH)
    page.evaluate(f"void window.silhouette.move('{MOVED}', [{x}, {y}], {chance.randrange(360)})")
    opened.settled()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    box = page.locator(f'.labels [data-name="{MOVED}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dragged(opened: Opened, paths: int) -> Iterator[dict[str, Any]]:
    """What the page kept of each path."""
    page, chance = opened.page, random.Random(5)
    page.evaluate(f"void window.silhouette.select('{OTHER}')")
    opened.settled()
    page.evaluate(f"void window.silhouette.select('{MOVED}')")
    opened.settled()
    is_judging = opened.judging()
    for number in range(paths):
        x, y = placed(opened, chance)
        angle = chance.uniform(0.0, 2.0 * np.pi)
        across, along = STRIDE * np.cos(angle), STRIDE * np.sin(angle)
        if is_judging:
            opened.judging()
        opened.log()
        page.mouse.move(x, y)
        page.mouse.down()
        begin = time.perf_counter()
        for step in range(1, STEPS + 1):
            page.mouse.move(x + step * across, y + step * along)
            page.wait_for_timeout(max(0.0, INTERVAL * step - 1e3 * (time.perf_counter() - begin)))
        page.mouse.up()
        opened.settled()
        yield opened.log()
        if number % 20 == 19:
            progress((f"{number + 1} of {paths} paths",))


def first_answers(log: dict[str, Any]) -> list[float]:
    """Seconds from each movement to the judge's word on a place as new, where it does not leave it to the desk."""
    said = {one["number"]: one["at"] for one in log["first"] if one["word"] != "ask the desk"}
    seconds = list[float]()
    for moved in log["moves"]:
        number = next((asked["number"] for asked in log["asked"] if asked["at"] >= moved), None)
        seconds += [(said[number] - moved) / 1e3] if number in said else []
    return seconds


def waits(log: dict[str, Any], chosen: str) -> tuple[list[float], list[float], list[float]]:
    """Seconds from each movement to the chosen verdict, from each pose to all lines, and from letting go to the end."""
    pose_of = log["answers"]
    edits = [(edit["at"], pose_of[str(edit["id"])]) for edit in log["edits"]]
    assert None not in [pose for _, pose in edits], "an edit was refused"
    told = log["told"]

    def first(pose: int, after: float, **wanted: Any) -> dict[str, Any] | None:
        fits = (one for one in told if one["pose"] >= pose and one["at"] >= after)
        return next((one for one in fits if all(test(one) for test in wanted.values())), None)

    seen = list[float]()
    for moved in log["moves"]:
        pose = next((pose for at, pose in edits if at >= moved), None)
        verdict = None if pose is None else first(pose, moved, chosen=lambda one: chosen in one["pairs"])
        seen += [] if verdict is None else [(verdict["at"] - moved) / 1e3]
    lines = list[float]()
    for at, pose in edits:
        whole = first(pose, at, settled=lambda one: one["settled"])
        lines += [(whole["at"] - at) / 1e3] if whole is not None and whole["pose"] == pose else []
    ends = [one["at"] for one in told if one["settled"]]
    settled = [(max(ends[-1] - log["let"][-1], 0.0)) / 1e3] if ends and log["let"] and edits else []
    return seen, lines, settled


def dragging(scene: Path, paths: int) -> Table:
    """The table of dragging."""
    found = list[list[float]](), list[list[float]](), list[list[float]]()
    with opened_page(scene) as opened:
        logs = list(dragged(opened, paths))
        chosen = ",".join(opened.page.evaluate("JSON.parse(document.getElementById('pair').dataset.pair)"))
    for log in logs:
        for kept, one in zip(found, waits(log, chosen), strict=True):
            kept.append(one)
    seen, lines, settled = ([value for path in kept for value in path] for kept in found)
    moved, poses = (sum(len(log[key]) for log in logs) for key in ("moves", "edits"))
    first = [value for log in logs for value in first_answers(log)]
    rows = (
        *([milliseconds("a movement to the first answer of the page", first)] if first else []),
        milliseconds("a movement to the verdict of the chosen pair", seen),
        milliseconds("a pose to all that is selected", lines),
        milliseconds("letting go to all that is selected", settled),
    )
    notes = (f"{paths} paths, {moved} movements of the mouse, {poses} poses that were sent.",)
    columns = ("ms from", "median", "95 %", "worst")
    return Table("A hand in the browser", columns, rows, notes, compared=("median", "95 %"))


def tables(options: Options) -> Iterator[Table]:
    """Dragging, and the start."""
    with tempfile.TemporaryDirectory() as name:
        scene = scene_file(Path(name))
        yield dragging(scene, PATHS if options.rounds is None else 10 * options.laps(PATHS))
        yield starting(scene, options.laps(3))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
