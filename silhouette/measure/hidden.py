"""COUNT: the proof that a target is hidden: that in its picture surfaces that are nearer leave no gap, however small.

A *sheet* is what faces nearer than the target cover of the picture. It ends only at its contours (`contours`). So a
square cell of the picture is covered wholly where one place in it is covered, and no contour runs through the cell
that has this place on the side of its sheet: on the straight way from the place to any other, the sheet that is there
could end only by crossing such a contour.

    +---------+     +---------+     +---------+
    |         |     |  # /    |     |   / #   |      x  a place that a ray has found covered
    |    x    |     |  #/  x  |     |  x /  # |      /  a contour, # the side of its sheet
    |         |     |  /      |     |   / #   |
    +---------+     +---------+     +---------+
      covered         covered          cut into smaller cells

What is left is asked the other way round: a sheet that ends at a contour may have another one behind or before it. It
has, all along a piece of the contour, where the strip just outside the piece is covered, by the same rule. Where all
pieces in a cell are found to be so, and its middle is covered, no covered part of the cell has an end in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import Placed
from silhouette.measure.covering import Occluders, before, by_bodies, by_strips
from silhouette.measure.patches import Patches
from silhouette.measure.regions import Regions, Surfaces, uncovered
from silhouette.measure.shadows import Hider
from silhouette.meshes.clusters import SIZE, Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body, Renderer
from silhouette.renderers.views import View

CELL = 16.0  # pixels: the width of the first cells. Larger ones meet more contours, smaller ones are more.
MOST_CELLS = 4096  # the most cells, at first and after each cut: where more are left, the claim is most likely false

HASTY = 32
"""Where more of the first cells are covered by no blocker alone, a proof is not quick: it takes 20 ms, and most often
fails."""

MOST_REGIONS = 8192  # the most parts of the target's faces, each in one cell, that are proven exactly

CUT = 4
"""Into how many, along each side, a cell that is not proven is cut: down to a pixel, and at last, with the target's
faces, to a quarter of one."""

GROUPS, DEEP = 2, 2.0
"""Where the target's depth is spread out, contours are taken for groups of its parts: the most groups, and the mm of
depth that each has at least."""

MOST_PAIRS = 5_000_000
"""The most pairs of faces in the same cells that are compared in float64: cells that ordinary terrain leaves have a
million, and a mesh of random triangles would take minutes."""


@dataclass(frozen=True, eq=False)
class Unproven:
    """What is left of a target where it is not proven that all of it is hidden, or that nothing is before it."""

    area: float  # pixels of the view, not less than the part of the target's image that is left; exactly 0 is a proof
    blocks: Floats  # (n, 4) row and column where each square with such a part begins, its height and width, in pixels

    @classmethod
    def of(cls, grid: Grid, cells: Indices, area: float | None = None) -> Unproven:
        """Cells of a grid, and the area that is left in them: all of them where it is not given."""
        column, row = grid.corners(cells)
        size = np.full(len(cells), grid.size)
        blocks = np.column_stack([row, column, size, size])
        return cls(float(len(cells) * grid.size**2) if area is None else area, blocks)

    @classmethod
    def joined(cls, several: Sequence[Unproven]) -> Unproven:
        """What is left of several together, each of which has to be proven."""
        return cls(
            sum(one.area for one in several), np.concatenate([np.empty((0, 4)), *(one.blocks for one in several)])
        )


def unproven_hidden(
    view: View,
    target: Body,
    blockers: Sequence[Body],
    renderer: Renderer,
    thorough: bool = True,
    is_refuted: Callable[[Floats], bool] = lambda blocks: False,
    matters: Callable[[Floats], Flags] = lambda blocks: np.ones(len(blocks), dtype=np.bool_),
) -> Unproven:
    """Where in the picture it is not proven that blockers hide all of the target.

    A surface hides what lies behind it, both of its sides alike; what it only touches, or what lies in it, is not
    hidden.
    A gap between two surfaces that is narrower than `NEAREST_DEPTH_MM`, at the nearer one, is none: a mesh file cannot
    tell it from the rounding of its own coordinates.

    Args:
        view: a flat picture, or a face of a cube; what lies outside is not asked.
        target: what is to be hidden.
        blockers: what may hide it.
        renderer: finds out whether a place is covered, between pixels too (`Capabilities.sparse`).
        thorough: whether all is tried, at last in float64, face by face; else only what is quick, and likely to do.
        is_refuted: asked before what is dear, with the blocks that are open: whether it is known that something is seen
            there.
        matters: which blocks are asked about; what is seen in others does not count.
    """
    hider = Hider(view, target, blockers)
    if hider.hides_all():
        return Unproven.joined([])
    grid = first_grid(view)
    placed = Placed.of(view, target)
    clusters = np.flatnonzero(placed.within(np.array([0.0, view.width, 0.0, view.height]), NEAREST_DEPTH_MM, np.inf))
    patches = _patches(placed, grid, clusters)
    cells = hider.left(grid, np.flatnonzero(grid.touched(patches.low, patches.high)))
    cells = cells[matters(Unproven.of(grid, cells).blocks)]
    if len(cells) == 0:
        return Unproven.of(grid, cells)
    bodies = [Placed.of(view, blocker) for blocker in blockers]
    occluders = Occluders(view, renderer, bodies, grid.window(cells, grid.size), {}, matters)
    patches = patches.chosen(patches.near(grid, cells))
    least = float(patches.least.min())
    cells = by_bodies(occluders, grid, cells, least)
    if len(cells):
        patches = Patches.of(placed, grid, np.unique(patches.first[patches.near(grid, cells)] // SIZE))
        cells = cells[grid.touched(patches.low, patches.high)[cells]]
    if not thorough and len(cells) > HASTY:
        return Unproven.of(grid, cells)
    part = _Part(grid, by_strips(occluders, grid, cells, least), patches)
    for level in range(2 if thorough else 1):
        if len(part.cells) == 0 or len(part.cells) * CUT**2 > MOST_CELLS:
            break
        if level > 0 and is_refuted(part.unproven.blocks):
            return part.unproven
        part = _by_finer_strips(occluders, hider, placed, part)
    if len(part.cells) == 0 or not blockers or not thorough or is_refuted(part.unproven.blocks):
        return part.unproven
    return _exactly(occluders, placed, part)


@dataclass(frozen=True, eq=False)
class _Part:
    """What of a target is not proven to be hidden: the cells of a grid, and patches of the target that may be there."""

    grid: Grid
    cells: Indices
    patches: Patches

    @property
    def unproven(self) -> Unproven:
        """The cells."""
        return Unproven.of(self.grid, self.cells)

    @property
    def least(self) -> float:
        """mm: where less of the target is left, it begins farther away, and more is nearer than all of it."""
        return float(self.patches.least.min())


def _by_finer_strips(occluders: Occluders, hider: Hider, placed: Placed, part: _Part) -> _Part:
    """What is left of a part in smaller cells."""
    grid, cells = part.grid.finer(CUT), part.grid.children(part.cells, CUT)
    aim = _Target.of(placed, part.patches, grid, cells).touching()
    cells = hider.left(grid, np.unique(aim.cell))
    cells = cells[occluders.matters(Unproven.of(grid, cells).blocks)]
    if len(cells) == 0:
        return _Part(grid, cells, part.patches)
    faces = np.unique(aim.face[among(cells, aim.cell, np.arange(len(aim.cell)))[0]])
    left = _Part(grid, cells, aim.bounds.chosen(faces))
    occluders = replace(occluders, window=grid.window(cells, grid.size), known={})
    return replace(left, cells=by_strips(occluders, grid, cells, left.least))


def _exactly(occluders: Occluders, placed: Placed, part: _Part) -> Unproven:
    """What is left of a part in float64: of whole cells, then of the target's faces in them."""
    grid, cells = part.grid, part.cells
    occluders = replace(occluders, window=grid.window(cells, grid.size), known={})
    surfaces = Surfaces.of(occluders.placed, grid, cells, float(part.patches.greatest.max()))
    if float((np.diff(surfaces.first).astype(np.float64) ** 2).sum()) > MOST_PAIRS:
        return part.unproven
    if (far := before(part.least)) > NEAREST_DEPTH_MM:
        cells = cells[uncovered(occluders.all_contours(far), surfaces, Regions.whole(grid, cells), far)]
    return _by_faces(occluders, surfaces, _Target.of(placed, part.patches, grid, cells))


