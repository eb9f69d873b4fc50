"""TAG: a mesh cut in two at a height, and a part cut out of it. numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.meshes.mesh import Mesh

CUT_TOLERANCE = 1e-6  # mm: what lies no farther than this from the cut lies in it


def cut_at(mesh: Mesh, height: float) -> tuple[Mesh, Flags]:
    """The same surface, every triangle that crosses a height cut there, and which triangles (m,) bool lie below it.

    Triangles that lie in the cut itself count as below: the top of a base belongs to the base.

    >>> corners = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    >>> tall = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> cut, below = cut_at(tall, 1.0)
    >>> len(cut.faces), below.tolist(), cut.vertices[3:].tolist()
    (3, [False, True, True], [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    """
    above_cut = mesh.vertices[:, 2] - height
    above_cut[np.abs(above_cut) <= CUT_TOLERANCE] = 0.0
    heights = above_cut[mesh.faces]
    below = heights.max(axis=1, initial=-np.inf) <= 0.0
    crossing = ~below & (heights.min(axis=1, initial=np.inf) < 0.0)
    if not crossing.any():
        return mesh, below
    new_vertices, faces, origin, lower = _pieces(mesh, above_cut, crossing)
    new_vertices[:, 2] = height
    whole = ~crossing
    cut = Mesh(
        np.concatenate([mesh.vertices, new_vertices]),
        np.concatenate([mesh.faces[whole], faces]).astype(np.int32),
        np.concatenate([mesh.part[whole], mesh.part[crossing][origin]]),
        mesh.part_names,
    )
    return cut, np.concatenate([below[whole], lower])


def _pieces(mesh: Mesh, above_cut: Floats, crossing: Flags) -> tuple[Floats, NDArray[Any], NDArray[np.int64], Flags]:
    """The vertices on the cut, and the faces on both sides of it in place of those that cross.

    Of a triangle's corners one lies alone on its side: it keeps a triangle, the other side a quadrangle, halved.
    Returns new vertices, faces, for each the row among the crossing faces that it came from, and whether it is below.
    """
    faces = mesh.faces[crossing]
    rows = np.arange(len(faces))
    positive = above_cut[faces] > 0.0
    up = positive.sum(axis=1) == 1
    alone = np.where(up, positive.argmax(axis=1), (above_cut[faces] < 0.0).argmax(axis=1))
    tip, second, third = (faces[rows, (alone + step) % 3] for step in range(3))

    edges, which = np.unique(
        np.sort(np.concatenate([np.stack([tip, second], 1), np.stack([tip, third], 1)]), axis=1),
        axis=0,
        return_inverse=True,
    )
    start, end = above_cut[edges[:, 0]], above_cut[edges[:, 1]]
    share = (start / (start - end))[:, None]
    new_vertices = mesh.vertices[edges[:, 0]] + share * (mesh.vertices[edges[:, 1]] - mesh.vertices[edges[:, 0]])
    on_cut = len(mesh.vertices) + which.reshape(2, -1)
    to_second = np.where(above_cut[second] == 0.0, second, on_cut[0])
    to_third = np.where(above_cut[third] == 0.0, third, on_cut[1])

    triangles = np.concatenate(
        [
            np.stack(corners, 1)
            for corners in ((tip, to_second, to_third), (to_second, second, third), (to_second, third, to_third))
        ]
    )
    proper = (np.diff(np.sort(triangles, axis=1), axis=1) > 0).all(axis=1)
    return new_vertices, triangles[proper], np.tile(rows, 3)[proper], np.concatenate([~up, up, up])[proper]


def cut_to_box(mesh: Mesh, low: Floats, high: Floats) -> Mesh | None:
    """What of a surface lies in an upright box, cut at its sides; None where nothing does.

    >>> corners = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    >>> tall = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> cut_to_box(tall, np.array([-1.0, -1.0, 0.5]), np.array([1.0, 1.0, 3.0])).bounds[:, 2].tolist()
    [0.5, 2.0]
    >>> cut_to_box(tall, np.array([0.0, 1.0, 0.0]), np.array([9.0, 9.0, 9.0])) is None
    True
    """
    corners = mesh.vertices[mesh.faces]
    part = mesh.subset(((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1))
    for axis in range(3):
        for sign, end in ((-1.0, low[axis]), (1.0, high[axis])):
            # The side of the box becomes a level, below which everything is kept.
            standing = Mesh(sign * np.roll(part.vertices, 2 - axis, axis=1), part.faces, part.part, part.part_names)
            cut, below = cut_at(standing, sign * end)
            if not below.any():
                return None
            part = Mesh(sign * np.roll(cut.vertices, axis - 2, axis=1), cut.faces, cut.part, cut.part_names)
            part = part.subset(below)
    return part
