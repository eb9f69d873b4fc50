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
    INK,
    ORANGE,
    PAGE_MARGIN_PX,
    PAGE_WIDTH_PX,
    PAPER,
    RULE_COLOUR,
    SOFT_INK,
    SUPERSAMPLING,
    VERMILLION,
    Drawing,
    TypeFace,
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

THIN_LINE_PX = max(SUPERSAMPLING // 2, 1)
VIEW_HEAD_PX = 6 * SUPERSAMPLING
Point = Sequence[float] | Floats


def cross_dimension(drawing: Drawing, between: tuple[float, float], y: float, text: str, face: TypeFace) -> None:
    """A horizontal dimension line at a height, between two columns, with its text below."""
    left, right = between
    drawing.line([(left, y), (right, y)], fill=INK, width=SUPERSAMPLING)
    for x, inward in ((left, 1), (right, -1)):
        drawing.line([(x, y - 14 * SUPERSAMPLING), (x, y + 5 * SUPERSAMPLING)], fill=SOFT_INK, width=THIN_LINE_PX)
        _head(drawing, (x, y), (inward, 0), INK)
    printed = face.printable(text)
    face.draw(drawing, ((left + right - face.width(printed)) / 2, y + 5 * SUPERSAMPLING), printed)


def upright_dimension(
    drawing: Drawing, x: float, between: tuple[float, float], text: str, face: TypeFace, leftwards: bool = False
) -> None:
    """A vertical dimension line in a column, between two rows, arrows outside where there is no room between them."""
    lower, upper = max(between), min(between)
    outside = lower - upper < 4 * VIEW_HEAD_PX
    reach = 3 * VIEW_HEAD_PX if outside else 0
    drawing.line([(x, upper - reach), (x, lower + reach)], fill=INK, width=SUPERSAMPLING)
    for y, inward in ((upper, 1), (lower, -1)):
        drawing.line([(x - 5 * SUPERSAMPLING, y), (x + 5 * SUPERSAMPLING, y)], fill=SOFT_INK, width=THIN_LINE_PX)
        _head(drawing, (x, y), (0, -inward if outside else inward), INK)
    printed = face.printable(text)
    left = x - face.width(printed) - 9 * SUPERSAMPLING if leftwards else x + 9 * SUPERSAMPLING
    face.draw(drawing, (left, (upper + lower) / 2 - face.line / 2), printed)


def arrow(drawing: Drawing, start: Point, top: float, text: str, face: TypeFace) -> None:
    """An arrow from a point straight up to a row, with its name next to the tip: the way a model faces."""
    x, y = float(start[0]), float(start[1])
    for colour, width in ((PAPER, 3 * SUPERSAMPLING), (INK, SUPERSAMPLING)):
        drawing.line([(x, y), (x, top + VIEW_HEAD_PX)], fill=colour, width=width)
    drawing.ellipse(
        [x - 2 * SUPERSAMPLING, y - 2 * SUPERSAMPLING, x + 2 * SUPERSAMPLING, y + 2 * SUPERSAMPLING], fill=INK
    )
    _head(drawing, (x, top), (0, 1), INK)
    face.draw(drawing, (x + 8 * SUPERSAMPLING, top - face.line / 3), text)


def eye_mark(drawing: Drawing, at: Point, text: str, face: TypeFace) -> None:
    """A ring with cross hairs where an eye is, and its name."""
    x, y = float(at[0]), float(at[1])
    radius, reach = 6 * SUPERSAMPLING, 11 * SUPERSAMPLING
    for colour, width in ((PAPER, 4 * SUPERSAMPLING), (INK, int(1.5 * SUPERSAMPLING))):
        grow = (width - SUPERSAMPLING) / 2
        rim = radius + grow
        drawing.ellipse([x - rim, y - rim, x + rim, y + rim], outline=colour, width=width)
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            ends = [(x + across * away, y + down * away) for away in (3 * SUPERSAMPLING, reach)]
            drawing.line(ends, fill=colour, width=width)
    drawing.ellipse([x - SUPERSAMPLING, y - SUPERSAMPLING, x + SUPERSAMPLING, y + SUPERSAMPLING], fill=INK)
    face.draw(drawing, (x + reach + 4 * SUPERSAMPLING, y - face.line / 2), text, halo=PAPER)


def dashed_box(drawing: Drawing, points: Floats, text: str, face: TypeFace) -> None:
    """The upright rectangle round points (n, 2), dashed, with its number at a corner."""
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    sides = [((left, top), (right, top)), ((right, top), (right, bottom))]
    sides += [((left, bottom), (right, bottom)), ((left, top), (left, bottom))]
    for colour, width in ((PAPER, 3 * SUPERSAMPLING), (VERMILLION, int(1.5 * SUPERSAMPLING))):
        for start, end in sides:
            _dashed(drawing, start, end, colour, width)
    face.draw(drawing, (right + 4 * SUPERSAMPLING, top - face.line / 2), text, VERMILLION, halo=PAPER)


def scale_bar(drawing: Drawing, at: tuple[float, float], per_mm: float, face: TypeFace) -> None:
    """Two bars, a round number of mm and of inches, their lower left corner at a point, ``per_mm`` pixels a mm."""
    x, y = at
    most = 150 * SUPERSAMPLING / per_mm
    lengths = [(10.0**power * digit, f"{10**power * digit:g} mm") for power in range(-1, 4) for digit in (1, 2, 5)]
    inches = [(INCH * count, f"{count:g} inch" + ("es" if count > 1 else "")) for count in (0.25, 0.5, 1, 2, 3, 6, 12)]
    for number, choices in enumerate((inches, lengths)):
        length, text = max((choice for choice in choices if choice[0] <= most), default=choices[0])
        row = y - number * (face.line + 2 * SUPERSAMPLING) - 4 * SUPERSAMPLING
        end = x + length * per_mm
        drawing.line([(x, row), (end, row)], fill=INK, width=2 * SUPERSAMPLING)
        for tick in (x, end):
            drawing.line(
                [(tick, row - 5 * SUPERSAMPLING), (tick, row + 3 * SUPERSAMPLING)], fill=INK, width=SUPERSAMPLING
            )
        face.draw(drawing, (end + 8 * SUPERSAMPLING, row - face.line * 0.62), text)


def _head(drawing: Drawing, tip: Point, back: tuple[float, float], colour: Colour) -> None:
    """An arrow's head; ``back`` points from its tip along its shaft."""
    x, y = float(tip[0]), float(tip[1])
    across, down = back
    side = VIEW_HEAD_PX * 0.32
    foot = (x + across * VIEW_HEAD_PX, y + down * VIEW_HEAD_PX)
    drawing.polygon(
        [(x, y), (foot[0] - down * side, foot[1] + across * side), (foot[0] + down * side, foot[1] - across * side)],
        fill=colour,
    )


def _dashed(drawing: Drawing, start: Point, end: Point, colour: Colour, width: int) -> None:
    length = math.dist(start, end)
    dash = 6 * SUPERSAMPLING
    for number in range(0, max(int(length / dash), 1), 2):
        first, last = number * dash / max(length, 1e-9), min((number + 1) * dash / max(length, 1e-9), 1.0)
        ends = [tuple(a + (b - a) * share for a, b in zip(start, end, strict=True)) for share in (first, last)]
        drawing.line([(ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])], fill=colour, width=width)


