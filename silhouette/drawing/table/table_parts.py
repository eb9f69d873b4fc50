"""DRAW: the parts that plan and side view share: the stretch of table shown, shapes, scale bars, the caption."""

from __future__ import annotations

import numpy as np
from shapely import LinearRing, Point, Polygon, box

from silhouette.drawing.captions import EDGE, HAIRLINE, TITLE, Swatch
from silhouette.drawing.marks import rectangle, shape
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.table.sightlines import BEYOND, CLEAR, PARTLY, WHOLLY, Sector, Sightline
from silhouette.drawing.table.tracing import Rings
from silhouette.drawing.typeface import elided, printable
from silhouette.drawing.words.words import told_in_figures, why
from silhouette.geometry import INCH, Floats
from silhouette.rules.base import Verdict
from silhouette.scenes.table import Piece

SPARSE, DENSE = "////", "xxxxx"
"""matplotlib's hatches for what is partly, and what is wholly obscured."""

ROOM = 0.07
"""The room left free behind attacker and target, as a share of the length shown."""

CENTIMETRE = 10.0  # mm

MINUS = "\N{MINUS SIGN}"


def stretch(line: Sightline) -> tuple[float, float]:
    """The start and the end of a figure, mm along the line of sight from the eye: attacker, target and some room."""
    points = np.concatenate([_corners(piece) for piece in (line.sight.attacker, line.sight.target)])
    along = line.in_plan(points)[:, 0]
    low, high = min(along.min(), 0.0), max(along.max(), 0.0)
    room = max(ROOM * (high - low), 6.0)
    return float(low - room), float(high + room)


def _corners(piece: Piece) -> Floats:
    """(n, 2) mm, world: the corners of the box round a piece in plan, and those of its base."""
    box = piece.model.mesh.bounds
    x, y = np.meshgrid(box[:, 0], box[:, 1])
    corners: Floats = piece.pose.place(np.column_stack([x.ravel(), y.ravel(), np.zeros(4)]))
    return np.concatenate([corners[:, :2], piece.base_outline])


def is_shown(sheet: Sheet, rings: Rings) -> bool:
    """Whether an area within outlines, in the units of the frame, meets the frame; False where there are none."""
    return shown_box(sheet, rings) is not None


def shown_box(sheet: Sheet, rings: Rings) -> Floats | None:
    """(2, 2) the least and greatest coordinates of an area within outlines, in the frame; None where it lies outside.

    What lies across a corner of the frame may lie outside, although the box round it does not.
    """
    areas = [ring for ring in rings if len(ring) >= 3]
    if not areas:
        return None
    left, bottom, right, top = sheet.bounds
    starts = np.cumsum([0, *(len(ring) for ring in areas[:-1])])
    points = np.concatenate(areas)
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    apart = (low > [right, top]).any(axis=1) | (high < [left, bottom]).any(axis=1)
    inside = (low >= [left, bottom]).all(axis=1) & (high <= [right, top]).all(axis=1)
    boxes = [np.column_stack([low, high])[inside]]
    frame = box(left, bottom, right, top)
    for number in np.flatnonzero(~apart & ~inside):
        ring = areas[number]
        border, area = LinearRing(ring).intersection(frame), Polygon(ring)
        parts = [] if border.is_empty else [border.bounds]
        parts += [(x, y, x, y) for x, y in frame.exterior.coords[:-1] if area.contains(Point(x, y))]
        boxes.append(np.array(parts).reshape(-1, 4))
    every = np.concatenate(boxes)
    return np.array([every[:, :2].min(axis=0), every[:, 2:].max(axis=0)]) if len(every) else None


def hatched(sheet: Sheet, rings: Rings, level: int, zorder: float, *, pale: bool = False) -> None:
    """Fills outlines with the hatch of a level: PARTLY, WHOLLY or BEYOND; nothing for CLEAR.

    With ``pale`` there is no colour below the hatch of BEYOND, so that what lies there is still seen.
    """
    style = sheet.style
    if level == PARTLY:
        shape(sheet, rings, style.obscured, style.obscured_edge, zorder, hatch=SPARSE, linewidth=0.0)
    elif level == WHOLLY:
        shape(sheet, rings, style.obscured, style.obscured_edge, zorder, hatch=DENSE, linewidth=0.0)
    elif level == BEYOND:
        fill = "none" if pale else style.terrain
        shape(sheet, rings, fill, style.terrain_edge, zorder, hatch="....", linewidth=0.0)


