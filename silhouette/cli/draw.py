"""The command line, pictures: ``silhouette draw``, with moving pictures (``--animate``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from silhouette.cli.commands import DrawOptions
from silhouette.cli.options import ExitStatus, exit_status
from silhouette.cli.scene_job import cache_of, places_of, processes_of, renderer_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean, verdict_in_words
from silhouette.drawing.animation.film import FPS, Animation, animate, check_path
from silhouette.drawing.figures import OVERVIEW, FigureOptions, draw_checks, write_overview
from silhouette.drawing.games import drawing_of
from silhouette.drawing.saving import FIGURE_FORMATS
from silhouette.drawing.sheet import settings
from silhouette.drawing.styles import style_called
from silhouette.drawing.words.words import Words
from silhouette.files.writing import make_folder
from silhouette.judging import Judged, JudgingOptions, Selection, check_numbers, content_with, load_scene
from silhouette.judging.calls import stands
from silhouette.rules.fields import ERROR, IN_ARC_FIELD, OCCLUDED_FIELD, VERDICT
from silhouette.scenes.places import FRAMES, Motion, place_of
from silhouette.scenes.scene import Check, Scene

# ---- moving pictures

MIN_FRAMES_PER_S, MAX_FRAMES_PER_S = 0.2, 50.0  # frames a second

ONLY_FIGURES = {
    "--no-captions": "no_captions",
    "--from": "attacker",
    "--to": "target",
    "--figure": "figure",
    "--at": "at",
    "--text": "text",
    "--no-names": "no_names",
    "--format": "kind",
    "--style": "style",
    "--lang": "language",
}
"""The options that no animation takes, by the fields that have them."""


def check_motion(given: DrawOptions) -> None:
    """Refuses options of figures and of animations that do not go together; RequestError names the wrong one."""
    moves = [name for name in ("walk", "turn", "frames", "fps") if getattr(given, name) is not None]
    unfit = [name for name, field in ONLY_FIGURES.items() if getattr(given, field) != getattr(DrawOptions, field)]
    if given.animate is None:
        if moves:
            raise RequestError(f"--{moves[0]} moves something; say --animate FILE.gif as well")
        if given.out is None:
            raise RequestError("there is no place for the figures; say --out FOLDER, or --animate FILE.gif")
    elif unfit or given.out is not None:
        raise RequestError(f"{unfit[0] if unfit else '--out'} is for figures; leave it out with --animate")
    if given.fps is not None and not MIN_FRAMES_PER_S <= given.fps <= MAX_FRAMES_PER_S:
        raise RequestError(f"--fps {given.fps:g}: give a number from {MIN_FRAMES_PER_S:g} to {MAX_FRAMES_PER_S:g}")


def _animate(given: DrawOptions, file: Path) -> int:
    walk = None if given.walk is None else place_of(given.walk)
    motion = Motion(walk, given.turn, FRAMES if given.frames is None else given.frames)
    check_numbers(given.pixel, given.error)
    check_path(file)
    fps = FPS if given.fps is None else given.fps
    animation = Animation(given.scene, given.number, motion, fps, given.pixel, given.error)
    with Waiting(f"animating {given.scene}", quiet=given.quiet, forking=True) as waiting:
        rows = animate(animation, file, renderer_of(given), cache_of(given), processes_of(given), waiting.step)
    lines = "\n".join([*(() if given.quiet else map(_line, rows)), f"{len(rows)} frames in {file}"])
    content = {"scene": str(given.scene), "animation": str(file), "frames": rows}
    show_result(content, lines, as_json=given.as_json)
    return ExitStatus.OK


def _line(row: Mapping[str, Any]) -> str:
    """A frame's verdict, and the place of the moving piece in it."""
    share = row.get(OCCLUDED_FIELD.key)
    words = [f"{row['frame']:3d}", verdict_in_words(row[VERDICT.key], row.get(IN_ARC_FIELD.key))]
    words += [] if share is None else [f"{100.0 * share:.2f} % ± {100.0 * row[ERROR.key]:.2f} %"]
    words += [f"{key} {row[key]}" for key in ("at", "facing") if key in row]
    return "  ".join(words)