# ---- the page

PANEL_GAP = 14 * SUPERSAMPLING
PANEL = ((PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX - PANEL_GAP) // 2, 440 * SUPERSAMPLING)  # pixels as they are rendered
# Left and right, and above and below the model, for names and dimensions.
VIEWS_MARGIN_PX = (88 * SUPERSAMPLING, 62 * SUPERSAMPLING)
AFAR = 20.0  # the distance of the camera in sizes of the model: lines of sight are nearly parallel
PANEL_PAPER: Colour = (247, 247, 243)
ROLE_LEGEND: tuple[tuple[int, str, Colour], ...] = (
    (BODY, "body, counts", (140, 199, 235)),
    (BASE, "base, does not count", (166, 166, 166)),
    (INSIGNIFICANT, "insignificant, does not count", ORANGE),
)
VIEWS_LINE_COLOUR = (38, 38, 44)
VIEWS_TITLE_TYPE, VIEWS_FACTS_TYPE, VIEWS_LEGEND_TYPE, VIEWS_NOTE_TYPE, VIEWS_NAME_TYPE, VIEWS_MARK_TYPE = (
    TypeFace(30, "Bold"),
    TypeFace(18),
    TypeFace(16),
    TypeFace(15),
    TypeFace(16, "Bold"),
    TypeFace(14),
)


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
    page = Image.new("RGB", (PAGE_WIDTH_PX, PAGE_MARGIN_PX + 2 * PANEL[1] + PANEL_GAP + 900 * SUPERSAMPLING), PAPER)
    bodies = _bodies(model)
    for number, panel in enumerate(_panels(model)):
        picture = Image.fromarray(_painted(panel.view, bodies, renderer))
        _annotate(ImageDraw.Draw(picture), panel, model, suggestions)
        row, column = divmod(number, 2)
        page.paste(
            picture, (PAGE_MARGIN_PX + column * (PANEL[0] + PANEL_GAP), PAGE_MARGIN_PX + row * (PANEL[1] + PANEL_GAP))
        )
    bottom = _caption(
        ImageDraw.Draw(page), PAGE_MARGIN_PX + 2 * PANEL[1] + PANEL_GAP + 14 * SUPERSAMPLING, model, suggestions
    )
    data = {"model": model.source, "eye": model.eye.tolist(), "eye_from": model.eye_from}
    save_png(page.crop((0, 0, PAGE_WIDTH_PX, int(bottom) + 16 * SUPERSAMPLING)), path, data)


def _bodies(model: Model) -> list[Body]:
    """The model, a body for each role that any of its triangles has; the id is the role's and one."""
    if model.kind == "terrain":
        return [Body(BODY + 1, model.mesh, Pose.standing())]
    return [
        Body(role + 1, model.mesh.subset(model.role == role), Pose.standing())
        for role, _, _ in ROLE_LEGEND
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
    room = np.array(PANEL) - 2 * np.array(VIEWS_MARGIN_PX)
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
    table = np.array([PANEL_PAPER, *(colour for _, _, colour in ROLE_LEGEND)], np.float32) / np.float32(255.0)
    colours: Values = table[layer.ids]
    brightness = light(view, facing) * (1.0 - hollows(view, nearness))
    colours[there] = lit(colours[there], brightness[there].astype(np.float32))
    lines = outlines(layer.ids, nearness, facing)
    colours = mixed(colours, np.array(VIEWS_LINE_COLOUR, np.float32) / np.float32(255.0), lines)
    return (np.clip(colours, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)


def _annotate(drawing: Drawing, panel: _Panel, model: Model, suggestions: Sequence[Suggestion]) -> None:
    VIEWS_NAME_TYPE.draw(drawing, (14 * SUPERSAMPLING, 9 * SUPERSAMPLING), panel.name)
    drawing.rectangle([0, 0, PANEL[0] - 1, PANEL[1] - 1], outline=RULE_COLOUR, width=SUPERSAMPLING)
    box = panel.pixel(corners(*model.mesh.bounds))
    (left, top), (_, bottom) = box.min(axis=0), box.max(axis=0)
    if panel.name != "top":
        rim = 30 * SUPERSAMPLING
        drawing.line([(rim, bottom), (PANEL[0] - rim, bottom)], fill=SOFT_INK, width=SUPERSAMPLING // 2)
    for number, suggestion in enumerate(suggestions, 1):
        for low, high in suggestion.boxes:
            dashed_box(drawing, panel.pixel(corners(low, high)), str(number), VIEWS_MARK_TYPE)
    if panel.name == "front":
        _dimension_base(drawing, panel, model)
    if panel.name == "right":
        low, high = model.mesh.bounds[:, 2]
        upright_dimension(
            drawing, left - 16 * SUPERSAMPLING, (bottom, top), f"{high - low:.1f} mm", VIEWS_MARK_TYPE, leftwards=True
        )
    if panel.name == "top":
        start = np.array([*model.base_centre, model.mesh.bounds[1, 2]])
        ahead = np.array([*cosine_and_sine(model.front), 0.0])
        ends = panel.pixel(np.array([start, start + ahead]))
        arrow(drawing, ends[0], top - 26 * SUPERSAMPLING, "front", VIEWS_MARK_TYPE)
        scale_bar(
            drawing,
            (16 * SUPERSAMPLING, PANEL[1] - 16 * SUPERSAMPLING),
            float(np.linalg.norm(ends[1] - ends[0])),
            VIEWS_MARK_TYPE,
        )
    if model.kind != "terrain":  # the eye, over the other places where it may be; with words in the first panel alone
        texts = [f"{100 * place.likelihood:.0f} %" for place in model.eye_candidates[1:]]
        texts.append("eye" if model.eye_from == "given" else "eye, estimated")
        for eye, text in zip([*(place.eye for place in model.eye_candidates[1:]), model.eye], texts, strict=True):
            eye_mark(drawing, panel.pixel(eye[None])[0], text if panel.name == "front" else "", VIEWS_MARK_TYPE)


def _dimension_base(drawing: Drawing, panel: _Panel, model: Model) -> None:
    if model.base is None or model.base.source == "given":
        return  # there is none, or it is not in the mesh
    points = model.mesh.subset(model.role == BASE).vertices
    (left, top), (right, bottom) = panel.pixel(points).min(axis=0), panel.pixel(points).max(axis=0)
    across, along = np.ptp(points @ panel.view.axes[[0, 2]].T, axis=0)
    is_round = abs(across - along) < 0.03 * across
    width = f"{'Ø ' if is_round else ''}{across:.1f} mm"
    cross_dimension(drawing, (left, right), bottom + 18 * SUPERSAMPLING, width, VIEWS_MARK_TYPE)
    upright_dimension(
        drawing, right + 16 * SUPERSAMPLING, (bottom, top), f"{model.base.height:.1f} mm", VIEWS_MARK_TYPE
    )


def _caption(drawing: Drawing, y: float, model: Model, suggestions: Sequence[Suggestion]) -> float:
    """Writes the facts about the model and the legend of its colours; gives the row at which they end."""
    VIEWS_TITLE_TYPE.draw(
        drawing,
        (PAGE_MARGIN_PX, y),
        VIEWS_TITLE_TYPE.elided(VIEWS_TITLE_TYPE.printable(model.source), PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX),
    )
    y += VIEWS_TITLE_TYPE.line
    for line in (_about(model), _base_and_eye(model)):
        y = write_lines(drawing, y, line, VIEWS_FACTS_TYPE, 2)
    for note in _notes(model, suggestions):
        y = write_lines(drawing, y, note, VIEWS_NOTE_TYPE, 2, SOFT_INK)
    y += 12 * SUPERSAMPLING
    drawing.line([PAGE_MARGIN_PX, y, PAGE_WIDTH_PX - PAGE_MARGIN_PX, y], fill=RULE_COLOUR, width=SUPERSAMPLING)
    y += 11 * SUPERSAMPLING
    x, side = float(PAGE_MARGIN_PX), 17 * SUPERSAMPLING
    for role, words, colour in ROLE_LEGEND:
        count = len(model.role) if model.kind == "terrain" and role == BODY else int((model.role == role).sum())
        if count == 0 or (model.kind == "terrain" and role != BODY):
            continue
        text = f"{'terrain, blocks whole' if model.kind == 'terrain' else words}: {count:,} triangles"
        drawing.rectangle(
            [x, y + 3 * SUPERSAMPLING, x + side, y + 3 * SUPERSAMPLING + side],
            fill=colour,
            outline=INK,
            width=SUPERSAMPLING // 2,
        )
        VIEWS_LEGEND_TYPE.draw(drawing, (x + side + 8 * SUPERSAMPLING, y), text)
        x += side + 34 * SUPERSAMPLING + VIEWS_LEGEND_TYPE.width(text)
    return y + VIEWS_LEGEND_TYPE.line


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
