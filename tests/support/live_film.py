"""The film of the live table in README: the real page in Chromium on a scene that ships, moved by hand.

    python -m tests.support.live_film [--out FILE]

takes it anew; then look at it. Each picture is taken once the page has told and drawn the verdicts of that moment. The
pointer and the line of words below the table are laid over the page; all else is the page's own.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from silhouette import load_scene
from tests.conftest import PROJECT
from tests.support.browsing import IN_SOFTWARE, Browser, Visit, launched
from tests.support.table_process import Started, started

SCENE = PROJECT / "scenes/necromunda/skirmish.toml"
FILM = PROJECT / "scenes/necromunda/live_table.webp"
WINDOW, WIDTH = (1040, 650), 800
"""The window in CSS pixels, and the width of the film."""

TICK = 90
"""ms of a picture while something moves."""

QUALITY = 76
LOOKS, OTHER = "Kal", "Tisk"
WAIST = 14.0
"""mm: how high above its base a model is taken hold of."""

SCRIPTS = Path(__file__).with_suffix(".js")
"""What is added to the page: how it is told that all is drawn, the pointer, and what is read from it."""

ASIDE = "(name) => [...name.style.translate.split(' ').map(parseFloat), 0].slice(0, 2)"
"""How far a name stands beside its model, CSS pixels to the right and down."""

FULL = ("--renderer", "auto", "--pixel", "0.1")
"""Options of the table: as it is by default."""


@dataclass
class Film:
    """Pictures, how long each is shown, and what the page told in each.

    Attributes:
        pictures: RGB, all of one size.
        times: ms.
        pointed: where the pointer was in each, CSS pixels.
        told: of each picture where the model stood that moves, the chosen pair and its verdict as the page worded them.
    """

    pictures: list[Image.Image] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    pointed: list[tuple[float, float]] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Writes it as an animated WebP that goes on for ever, with what was told as its comment (XMP)."""
        first, *others = self.pictures
        told = json.dumps(self.told, ensure_ascii=False, separators=(",", ":"))
        how = {"quality": QUALITY, "method": 4, "loop": 0, "xmp": told.encode()}
        first.save(path, save_all=True, append_images=others, duration=self.times, **how)


def told_in(path: Path) -> list[dict[str, Any]]:
    """What the page told in each picture of a film."""
    with Image.open(path) as film:
        told: list[dict[str, Any]] = json.loads(film.info["xmp"])
    return told


class Camera:
    """Where points of the table are seen in the window, found from where the names of models stand.

    Args:
        points: (n, 3) where the names are, mm; n is at least 6, and they do not lie in one plane.
        seen: (n, 2) where they are seen, CSS pixels.
    """

    def __init__(self, points: NDArray[np.float64], seen: NDArray[np.float64]) -> None:
        self._scale = float(np.abs(points).max())
        rows = []
        for point, (x, y) in zip(points / self._scale, seen, strict=True):
            whole, nothing = np.append(point, 1.0), np.zeros(4)
            rows += [np.concatenate([whole, nothing, -x * whole]), np.concatenate([nothing, whole, -y * whole])]
        self._matrix = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 4)

    def __call__(self, x: float, y: float, z: float) -> tuple[float, float]:
        """The place in the window, CSS pixels."""
        across, down, depth = self._matrix @ [*(value / self._scale for value in (x, y, z)), 1.0]
        return float(across / depth), float(down / depth)


