"""DRAW, games by data: what ``half`` and ``most`` counted: each model as it was looked at, and whether it counts.

verdict with its tallies and looks -> rows of models, each with its look -> panels, with shares and frames
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np
import shapely

from silhouette.drawing.captions import BOLD, EDGE, NAME, SMALL, Swatch
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.strokes import area, title
from silhouette.drawing.typeface import elided, printable, width
from silhouette.drawing.words.words import why
from silhouette.geometry import Floats
from silhouette.measure.observation import OBSCURED, SEEN, Observation
from silhouette.renderers.protocol import Renderer
from silhouette.rules.data.found import Counted, Tally, Use
from silhouette.rules.data.results import AskedClause, DataVerdict
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.words import hidden_by

PER_LINE, BARS_PER_LINE = 5, 10
"""The most panels side by side, with pictures and without."""

MOST_PANELS = 20
"""The most models of which pictures are shown; where there are more, their shares alone."""

WIDEST, LOW = 27.0, 5.0
"""The greatest width of a panel, and the height of one without a picture, mm on paper."""

GAP, TYPE = 2.2, 3.1
"""The room between panels, and the height of a line of type, mm on paper."""

INSET = 0.4
"""The room for the frames of the outermost panels, mm on paper."""

WINDOW, SHOWN = 420, 300
"""Pixels: the side of the window that is rendered, and that of the middle of it, which is shown."""

RING = 0.8
"""The distance of a ring from the base that it marks, mm on paper."""


@dataclass(frozen=True)
class Row:
    """Models that were counted for one who looks; without a name where nothing says for whom.

    Attributes:
        name: of the model for which these were counted, or empty.
        members: the models.
    """

    name: str
    members: tuple[Counted, ...]


def first_tally(scene: DataScene, verdict: DataVerdict) -> tuple[AskedClause, Tally] | None:
    """The deciding clause that counted several models, with what it counted; None where none did.

    Of several it is the first in the game file: the others ask about what that one has left.
    """
    order = [clause.number for clause in scene.game.clauses.values()]
    for clause in sorted(verdict.clauses, key=lambda one: order.index(one.number)):
        if clause.decides and clause.tallies:
            tally = clause.tallies[0]
            if sum(len(row.members) for row in rows_of(tally)) > 1:
                return clause, tally
    return None


def rows_of(tally: Tally) -> list[Row]:
    """What was counted in rows: one for each member within which others were counted, or a single one.

    A member for which nobody had to be counted, since something else decided, has a row of its own.

    >>> inner = Tally((Counted("Vex", True), Counted("Yar", False)))
    >>> rows_of(inner) == [Row("", inner.members)]
    True
    >>> rows = rows_of(Tally((Counted("Kal", True, within=(inner,)), Counted("Ash", False))))
    >>> [(row.name, [one.name for one in row.members]) for row in rows]
    [('Kal', ['Vex', 'Yar']), ('Ash', ['Ash'])]
    """
    if not any(one.within for one in tally.members):
        return [Row("", tally.members)]
    return [Row(one.name, one.within[0].members if one.within else (one,)) for one in tally.members]


def is_pictured(scene: DataScene, verdict: DataVerdict) -> bool:
    """Whether models that were counted have been measured from an eye, so that a figure can show them."""
    found = first_tally(scene, verdict)
    return found is not None and any(use in verdict.looks for use in found[1].every_use())


def tell_counts(sheet: Sheet, verdict: DataVerdict) -> None:
    """Adds to the small print how many models each deciding clause counted, and which."""
    words = sheet.words.of(verdict.rules)
    for clause in verdict.clauses:
        for tally in clause.tallies[:1] if clause.decides else ():
            some, count = tally.counting, len(tally.members)
            key = "counted" if some else "counted none"
            sheet.note(words(key, number=clause.number, some=len(some), count=count, names=", ".join(some)))


def draw_ring(sheet: Sheet, outline: Floats, *, counts: bool, mark: str) -> None:
    """Draws a ring round a base (n, 2), in units of the drawing, by whether the model counts."""
    swatch = _swatch(sheet, "", counts=counts)
    ring = np.array(shapely.Polygon(outline).buffer(sheet.paper(RING)).exterior.coords)
    area(sheet, ring, edge=swatch.edge, dashes=str(swatch.dashes), width=BOLD, zorder=5.1, mark=mark)


def counting_swatches(sheet: Sheet, clause: AskedClause, tally: Tally, rules: str) -> list[Swatch]:
    """The entries of the legend for the frames and rings that this tally needs."""
    words, members = sheet.words.of(rules), [one for row in rows_of(tally) for one in (*row.members, *tally.members)]
    texts = {True: words("counts", number=clause.number), False: words("counts not", number=clause.number)}
    return [
        _swatch(sheet, texts[counts], counts=counts) for counts in texts if any(one.holds is counts for one in members)
    ]


def draw_models(sheet: Sheet, scene: DataScene, verdict: DataVerdict, renderer: Renderer) -> None:
    """Draws each model that the first counting clause asked about, with its seen and obscured parts.

    Args:
        sheet: the sheet to draw on.
        scene: that was judged.
        verdict: that has kept its looks; nothing is ruled on here.
        renderer: renders the pieces round the models; it need not be the one that measured.
    """
    from silhouette.drawing.table.eye_view import target_swatches

    found = first_tally(scene, verdict)
    assert found is not None
    clause, tally = found
    words, rows = sheet.words.of(verdict.rules), rows_of(tally)
    panels = _Panels(sheet, scene, verdict, renderer, rows)
    kinds = {kind for row in panels.placed() for kind in panels.draw_row(*row, outer=tally)}
    sheet.legend(*(target_swatches if panels.pictured else _bar_swatches)(sheet, kinds))
    sheet.legend(*counting_swatches(sheet, clause, tally, verdict.rules))
    sheet.caption(title(sheet, verdict), why(words, verdict.row()))
    tell_counts(sheet, verdict)
    sheet.note(words("models"))


def _bar_swatches(sheet: Sheet, kinds: Container[int]) -> list[Swatch]:
    """The legend's entries for what bars show."""
    style = sheet.style
    entries = {
        SEEN: Swatch(sheet.words("seen"), style.seen, style.seen_edge),
        OBSCURED: Swatch(sheet.words("obscured"), style.obscured, style.obscured_edge, "////"),
    }
    return [swatch for kind, swatch in entries.items() if kind in kinds]


