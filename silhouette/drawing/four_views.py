"""DRAW: a model from the front, its right, the back and above, in pixels: the parts that count, the others, and its
eye.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from silhouette.common.geometry import INCH, Floats, Pose, corners, cosine_and_sine
from silhouette.drawing.page import (
    FINE,
    INK,
    MARGIN,
    ORANGE,
    PAPER,
    RULE,
    SOFT_INK,
    VERMILLION,
    WIDTH,
    Drawing,
    Face,
    check_png_path,
    joined,
    save_png,
    write_lines,
)
from silhouette.drawing.shading import Values, hollows, light, lit, mixed, nearness_of, normals, outlines
from silhouette.drawing.styles import Colour
from silhouette.drawing.table.rendering import rendered
from silhouette.models.model import BASE, BODY, INSIGNIFICANT, Model
from silhouette.models.thin_parts import Suggestion
from silhouette.renderers.protocol import Body, Renderer
from silhouette.renderers.views import View

# ---- marks of a technical drawing

THIN = max(FINE // 2, 1)
HEAD = 6 * FINE
Point = Sequence[float] | Floats


def cross_dimension(drawing: Drawing, between: tuple[float, float], y: float, text: str, face: Face) -> None:
    """A horizontal dimension line at a height, between two columns, with its text below."""
    left, right = between
    drawing.line([(left, y), (right, y)], fill=INK, width=FINE)
    for x, inward in ((left, 1), (right, -1)):
        drawing.line([(x, y - 14 * FINE), (x, y + 5 * FINE)], fill=SOFT_INK, width=THIN)
        _head(drawing, (x, y), (inward, 0), INK)
    printed = face.printable(text)
    face.draw(drawing, ((left + right - face.width(printed)) / 2, y + 5 * FINE), printed)


def upright_dimension(
    drawing: Drawing, x: float, between: tuple[float, float], text: str, face: Face, leftwards: bool = False
) -> None:
    """A vertical dimension line in a column, between two rows, arrows outside where there is no room between them."""
    lower, upper = max(between), min(between)
    outside = lower - upper < 4 * HEAD
    reach = 3 * HEAD if outside else 0
    drawing.line([(x, upper - reach), (x, lower + reach)], fill=INK, width=FINE)
    for y, inward in ((upper, 1), (lower, -1)):
        drawing.line([(x - 5 * FINE, y), (x + 5 * FINE, y)], fill=SOFT_INK, width=THIN)
        _head(drawing, (x, y), (0, -inward if outside else inward), INK)
    printed = face.printable(text)
    left = x - face.width(printed) - 9 * FINE if leftwards else x + 9 * FINE
    face.draw(drawing, (left, (upper + lower) / 2 - face.line / 2), printed)


def arrow(drawing: Drawing, start: Point, top: float, text: str, face: Face) -> None:
    """An arrow from a point straight up to a row, with its name next to the tip: the way a model faces."""
    x, y = float(start[0]), float(start[1])
    for colour, width in ((PAPER, 3 * FINE), (INK, FINE)):
        drawing.line([(x, y), (x, top + HEAD)], fill=colour, width=width)
    drawing.ellipse([x - 2 * FINE, y - 2 * FINE, x + 2 * FINE, y + 2 * FINE], fill=INK)
    _head(drawing, (x, top), (0, 1), INK)
    face.draw(drawing, (x + 8 * FINE, top - face.line / 3), text)


def eye_mark(drawing: Drawing, at: Point, text: str, face: Face) -> None:
    """A ring with cross hairs where an eye is, and its name."""
    x, y = float(at[0]), float(at[1])
    radius, reach = 6 * FINE, 11 * FINE
    for colour, width in ((PAPER, 4 * FINE), (INK, int(1.5 * FINE))):
        grow = (width - FINE) / 2
        rim = radius + grow
        drawing.ellipse([x - rim, y - rim, x + rim, y + rim], outline=colour, width=width)
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            ends = [(x + across * away, y + down * away) for away in (3 * FINE, reach)]
            drawing.line(ends, fill=colour, width=width)
    drawing.ellipse([x - FINE, y - FINE, x + FINE, y + FINE], fill=INK)
    face.draw(drawing, (x + reach + 4 * FINE, y - face.line / 2), text, halo=PAPER)


def dashed_box(drawing: Drawing, points: Floats, text: str, face: Face) -> None:
    """The upright rectangle round points (n, 2), dashed, with its number at a corner."""
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    sides = [((left, top), (right, top)), ((right, top), (right, bottom))]
    sides += [((left, bottom), (right, bottom)), ((left, top), (left, bottom))]
    for colour, width in ((PAPER, 3 * FINE), (VERMILLION, int(1.5 * FINE))):
        for start, end in sides:
            _dashed(drawing, start, end, colour, width)
    face.draw(drawing, (right + 4 * FINE, top - face.line / 2), text, VERMILLION, halo=PAPER)


def scale_bar(drawing: Drawing, at: tuple[float, float], per_mm: float, face: Face) -> None:
    """Two bars, a round number of mm and of inches, their lower left corner at a point, ``per_mm`` pixels a mm."""
    x, y = at
    most = 150 * FINE / per_mm
    lengths = [(10.0**power * digit, f"{10**power * digit:g} mm") for power in range(-1, 4) for digit in (1, 2, 5)]
    inches = [(INCH * count, f"{count:g} inch" + ("es" if count > 1 else "")) for count in (0.25, 0.5, 1, 2, 3, 6, 12)]
    for number, choices in enumerate((inches, lengths)):
        length, text = max((choice for choice in choices if choice[0] <= most), default=choices[0])
        row = y - number * (face.line + 2 * FINE) - 4 * FINE
        end = x + length * per_mm
        drawing.line([(x, row), (end, row)], fill=INK, width=2 * FINE)
        for tick in (x, end):
            drawing.line([(tick, row - 5 * FINE), (tick, row + 3 * FINE)], fill=INK, width=FINE)
        face.draw(drawing, (end + 8 * FINE, row - face.line * 0.62), text)


def _head(drawing: Drawing, tip: Point, back: tuple[float, float], colour: Colour) -> None:
    """An arrow's head; ``back`` points from its tip along its shaft."""
    x, y = float(tip[0]), float(tip[1])
    across, down = back
    side = HEAD * 0.32
    foot = (x + across * HEAD, y + down * HEAD)
    drawing.polygon(
        [(x, y), (foot[0] - down * side, foot[1] + across * side), (foot[0] + down * side, foot[1] - across * side)],
        fill=colour,
    )