def _patches(placed: Placed, grid: Grid, clusters: Indices) -> Patches:
    """The patches of a target's clusters: boxes round these, if all of them are before the eye."""
    patches = Patches.of_clusters(placed, clusters)
    return patches if np.isfinite(patches.low).all() else Patches.of(placed, grid, clusters)


def _by_faces(occluders: Occluders, surfaces: Surfaces, aim: _Target) -> Unproven:
    """What is left of the parts of the target's faces in cells, which are cut as long as some is."""
    for cut in (1, CUT):
        aim = aim.cut(np.unique(aim.cell), cut)
        regions = aim.regions()
        if len(regions.cell) == 0 or len(regions.cell) > MOST_REGIONS:
            break
        left = np.ones(len(regions.cell), dtype=np.bool_)
        for group, far in _by_depth(regions.least):
            deep = regions.chosen(group)
            found = occluders.contours_in(deep.window(), far * (1.0 - 1e-9) - NEAREST_DEPTH_MM)
            left[group] = uncovered(found, surfaces, deep, far * (1.0 - 1e-9) - NEAREST_DEPTH_MM)
        regions = regions.chosen(left)
        aim = aim.chosen(regions.pair)
        if len(regions.cell) == 0:
            break
    cells = np.unique(regions.cell)
    # Faces before and behind each other are parts of the same place.
    area = min(float(regions.area.sum()), len(cells) * regions.grid.size**2)
    return Unproven.of(regions.grid, cells, area)


