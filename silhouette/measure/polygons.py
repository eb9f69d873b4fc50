"""COUNT, the last step of the proof that a target is hidden: the few cells that are left, as polygons.

A cell is covered where the faces that are nearer than all of the target, projected and united, fill it.
"""

from __future__ import annotations

import numpy as np
import shapely

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.sampling import Picture
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body

MOST_CELLS = 64  # the most cells that are looked at: each takes a millisecond

MOST_FACES = 50_000
"""The most faces in these cells, counted once for each cell: each takes 40 microseconds, and cells that a proof leaves
of ordinary terrain have some ten each."""

FILLED = 1.0 - 1e-9
"""The share of a cell that the united faces must fill: float64 is a million times as exact, and a gap of the width that
counts as one fills more than the rest."""


def uncovered(picture: Picture, blocks: Floats) -> Floats:
    """(k, 4) those of the blocks (n, 4) that are not proven to be covered; row, column, height and width, in pixels."""
    if not (0 < len(blocks) <= MOST_CELLS and picture.blockers):
        return blocks
    least = _projected(picture, picture.target)[1].min()
    faces = [_projected(picture, blocker) for blocker in picture.blockers]
    nearer = [corners[(depth.min(axis=1) > NEAREST_DEPTH_MM) & (depth.max(axis=1) < least)] for corners, depth in faces]
    corners = np.concatenate(nearer)
    whole = np.concatenate(
        [blocks[:, :2].min(axis=0), np.ptp(np.vstack([blocks[:, :2], blocks[:, :2] + blocks[:, 2:]]), axis=0)]
    )
    corners = corners[_touching(corners.min(axis=1), corners.max(axis=1), whole)]
    low, high = corners.min(axis=1), corners.max(axis=1)
    touching = [np.flatnonzero(_touching(low, high, block)) for block in blocks]
    if sum(map(len, touching)) > MOST_FACES:
        return blocks
    return blocks[[not _is_filled(corners[faces], block) for faces, block in zip(touching, blocks, strict=True)]]


def _projected(picture: Picture, body: Body) -> tuple[Floats, Floats]:
    """(m, 3, 2) rows and columns of the corners of a body's faces, from the picture's corner; (m, 3) their depths."""
    columns, rows, depth = picture.view.project(body.pose.place(body.mesh.vertices))
    return np.stack([rows, columns], axis=1)[body.mesh.faces], depth[body.mesh.faces]


def _touching(low: Floats, high: Floats, block: Floats) -> Flags:
    """(m,) which of the boxes, from ``low`` to ``high`` (m, 2), touch a block (4,)."""
    touching: Flags = np.all((low <= block[:2] + block[2:]) & (high >= block[:2]), axis=1)
    return touching


def _is_filled(corners: Floats, block: Floats) -> bool:
    """Whether triangles (m, 3, 2) together fill a block (4,)."""

    cell = shapely.box(*block[:2], *(block[:2] + block[2:]))
    parts = shapely.intersection(shapely.polygons(corners), cell)
    return bool(shapely.union_all(parts[shapely.area(parts) > 0.0]).area >= FILLED * cell.area)
