"""DRAW: what the figures of one check share: the image from the eye, the target cut into sectors, and the parts of plan
and side view, from the stretch of table shown to the caption.

Plan and side view cannot show the pixels of the image. They show the target cut into `SECTOR_DIRECTIONS` narrow wedges
that begin at the eye, in plan by the angle to the left, in the side view by the angle upward: each has a level, by how
much of it is obscured, or lies outside the vision arcs. Neighbouring directions of one level make a `Sector`; runs too
narrow to be seen are added to a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from shapely import LinearRing, Point, Polygon, box

from silhouette.common.geometry import INCH, Floats, cosine_and_sine
from silhouette.common.lazy import cached_property
from silhouette.drawing import plotting
from silhouette.drawing.captions import HAIRLINE_PT, PAGE_EDGE_MM, THIN_LINE_PT, TITLE_PT, Swatch
from silhouette.drawing.marks import rectangle, shape
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.styles import Style
from silhouette.drawing.table.eye_image import EyeImage, image_of
from silhouette.drawing.table.tracing import Rings
from silhouette.drawing.typeface import elided
from silhouette.drawing.words.words import noted, told_in_figures, why
from silhouette.measure.observation import OBSCURED, OUTSIDE, Observation, Sight
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.views import VisionArc
from silhouette.rules.base import Measurement, Verdict, blocker_shares
from silhouette.scenes.table import Piece, TableScene

SIGHT_PICTURE_PX = (1180, 740)  # pixels: width and height of the eye view
SECTOR_DIRECTIONS = 160  # into which the target is cut: from its right to its left side, and from foot to top
UNOBSCURED, PARTLY, WHOLLY, BEYOND = 0, 1, 2, 3  # how much of the target is obscured in a direction
# The least number of directions in a sector; a narrower run of one level is added to a neighbour.
MIN_SECTOR_DIRECTIONS = 7
MAX_SECTORS = 5  # the most sectors of a target: behind a grating no figure could show all of them
IGNORED_SHARE = 0.02  # the share of a direction's pixels that its level ignores: single pixels at an edge


@dataclass(frozen=True)
class Sector:
    """A run of n neighbouring directions with the same level."""

    level: int  # CLEAR, PARTLY, WHOLLY or BEYOND
    angles: Floats  # (n + 1,) the edges of the directions: radians from the line of sight
    # (n,) mm along the line of sight to the nearest thing that obscures the target; in a CLEAR sector, and where
    # nothing obscures it, to the target
    reach: Floats
    end: Floats  # (n,) mm along the line of sight to the target


@dataclass(frozen=True, eq=False)
class Sightline:
    """The data from which the figures of one check on a table are drawn. Its own frame has its origin at the eye: x is
    level and runs along the line of sight, y is level and to the left. The renderer need not be the one that measured.
    """

    scene: TableScene
    verdict: Verdict
    observation: Observation
    renderer: Renderer

    @property
    def sight(self) -> Sight:
        """Who looks at whom, past what."""
        return self.observation.sight

    @property
    def drawn_arcs(self) -> tuple[VisionArc, ...]:
        """The vision arcs to draw; none where the attacker looks all round: without arcs, or with all four."""
        arcs = self.sight.arcs
        return () if arcs is None or len(arcs) == len(get_args(ArcName)) else arcs

    @cached_property
    def shares(self) -> dict[str, str]:
        """The share of the target of which each piece is the nearest blocker, in words, by name: the largest first."""
        return {blocker.name: share for blocker, share in blocker_shares(self.verdict) if blocker.share}

    @cached_property
    def blocking(self) -> set[str]:
        """The names of the pieces that would obscure some of the target with nothing else on the table."""
        return {blocker.name for blocker in self.verdict.blockers if blocker.obscures}

    @cached_property
    def image(self) -> EyeImage:
        """The image from the eye, `SIGHT_PICTURE_PX` in size."""
        return image_of(self.scene, self.observation, self.renderer, *SIGHT_PICTURE_PX)

    @property
    def eye(self) -> Floats:
        """(3,) mm, world: where the attacker looks from."""
        return self.sight.eye

    @property
    def outside(self) -> bool:
        """Whether no part of the target lies in a vision arc; False without arcs, and where facing is unknown."""
        return self.verdict.in_arc is False

    @cached_property
    def middle(self) -> Floats:
        """(3,) mm, world: the middle of the box round the target's significant parts."""
        return self.sight.target.body_middle

    @cached_property
    def along(self) -> Floats:
        """(3,) the level unit vector from the eye towards the target; along ``facing``, where it is above or below."""
        step = (self.middle - self.eye)[:2]
        length = float(np.hypot(*step))
        cosine, sine = step / length if length > 1e-6 else cosine_and_sine(self.sight.facing)
        return np.array([cosine, sine, 0.0])

    @cached_property
    def across(self) -> Floats:
        """(3,) a level unit vector to the left of the line of sight."""
        return np.array([-self.along[1], self.along[0], 0.0])

    def in_plan(self, points: Any) -> Floats:
        """(n, 2) mm in plan, along the line of sight from the eye and to its left, of world points (n, 2) or (n, 3)."""
        level = np.asarray(points, dtype=np.float64).reshape(len(points), -1)[:, :2] - self.eye[:2]
        turned: Floats = level @ np.array([self.along[:2], self.across[:2]]).T
        return turned

    @cached_property
    def plan_sectors(self) -> list[Sector]:
        """The target's sectors in plan, from right to left; none where it has no pixel, or reaches round the eye."""
        return self._sectors(self.across)

    @cached_property
    def side_sectors(self) -> list[Sector]:
        """The target's sectors in elevation, from the lowest up; none where there are none in plan."""
        return self._sectors(np.array([0.0, 0.0, 1.0]))

    def _sectors(self, upward: Floats) -> list[Sector]:
        """The target cut into directions by their angle from the line of sight towards ``upward``, a unit vector (3,);
        each pixel that shows it, seen or obscured, belongs to one direction.
        """
        image = self.image
        rows, columns = np.nonzero(image.kinds)
        if image.surrounds or not len(rows):
            return []
        rays = image.view.directions(rows, columns)
        along, rising = rays @ self.along, rays @ upward
        angles = np.arctan2(rising, along)
        edges = np.linspace(angles.min(), angles.max() + 1e-9, SECTOR_DIRECTIONS + 1)
        number = np.clip(np.searchsorted(edges, angles, "right") - 1, 0, SECTOR_DIRECTIONS - 1)
        kinds = image.kinds[rows, columns]
        levels = _levels(number, kinds)
        # The depth of a pixel is along the view's axis; times the ray's part along the line of sight it is level.
        end = _least(number, along * image.target.depth[rows, columns])
        obscured = kinds == OBSCURED
        reach = _least(number[obscured], (along * image.front.depth[rows, columns])[obscured])
        reach = np.where((levels == UNOBSCURED) | ~np.isfinite(reach), end, np.minimum(reach, end))
        # A direction between two parts of the target may show none of it: its distance lies between its neighbours'.
        has_target = np.isfinite(end)
        end = np.interp(np.arange(SECTOR_DIRECTIONS), np.flatnonzero(has_target), end[has_target])
        reach = np.minimum(np.where(np.isfinite(reach), reach, end), end)
        return [
            Sector(
                int(levels[start]),
                edges[start : stop + 1],
                _without_outliers(reach[start:stop]),
                _without_outliers(end[start:stop]),
            )
            for start, stop in _runs(levels)
        ]