def rays(sector: Sector, distance: Floats) -> Floats:
    """(n + 1, 2) mm: a point on each edge of a sector's n directions, at a distance (n,) along the line of sight.

    The distance on an edge between two directions is the mean of theirs.
    """
    both = np.concatenate([distance[:1], distance]), np.concatenate([distance, distance[-1:]])
    along = (both[0] + both[1]) / 2
    return np.column_stack([along, along * np.tan(sector.angles)])


def near_colour(sheet: Sheet, line: Sightline, sector: Sector) -> str:
    """The colour of a sector between the eye and what it meets first: seen, or outside the vision arcs."""
    return sheet.style.terrain if sector.level == BEYOND or line.outside else sheet.style.seen


def levels_in(sectors: list[Sector]) -> set[int]:
    """The levels of the sectors, each once."""
    return {sector.level for sector in sectors}


def level_swatches(sheet: Sheet, levels: set[int]) -> list[Swatch]:
    """The legend's entries for levels, from CLEAR to BEYOND."""
    style = sheet.style
    entries = {
        CLEAR: Swatch(sheet.words("seen"), style.seen, style.seen_edge),
        PARTLY: Swatch(sheet.words("partly"), style.obscured, style.obscured_edge, SPARSE),
        WHOLLY: Swatch(sheet.words("wholly"), style.obscured, style.obscured_edge, DENSE),
        BEYOND: Swatch(sheet.words("outside"), style.terrain, style.terrain_edge, "...."),
    }
    return [entry for level, entry in entries.items() if level in levels]


def draw_eye(sheet: Sheet, at: tuple[float, float]) -> None:
    """Draws a dot at the attacker's eye."""
    style = sheet.style
    sheet.axes.plot(
        *at, "o", markersize=2.6, color=style.ink, markeredgecolor=style.paper, markeredgewidth=0.5, zorder=20
    )
    sheet.axes.lines[-1].set_gid("eye")


def draw_facing(sheet: Sheet, base: Floats, middle: Floats, ahead: Floats, colour: str, zorder: float) -> None:
    """Draws a small arrowhead on the edge of a model's base, in the direction that the model faces; names keep off it.

    Args:
        sheet: the sheet to draw on.
        base: (k, 2) the outline of the base, in units of the drawing.
        middle: (2,) the base's centre.
        ahead: (2,) the direction, of length 1.
        colour: of the arrowhead.
        zorder: matplotlib's.
    """
    from matplotlib.patches import Polygon

    side = np.array([-ahead[1], ahead[0]])
    rim = middle + ahead * float(((base - middle) @ ahead).max())
    size = sheet.paper(1.0)
    corners = np.array([rim + 1.5 * size * ahead, rim + size * side, rim - size * side])
    sheet.axes.add_patch(Polygon(corners, facecolor=colour, edgecolor="none", zorder=zorder))
    sheet.avoid(rim + np.linspace(0.0, 1.5, 6)[:, None] * size * ahead)