def first_grid(view: View) -> Grid:
    """The picture in cells of 16 pixels, or larger ones where these were too many."""
    size = CELL
    while np.ceil(view.width / size) * np.ceil(view.height / size) > MOST_CELLS:
        size *= 2.0
    return Grid.of(view.width, view.height, size)


@dataclass(frozen=True, eq=False)
class _Target:
    """Which of the target's faces touch which cells."""

    placed: Placed  # the target as the view sees it
    bounds: Patches  # of its faces
    corners: Floats  # (2, m, 3) of these, in the picture; nan where one reaches behind the eye
    inverse: Floats  # (m, 3) 1 / depth of these
    grid: Grid  # whose cells are meant
    # face, cell: (n,) in pairs
    face: Indices
    cell: Indices

    @classmethod
    def of(cls, placed: Placed, patches: Patches, grid: Grid, cells: Indices) -> _Target:
        """The faces that touch ``cells``."""
        bounds = Patches.of_faces(placed, patches.chosen(patches.near(grid, cells)).faces())
        points = placed.points(placed.clusters.corners.take(bounds.first, axis=0))
        inverse = 1.0 / np.where(bounds.least > NEAREST_DEPTH_MM, points[2].T, np.nan).T
        face, cell = grid.of_boxes(bounds.low, bounds.high)
        face, cell, _ = among(cells, cell, face, cell)
        return cls(placed, bounds, points[:2] * inverse, inverse, grid, face, cell)

    def cut(self, cells: Indices, factor: int) -> _Target:
        """The same for those cells that ``cells`` are cut into."""
        face, parent, _ = among(cells, self.cell, self.face, self.cell)
        corner = self.grid.corners(parent)
        low = np.maximum(self.bounds.low[:, face], corner)
        high = np.minimum(self.bounds.high[:, face], corner + self.grid.size)
        grid = self.grid.finer(factor)
        number, cell = grid.of_boxes(low, high)
        own = self.grid.parents(cell, factor) == parent[number]  # not one beside it that the box touches
        return replace(self, grid=grid, face=face[number[own]], cell=cell[own]).touching()

    def touching(self) -> _Target:
        """Those pairs whose faces themselves touch the cells, or reach behind the eye."""
        meets = ~(self.bounds.least[self.face] > NEAREST_DEPTH_MM)
        meets |= self.grid.overlapping(self.corners, self.face, self.cell)
        return self.chosen(np.flatnonzero(meets))

    def regions(self) -> Regions:
        """The part of each face in each cell."""
        least = np.maximum(self.bounds.least, 0.0)[self.face]
        return Regions.of(self.grid, self.cell, self.corners[:, self.face], self.inverse[self.face], least)

    def chosen(self, pairs: Indices) -> _Target:
        """Those pairs only."""
        return replace(self, face=self.face[pairs], cell=self.cell[pairs])


def _by_depth(least: Floats) -> Iterator[tuple[Indices, float]]:
    """Groups in which the target begins at much the same depth, and the least depth of each."""
    if len(least) == 0:
        return
    span = float(np.ptp(least))
    groups = min(GROUPS, 1 + int(span / DEEP))
    number = np.minimum(((least - least.min()) / max(span, 1e-9) * groups).astype(np.int64), groups - 1)
    for group in np.unique(number):
        chosen = np.flatnonzero(number == group)
        yield chosen, float(least[chosen].min())