def _levels(number: Any, kinds: Any) -> Any:
    """(`SECTOR_DIRECTIONS`,) the level of each direction, in few runs, by the direction (n,) and the kind of each pixel
    of the target; one that shows nothing of it has a neighbour's.

    >>> number, kinds = np.array([0, 1, 150]), np.full(3, OUTSIDE)
    >>> np.unique(_levels(number, kinds)).tolist() == [BEYOND]
    True
    """
    total = np.bincount(number, minlength=SECTOR_DIRECTIONS)
    hidden = np.bincount(number, kinds == OBSCURED, SECTOR_DIRECTIONS) / np.maximum(total, 1)
    beyond = np.bincount(number, kinds == OUTSIDE, SECTOR_DIRECTIONS) / np.maximum(total, 1)
    levels = np.where(hidden > IGNORED_SHARE, PARTLY, UNOBSCURED)
    levels = np.where(hidden > 1.0 - IGNORED_SHARE, WHOLLY, levels)
    levels = np.where(beyond > 1.0 - IGNORED_SHARE, BEYOND, levels)
    shown = np.flatnonzero(total)
    before = np.searchsorted(shown, np.arange(SECTOR_DIRECTIONS), "right") - 1
    return _in_few_runs(levels[shown[np.maximum(before, 0)]])