def _swatch(sheet: Sheet, text: str, *, counts: bool) -> Swatch:
    """The frame of a model: one that counts has a strong one, any other a dashed one."""
    return Swatch(text, edge=sheet.style.purple if counts else sheet.style.soft_ink, dashes="-" if counts else "--")


class _Panels:
    """The panels of a figure: their places, and how they are drawn.

    Args:
        sheet: the sheet, whose frame is set to hold all panels; its units are mm on paper.
        scene, verdict, renderer: as of `draw_models`.
        rows: the models.

    Attributes:
        pictured: whether panels have pictures, and not bars.
    """

    def __init__(
        self, sheet: Sheet, scene: DataScene, verdict: DataVerdict, renderer: Renderer, rows: list[Row]
    ) -> None:
        self._sheet, self._scene, self._verdict, self._renderer, self._rows = sheet, scene, verdict, renderer, rows
        room = sheet.width - 2 * EDGE - 2 * INSET
        self._drawn = 0
        self.pictured = sum(len(row.members) for row in rows) <= MOST_PANELS
        self._per_line = PER_LINE if self.pictured else BARS_PER_LINE
        columns = min(max(len(row.members) for row in rows), self._per_line)
        self._wide = min(WIDEST, (room - GAP * (columns - 1)) / columns)
        longest = sheet.words("share", share=sheet.words.share(8888, 10000))
        self._says_obscured = width(printable(longest), SMALL) <= self._wide + GAP
        self._high = self._wide if self.pictured else LOW
        heights = [self._height(row) for row in rows]
        high = sum(heights) - GAP
        sheet.tallest = max(high + INSET, sheet.tallest)
        sheet.frame(-INSET, 0.0, room + INSET, high + INSET, ground=sheet.style.paper, line=False)
        self._tops = (high - np.cumsum([0.0, *heights[:-1]])).tolist()

    def _height(self, row: Row) -> float:
        lines = -(-len(row.members) // self._per_line)
        return (TYPE + 0.8) * bool(row.name) + lines * (self._high + 2 * TYPE + GAP)

    def placed(self) -> Iterator[tuple[Row, float]]:
        """The rows, each with the height of its upper edge."""
        yield from zip(self._rows, self._tops, strict=True)

    def draw_row(self, row: Row, top: float, *, outer: Tally) -> set[int]:
        """Draws a row; gives the kinds of pixel that its pictures have."""
        sheet, kinds = self._sheet, set[int]()
        if row.name:
            words = sheet.words.of(self._verdict.rules)
            some = sum(one.holds for one in row.members)
            told = words("row", name=row.name, some=some, count=len(row.members))
            told = elided(printable(told), sheet.width - 5.0, NAME, bold=True)
            sheet.text(3.2, top - TYPE / 2, told, size=NAME, bold=True, ha="left")
            counts = row.name in outer.counting
            area(
                sheet,
                [(0.4, top - 2.4), (2.2, top - 2.4), (2.2, top - 0.6), (0.4, top - 0.6)],
                edge=_swatch(sheet, "", counts=counts).edge,
                fill=sheet.style.purple if counts else None,
            )
            top -= TYPE + 0.8
        for number, one in enumerate(row.members):
            down, across = divmod(number, self._per_line)
            left = across * (self._wide + GAP)
            kinds |= self._draw(one, left, top - down * (self._high + 2 * TYPE + GAP), led=bool(row.name))
        return kinds

    def _draw(self, one: Counted, left: float, top: float, *, led: bool) -> set[int]:
        """Draws a panel with its upper left corner there: picture or share, frame and name."""
        sheet, look = self._sheet, look_of(one, self._verdict)
        right, bottom = left + self._wide, top - self._high
        kinds = set[int]()
        if look is not None:
            kinds = (self._picture if self.pictured else self._bar)(look, (left, right, bottom, top))
        swatch = _swatch(sheet, "", counts=one.holds)
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        self._drawn += 1
        mark = f"{'counts' if one.holds else 'does-not-count'}-{self._drawn}"
        area(sheet, corners, edge=swatch.edge, dashes=str(swatch.dashes), width=BOLD, zorder=9.0, mark=mark)
        name, share = one.name, ", ".join(hidden_by(one.uses))
        if look is not None:
            counts = look.counts
            share = sheet.words.share(counts.occluded, counts.total)
            share = sheet.words("share", share=share) if self._says_obscured else share
            is_known = led or look.sight.attacker.name == self._verdict.attacker
            if not is_known or look.sight.target.name != one.name:
                name = f"{look.sight.attacker.name} → {look.sight.target.name}"
        for text, down, bold in ((name, 0.5, True), (share, 1.5, False)):
            told = elided(printable(text), self._wide + GAP, SMALL, bold)
            sheet.text((left + right) / 2, bottom - down * TYPE, told, size=SMALL, bold=bold, ha="center")
        return kinds

    def _bar(self, look: Observation, extent: tuple[float, float, float, float]) -> set[int]:
        """Draws the obscured share as a bar on the left; gives the kinds of pixel that it stands for."""
        left, right, bottom, top = extent
        style, counts = self._sheet.style, look.counts
        middle = left + (right - left) * (counts.occluded / max(counts.total, 1))
        for start, end, fill, edge, hatch in (
            (left, middle, style.obscured, style.obscured_edge, "////"),
            (middle, right, style.seen, style.seen_edge, None),
        ):
            if end > start:
                corners = [(start, bottom), (end, bottom), (end, top), (start, top)]
                area(self._sheet, corners, fill=fill, edge=edge, hatch=hatch, width=0.0)
        return {kind for kind, shown in ((OBSCURED, middle > left), (SEEN, middle < right)) if shown}

    def _picture(self, look: Observation, extent: tuple[float, float, float, float]) -> set[int]:
        """Draws what was measured, in its surroundings; gives the kinds of pixel in it."""
        from silhouette.drawing.table.eye_image import image_of
        from silhouette.drawing.table.eye_view import coloured, scenery_of

        middle = slice((WINDOW - SHOWN) // 2, (WINDOW + SHOWN) // 2)
        image = image_of(self._scene, look, self._renderer, WINDOW, WINDOW).part(middle, middle)
        pairs = zip(look.blockers, look.counts.alone, strict=True)
        blocking = {piece.name for piece, alone in pairs if alone}
        colours = coloured(image, self._scene, look.sight.target, blocking, scenery_of(self._sheet))
        self._sheet.axes.imshow(colours, extent=extent, interpolation="antialiased", aspect="auto", zorder=1)
        return set(np.unique(image.kinds).tolist())


def look_of(one: Counted, verdict: DataVerdict) -> Observation | None:
    """The measurement by which a model counts or does not: where several were made, that in which most is seen.

    What says how much is obscured comes before others, since this is the share that is told.
    """
    uses = [use for use in one.uses if use in verdict.looks]

    def order(use: Use) -> tuple[bool, float]:
        counts = verdict.looks[use].counts
        return use.name != "obscured", counts.occluded / max(counts.total, 1)

    return verdict.looks[min(uses, key=order)] if uses else None
