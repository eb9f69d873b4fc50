"""The command line, moving pictures: parsing and printing of ``silhouette draw --animate``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from silhouette.cli.options import ExitStatus
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.errors import RequestError
from silhouette.text import verdict_in_words

AnimationFile = Annotated[
    Path | None,
    typer.Option("--animate", metavar="FILE", help="In place of figures: one check in motion, as .gif or .mp4."),
]
Walk = Annotated[
    str | None,
    typer.Option("--walk", metavar="X,Y[,Z]", help="With --animate: where the target walks to, in a straight line."),
]
Turn = Annotated[
    float | None,
    typer.Option("--turn", metavar="DEGREES", help="With --animate: how far the attacker turns, anticlockwise."),
]
Frames = Annotated[int | None, typer.Option("--frames", metavar="N", help="With --animate.  [default: 48]")]
Fps = Annotated[
    float | None, typer.Option("--fps", metavar="N", help="With --animate: frames a second.  [default: 12]")
]

SLOWEST, FASTEST = 0.2, 50.0
"""Frames a second."""


@dataclass(frozen=True)
class Moving:
    """The options of the command line that only an animation takes.

    Attributes:
        file: the file to write; None where nothing moves.
        walk: the point to which the target walks, as it was typed.
        turn: the angle of a turn, degrees.
        frames: the number of frames.
        fps: the number of frames per second.
    """

    file: Path | None
    walk: str | None
    turn: float | None
    frames: int | None
    fps: float | None

    def checked(self, out: Path | None, **others: bool) -> None:
        """Refuses options that do not go together.

        Args:
            out: the folder for figures.
            others: for each option that only figures take, by its name, whether it was given.
        """
        own = {"--walk": self.walk, "--turn": self.turn, "--frames": self.frames, "--fps": self.fps}
        given = [name for name, value in own.items() if value is not None]
        if self.file is None and given:
            raise RequestError(f"{given[0]} moves something; say --animate FILE.gif as well")
        if self.file is None and out is None:
            raise RequestError("there is no place for the figures; say --out DIR, or --animate FILE.gif")
        unfit = [f"--{name.replace('_', '-')}" for name, is_given in others.items() if is_given]
        if self.file is not None and (out is not None or unfit):
            raise RequestError(f"{unfit[0] if unfit else '--out'} is for figures; leave it out with --animate")
        if self.fps is not None and not SLOWEST <= self.fps <= FASTEST:
            raise RequestError(f"--fps {self.fps:g}: give a number from {SLOWEST:g} to {FASTEST:g}")


def animated(
    scene: Path,
    number: int | None,
    moving: Moving,
    *,
    as_json: bool,
    renderer: str,
    device: str | None,
    pixel: float | None,
    no_cache: bool,
    quiet: bool,
) -> int:
    """Judges, draws and writes an animation, and prints the result of each frame."""
    from silhouette.drawing.animation.files import check_path
    from silhouette.drawing.animation.film import FPS, Animation, animate
    from silhouette.files.cache import Cache
    from silhouette.judging import usable_pixel
    from silhouette.renderers import choose
    from silhouette.scenes.motion import FRAMES, Motion, place_of
    from silhouette.workers import cores

    assert moving.file is not None
    walk = None if moving.walk is None else place_of(moving.walk)
    motion = Motion(walk, moving.turn, FRAMES if moving.frames is None else moving.frames)
    fine = None if pixel is None else usable_pixel(pixel)
    check_path(moving.file)
    cache = Cache(None) if no_cache else Cache.default()
    animation = Animation(scene, number, motion, FPS if moving.fps is None else moving.fps, fine)
    with Waiting(f"animating {scene}", quiet=quiet, forking=True) as waiting:
        rows = animate(animation, moving.file, choose(renderer, device), cache, cores(), waiting.step)
    if as_json:
        show_json({"scene": str(scene), "animation": str(moving.file), "frames": rows})
    else:
        show("\n".join([*(() if quiet else map(_line, rows)), f"{len(rows)} frames in {moving.file}"]))
    return ExitStatus.OK


def _line(row: dict[str, Any]) -> str:
    """A frame's verdict, and the place of the moving piece in it."""
    share = row.get("occluded")
    words = [f"{row['frame']:3d}", verdict_in_words(row["verdict"], row.get("in_arc"))]
    words += [f"{100.0 * share:.2f} % ± {100.0 * row['error']:.2f} %"] if share is not None else []
    words += [f"{key} {row[key]}" for key in ("at", "facing") if key in row]
    return "  ".join(words)