def _in_few_runs(levels: Any) -> Any:
    """The levels of directions, changed in place, in at most `MAX_SECTORS` runs, none shorter than
    `MIN_SECTOR_DIRECTIONS`, but for a single one. The shortest is joined to the longer of its neighbours: too short, it
    takes its level; long enough, but one too many, both become PARTLY, unless one is BEYOND.

    >>> _in_few_runs(np.repeat([UNOBSCURED, WHOLLY, PARTLY], [8, 2, 9])).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    >>> grating = np.tile(np.repeat([UNOBSCURED, WHOLLY], MIN_SECTOR_DIRECTIONS), 4)
    >>> len(_runs(grating)), len(_runs(_in_few_runs(grating)))
    (8, 5)
    >>> _in_few_runs(np.array([WHOLLY])).tolist()
    [2]
    """
    runs = _runs(levels)
    while len(runs) > 1:
        number = min(range(len(runs)), key=lambda run: runs[run][1] - runs[run][0])
        start, stop = runs[number]
        if stop - start >= MIN_SECTOR_DIRECTIONS and len(runs) <= MAX_SECTORS:
            break
        neighbours = [runs[run] for run in (number - 1, number + 1) if 0 <= run < len(runs)]
        first, last = max(neighbours, key=lambda run: run[1] - run[0])
        if stop - start < MIN_SECTOR_DIRECTIONS or BEYOND in (levels[start], levels[first]):
            levels[start:stop] = levels[first]
        else:
            levels[min(start, first) : max(stop, last)] = PARTLY
        runs = _runs(levels)
    return levels


def _runs(levels: Any) -> list[tuple[int, int]]:
    """The first direction of each run of equal levels, and the one after its last.

    >>> _runs(np.array([UNOBSCURED, UNOBSCURED, WHOLLY])), _runs(np.array([BEYOND]))
    ([(0, 2), (2, 3)], [(0, 1)])
    """
    cuts = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    return list(pairwise(cuts))


def _least(number: Any, values: Floats) -> Floats:
    """(`SECTOR_DIRECTIONS`,) the least of the values (n,) of each direction; infinite where it has none."""
    least = np.full(SECTOR_DIRECTIONS, np.inf)
    np.minimum.at(least, number, values)
    return least


def _without_outliers(values: Floats) -> Floats:
    """The values (n,), each replaced by the median of itself and the three on either side.

    >>> _without_outliers(np.array([5.0, 5.0, 90.0, 5.0, 5.0])).tolist(), _without_outliers(np.array([4.0])).tolist()
    ([5.0, 5.0, 5.0, 5.0, 5.0], [4.0])
    """
    wide = np.pad(values, 3, mode="edge")
    medians: Floats = np.median(np.lib.stride_tricks.sliding_window_view(wide, 7), axis=1)
    return medians


SPARSE, DENSE = "////", "xxxxx"  # matplotlib's hatches for what is partly, and what is wholly obscured
SIGHT_MARGIN_SHARE = 0.07  # the room left free behind attacker and target, as a share of the length shown
CENTIMETRE = 10.0  # mm
MINUS_SIGN = "\N{MINUS SIGN}"