# ---- figures


def draw(given: DrawOptions) -> int:
    """Draws checks, a whole scene, or an animation."""
    check_motion(given)
    if given.animate is not None:
        return _animate(given, given.animate)
    assert given.out is not None
    selection, places, options = Selection(given.attacker, given.target), places_of(given), _options(given)
    check_numbers(given.pixel, given.error)
    with Waiting(f"drawing {given.scene}", quiet=given.quiet) as waiting:
        with settings():  # nobody waits for a verdict that then cannot be drawn
            renderer = renderer_of(given)
        scene = content_with(load_scene(given.scene, cache=cache_of(given), at=places), given.error)
        if _is_whole(scene, selection, given):
            return _draw_whole(scene, given.out, options, as_json=given.as_json)
        checks = _checks(scene, selection, given.number)
        judging = JudgingOptions(renderer, pixel=given.pixel, workers=given.workers or 1)
        drawn = draw_checks(scene, checks, judging, given.out, options, waiting.step)
    return _show(scene, drawn, as_json=given.as_json)


def _options(given: DrawOptions) -> FigureOptions:
    ending = next((form for form in FIGURE_FORMATS if form == given.kind.lower()), None)
    if ending is None:
        raise RequestError(f"no format '{given.kind}'; {did_you_mean(given.kind, FIGURE_FORMATS)}")
    options = FigureOptions(ending, style_called(given.style), language=Words(given.language).language)
    return replace(
        options, captions=not given.no_captions, names=not given.no_names, figure=given.figure, text=given.text
    )


def _checks(scene: Scene, selection: Selection, number: int | None) -> dict[int, Check]:
    if number is not None and selection.attacker is not None:
        raise RequestError("--check is for the scene's own checks; leave it out with --from")
    checks = dict(enumerate(selection.checks(scene), 1))
    if number is None:
        return checks
    if number not in checks:
        raise RequestError(f"{scene.path}: there is no check {number}; it has {len(checks)}")
    return {number: checks[number]}


def _is_whole(scene: Scene, selection: Selection, given: DrawOptions) -> bool:
    """Whether the figure of the whole scene is wanted: by its name, or because there is no check to draw."""
    of_check = given.number is not None or selection.attacker is not None
    if given.figure == OVERVIEW and of_check:
        raise RequestError(f"--figure {OVERVIEW} is one figure of the whole scene; leave --check, --from and --to out")
    without_check = given.figure is None and not of_check and not scene.checks
    return given.figure == OVERVIEW or (without_check and drawing_of(scene.rules).overview(scene) is not None)


def _draw_whole(scene: Scene, out: Path, options: FigureOptions, *, as_json: bool) -> int:
    make_folder(out)
    file = write_overview(scene, out, options)
    content = {"scene": str(scene.path), "title": scene.title, "checks": [], "figures": [str(file)]}
    show_result(content, str(file), as_json=as_json)
    return ExitStatus.OK


def _show(scene: Scene, drawn: Mapping[int, tuple[Judged, list[Path]]], *, as_json: bool) -> int:
    checks = [
        {"check": number, **result.row(), "figures": [str(file) for file in files]}
        for number, (result, files) in drawn.items()
    ]
    lines = "\n".join(_lines(result, files) for result, files in drawn.values())
    show_result({"scene": str(scene.path), "title": scene.title, "checks": checks}, lines, as_json=as_json)
    return exit_status(failed=False, unexpected=any(result.expected is False for result, _ in drawn.values()))


def _lines(result: Judged, files: Sequence[Path]) -> str:
    """A check's verdict, or the call if there are odds, and its figures below it."""
    verdict = ", ".join(words for words in stands(result.verdict, result.call) if words)
    drawn = [str(file) for file in files] or ["nothing of it can be drawn"]
    return "\n".join([f"{result.check.label}: {verdict}", *(f"  {file}" for file in drawn)])
