"""COUNT: which cells of a picture bodies are proven to cover: each alone, or several together.

cells -> by one body alone -> by a few together -> by all together: see `silhouette.measure.hidden` for the rule
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import Contours, Placed, contours
from silhouette.measure.strips import Pieces, in_cells, open_contours
from silhouette.meshes.clusters import Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Renderer
from silhouette.renderers.views import View

MANY = 4  # where more bodies than these may hide the target, a proof is tried with so many of them first
SURELY = 1e-6  # the share of a depth that is within the rounding of float32, several times over

BESIDE = 0.0437
"""How far, in shares of a cell, from its middle rays are sent: not where edges of models on round coordinates lie."""


@dataclass(frozen=True, eq=False)
class Occluders:
    """What may hide a target, as a view sees it."""

    view: View  # the picture
    renderer: Renderer  # finds out whether a place is covered
    placed: list[Placed]  # the bodies
    window: Floats  # the part of the picture that is asked about: as of `silhouette.measure.cells.Grid.window`
    # The contours that have been found: by the number of the body, and by depth
    known: dict[tuple[int, float], Contours]
    matters: Callable[[Floats], Flags]  # which blocks (n, 4) are asked about at all

    def contours(self, number: int, far: float) -> Contours:
        """The contours of a body nearer than a depth, in all of the window; found once for each depth."""
        if (number, far) not in self.known:
            self.known[number, far] = contours(self.placed[number], self.window, NEAREST_DEPTH_MM, far)
        return self.known[number, far]

    def contours_in(self, window: Floats, far: float) -> Contours:
        """Those of all bodies in a part of the window."""
        return Contours.joined([contours(placed, window, NEAREST_DEPTH_MM, far) for placed in self.placed])

    def all_contours(self, far: float) -> Contours:
        """Those of all bodies."""
        return Contours.joined([self.contours(number, far) for number in range(len(self.placed))])

    def covered(self, places: Floats, far: float, placed: Placed | None = None) -> Flags:
        """(n,) whether a body, or any, is nearer than a depth at places (2, n), column and row in pixels."""
        bodies = [one.body for one in self.placed] if placed is None else [placed.body]
        depth = self.renderer.render(self.view, bodies, places[::-1].T - 0.5).depth
        covered: Flags = depth < far - NEAREST_DEPTH_MM - SURELY * far
        return covered


def before(least: float) -> float:
    """A depth before which float32 tells surely that a surface is nearer than ``least``."""
    return least - 2.0 * (NEAREST_DEPTH_MM + SURELY * least)


def by_bodies(occluders: Occluders, grid: Grid, cells: Indices, least: float) -> Indices:
    """The cells that no body alone is proven to cover; the body that covers most of the middles is asked first."""
    far = before(least)
    if not occluders.placed or far <= NEAREST_DEPTH_MM or len(cells) == 0:
        return cells
    places = _inner_places(grid, cells)
    covered = np.array([occluders.covered(places, far, placed) for placed in occluders.placed])
    left = np.arange(len(cells))
    for number in np.argsort(-covered.sum(axis=1), kind="stable"):
        tried = left[covered[number, left]]
        if len(tried) == 0:
            continue
        found = occluders.contours(number, far)
        failing = _failing(found, grid, cells[tried], places[:, tried])
        left = np.setdiff1d(left, tried[~failing], assume_unique=True)
    return cells[left]


def _covering(occluders: Occluders, grid: Grid, cells: Indices, far: float) -> list[Placed]:
    """At most `MANY` bodies that cover the middles of cells, each of them as many as it can of those that are left."""
    covered = np.array([occluders.covered(_inner_places(grid, cells), far, placed) for placed in occluders.placed])
    chosen = list[Placed]()
    while len(chosen) < MANY and covered.any():
        best = int(covered.sum(axis=1).argmax())
        chosen.append(occluders.placed[best])
        covered = covered[:, ~covered[best]]
    return chosen


def _inner_places(grid: Grid, cells: Indices) -> Floats:
    """(2, n) a place in each cell, near its middle."""
    return grid.corners(cells) + grid.size * np.array([[0.5 + BESIDE], [0.5 - BESIDE]])


def _failing(found: Contours, grid: Grid, cells: Indices, places: Floats) -> Flags:
    """(n,) whether a contour runs through a cell that has the place in it, (2, n), on the side of its sheet."""
    line, cell = grid.of_lines(found.start, found.end, 2.0 * found.doubt)
    line, number = among(cells, cell, line)
    failing = np.zeros(len(cells), dtype=np.bool_)
    failing[number[found.reach(line, places[:, number]) > -found.doubt[line]]] = True
    return failing


def by_strips(occluders: Occluders, grid: Grid, cells: Indices, least: float) -> Indices:
    """The cells that all bodies together are not proven to cover; first those few are asked that cover most of them.

    What it takes grows with the square of the contours in a cell, and most of a crowd are needless.
    """
    far = before(least)
    if not occluders.placed or far <= NEAREST_DEPTH_MM or len(cells) == 0:
        return cells
    if len(occluders.placed) > MANY:
        few = replace(occluders, placed=_covering(occluders, grid, cells, far), known={})
        cells = by_strips(few, grid, cells, least) if len(few.placed) < len(occluders.placed) else cells
        if len(cells) == 0:
            return cells
    places = _inner_places(grid, cells)
    covered = occluders.covered(places, far)
    tried = np.flatnonzero(covered)
    if len(tried) == 0:
        return cells
    found = occluders.all_contours(far)
    failing = _failing(found, grid, cells[tried], places[:, tried])
    doubtful = tried[failing]
    if len(doubtful):
        line, number, enter, leave, through = in_cells(found, grid, cells[doubtful])
        pieces = Pieces.of(found, line, number, enter, leave)
        failing[failing] = open_contours(
            found, pieces, line, number, len(doubtful), lambda asked, _: occluders.covered(asked, far), through
        )
    covered[tried[failing]] = False
    return cells[~covered]
