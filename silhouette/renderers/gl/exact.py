"""What float32 cannot tell: faces that the eye only touches, and which of two surfaces at nearly one depth is nearer.

Where two bodies come close to each other, OpenGL is asked which of their faces are in front there, and the depths of
these faces are taken from their planes in float64. So of two faces in one plane, however they are cut, neither is
before the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.meshes.bounds import faces_near
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

CLOSE_DEPTH_SHARE = 1e-3
"""Depths that differ by less than this share are compared in float64. A device moves corners by up to 1/256 of a pixel,
so that with pixels of 0.1 mm a face seen at 0.1° comes out 0.2 mm too near or too far: 7e-4 of 300 mm."""

AT_HAND = 10.0
"""A face that passes this near to the eye, mm, is tested for whether the eye touches it. Float32 moves a corner by up
to 3e-5 mm on a table of a metre: a hundredth of a pixel, 10 mm away, and a face seen edge-on is no wider there."""

MAX_TEXTURE_SIDE = 2048  # rows and columns of the texture: no view that is drawn at once may have more

Depths = NDArray[np.float32]
Faces = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Patch:
    """Part of a picture, with the depths of one body."""

    # row, column: at which it begins, counted from the picture's first pixel
    row: int
    column: int
    depth: Depths  # (height, width) mm, inf where the body is not

    def within(self, top: int, left: int, bottom: int, right: int) -> Patch:
        """The part of it in these rows and columns of the picture; it may be empty."""
        rows = slice(max(top - self.row, 0), max(bottom - self.row, 0))
        columns = slice(max(left - self.column, 0), max(right - self.column, 0))
        row, column = max(top, self.row), max(left, self.column)
        return Patch(row, column, self.depth[rows, columns])


def touched_faces(mesh: Mesh, eye: Floats) -> NDArray[np.intp]:
    """(k,) the numbers, ascending, of the faces near the eye (3,), in the mesh's frame, that it only touches.

    >>> square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    >>> mesh = Mesh(square, np.array([[0, 1, 2], [0, 2, 3]], np.int32), np.zeros(2, np.int32))
    >>> [touched_faces(mesh, np.array([0.5, 0.2, height])).tolist() for height in (0.0, 0.001)]
    [[0, 1], []]
    """
    near = faces_near(mesh, eye, AT_HAND)
    first, normals = _planes(mesh, near)
    touched: NDArray[np.intp] = near[np.abs(np.einsum("ij,ij->i", normals, first - eye)) < NEAREST_DEPTH_MM]
    return touched


def close_pixels(pictures: Sequence[Sequence[Patch]]) -> list[NDArray[np.int64]]:
    """For each body, of which these are the patches, the pixels (n, 2) at which another one is close to it."""
    close: list[list[NDArray[np.int64]]] = [[] for _ in pictures]
    spans = [_span(patches) for patches in pictures]
    for (first, patches), (second, others) in combinations(enumerate(pictures), 2):
        if spans[first][0] > spans[second][1] * (1 + CLOSE_DEPTH_SHARE) or spans[second][0] > spans[first][1] * (
            1 + CLOSE_DEPTH_SHARE
        ):
            continue
        for patch, other in _overlaps(patches, others):
            places = np.argwhere(_are_close(patch.depth, other.depth)) + np.array([patch.row, patch.column])
            if len(places):
                close[first].append(places)
                close[second].append(places)
    return [np.concatenate(places) if places else np.empty((0, 2), np.int64) for places in close]


def close_places(depths: Depths) -> Flags:
    """(k, n) which of the depths (k, n) of bodies at n places are close to that of another body there."""
    close = np.zeros(depths.shape, np.bool_)
    for first, second in combinations(range(len(depths)), 2):
        near = _are_close(depths[first], depths[second])
        close[first] |= near
        close[second] |= near
    return close


def exact_depth(view: View, body: Body, pixels: NDArray[np.int64], faces: Faces, drawn: Depths) -> Depths:
    """(n,) the depths at which a body's faces (n,) are met at pixels (n, 2); as drawn where one is all but edge-on."""
    used, which = np.unique(faces, return_inverse=True)
    first, normals = _planes(body.mesh, used.astype(np.intp))
    eye = body.pose.localise(view.eye[None])[0]
    ahead = np.einsum("ij,ij->i", normals, first - eye)
    along = view.directions(pixels[:, 0], pixels[:, 1]) @ body.pose.rotation
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = ahead[which] / np.einsum("ij,ij->i", normals[which], along)
        trusted = np.abs(depth - drawn) <= CLOSE_DEPTH_SHARE * drawn
    return np.where(trusted, depth, drawn).astype(np.float32)


def _planes(mesh: Mesh, faces: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(n, 3) a corner of each of these faces, and (n, 3) its unit normal; zeros where it has no area."""
    first, second, third = (mesh.vertices[mesh.faces[faces, corner]] for corner in range(3))
    normals = np.cross(second - first, third - first)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return first, np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)


def _are_close(first: Depths, second: Depths) -> Any:
    """Where both depths are there and differ by less than `CLOSE_DEPTH_SHARE`."""
    with np.errstate(invalid="ignore"):
        return np.abs(first - second) <= np.float32(CLOSE_DEPTH_SHARE) * np.minimum(first, second)


def _span(patches: Sequence[Patch]) -> tuple[float, float]:
    """The least and the greatest depth that is drawn."""
    low = min((float(patch.depth.min(initial=np.inf)) for patch in patches), default=np.inf)
    high = (patch.depth.max(initial=-np.inf, where=patch.depth < np.inf) for patch in patches)
    return low, max((float(most) for most in high), default=-np.inf)


def _overlaps(patches: Sequence[Patch], others: Sequence[Patch]) -> Iterator[tuple[Patch, Patch]]:
    """The parts of two bodies' patches that lie in the same pixels."""
    for patch in patches:
        height, width = patch.depth.shape
        for other in others:
            part = other.within(patch.row, patch.column, patch.row + height, patch.column + width)
            if part.depth.size:
                bottom, right = part.row + part.depth.shape[0], part.column + part.depth.shape[1]
                yield patch.within(part.row, part.column, bottom, right), part


def with_exact_depths(
    view: View, body: Body, patches: Sequence[Patch], close: NDArray[np.int64], faces: Faces
) -> list[Patch]:
    """The patches of a body with exact depths at ``close`` pixels (n, 2), where these ``faces`` (n,) are in front."""
    exact = []
    for patch in patches:
        places = close - np.array([patch.row, patch.column])
        inside = ((places >= 0) & (places < patch.depth.shape)).all(axis=1)
        if inside.any():
            at, depth = tuple(places[inside].T), patch.depth.copy()
            depth[at] = exact_depth(view, body, close[inside], faces[inside], depth[at])
            patch = replace(patch, depth=depth)
        exact.append(patch)
    return exact