def draw_scale(sheet: Sheet, left: float, bottom: float, ground: str) -> None:
    """Draws two scale bars, inches above centimetres, each as long as fits into 24 mm on paper.

    Args:
        sheet: the sheet to draw on, in mm of the table.
        left: x of the bars' lower left corner.
        bottom: y of it.
        ground: the colour of the box behind the bars, almost opaque.
    """
    style, high = sheet.style, sheet.paper(0.9)
    longest = sheet.paper(24.0)
    bars = (
        ("centimetres", CENTIMETRE, (1, 2, 5, 10, 20, 50, 100), bottom),
        ("inches", INCH, (1, 2, 3, 6, 12, 24, 48), bottom + sheet.paper(2.7)),
    )
    wide = max(
        max((n * unit for n in numbers if n * unit <= longest), default=numbers[0] * unit)
        for _, unit, numbers, _ in bars
    )
    x, y = left - sheet.paper(1.2), bottom - sheet.paper(1.2)
    rectangle(sheet, x, y, x + wide + sheet.paper(9.0), y + sheet.paper(6.2), fill=ground, alpha=0.85, zorder=24.0)
    for words, unit, numbers, low in bars:
        number = max((n for n in numbers if n * unit <= longest), default=numbers[0])
        cuts = number if number in (1, 2, 3, 5, 6) else 4 if number in (12, 24, 48) else 5
        step = number * unit / cuts
        for cut in range(cuts):
            fill = style.ink if cut % 2 == 0 else style.paper
            x = left + cut * step
            rectangle(sheet, x, low, x + step, low + high, fill=fill, edge=style.ink, width=HAIRLINE, zorder=25.0)
        text = sheet.words(words, number=number)
        sheet.text(left + number * unit + sheet.paper(0.9), low + high / 2, text, ha="left")
    sheet.reserve(left, bottom, left + max(wide, longest) + sheet.paper(7.0), bottom + sheet.paper(4.2))


def caption(sheet: Sheet, line: Sightline, *notes: str, warned: bool = False) -> None:
    """Writes the title with the verdict, the reason, and as notes below the legend how the share was measured.

    Args:
        sheet: the sheet to write on.
        line: the check.
        notes: sentences about how to read the figure.
        warned: whether the first two of the verdict's warnings are among the notes.
    """
    verdict = line.verdict
    sheet.caption(_title(sheet, verdict), why(sheet.words.of(verdict.rules), verdict))
    if line.image.surrounds:
        sheet.note(sheet.words("ahead", target=verdict.target))
    warnings = [text for text in verdict.warnings if told_in_figures(text)]
    for warning in warnings[:2] if warned else ():
        sheet.note(sheet.words("note", warning=warning))
    for note in notes:
        sheet.note(note)
    if line.filled:
        sheet.note(sheet.words("filled", names=", ".join(line.filled)))
    eye = "eye given" if line.sight.attacker.eye_from == "given" else "eye estimated"
    measured = line.measurement
    counted = {"part": measured.counts.occluded, "whole": measured.counts.total, "renderer": measured.renderer}
    share, pixel = share_of_target(sheet, line), sheet.words.number(f"{measured.pixel:.2g}")
    sheet.note(sheet.words("measured", share=share, pixel=pixel, eye=sheet.words(eye), **counted))


def _title(sheet: Sheet, verdict: Verdict) -> str:
    words, room = sheet.words.of(verdict.rules), 0.85 * sheet.width
    attacker, target = (elided(printable(name), room, TITLE, bold=True) for name in (verdict.attacker, verdict.target))
    title = sheet.words("title", attacker=attacker, target=target, verdict=words.verdict(verdict.verdict))
    if verdict.in_arc is False:
        title = sheet.words("out of arc", title=title)
    if verdict.modifier is not None:
        modifier = f"{verdict.modifier:+d}".replace("+0", "±0").replace("-", MINUS)
        title = sheet.words("modifier", title=title, modifier=modifier)
    return sheet.words("marginal", title=title) if verdict.marginal else title


def share_of_target(sheet: Sheet, line: Sightline) -> str:
    """The share of the target that is obscured, and how sure that is."""
    counts, words = line.measurement.counts, sheet.words
    return words("share", share=words.share(counts.occluded, counts.total) + words.margin(counts.error))


def world_frame(sheet: Sheet, line: Sightline, kind: str) -> None:
    """Writes into the file's data where the figure lies in the world, so that points can be read back from it."""
    left, bottom, right, top = sheet.bounds
    sheet.data["frame"] = {
        "kind": kind,
        "bounds": [left, bottom, right, top],
        "edge": EDGE,
        "unit": sheet.unit,
        "eye": line.eye.tolist(),
        "along": line.along.tolist(),
    }
