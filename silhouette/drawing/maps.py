"""DRAW: a map: the table from above, and the verdict on a model at each place, or how many see it there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import shapely

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Flags, Floats
from silhouette.common.text import did_you_mean
from silhouette.drawing.captions import BOLD_LINE_PT, HAIRLINE_PT, THIN_LINE_PT, Swatch
from silhouette.drawing.games import drawing_of
from silhouette.drawing.marks import areas
from silhouette.drawing.saving import FigureDescription, encoded
from silhouette.drawing.sheet import Figure, Sheet, settings
from silhouette.drawing.styles import PRINT, Style, channels, hexadecimal, style_called, verdict_colours
from silhouette.drawing.table.tracing import Rings, rings_of
from silhouette.drawing.words.words import Words
from silhouette.files.writing import write_file
from silhouette.judging.maps import Map
from silhouette.rules import rule_called

Layer = Literal["verdict", "seen-by"]
MAP_LAYERS: tuple[Layer, ...] = ("verdict", "seen-by")
PAINTED = 3.5  # matplotlib's zorder of the places: above the ground and the areas of terrain, below outlines and models
TOLD_APART = 1.0  # mm on paper: places that are as wide, or wider, are parted by thin lines
MAX_TITLE_NAMES = 3  # the most names in a title
COUNTS = ("#423e50", "#22639a", "#4aa3da", "#d9eefb")  # from nobody to everyone: blue is seen


@dataclass(frozen=True)
class MapLook:
    """How the picture of a map looks; colours stand for verdicts, or for how many see each place."""

    layer: Layer = "verdict"
    style: Style = PRINT
    language: str = "en"

    @classmethod
    def called(cls, layer: str, style: str, language: str) -> MapLook:
        """The look by names. RequestError where there is no such layer, style or language."""
        chosen = next((choice for choice in MAP_LAYERS if choice == layer), None)
        if chosen is None:
            raise RequestError(f"--layer {layer}: no such layer; {did_you_mean(layer, MAP_LAYERS)}")
        return cls(chosen, style_called(style), Words(language).language)


PlacePaint = tuple[str, str, Flags]  # how some places (q,) are painted: the words for the legend, the colour, and which


@dataclass(frozen=True)
class PaperGrid:
    """The places on paper: squares, but for those at the greatest edges of the table, which end there."""

    low: Floats  # (2,) the least corner of the table, in units of the drawing
    step: float  # the width of a place, in the same units
    across: Floats  # (2,) how many places wide and high the table is; no whole numbers

    def squares(self, index: Any) -> list[Floats]:
        """The outline of each place, by its numbers (n, 2)."""
        corners = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        return [self.low + np.minimum(place + corners, self.across) * self.step for place in index]

    def rings(self, index: Any) -> Rings:
        """The outlines of the area that places, by their numbers (n, 2), cover together."""
        if not len(index):
            return ()
        # Places in a row become one rectangle, so that there are few to join.
        order = np.lexsort((index[:, 0], index[:, 1]))
        x, y = index[order].T
        starts = np.flatnonzero((np.diff(x, prepend=x[0] - 2) != 1) | (np.diff(y, prepend=y[0] - 2) != 0))
        ends = np.append(starts[1:], len(x)) - 1
        right, top = (np.minimum(far + 1, most) for far, most in zip((x[ends], y[starts]), self.across, strict=True))
        boxes = shapely.box(x[starts], y[starts], right, top)
        return tuple(self.low + ring * self.step for ring in rings_of(shapely.union_all(boxes)))


def write_map_picture(drawn: Map, path: Path, look: MapLook = MapLook()) -> None:
    """Writes a map as SVG, PNG or PDF. FileError where that fails; RequestError without matplotlib or a drawn table."""
    write_file(path, map_picture(drawn, path.suffix.lower()[1:], look))


def map_picture(drawn: Map, form: str, look: MapLook = MapLook()) -> bytes:
    """A map as the content of a file, "svg", "png" or "pdf". RequestError without matplotlib or a drawn table."""
    figure = map_figure(drawn, look.layer)
    with settings():
        sheet = Sheet(figure.width, look.style, language=look.language)
        figure.draw(sheet)
        request = drawn.request
        data = {
            "scene": drawn.scene.path.name,
            "figure": "map",
            "layer": look.layer,
            "move": request.move,
            **sheet.data,
        }
        return encoded(sheet.finish(), form, FigureDescription(sheet.title, sheet.about, data))


def map_figure(drawn: Map, layer: Layer = "verdict") -> Figure:
    """The figure of a map."""
    ground = drawing_of(drawn.scene.rules).overview(drawn.scene, as_ground=True)
    assert ground is not None, "each game with maps draws its table"

    def draw(sheet: Sheet) -> None:
        ground.draw(sheet)
        _draw_map(sheet, drawn, layer)

    return Figure("map", draw, width=ground.width)


def _draw_map(sheet: Sheet, drawn: Map, layer: Layer) -> None:
    unit = float(sheet.data["frame"].get("mm", 1.0))
    step = drawn.request.grid / unit
    low, high = drawn.table / unit
    grid = PaperGrid(low, step, (high - low) / step)
    sheet.legend_entries.clear()
    for words, colour, which in _counts(sheet, drawn) if layer == "seen-by" else _verdicts(sheet, drawn):
        index = drawn.index[which]
        areas(sheet, grid.rings(index), fill=colour, edge=colour, width=HAIRLINE_PT, zorder=PAINTED)
        if step >= sheet.paper(TOLD_APART):
            areas(sheet, grid.squares(index), edge=sheet.style.paper, width=HAIRLINE_PT, zorder=PAINTED + 0.1)
        sheet.legend(Swatch(words, colour, sheet.style.rule))
    if layer == "verdict" and drawn.marginal.any():
        _hatch(sheet, drawn, grid)
    if not drawn.cells.stands.all():
        rings = grid.rings(drawn.index[~drawn.cells.stands])
        areas(sheet, rings, edge=sheet.style.soft_ink, width=THIN_LINE_PT, zorder=PAINTED + 0.3, mark="unfit")
        sheet.legend(Swatch(sheet.words("map unfit"), sheet.style.ground, sheet.style.soft_ink))
    if layer == "verdict":
        _mark_nearest(sheet, drawn, unit)
    _caption(sheet, drawn, layer)
    sheet.data["map"] = {"least": low.tolist(), "grid": step}


def _verdicts(sheet: Sheet, drawn: Map) -> list[PlacePaint]:
    rules = drawn.scene.rules
    colours = verdict_colours(rule_called(rules).levels)
    words = sheet.words.of(rules)
    levels = enumerate(drawn.verdicts)
    paints = [(words.verdict(verdict), colours[verdict], drawn.verdict == number) for number, verdict in levels]
    return [paint for paint in paints if paint[2].any()]


def _counts(sheet: Sheet, drawn: Map) -> list[PlacePaint]:
    """The paints of how many see it, or are seen: from none, dark, to all, light; of many, some together."""
    most = len(drawn.checks)
    steps = min(most, 8)
    edges = np.unique(np.round(np.linspace(0, most, steps + 1)).astype(int))  # 0, then up to each of the others
    key = "map sees" if drawn.request.role == "attacker" else "map seen by"
    places, ends = np.linspace(0.0, 1.0, len(COUNTS)), np.array([channels(colour) for colour in COUNTS])
    paints, least = list[PlacePaint](), 0
    for number, greatest in enumerate(edges.tolist()):
        which = drawn.cells.stands & (drawn.seen_by >= least) & (drawn.seen_by <= greatest)
        words = str(greatest) if least == greatest else f"{least}–{greatest}"
        if which.any():
            share = number / max(1, len(edges) - 1)
            colour = hexadecimal(float(np.interp(share, places, channel)) for channel in ends.T)
            paints.append((sheet.words(key, number=words), colour, which))
        least = greatest + 1
    return paints


def _hatch(sheet: Sheet, drawn: Map, grid: PaperGrid) -> None:
    """Hatches the places that are too close to call: dark on light colours, light on dark ones."""
    style, middle = sheet.style, len(drawn.verdicts) / 2
    for line, which in ((PRINT.ink, drawn.verdict < middle), (PRINT.paper, drawn.verdict >= middle)):
        rings = grid.rings(drawn.index[drawn.marginal & which])
        if rings:
            areas(sheet, rings, hatch="//////", edge=line, width=0.0, zorder=PAINTED + 0.2)
    sheet.legend(Swatch(sheet.words("map close"), style.paper, style.ink, "//////"))


def _mark_nearest(sheet: Sheet, drawn: Map, unit: float) -> None:
    """Marks the nearest place with each cover, and names it with its distance in inches."""
    style = sheet.style
    words = sheet.words.of(drawn.scene.rules)
    marked: dict[int, list[str]] = {}
    for verdict, (number, _) in drawn.nearest.items():
        marked.setdefault(number, []).append(words.verdict(verdict))
    for number, verdicts in marked.items():
        x, y = (drawn.cells.at[number, :2] / unit).tolist()
        away = float(np.hypot(*(drawn.cells.at[number, :2] - drawn.start)))
        look: dict[str, Any] = {"markersize": 4.2, "color": style.paper, "markeredgecolor": style.ink, "zorder": 24}
        sheet.axes.plot([x], [y], "D", markeredgewidth=BOLD_LINE_PT, **look)
        distance = sheet.words("inches", number=sheet.words.number(f"{away / INCH:.1f}"))
        reach = sheet.paper(1.2)
        sheet.label(f"{' / '.join(verdicts)} {distance}", (x, y), clear=(reach, reach), bold=True)
    if marked:
        sheet.legend(Swatch(sheet.words("map nearest"), style.paper, style.ink, point="D"))


def _caption(sheet: Sheet, drawn: Map, layer: Layer) -> None:
    request, names = drawn.request, list(drawn.others)
    if len(names) > MAX_TITLE_NAMES:
        names = [*names[: MAX_TITLE_NAMES - 1], sheet.words("more", count=len(names) - MAX_TITLE_NAMES + 1)]
    looks = request.role == "attacker"
    title = sheet.words("map to" if looks else "map from", name=request.move, others=", ".join(names))
    if layer == "seen-by":
        about = sheet.words("map count to" if looks else "map count from")
    else:
        about = sheet.words("map verdict to" if looks else "map verdict from") if len(drawn.checks) > 1 else ""
    sheet.caption(title, about)
    grid, mm = (sheet.words.number(text) for text in (f"{request.grid / INCH:.3g}", f"{request.grid:.4g}"))
    sheet.note(sheet.words("map grid", inches=sheet.words("inches", number=grid), mm=mm))