def stretch(line: Sightline) -> tuple[float, float]:
    """The start and the end of a figure, mm along the line of sight from the eye: attacker, target and some room."""
    points = np.concatenate([_corners(piece) for piece in (line.sight.attacker, line.sight.target)])
    along = line.in_plan(points)[:, 0]
    low, high = min(along.min(), 0.0), max(along.max(), 0.0)
    room = max(SIGHT_MARGIN_SHARE * (high - low), 6.0)
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
    """(2, 2) the least and greatest coordinates of an area within outlines, in the frame; None where it lies outside,
    as may what lies across a corner of the frame, although the box round it does not.
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


def _looks(style: Style) -> dict[int, tuple[str, str, str, str | None]]:
    """The phrase of each level, its fill, edge and hatch."""
    return {
        UNOBSCURED: ("seen", style.seen, style.seen_edge, None),
        PARTLY: ("partly", style.obscured, style.obscured_edge, SPARSE),
        WHOLLY: ("wholly", style.obscured, style.obscured_edge, DENSE),
        BEYOND: ("outside", style.outside, style.outside_edge, "...."),
    }


def hatched(sheet: Sheet, rings: Rings, level: int, zorder: float, *, pale: bool = False) -> None:
    """Fills outlines with the hatch of a level, PARTLY, WHOLLY or BEYOND, on nothing if ``pale``; CLEAR has none."""
    _, fill, edge, hatch = _looks(sheet.style)[level]
    if hatch is not None:
        shape(sheet, rings, "none" if pale else fill, edge, zorder, hatch=hatch, linewidth=0.0)


def rays(sector: Sector, distance: Floats) -> Floats:
    """(n + 1, 2) mm: a point on each edge of a sector's n directions, at a distance (n,) along the line of sight:
    between two directions at the mean of theirs.
    """
    both = np.concatenate([distance[:1], distance]), np.concatenate([distance, distance[-1:]])
    along = (both[0] + both[1]) / 2
    return np.column_stack([along, along * np.tan(sector.angles)])


def near_colour(sheet: Sheet, line: Sightline, sector: Sector) -> str:
    """The colour of a sector between the eye and what it meets first: seen, or outside the vision arcs."""
    return sheet.style.outside if sector.level == BEYOND or line.outside else sheet.style.seen


def level_swatches(sheet: Sheet, levels: set[int]) -> list[Swatch]:
    """The legend's entries for levels, from CLEAR to BEYOND."""
    looks = [look for level, look in _looks(sheet.style).items() if level in levels]
    return [Swatch(sheet.words(phrase), fill, edge, hatch) for phrase, fill, edge, hatch in looks]


def draw_eye(sheet: Sheet, at: tuple[float, float]) -> None:
    """Draws a dot at the attacker's eye."""
    style = sheet.style
    sheet.axes.plot(
        *at, "o", markersize=2.6, color=style.ink, markeredgecolor=style.paper, markeredgewidth=0.5, zorder=20
    )
    sheet.axes.lines[-1].set_gid("eye")


def eye_swatch(sheet: Sheet) -> Swatch:
    """The legend's entry for what `draw_eye` draws."""
    return Swatch(sheet.words("eye"), fill=sheet.style.ink, edge=sheet.style.paper, point="o")


def rim_swatch(sheet: Sheet) -> Swatch:
    """The legend's entry for lines from the eye to the rim of the target."""
    return Swatch(sheet.words("to the rim"), edge=sheet.style.seen_edge, line=True, width=THIN_LINE_PT)


def facing_swatch(sheet: Sheet, colour: str) -> Swatch:
    """The legend's entry for what `draw_facing` draws."""
    return Swatch(sheet.words("facing"), fill=colour, edge=colour, point="^")


def draw_facing(sheet: Sheet, base: Floats, middle: Floats, ahead: Floats, colour: str, zorder: float) -> None:
    """Draws an arrowhead on the edge of a base (k, 2) about its middle (2,), in a direction, (2,) of length 1."""
    side = np.array([-ahead[1], ahead[0]])
    rim = middle + ahead * float(((base - middle) @ ahead).max())
    size = sheet.paper(1.0)
    corners = np.array([rim + 1.5 * size * ahead, rim + size * side, rim - size * side])
    sheet.axes.add_patch(plotting.patches.Polygon(corners, facecolor=colour, edgecolor="none", zorder=zorder))
    sheet.avoid(rim + np.linspace(0.0, 1.5, 6)[:, None] * size * ahead)