class Shooting:
    """A hand on the page, and the camera before it.

    Args:
        visit: the page.
        rough: whether few pictures are taken, for a test.
    """

    def __init__(self, visit: Visit, rough: bool) -> None:
        self.film, self.page, self._visit, self._rough = Film(), visit.page, visit, rough
        self.at, self._pressed, self.words = (WINDOW[0] * 0.42, WINDOW[1] * 0.62), False, ""
        self._nearer()
        self.page.evaluate("window.film.begin()")
        self.camera = self._camera()
        self.page.mouse.move(*self.at)

    def _nearer(self) -> None:
        """Looks at the table from a little higher and nearer, so that it fills the view."""
        mouse = self.page.mouse
        mouse.move(560, 90)
        mouse.down()
        mouse.move(560, 108, steps=2)
        mouse.up()
        mouse.move(320, 330)
        for _ in range(2):
            mouse.wheel(0, -60)
            self.quiet()

    def _camera(self) -> Camera:
        self.quiet()
        tops, seen = [], []
        for piece in load_scene(SCENE).pieces:
            if piece.kind == "terrain":
                continue
            name = self.page.locator(f'.labels [data-name="{piece.name}"]')
            if not name.is_visible():
                continue
            box, (aside, up) = name.bounding_box(), name.evaluate(ASIDE)
            seen.append((box["x"] + box["width"] / 2 - aside, box["y"] + box["height"] - up))
            points = piece.pose.place(piece.model.mesh.vertices)
            tops.append((*piece.pose.translation[:2], points[:, 2].max() + 4.0))
        return Camera(np.array(tops), np.array(seen))

    def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element in the window."""
        box = self.page.locator(selector).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def wait(self, condition: str) -> None:
        """Waits until a JavaScript expression is true."""
        self._visit.until(condition)

    def quiet(self) -> None:
        """Waits until all is told and drawn."""
        for _ in range(2):
            self._visit.until("window.film.quiet()")
            self.page.wait_for_timeout(40)
        self._visit.until("window.film.quiet()")

    def take(self, ms: int = TICK) -> None:
        """Takes a picture that is shown so long."""
        self.page.evaluate("(all) => window.film.lay(...all)", [*self.at, self._pressed, self.words])
        self.quiet()
        with Image.open(io.BytesIO(self.page.screenshot())) as image:
            self.film.pictures.append(image.convert("RGB"))
        self.film.times.append(ms)
        self.film.pointed.append(self.at)
        self.film.told.append(self.page.evaluate("(name) => window.film.told(name)", LOOKS))

    def go(self, x: float, y: float, steps: int) -> None:
        """Moves the pointer there, slowly at both ends, a picture for each step."""
        start, steps = self.at, min(steps, 2) if self._rough else steps
        for step in range(1, steps + 1):
            part = step / steps
            part = part * part * (3.0 - 2.0 * part)
            self.at = (start[0] + part * (x - start[0]), start[1] + part * (y - start[1]))
            self.page.mouse.move(*self.at)
            self.take()

    def press(self, ms: int = TICK) -> None:
        """Presses the button, and takes a picture."""
        self.page.mouse.down()
        self._pressed = True
        self.take(ms)

    def shift_click(self, ms: int) -> None:
        """A click with Shift held, and a picture of it and of what follows.

        The key itself is not pressed: the browser would take the hand for one at the keyboard, and frame the table.
        """
        devtools = self.page.context.new_cdp_session(self.page)
        x, y = self.at
        how = {"x": x, "y": y, "button": "left", "clickCount": 1, "modifiers": 8}
        for self._pressed, event in ((True, "mousePressed"), (False, "mouseReleased")):
            devtools.send("Input.dispatchMouseEvent", {"type": event, **how})
            self.take(TICK if self._pressed else ms)

    def release(self, ms: int = TICK) -> None:
        """Lets the button go, and takes a picture."""
        self.page.mouse.up()
        self._pressed = False
        self.take(ms)


def shot(shooting: Shooting) -> Film:
    """What happens in the film."""
    page, camera = shooting.page, shooting.camera
    standing = {piece.name: piece.pose.translation for piece in load_scene(SCENE).pieces}

    def waist(x: float, y: float) -> tuple[float, float]:
        return camera(x, y, WAIST)

    shooting.take(300)
    shooting.words = "Click: lines to everyone"
    shooting.go(*waist(*standing[LOOKS][:2]), 6)
    shooting.press()
    shooting.release(600)

    shooting.words = "Shift + click: between these two"
    shooting.go(*waist(*standing[OTHER][:2]), 6)
    shooting.shift_click(500)

    shooting.go(*waist(*standing[LOOKS][:2]), 4)
    shooting.words = "Drag: every verdict follows"
    shooting.press()
    shooting.go(*waist(-68.0, -51.0), 14)
    shooting.release(300)

    shooting.words = "Wheel: turn"
    for _ in range(2):
        page.mouse.wheel(0, -60)
        shooting.take(350)

    shooting.words = "Drag: every verdict follows"
    shooting.press()
    shooting.go(*waist(18.0, -42.0), 18)
    shooting.release(500)

    shooting.words = f"M: where {LOOKS} would be in cover"
    page.keyboard.press("m")
    shooting.wait("document.getElementById('map-told').textContent.startsWith('The nearest')")
    shooting.take(900)

    shooting.words = ""
    shooting.go(*shooting.middle("#save"), 5)
    shooting.press()
    shooting.release(900)
    return shooting.film


@contextmanager
def table_to_film() -> Iterator[Started]:
    """The table of a copy of the scene, which ``silhouette table`` serves."""
    with TemporaryDirectory() as folder:
        place = Path(folder, "scenes/necromunda")
        place.mkdir(parents=True)
        shutil.copy(SCENE, place)
        Path(folder, "models").symlink_to(PROJECT / "models")
        with started(Path(SCENE.name), *FULL, folder=place) as running:
            yield running


def taken(browser: Browser, rough: bool = False) -> Film:
    """The film, taken anew; for a test with few pictures of what moves."""
    with table_to_film() as running:

        def route(page: Any) -> None:
            page.route(f"{running.origin}/**", lambda asked: asked.continue_())

        look = {"device_scale_factor": WIDTH / WINDOW[0]}
        with browser.visit(running.address, WINDOW, SCRIPTS.read_text(encoding="utf-8"), route=route, **look) as visit:
            visit.until("Boolean(window.silhouette) && window.silhouette.state().settled")
            visit.until("document.querySelectorAll('.labels [data-name]').length > 9")
            return shot(Shooting(visit, rough))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.live_film")
    parser.add_argument("--out", type=Path, default=FILM)
    parser.add_argument("--rough", action="store_true")
    asked = parser.parse_args()
    with launched(IN_SOFTWARE) as browser:
        film = taken(browser, asked.rough)
    film.write(asked.out)
    print(f"{len(film.pictures)} pictures, {sum(film.times) / 1000:.1f} s, {asked.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