def _dashed(drawing: Drawing, start: Point, end: Point, colour: Colour, width: int) -> None:
    length = math.dist(start, end)
    dash = 6 * FINE
    for number in range(0, max(int(length / dash), 1), 2):
        first, last = number * dash / max(length, 1e-9), min((number + 1) * dash / max(length, 1e-9), 1.0)
        ends = [tuple(a + (b - a) * share for a, b in zip(start, end, strict=True)) for share in (first, last)]
        drawing.line([(ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])], fill=colour, width=width)


# ---- the page

PANEL_GAP = 14 * FINE
PANEL = ((WIDTH - 2 * MARGIN - PANEL_GAP) // 2, 440 * FINE)  # pixels as they are rendered
ROOM = (88 * FINE, 62 * FINE)  # left and right, and above and below the model, for names and dimensions
AFAR = 20.0  # the distance of the camera in sizes of the model: lines of sight are nearly parallel
PANEL_PAPER: Colour = (247, 247, 243)
ROLES: tuple[tuple[int, str, Colour], ...] = (
    (BODY, "body, counts", (140, 199, 235)),
    (BASE, "base, does not count", (166, 166, 166)),
    (INSIGNIFICANT, "insignificant, does not count", ORANGE),
)
LINE = (38, 38, 44)
TITLE, FACTS, LEGEND, NOTE, NAME, MARK = Face(30, "Bold"), Face(18), Face(16), Face(15), Face(16, "Bold"), Face(14)


@dataclass(frozen=True, eq=False)
class _Panel:
    """One of the four views: its name, and the camera."""

    name: str
    view: View

    def pixel(self, points: Floats) -> Floats:
        """The columns and rows (n, 2) in the panel of points (n, 3) of the model's frame."""
        columns, rows, _ = self.view.project(points)
        return np.column_stack([columns, rows])


def draw_four_views(model: Model, renderer: Renderer, path: Path, suggestions: Sequence[Suggestion] = ()) -> None:
    """Writes four views of a model, of one scale, as a PNG: body, base and insignificant parts have a colour each; eye
    and base are marked; ``suggestions`` for insignificant parts are numbered boxes. FileError where ``path`` does not
    end in .png, its folder is not there, or it cannot be written.
    """
    check_png_path(path)
    page = Image.new("RGB", (WIDTH, MARGIN + 2 * PANEL[1] + PANEL_GAP + 900 * FINE), PAPER)
    bodies = _bodies(model)
    for number, panel in enumerate(_panels(model)):
        picture = Image.fromarray(_painted(panel.view, bodies, renderer))
        _annotate(ImageDraw.Draw(picture), panel, model, suggestions)
        row, column = divmod(number, 2)
        page.paste(picture, (MARGIN + column * (PANEL[0] + PANEL_GAP), MARGIN + row * (PANEL[1] + PANEL_GAP)))
    bottom = _caption(ImageDraw.Draw(page), MARGIN + 2 * PANEL[1] + PANEL_GAP + 14 * FINE, model, suggestions)
    data = {"model": model.source, "eye": model.eye.tolist(), "eye_from": model.eye_from}
    save_png(page.crop((0, 0, WIDTH, int(bottom) + 16 * FINE)), path, data)


def _bodies(model: Model) -> list[Body]:
    """The model, a body for each role that any of its triangles has; the id is the role's and one."""
    if model.kind == "terrain":
        return [Body(BODY + 1, model.mesh, Pose.standing())]
    return [
        Body(role + 1, model.mesh.subset(model.role == role), Pose.standing())
        for role, _, _ in ROLES
        if (model.role == role).any()
    ]


def _panels(model: Model) -> list[_Panel]:
    low, high = model.mesh.bounds
    middle = (low + high) / 2
    above = np.array([0.0, 0.0, 1.0])
    ahead = np.array([*cosine_and_sine(model.front), 0.0])
    right = np.cross(ahead, above)
    sides = [("front", ahead, above), ("right", right, above), ("back", -ahead, above), ("top", above, ahead)]
    axes = [np.array([np.cross(-side, up), up, -side]) for _, side, up in sides]
    points = corners(low, high) - middle
    spans = np.max([np.ptp(points @ frame[:2].T, axis=0) for frame in axes], axis=0)
    distance = AFAR * float(np.linalg.norm(high - low))
    room = np.array(PANEL) - 2 * np.array(ROOM)
    pixel = float(np.max(spans / room))
    step = pixel / distance
    width, height = PANEL
    return [
        _Panel(name, View(middle + side * distance, frame, -width * step / 2, height * step / 2, step, width, height))
        for (name, side, _), frame in zip(sides, axes, strict=True)
    ]


def _painted(view: View, bodies: Sequence[Body], renderer: Renderer) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    layer = rendered(renderer, view, bodies)
    there = layer.ids > 0
    nearness = nearness_of(layer.depth)
    facing = normals(view, layer.ids, nearness)
    table = np.array([PANEL_PAPER, *(colour for _, _, colour in ROLES)], np.float32) / np.float32(255.0)
    colours: Values = table[layer.ids]
    brightness = light(view, facing) * (1.0 - hollows(view, nearness))
    colours[there] = lit(colours[there], brightness[there].astype(np.float32))
    lines = outlines(layer.ids, nearness, facing)
    colours = mixed(colours, np.array(LINE, np.float32) / np.float32(255.0), lines)
    return (np.clip(colours, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)


def _annotate(drawing: Drawing, panel: _Panel, model: Model, suggestions: Sequence[Suggestion]) -> None:
    NAME.draw(drawing, (14 * FINE, 9 * FINE), panel.name)
    drawing.rectangle([0, 0, PANEL[0] - 1, PANEL[1] - 1], outline=RULE, width=FINE)
    box = panel.pixel(corners(*model.mesh.bounds))
    (left, top), (_, bottom) = box.min(axis=0), box.max(axis=0)
    if panel.name != "top":
        rim = 30 * FINE
        drawing.line([(rim, bottom), (PANEL[0] - rim, bottom)], fill=SOFT_INK, width=FINE // 2)
    for number, suggestion in enumerate(suggestions, 1):
        for low, high in suggestion.boxes:
            dashed_box(drawing, panel.pixel(corners(low, high)), str(number), MARK)
    if panel.name == "front":
        _dimension_base(drawing, panel, model)
    if panel.name == "right":
        low, high = model.mesh.bounds[:, 2]
        upright_dimension(drawing, left - 16 * FINE, (bottom, top), f"{high - low:.1f} mm", MARK, leftwards=True)
    if panel.name == "top":
        start = np.array([*model.base_centre, model.mesh.bounds[1, 2]])
        ahead = np.array([*cosine_and_sine(model.front), 0.0])
        ends = panel.pixel(np.array([start, start + ahead]))
        arrow(drawing, ends[0], top - 26 * FINE, "front", MARK)
        scale_bar(drawing, (16 * FINE, PANEL[1] - 16 * FINE), float(np.linalg.norm(ends[1] - ends[0])), MARK)
    if model.kind != "terrain":  # the eye, over the other places where it may be; with words in the first panel alone
        texts = [f"{100 * place.likelihood:.0f} %" for place in model.eye_candidates[1:]]
        texts.append("eye" if model.eye_from == "given" else "eye, estimated")
        for eye, text in zip([*(place.eye for place in model.eye_candidates[1:]), model.eye], texts, strict=True):
            eye_mark(drawing, panel.pixel(eye[None])[0], text if panel.name == "front" else "", MARK)


def _dimension_base(drawing: Drawing, panel: _Panel, model: Model) -> None:
    if model.base is None or model.base.source == "given":
        return  # there is none, or it is not in the mesh
    points = model.mesh.subset(model.role == BASE).vertices
    (left, top), (right, bottom) = panel.pixel(points).min(axis=0), panel.pixel(points).max(axis=0)
    across, along = np.ptp(points @ panel.view.axes[[0, 2]].T, axis=0)
    is_round = abs(across - along) < 0.03 * across
    width = f"{'Ø ' if is_round else ''}{across:.1f} mm"
    cross_dimension(drawing, (left, right), bottom + 18 * FINE, width, MARK)
    upright_dimension(drawing, right + 16 * FINE, (bottom, top), f"{model.base.height:.1f} mm", MARK)


def _caption(drawing: Drawing, y: float, model: Model, suggestions: Sequence[Suggestion]) -> float:
    """Writes the facts about the model and the legend of its colours; gives the row at which they end."""
    TITLE.draw(drawing, (MARGIN, y), TITLE.elided(TITLE.printable(model.source), WIDTH - 2 * MARGIN))
    y += TITLE.line
    for line in (_about(model), _base_and_eye(model)):
        y = write_lines(drawing, y, line, FACTS, 2)
    for note in _notes(model, suggestions):
        y = write_lines(drawing, y, note, NOTE, 2, SOFT_INK)
    y += 12 * FINE
    drawing.line([MARGIN, y, WIDTH - MARGIN, y], fill=RULE, width=FINE)
    y += 11 * FINE
    x, side = float(MARGIN), 17 * FINE
    for role, words, colour in ROLES:
        count = len(model.role) if model.kind == "terrain" and role == BODY else int((model.role == role).sum())
        if count == 0 or (model.kind == "terrain" and role != BODY):
            continue
        text = f"{'terrain, blocks whole' if model.kind == 'terrain' else words}: {count:,} triangles"
        drawing.rectangle([x, y + 3 * FINE, x + side, y + 3 * FINE + side], fill=colour, outline=INK, width=FINE // 2)
        LEGEND.draw(drawing, (x + side + 8 * FINE, y), text)
        x += side + 34 * FINE + LEGEND.width(text)
    return y + LEGEND.line


def _about(model: Model) -> str:
    size = " × ".join(f"{length:.1f}" for length in np.ptp(model.mesh.bounds, axis=0))
    triangles, units = f"{len(model.mesh.faces):,} triangles", f"units {model.units}, {model.units_from}"
    return joined([model.kind, triangles, f"{size} mm", units, f"{model.up} up"])


def _base_and_eye(model: Model) -> str:
    if model.kind == "terrain":
        if model.solid == "filled":
            return "solid, and what its outline encloses is filled"
        return "solid: its holes are closed" if model.solid else "blocks as its mesh does"
    base = "no base"
    if model.base is not None:
        source = model.base.source
        how = {"auto": "found", "given": "not in the mesh"}.get(source, f"by {source}")
        base = f"base {model.base.height:.1f} mm high, {model.base.diameter:.1f} mm across, {how}"
    eye = ", ".join(f"{value:.1f}" for value in model.eye)
    return joined([base, f"eye at ({eye}) mm, {model.eye_from}"])


def _notes(model: Model, suggestions: Sequence[Suggestion]) -> list[str]:
    doubt = model.eye_estimate.doubt if model.kind != "terrain" and model.eye_from == "estimated" else None
    warnings = [*([doubt] if doubt else []), *model.warnings]
    notes = [f"Note: {warning}." for warning in warnings[:3]]
    if suggestions:
        shares = ", ".join(
            f"{number}: {100 * suggestion.share:.1f} %" for number, suggestion in enumerate(suggestions, 1)
        )
        notes.insert(0, f"Suggested as insignificant, not applied, with their share of the body's surface: {shares}.")
    return notes
