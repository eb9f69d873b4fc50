"""JUDGE: the least change of a place, or of a direction, with which a check gets another verdict.

Cells are rings cut into sectors, the finer the nearer; one look is taken at the middle of each. Where the verdict there
is that of now, another may still hide in the cell: where it is another in a neighbour; and where what was measured lies
so near to a threshold that, as steeply as it changes from cell to cell, it may reach it. Such cells are cut into four,
until they are too small to matter. A few rays tell most of it; where they say that the verdict changes, or do not tell,
more rays do. The nearest change that is left is judged exactly, and the way to it halved again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import pi
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats

Indices = NDArray[np.intp]
EXACT = 0.1  # mm or degrees: half of what is promised; what is nearer to what is found, or to a middle, does not matter
BRACKET = 0.02  # mm or degrees between the last place that is judged the same and the one that is given
FINE_CELLS_AT_ONCE = 4  # the cells that are looked at finely at once, near ones first: beyond one that changed none is
CHANGED_CELLS_AT_ONCE = 16  # of those that seem to change: looks together show each other slivers, and exact ones end
MIN_RING_CELLS = 96  # the cells of a ring, or of several, that are looked at before those farther out, at least
STEEPER = 1.5  # so many times as steeply as between neighbouring cells may what is measured change within a cell
# The part of the errors, three standard deviations, that a difference may be without meaning anything.
DIFFERENCE_NOISE_SHARE = 0.5
SLOPE_NEIGHBOURS = 6  # the cells that are taken for a cell's neighbours where it is asked how steeply something changes
CLOSE_MARGIN = 0.02  # a margin that a few rays may not tell from none; near a threshold they stop with a smaller error

MIN_CELL_REACH, NEAR_CELL_REACH = 0.25, 6.0
"""mm or degrees to a corner, and to what is now: smaller cells as near are looked at finely if the margin is
`CLOSE_MARGIN`."""

FAN_PLACES, FAN_SPACING_MM, FAN_SPACING_RADIANS = 10, 0.3, 0.1
"""How many places on each side of the nearest change are looked at finely at the end, each `MIN_GAIN_MM` to where the
piece stands than that change. Neighbours are ``FAN_SPACING_MM`` mm apart, or ``FAN_SPACING_RADIANS`` radians where that
is less."""

MIN_GAIN_MM = 0.05  # mm: a change that is nearer by less is not looked for
MAX_LOOKS = 6000  # the looks after which no cell is cut any more


@dataclass(frozen=True)
class Seen:
    """What a look finds: the verdict; how far the nearest threshold is, a share, nan where nothing tells; its error."""

    verdict: str
    margin: float
    error: float


Effort = Literal["rough", "fine", "exact"]
"""How closely is looked: with a few rays; with as many as tell a share to a thousandth; as a check is judged."""

Look = Callable[[Floats, Effort], Sequence[Seen]]
"""What is found at points (n, 2) round what is now, mm or degrees from it, with some effort."""


@dataclass(frozen=True)
class Nearest:
    """The least change: the point (2,) to which it leads, mm or degrees from now, its length, and the verdict there."""

    point: Floats
    distance: float
    verdict: str


@dataclass(frozen=True)
class Field:
    """What is searched."""

    reach: float  # the greatest distance
    # least, growth, widest: the width of cells: ``least`` at no distance and ``growth`` more for each unit of it, up to
    # ``widest``
    least: float
    growth: float
    widest: float
    # The distance up to which cells are looked at finely at once, where their margin is `CLOSE_MARGIN`
    fine_within: float = 0.0
    is_line: bool = False  # whether there are but two directions: along the first axis, and against it

    def rings(self) -> Iterator[Floats]:
        """(n, 4) the cells of ring after ring: the least and the greatest distance, and two angles in radians."""
        inner, number = 0.0, 0
        while inner < self.reach:
            outer = min(inner + min(self.least + self.growth * inner, self.widest), self.reach)
            yield self._ring(inner, outer, number)
            inner, number = outer, number + 1
        yield self._ring(self.reach, self.reach, number)

    def _ring(self, inner: float, outer: float, number: int) -> Floats:
        if self.is_line:
            return np.array([[inner, outer, 0.0, 0.0], [inner, outer, pi, pi]])
        width = min(self.least + self.growth * inner, self.widest)
        count = max(6, round(pi * (inner + outer) / width))
        # Every other ring is turned by half a cell, so that no direction goes between the middles of all.
        starts = (np.arange(count) + 0.5 * (number % 2)) * (2.0 * pi / count)
        return np.column_stack([np.full((count, 2), (inner, outer)), starts, starts + 2.0 * pi / count])


@dataclass
class _SearchCells:
    """The cells that were looked at: (n, 4) as of `Field.rings`; (n,) whether the verdict in the middle is another than
    now; (n, 2) the margin as of `Seen`, and its error; (n,) whether the cell is not cut; and (n,) whether it was looked
    at no better than roughly.
    """

    bounds: Floats = field(default_factory=lambda: np.empty((0, 4)))
    changed: Flags = field(default_factory=lambda: np.empty(0, np.bool_))
    margin: Floats = field(default_factory=lambda: np.empty((0, 2)))
    whole: Flags = field(default_factory=lambda: np.empty(0, np.bool_))
    rough: Flags = field(default_factory=lambda: np.empty(0, np.bool_))

    def add(self, bounds: Floats, changed: Flags, margin: Floats) -> None:
        self.bounds = np.concatenate([self.bounds, bounds])
        self.changed = np.concatenate([self.changed, changed])
        self.margin = np.concatenate([self.margin, margin])
        self.whole, self.rough = (
            np.concatenate([flags, np.ones(len(bounds), np.bool_)]) for flags in (self.whole, self.rough)
        )


def nearest_change(
    now: str, look: Look, searched: Field, step: Callable[[float], None] = lambda part: None
) -> Nearest | None:
    """The least change with which the verdict is another; None where none within reach was found. Cells are at least as
    fine as the field says: what is narrower than one and a half of them, and shows neither in a neighbour's verdict nor
    in its margin, may not be found. On the same terms, nothing is nearer than what is found by more than twice `EXACT`.

    ``step`` is called with the part of all cells that it has done with.
    """
    search = _NearestSearch(now, look, searched)
    rings = list(searched.rings())
    waiting, cells, done = list[Floats](), sum(map(len, rings)), 0
    for ring in rings:
        if ring[0, 0] > search.best - EXACT:
            break
        waiting.append(ring)
        if sum(map(len, waiting)) >= MIN_RING_CELLS or ring[0, 0] == searched.reach:
            search.ask(np.concatenate(waiting))
            done += sum(map(len, waiting))
            waiting = []
            search.narrow()
            step(done / cells)
    if waiting:
        search.ask(np.concatenate(waiting))
        search.narrow()
    return search.nearest


class _NearestSearch:
    def __init__(self, now: str, look: Look, searched: Field) -> None:
        self._now, self._look, self._field = now, look, searched
        self._cells = _SearchCells()
        self.nearest: Nearest | None = None

    @property
    def best(self) -> float:
        """The distance of the nearest change that is judged exactly; more than the reach where there is none."""
        return np.inf if self.nearest is None else self.nearest.distance

    @property
    def _limit(self) -> float:
        """The distance beyond which nothing matters: of the nearest change, if only a fine look says that it is one."""
        cells = self._cells
        fine = cells.changed & cells.whole & ~cells.rough
        return min(self.best, float(_distances(cells.bounds[fine]).min(initial=np.inf)))

    def ask(self, bounds: Floats) -> None:
        """Looks at the middles of cells: roughly; finely where that does not tell, and the cell is near or small."""
        seen = self._look(_middles(bounds), "rough")
        first = len(self._cells.bounds)
        margin = np.array([(look.margin, look.error) for look in seen])
        self._cells.add(bounds, np.array([look.verdict != self._now for look in seen]), margin)
        is_near = (bounds[:, 1] <= NEAR_CELL_REACH) & (_half_diagonals(bounds) <= MIN_CELL_REACH)
        is_near |= bounds[:, 1] <= self._field.fine_within
        self._look_closer(first + np.flatnonzero(is_near & ~(margin[:, 0] > CLOSE_MARGIN)))

    def narrow(self) -> None:
        """Cuts cells until nothing nearer than the nearest change can be in them, and judges that exactly."""
        cells = self._cells
        while True:
            nearer = np.flatnonzero(cells.changed & cells.whole & cells.rough)
            nearer = nearer[_distances(cells.bounds[nearer]) < self._limit - BRACKET]
            if len(nearer):
                self._look_closer(nearer, CHANGED_CELLS_AT_ONCE)
                continue
            cut, unclear = self._to_cut() if len(cells.bounds) <= MAX_LOOKS else (nearer, nearer)
            if len(unclear):
                self._look_closer(unclear)
            elif len(cut):
                cells.whole[cut] = False
                self.ask(_quarters(cells.bounds[cut], self._field.is_line))
            elif not self._follow() and not self._fan():
                return

    def _look_closer(self, numbers: Indices, together: int = FINE_CELLS_AT_ONCE) -> None:
        """Looks finely at the middles of cells, ``together`` at a time, the near ones first; not at those that lie
        beyond one which is found to change.
        """
        cells = self._cells
        numbers = numbers[np.argsort(_distances(cells.bounds[numbers]), kind="stable")]
        for start in range(0, len(numbers), together):
            some = numbers[start : start + together]
            some = some[cells.bounds[some, 0] < self._limit]
            for number, look in zip(some, self._look(_middles(cells.bounds[some]), "fine"), strict=True):
                cells.margin[number] = look.margin, look.error
                cells.changed[number], cells.rough[number] = look.verdict != self._now, False

    def _follow(self) -> bool:
        """Whether a cell is nearer than the nearest change, and is not known not to change; that is then known.

        Where it does not, those do not either whose middles are nearer to its middle than matters.
        """
        cells = self._cells
        distance = _distances(cells.bounds)
        nearer = np.flatnonzero(cells.changed & cells.whole & (distance < self.best - BRACKET))
        if not len(nearer):
            return False
        first = np.argmin(distance[nearer])
        middles = _middles(cells.bounds[nearer])
        if not self._on_the_way(middles[first], float(_half_diagonals(cells.bounds[nearer])[first])):
            same = nearer[np.hypot(*(middles - middles[first]).T) <= EXACT]
            cells.changed[same], cells.margin[same], cells.rough[same] = False, (0.0, 0.0), False
        return True

    def _fan(self) -> bool:
        """Whether the verdict also changes a little nearer, beside the nearest change; that is then followed."""
        if self.nearest is None or self._field.is_line or self.best <= 2.0 * MIN_GAIN_MM:
            return False
        radius = self.best - MIN_GAIN_MM
        ahead = np.arctan2(self.nearest.point[1], self.nearest.point[0])
        angle = ahead + np.arange(-FAN_PLACES, FAN_PLACES + 1) * min(FAN_SPACING_MM / radius, FAN_SPACING_RADIANS)
        points = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        changed = [number for number, look in enumerate(self._look(points, "fine")) if look.verdict != self._now]
        return bool(changed) and self._on_the_way(points[changed[len(changed) // 2]], MIN_GAIN_MM)

    def _on_the_way(self, point: Floats, step: float) -> bool:
        """Whether the verdict is another at a point, exactly; the first change on the straight way there is kept.

        From the point it goes back by ``step``, and by twice as much each time, to where the verdict is that of now.
        """
        if not self._is_change(point):
            return False
        ahead, step = point / max(self.best, BRACKET), max(step, BRACKET)
        while (same := max(0.0, self.best - step)) > 0.0 and self._is_change(same * ahead):
            step *= 2.0
        while self.best - same > BRACKET:
            tried = (same + self.best) / 2.0
            if not self._is_change(tried * ahead):
                same = tried
        return True

    def _is_change(self, point: Floats) -> bool:
        """Whether the verdict is another at a point, exactly, which is then the nearest change."""
        (look,) = self._look(point[None], "exact")
        if look.verdict == self._now:
            return False
        self.nearest = Nearest(point, float(np.hypot(*point)), look.verdict)
        return True

    def _to_cut(self) -> tuple[Indices, Indices]:
        """The numbers of the cells in which a nearer change may lie, and of those that a closer look may clear of it.

        Where the error alone may hide a threshold, that tells more than four rough looks.
        """
        cells = self._cells
        whole = np.flatnonzero(cells.whole)
        bounds, changed, rough = cells.bounds[whole], cells.changed[whole], cells.rough[whole]
        margin, error = cells.margin[whole].T
        half = _half_diagonals(bounds)
        middles = _middles(bounds)
        is_near = changed.copy()
        if changed.any():
            others = scipy.spatial.KDTree(middles[changed])
            apart, which = others.query(middles)
            is_near |= apart <= 1.1 * (half + half[changed][which]) + 1e-9
        reach = STEEPER * _steepness(middles, cells.margin[whole]) * half
        matters = (bounds[:, 0] < self._limit - EXACT) & (half > EXACT)
        matters &= is_near | (margin - DIFFERENCE_NOISE_SHARE * error <= reach)
        unclear = matters & rough & ~is_near & (margin <= error) & (margin + error > reach)
        return whole[matters], whole[unclear]


def _middles(bounds: Floats) -> Floats:
    """(n, 2) the middles of cells (n, 4)."""
    distance, angle = _distances(bounds), bounds[:, 2:].mean(axis=1)
    return np.column_stack([distance * np.cos(angle), distance * np.sin(angle)])


def _distances(bounds: Floats) -> Floats:
    """(n,) of the middles of cells (n, 4)."""
    distance: Floats = bounds[:, :2].mean(axis=1)
    return distance


def _half_diagonals(bounds: Floats) -> Floats:
    """(n,) the distance from the middle of each cell to its farthest corner, about."""
    deep = bounds[:, 1] - bounds[:, 0]
    wide = bounds[:, 1] * (bounds[:, 3] - bounds[:, 2])
    return np.hypot(deep, wide) / 2.0


def _quarters(bounds: Floats, is_line: bool) -> Floats:
    """(4 n, 4) the quarters of cells (n, 4); (2 n, 4) their halves on a line."""
    inner, outer, start, stop = bounds.T
    middle, between = (inner + outer) / 2.0, (start + stop) / 2.0
    if is_line:
        parts = [(inner, middle, start, stop), (middle, outer, start, stop)]
    else:
        parts = [
            (low, high, first, last)
            for low, high in ((inner, middle), (middle, outer))
            for first, last in ((start, between), (between, stop))
        ]
    return np.concatenate([np.column_stack(part) for part in parts])


def _steepness(middles: Floats, margin: Floats) -> Floats:
    """(n,) how much the margin (n, 2) changes, per mm or degree, from each middle (n, 2) to its neighbours, less its
    error, and no less than in most of the others; nan where it is unknown.
    """
    measured = np.flatnonzero(~np.isnan(margin[:, 0]))
    steep = np.full(len(middles), np.nan)
    if len(measured) <= 1:
        return np.where(np.isnan(margin[:, 0]), np.nan, np.inf)
    share, error = margin[measured].T
    places = middles[measured]
    apart, which = scipy.spatial.KDTree(places).query(places, min(SLOPE_NEIGHBOURS + 1, len(measured)))
    change = np.abs(share[which[:, 1:]] - share[:, None]) - DIFFERENCE_NOISE_SHARE * (
        error[which[:, 1:]] + error[:, None]
    )
    own = (np.maximum(change, 0.0) / np.maximum(apart[:, 1:], 1e-9)).max(axis=1)
    steep[measured] = np.maximum(own, np.median(own))
    return steep