def draw_scale(sheet: Sheet, left: float, bottom: float, ground: str) -> None:
    """Draws two scale bars, inches above centimetres, each as long as fits into 24 mm on paper, from a lower left
    corner, on a box of the ground's colour, almost opaque; the sheet is in mm of the table.
    """
    style, high = sheet.style, sheet.paper(0.9)
    longest = sheet.paper(24.0)
    kinds = (
        ("centimetres", CENTIMETRE, (1, 2, 5, 10, 20, 50, 100), bottom),
        ("inches", INCH, (1, 2, 3, 6, 12, 24, 48), bottom + sheet.paper(2.7)),
    )
    bars = [
        (words, unit, max((n for n in numbers if n * unit <= longest), default=1), low)
        for words, unit, numbers, low in kinds
    ]
    wide = max(number * unit for _, unit, number, _ in bars)
    x, y = left - sheet.paper(1.2), bottom - sheet.paper(1.2)
    rectangle(sheet, x, y, x + wide + sheet.paper(9.0), y + sheet.paper(6.2), fill=ground, alpha=0.85, zorder=24.0)
    for words, unit, number, low in bars:
        cuts = number if number in (1, 2, 3, 5, 6) else 4 if number in (12, 24, 48) else 5
        step = number * unit / cuts
        for cut in range(cuts):
            fill = style.ink if cut % 2 == 0 else style.paper
            x = left + cut * step
            bar = np.array([(x, low), (x + step, low), (x + step, low + high), (x, low + high)])
            shape(sheet, (bar,), fill, style.ink, 25.0, linewidth=HAIRLINE_PT, joinstyle="miter")
        text = sheet.words(words, number=number)
        sheet.text(left + number * unit + sheet.paper(0.9), low + high / 2, text, ha="left")
    sheet.reserve(left, bottom, left + max(wide, longest) + sheet.paper(7.0), bottom + sheet.paper(4.2))


def caption(sheet: Sheet, line: Sightline, *notes: str, warned: bool = False) -> None:
    """Writes title, verdict, reason, and notes on the figure and the measurement; if ``warned``, two warnings too."""
    verdict = line.verdict
    sheet.caption(_title(sheet, verdict), why(sheet.words.of(verdict.rules), verdict))
    if line.image.surrounds:
        sheet.note(sheet.words("ahead", target=verdict.target))
    warnings = [text for text in verdict.warnings if told_in_figures(text)]
    for warning in warnings[:2] if warned else ():
        sheet.note(sheet.words("note", warning=warning))
    for note in notes:
        sheet.note(note)
    pieces = [
        piece.name for piece in line.scene.pieces if piece.model.solid == "filled" and piece.name in line.blocking
    ]
    if pieces:  # which hide what their outline encloses as well
        sheet.note(sheet.words("filled", names=", ".join(pieces)))
    eye = "eye given" if line.sight.attacker.eye_from == "given" else "eye estimated"
    measured = verdict.measurement or Measurement.of(line.observation, line.renderer)
    counts, words = measured.counts, sheet.words
    counted = {"part": measured.occluded_pixels, "whole": measured.target_pixels, "renderer": measured.renderer}
    share = words("share", share=words.share(counts.occluded, counts.total) + words.margin(counts.error))
    pixel = words.number(f"{measured.pixel:.2g}")
    sheet.note(sheet.words("measured", share=share, pixel=pixel, eye=sheet.words(eye), **counted))


def _title(sheet: Sheet, verdict: Verdict) -> str:
    words, room = sheet.words.of(verdict.rules), 0.85 * sheet.width
    attacker, target = (elided(name, room, TITLE_PT, bold=True) for name in (verdict.attacker, verdict.target))
    title = sheet.words("title", attacker=attacker, target=target, verdict=words.verdict(verdict.verdict))
    if verdict.in_arc is False:
        title = sheet.words("out of arc", title=title)
    if verdict.modifier is not None:
        modifier = f"{verdict.modifier:+d}".replace("+0", "±0").replace("-", MINUS_SIGN)
        title = sheet.words("modifier", title=title, modifier=modifier)
    return noted(sheet.words, title, verdict)


def world_frame(sheet: Sheet, line: Sightline, kind: str) -> None:
    """Writes into the file's data where the figure lies in the world, so that points can be read back from it."""
    left, bottom, right, top = sheet.bounds
    sheet.data["frame"] = {
        "kind": kind,
        "bounds": [left, bottom, right, top],
        "edge": PAGE_EDGE_MM,
        "unit": sheet.unit,
        "eye": line.eye.tolist(),
        "along": line.along.tolist(),
    }
