"""RELATE: the corner points of bases and of cells, and how many straight lines in plan from corner to corner are clear.

A cell is a square along the axes of the table, such as those of a battle map. A line is clear if it passes through no
region; one that only touches a region, in a corner or along an edge, is clear, but for one along the seam of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import cached_property
from silhouette.relations.lines_in_plan import TOUCH_EPSILON_MM, crossings
from silhouette.relations.outlines_in_plan import UNIT_SQUARE, Region, base_shape, square_round, without_specks
from silhouette.relations.points import ErrorBound
from silhouette.scenes.pieces import Piece

SAME_MM = 1e-4  # mm: corners that lie no farther apart are one, as where two cells meet


@dataclass(frozen=True, eq=False)
class Corners:
    """The corner points of a piece: of the square that it fills, or of what it stands on.

    Attributes:
        side: mm of that square, along the table's axes; 0 for the smallest rectangle round its base, or its footprint
            where it has none; of a round base, the square along these axes round it.
        cell: mm: the side of the cells that make up the square, each with four corners; 0 where it is one cell.
    """

    piece: Piece
    side: float = 0.0
    cell: float = 0.0

    @property
    def key(self) -> tuple[str, str, float, float]:
        """By which equal ones are known."""
        return self.piece.name, "corners", self.side, self.cell

    @cached_property
    def cells(self) -> Floats:
        """(n, 4, 2) mm: the corners of every cell, in turn round it."""
        first, second, _, last = self._outer
        sides = np.array([second - first, last - first])
        counts = [max(1, round(float(np.hypot(*way)) / self.cell)) if self.cell else 1 for way in sides]
        steps = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 1, 2)
        shares = (steps + UNIT_SQUARE + 0.5) / counts
        return without_specks((first + shares @ sides).reshape(-1, 2)).reshape(-1, 4, 2)

    @cached_property
    def points(self) -> Floats:
        """(k, 2) mm: all corners, each once."""
        every = self.cells.reshape(-1, 2)
        _, first = np.unique((every / SAME_MM).round(), axis=0, return_index=True)
        return np.asarray(every[np.sort(first)])

    @property
    def _outer(self) -> Floats:
        """(4, 2) mm: the corners of the square, or the rectangle, anticlockwise."""
        base = self.piece.model.base
        side = self.side or (base.diameter if base is not None and base.is_round else 0.0)
        if side:
            return square_round(self.piece, side)
        rectangle = shapely.normalize(shapely.minimum_rotated_rectangle(base_shape(self.piece)))
        return np.asarray(shapely.get_coordinates(rectangle)[3::-1])


def clear_lines(start: Corners, end: Corners, regions: Sequence[Region], *, every: bool = False) -> ErrorBound:
    """How many straight lines are clear, seen from above: of those from one corner of the start to all corners of one
    cell of the end, from the corner and to the cell where most are; or of ``every`` line from corner to corner.

    ``lines`` has these lines, first those that are clear; ``by`` names the regions in the way of the others, that of
    most lines first.
    """
    cells = end.points[None] if every else end.cells
    many = (len(start.points), *cells.shape[:2])
    starts = np.broadcast_to(start.points[:, None, None], (*many, 2))
    lines = np.stack([starts, np.broadcast_to(cells, (*many, 2))], axis=-2)
    hits = _hits(lines.reshape(-1, 2, 2), regions).reshape(*many, len(regions))
    clear: Flags = np.logical_not(hits.any(axis=-1))
    lengths = np.linalg.norm(lines[..., 1, :] - lines[..., 0, :], axis=-1)
    if not every:  # of choices that are as good, that of the shortest lines
        best = np.lexsort((lengths.sum(axis=-1).ravel(), -clear.sum(axis=-1).ravel()))[0]
        corner_and_cell = np.unravel_index(best, many[:2])
        lines, hits, clear = lines[corner_and_cell], hits[corner_and_cell], clear[corner_and_cell]
    lines, hits, clear = lines.reshape(-1, 2, 2), hits.reshape(clear.size, len(regions)), clear.ravel()
    heights = np.array([start.piece.base_span[0], end.piece.base_span[0]])
    raised = np.concatenate([lines, np.broadcast_to(heights[:, None], (len(lines), 2, 1))], axis=-1)
    counts = hits.sum(axis=0)
    by = [regions[int(number)].name for number in np.argsort(-counts, kind="stable") if counts[number]]
    order = np.argsort(~clear, kind="stable")
    return ErrorBound(float(clear.sum()), lines=raised[order], by=tuple(dict.fromkeys(by)))


def _hits(lines: Floats, regions: Sequence[Region]) -> Flags:
    """(n, k) which regions are in the way of which lines (n, 2, 2)."""
    shapes = np.array([region.shape for region in regions], dtype=object)
    hits = shapely.dwithin(shapely.linestrings(lines)[:, None], shapes[None], TOUCH_EPSILON_MM)
    for line, met in zip(lines, hits, strict=True):
        crossed = met.copy()
        crossed[met] = [len(crossings(line, shape)) > 0 for shape in shapes[met]]
        if met.sum() > 1 and not crossed.any() and len(crossings(line, shapely.union_all(shapes[met]))):
            continue  # along the seam of some that touch
        met[:] = crossed
    return np.asarray(hits, np.bool_)
