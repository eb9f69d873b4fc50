"""DRAW many times: a check in motion, every frame judged by the rules and drawn, as one GIF, of one palette, or MP4,
with the results of all frames in its comment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import INCH
from silhouette.common.installation import extra_command
from silhouette.common.text import Progress, json_text
from silhouette.drawing.animation.frames import (
    FRAME_MARGIN_PX,
    FRAME_WIDTH_PX,
    Draw,
    Moment,
    Point,
    Storyboard,
    board_panels,
    bounds_of,
    ground_of,
    table_panels,
)
from silhouette.drawing.figures import figures_of, warm_up
from silhouette.drawing.sheet import settings
from silhouette.drawing.table.sightlines import Sightline
from silhouette.files.cache import Cache
from silhouette.files.writing import check_place, write_file
from silhouette.judging import JudgingOptions, content_with, judge_all
from silhouette.meshes.bounds import prepare
from silhouette.renderers.protocol import Renderer
from silhouette.rules import RULES, rule_called, rule_of
from silhouette.rules.base import MeasuredVerdict, Rule, Verdict
from silhouette.rules.fields import SEEN_PIXELS
from silhouette.scenes.places import Motion, Posed, poses
from silhouette.scenes.scene import Scene, read_document
from silhouette.scenes.table import INCH_DECIMALS, TableScene, unit_in
from silhouette.workers import parallel_map

FILM_FORMATS = (".gif", ".mp4")
PALETTE_COLOURS = 255  # colours of the palette: a GIF may have 256, of which one stands for pixels that do not change
PALETTE_FRAMES = 20  # the most frames from which the palette is chosen
# Of these frames, every fourth pixel of every fourth row is looked at: some 600,000, more than needed.
SAMPLE_STRIDE = 4
HOLD_FIRST, HOLD_LAST = 0.5, 1.5  # the seconds for which the first and the last frame stay


def check_path(path: Path) -> None:
    """Checks, before anything is judged, that an animation can be written. FileError if the ending is neither .gif nor
    .mp4, or the folder is not there; RequestError if it is an MP4 and PyAV is not installed: it names the extra.

    >>> check_path(Path("duel.avi"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.avi: animations are GIF or MP4; give a name that ends in .gif or .mp4
    """
    if path.suffix.lower() not in FILM_FORMATS:
        raise FileError(path, "animations are GIF or MP4; give a name that ends in .gif or .mp4")
    check_place(path)
    if path.suffix.lower() == ".mp4":
        try:
            import av  # noqa: F401
        except ImportError:
            raise RequestError(
                "MP4 needs PyAV, which is not installed; "
                f"end the name in .gif, or install it with: {extra_command('mp4')}"
            ) from None


def write_animation(frames: Storyboard, path: Path, fps: float, data: Mapping[str, Any], progress: Progress) -> None:
    """Writes two or more frames as a GIF or an MP4, by the ending of the path, with the results as JSON in the comment
    of the GIF or of the MP4's metadata. FileError where it cannot be written; a file of that name then stays as it was.
    """
    write = _gif if path.suffix.lower() == ".gif" else _mp4
    write_file(path, write(frames, fps, json_text(data, separators=(",", ":")), progress))


def _gif(frames: Storyboard, fps: float, comment: str, progress: Progress) -> bytes:
    palette, drawn_already = _palette(frames)
    drawn = []
    for number in range(len(frames)):
        progress(number, len(frames))
        frame = drawn_already.pop(number) if number in drawn_already else frames.frame(number)
        drawn.append(frame.quantize(palette=palette, dither=Image.Dither.NONE))
    durations = [max(round(100 / fps), 2) * 10] * len(drawn)
    durations[0], durations[-1] = durations[0] + round(1000 * HOLD_FIRST), durations[-1] + round(1000 * HOLD_LAST)
    stream = BytesIO()
    drawn[0].save(
        stream,
        format="GIF",
        save_all=True,
        append_images=drawn[1:],
        duration=durations,
        loop=0,
        optimize=False,
        disposal=1,
        comment=comment.encode("ascii"),
    )
    return stream.getvalue()


def _palette(frames: Storyboard) -> tuple[Image.Image, dict[int, Image.Image]]:
    """An image whose palette serves all frames, and the frames from which it was chosen, by their numbers."""
    count = min(len(frames), PALETTE_FRAMES)
    width, height = (length // SAMPLE_STRIDE for length in frames.size)
    sheet = Image.new("RGB", (width, height * count))
    frames_drawn = {}
    for place in range(count):
        number = place * (len(frames) - 1) // max(count - 1, 1)
        frames_drawn[number] = frames.frame(number)
        sheet.paste(frames_drawn[number].resize((width, height), Image.Resampling.NEAREST), (0, place * height))
    return sheet.quantize(PALETTE_COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=2), frames_drawn


def _mp4(frames: Storyboard, fps: float, comment: str, progress: Progress) -> bytes:
    import av

    stream = BytesIO()
    rate = Fraction(fps).limit_denominator(1000)
    with av.open(stream, "w", format="mp4", options={"movflags": "use_metadata_tags"}) as container:
        container.metadata["comment"] = comment
        video = container.add_stream("libx264", rate=rate, options={"crf": "20", "preset": "medium"})
        video.width, video.height = frames.size
        video.pix_fmt = "yuv420p"
        for number in range(len(frames)):
            progress(number, len(frames))
            picture = av.VideoFrame.from_ndarray(np.asarray(frames.frame(number)), format="rgb24")
            hold = HOLD_FIRST if number == 0 else HOLD_LAST if number == len(frames) - 1 else 0.0
            for _ in range(1 + round(hold * fps)):
                for packet in video.encode(picture):
                    container.mux(packet)
        for packet in video.encode():
            container.mux(packet)
    return stream.getvalue()


FPS = 12.0  # frames a second by default
SAMPLED = 5  # the number of frames that decide which stretch of a map is shown
Drawing = Callable[[Any, Any], Any]  # draws the panels of a frame from its scene and verdict


@dataclass(frozen=True)
class Animation:
    """An animation: its scene file, the number of the check, from 1, None where there is only one, its motion, frames a
    second, and mm per pixel and the error goal, a share; None for those of the scene.
    """

    scene: Path
    number: int | None
    motion: Motion
    fps: float = FPS
    pixel: float | None = None
    error: float | None = None


def animate(
    animation: Animation,
    out: Path,
    renderer: Renderer,
    cache: Cache,
    workers: int = 1,
    progress: Progress = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Judges and draws every frame, writes them as a GIF or an MP4, and gives for each the result of its check, with
    ``frame`` from 1, and ``at`` and ``facing`` of what moves. ``progress`` is called with the steps done, and all
    steps.

    Raises FileError where the scene cannot be used or the file cannot be written; no file is written then; RequestError
    where there is no such check, or its pieces cannot move in this way.
    """
    check_path(out)
    cache = cache.remembering()  # every frame has a scene of its own, of the same models
    document = read_document(animation.scene)
    rule: Rule[Any, Verdict] = rule_of(animation.scene, document)
    scene = rule.load(animation.scene, document, cache)
    number = _number(scene, animation.number)
    _check_motion(animation, rule)
    attacker = scene.checks[number - 1].attacker
    facing = scene.piece(attacker).facing if isinstance(scene, TableScene) and attacker else None
    steps = poses(animation.scene, document, number, animation.motion, rule.mobility, facing)
    with settings():  # nobody waits for what then cannot be drawn
        film = _Film(animation, rule, number, renderer, cache, steps)
        shots = []
        progress(0, 2 * len(steps))
        for done, shot in enumerate(film.shots(workers)):
            progress(done, 2 * len(steps))
            shots.append(shot)
    walks_on_a_table = isinstance(scene, TableScene) and animation.motion.walk is not None
    unit = unit_in(document) if walks_on_a_table else 1.0
    rows = [
        {"frame": frame, **_moved(posed, unit), **shot.verdict.row()}
        for frame, (posed, shot) in enumerate(zip(steps, shots, strict=True), 1)
    ]
    ends = _ends(rule.units(scene), animation.motion, steps[-1].way * unit)
    board = Storyboard(shots, rule.scale(scene), ends)
    data = {"scene": animation.scene.name, "title": scene.title, "rules": scene.rules_as_written, "check": number}
    data |= {"frames": _frame_rows(rows)}
    write_animation(board, out, animation.fps, data, lambda done, total: progress(total + done, 2 * total))
    return rows


@dataclass
class _Film:
    """The shots of an animation, each from its own scene."""

    animation: Animation
    rule: Rule[Any, Verdict]
    number: int
    renderer: Renderer
    cache: Cache
    steps: list[Posed]

    def __post_init__(self) -> None:
        first = self._scene(self.steps[0])
        verdict = self._verdict(first)
        self._on_table = isinstance(verdict, MeasuredVerdict) and verdict.observation is not None
        self._draw = self._table_drawing() if self._on_table else self._map_drawing()
        self._meshes = list(self.rule.meshes(first).values())

    def shots(self, workers: int) -> Any:
        """Every shot, in order, each as soon as it is there; several processes draw them where that is worth it."""
        if workers > 1 and self.renderer.share(self._meshes):
            for mesh in self._meshes:
                prepare(mesh)
            warm_up(self._on_table)
            return parallel_map(self._shot, self.steps, workers)
        return map(self._shot, self.steps)

    def _scene(self, posed: Posed) -> Scene:
        scene: Scene = self.rule.load(self.animation.scene, posed.document, self.cache)
        return content_with(scene, self.animation.error)

    def _shot(self, posed: Posed) -> Any:
        scene = self._scene(posed)
        verdict = self._verdict(scene)
        share, error = verdict.share
        measured, outside, total = verdict.measurement, 0.0, 0.0
        if measured is not None and SEEN_PIXELS in verdict.fields:
            total = measured.counts.total
            outside = total - measured.counts.occluded - measured.seen
        point = Point(
            posed.way, verdict.verdict, verdict.level, share, error, max(outside, 0.0) / total if total else 0.0
        )
        return Moment(verdict, point, self._draw(scene, verdict))

    def _verdict(self, scene: Scene) -> Verdict:
        options = JudgingOptions(self.renderer, pixel=self.animation.pixel, keep=True)
        (result,) = judge_all([(scene, scene.checks[self.number - 1])], options)
        return result.verdict

    def _table_drawing(self) -> Drawing:
        def line(scene: Any, verdict: Any) -> Sightline:
            return Sightline(scene, verdict, verdict.evidence, self.renderer)

        ends = [self._scene(step) for step in (self.steps[0], self.steps[-1])]
        ground = ground_of([line(scene, self._verdict(scene)).sight for scene in ends])
        return lambda scene, verdict: table_panels(ground, line(scene, verdict))

    def _map_drawing(self) -> Drawing:
        def draw(scene: Scene, verdict: Verdict) -> Draw:
            return figures_of(scene, scene.checks[self.number - 1], verdict, self.renderer)[0].draw

        count = len(self.steps)
        some = [self._scene(self.steps[place * (count - 1) // (SAMPLED - 1)]) for place in range(SAMPLED)]
        bounds = bounds_of(draw(scene, self._verdict(scene)) for scene in some)
        return lambda scene, verdict: board_panels(bounds, draw(scene, verdict), FRAME_WIDTH_PX - 2 * FRAME_MARGIN_PX)


def _number(scene: Scene, number: int | None) -> int:
    count = len(scene.checks)
    if count == 0:
        raise RequestError(f"{scene.path}: has no [[check]]; add one that says who looks at whom")
    if number is None and count > 1:
        raise RequestError(f"{scene.path}: has {count} checks; say --check N which of them moves")
    if number is not None and not 1 <= number <= count:
        raise RequestError(f"{scene.path}: there is no check {number}; it has {count}")
    return number or 1


def _check_motion(animation: Animation, rule: Rule[Any, Verdict]) -> None:
    """Refuses a motion that scenes of the rule system cannot show; names the systems that can."""
    if not rule.mobility.walkers:
        others = ", ".join(name for name in RULES if rule_called(name).mobility.walkers)
        raise RequestError(f"{animation.scene}: nothing moves evenly in {rule.name}; animations are for {others}")
    if animation.motion.turn is not None and not rule.mobility.turns:
        others = ", ".join(name for name in RULES if rule_called(name).mobility.turns)
        raise RequestError(f"{animation.scene}: nobody faces anywhere in {rule.name}; --turn is for {others}")


def _moved(posed: Posed, unit: float) -> dict[str, Any]:
    """What moved, as results have it: the place in mm on a table, whose unit has that many."""
    at = (
        None
        if posed.at is None
        else [round(number * unit, INCH_DECIMALS) if unit != 1.0 else number for number in posed.at]
    )
    moved = {"at": at, "facing": posed.facing}
    return {key: value for key, value in moved.items() if value is not None}


def _frame_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    keys = ("at", "facing", "verdict", "occluded", "error")
    return [{key: row[key] for key in keys if key in row} for row in rows]


def _ends(units: str | None, motion: Motion, way: float) -> tuple[str, str]:
    """The words at both ends of the plot: zero, and the length of the way in units of the scene or inches and mm."""
    if motion.walk is None:
        return "0", f"{way:.4g}° turned"
    length = f'{way / INCH:.3g}" ({way:.0f} mm)' if units is None else f"{way:.4g} {units}"
    return "0", f"{length} walked"
