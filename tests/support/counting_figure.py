"""The figure of `.github/docs/pages/answers.md` of how a check is counted, drawn from a check as it is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from PIL import Image

from silhouette.common.geometry import Floats
from silhouette.measure import occlusion as counted
from silhouette.measure.framing import framed
from silhouette.measure.sampling import Picture
from silhouette.measure.silhouettes import Faces, Placed, Polygons
from silhouette.renderers.views import ROLL
from silhouette.rules.necromunda.judge import sight_between
from silhouette.scenes.places import Move, moved
from tests.support.figures import SCENES, scene_at

SCENE, NEARER, PIXEL = SCENES / "necromunda" / "example_2_partial_cover.toml", 13.0, 0.1  # mm; the blade is in the wall
INK, BODY, BEFORE, BEHIND, MIXED = "#1b1b1b", "#cfd8dc", "#90a4ae", "#eceff1", "#9c4f96"
SEEN, OBSCURED = "#56b4e9", "#d55e00"  # as in eye views


def draw_counting(file: Path) -> None:
    """Draws the contours of a target, what is before it, and what of it is obscured, side by side."""
    picture = _picture()
    target = counted._Target(picture.view, Placed.of(picture.view, picture.target), False, lambda: None)
    obscured = target.hidden_by(picture.blockers[0]).polygons
    contours, clusters = target.faces.contours(), target.placed.clusters
    edges, faces = len(clusters.even.ends) + len(clusters.odd.ends), len(clusters.corners)
    behind, before, mixed = _in_order(target, Placed.of(picture.view, picture.blockers[0]))
    share = 100.0 * obscured.area() / target.whole.area()
    texts = [
        "\n".join(lines)
        for lines in (
            (
                f"Contours. Of {edges:,} edges of {faces:,} faces",
                f"{contours.shape[2]:,} bound those that look at the eye:",
                "what they wind round, the target covers.",
            ),
            (
                f"Order. {before.shape[1]:,} faces of the barricade are before",
                f"the target (grey), {behind.shape[1]:,} behind it; of {mixed.shape[1]:,}",
                "(purple) their own planes tell what they hide.",
            ),
            (f"Area. {share:.4f} % of the target lies behind", "what is before it."),
        )
    ]
    with mpl.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(9.6, 5.2), dpi=110)
        panels = [figure.add_axes((0.01 + 0.33 * number, 0.17, 0.32, 0.82)) for number in range(3)]
        for panel, text in zip(panels, texts, strict=True):
            _fill(panel, target.whole, SEEN if panel is panels[2] else BODY)
            _frame(panel, target.whole)
            panel.text(0.5, -0.02, text, transform=panel.transAxes, ha="center", va="top", linespacing=1.4, color=INK)
        _lines(panels[0], contours)
        for colour, triangles in ((BEHIND, behind), (BEFORE, before), (MIXED, mixed)):
            _triangles(panels[1], triangles, colour)
        _fill(panels[2], obscured, OBSCURED)
        for panel in panels[1:]:
            _outline(panel, target.whole)
        figure.savefig(file, facecolor="white")
    with Image.open(file) as drawn:
        drawn.convert("RGB").quantize(64).save(file, optimize=True)


def _picture() -> Picture:
    """Of the target, with the barricade alone before it, which its blade pierces."""
    scene = moved(scene_at(SCENE), {"Vex": Move(by=(0.0, -NEARER, 0.0))})
    attacker, target = (next(piece for piece in scene.pieces if piece.name == name) for name in ("Kal", "Vex"))
    sight = sight_between(scene, (attacker, target), None, ignored_parts_block=False, friends_block=False)
    (picture,) = framed(sight, PIXEL).pictures
    return picture


def _in_order(target: Any, blocker: Placed) -> list[Floats]:
    """(3, k, 3) the blocker's faces within the target's window: behind it, before it, and neither."""
    planes = counted._Planes.of(target.placed, blocker)
    faces = np.flatnonzero(Faces.of(blocker, target.window).sides)
    points = blocker.points(blocker.clusters.corners.take(faces, axis=0))
    behind, before, _ = target.order(blocker, planes, points)
    return [points[:, which] for which in (behind, before, ~behind & ~before)]


def _places(points: Floats) -> Floats:
    """(..., 2) upright places in a picture: it is rolled."""
    turn = np.radians(-ROLL)
    x, y = points
    return np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)], axis=-1)


def _path(part: Polygons) -> Outline:
    loops = [np.concatenate([loop, loop[:1]]) for loop in part.to_polygons()]
    codes = [[Outline.MOVETO, *[Outline.LINETO] * (len(loop) - 2), Outline.CLOSEPOLY] for loop in loops]
    return Outline(_places(np.concatenate(loops).T), np.concatenate(codes))


def _fill(panel: Axes, part: Polygons, colour: str) -> None:
    panel.add_patch(PathPatch(_path(part), facecolor=colour, edgecolor="none"))


def _outline(panel: Axes, part: Polygons) -> None:
    panel.add_patch(PathPatch(_path(part), facecolor="none", edgecolor=INK, linewidth=1.2))


def _lines(panel: Axes, ends: Floats) -> None:
    """Lines (2, 3, n) in picture coordinates."""
    panel.add_collection(
        LineCollection(_places((ends[:, :2] / ends[:, 2:]).transpose(1, 2, 0)), colors=INK, linewidths=0.5)
    )


def _triangles(panel: Axes, triangles: Floats, colour: str) -> None:
    panel.add_collection(
        PolyCollection(_places(triangles[:2] / triangles[2]), facecolors=colour, edgecolors="white", linewidths=0.15)
    )


def _frame(panel: Axes, part: Polygons) -> None:
    """Shows what lies round polygons."""
    places = _places(np.concatenate(part.to_polygons()).T)
    (x, y), (u, v) = places.min(axis=0), places.max(axis=0)
    aside = (v - y) / 20.0
    panel.set(xlim=(x - aside, u + aside), ylim=(v + aside, y - aside), aspect="equal")
    panel.set_axis_off()
