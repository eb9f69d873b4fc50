"""The share of a target that is obscured, exactly, by another library and another way than `exact_shares`: Clipper.

Triangles are drawn as they are in a picture in mm at the target. What is nearer than all of the target is one union; a
triangle of a blocker that reaches farther is cut, for each triangle of the target, along the line at which it ceases to
be the nearer one.

Nothing but the meshes is shared with `exact_shares`: not the picture, which is taken in another roll, nor the cutting,
the order of steps, or the grid (1e-8 mm) to which Clipper rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manifold3d
import numpy as np

from silhouette.common.geometry import Floats, unit
from silhouette.meshes.mesh import Mesh

CHUNK = 256
"""So many neighbours are united at once: a sweep over all takes longer."""

ROLL = np.radians(17.0)
"""Of the picture, about the way to the target's middle."""

SAME_DEPTH = 1e-11
"""Depths that differ by less than this share are equal, and the target is in front."""

NEAREST = 1.0
"""mm: what is nearer to the plane of the eye is cut off. It is in no picture unless it is as near to the eye itself."""


def share_by_clipper(target: Mesh, blockers: Sequence[Mesh], eye: Floats) -> float:
    """The share of the target's silhouette that is obscured, as `ExactShares.occluded`.

    Raises:
        ValueError: where the target reaches through the plane of the eye, or has no area.

    >>> from tests.support.shapes import square
    >>> wall = square(2.0, (0, 10, 0))
    >>> [round(share_by_clipper(wall, [square(1.0, (x, 5, 0))], np.zeros(3)), 6) for x in (0, 0.5, 1.0)]
    [1.0, 0.5, 0.0]
    >>> share_by_clipper(wall, [], np.array([0.5, 10.0, 0.0]))
    Traceback (most recent call last):
    ValueError: the target reaches through the plane of the eye
    """
    forward = unit(target.bounds.mean(axis=0) - eye)
    right = unit(np.cross(forward, [0.0, 0.0, 1.0]))
    up = np.cross(right, forward)
    turned = np.cos(ROLL) * right + np.sin(ROLL) * up, np.cos(ROLL) * up - np.sin(ROLL) * right
    axes = np.array([*turned, forward])
    scale = float(np.linalg.norm(target.bounds.mean(axis=0) - eye))
    if ((target.vertices - eye) @ forward).min() <= NEAREST:
        raise ValueError("the target reaches through the plane of the eye")
    near = _drawn(target, eye, axes, scale)
    whole = _union(near)
    if whole.area() <= 0.0:
        raise ValueError("the target has no area")
    far = np.concatenate([np.empty((0, 3, 3)), *(_drawn(mesh, eye, axes, scale) for mesh in blockers)])
    low, high = near.min(axis=(0, 1)), near.max(axis=(0, 1))
    least, most = far.min(axis=1), far.max(axis=1)
    far = far[(least[:, :2] <= high[:2]).all(axis=1) & (most >= low).all(axis=1)]
    before = far.min(axis=1)[:, 2] > high[2] * (1.0 + SAME_DEPTH)
    free = _joined(_kept(near, far[~before]))
    return 1.0 - float((free - _union(far[before])).area()) / float(whole.area())


def _drawn(mesh: Mesh, eye: Floats, axes: Floats, scale: float) -> Floats:
    """(n, 3, 3) the corners of triangles before the eye: x and y in mm at the target, and one over the depth."""
    corners = _cut((np.asarray(mesh.vertices, dtype=np.float64)[mesh.faces] - eye) @ axes.T)
    drawn = np.concatenate([scale * corners[..., :2] / corners[..., 2:], 1.0 / corners[..., 2:]], axis=2)
    is_clockwise = _twice_area(drawn) < 0.0
    drawn[is_clockwise] = drawn[is_clockwise, ::-1]
    return drawn[_twice_area(drawn) > 0.0]


def _cut(corners: Floats) -> Floats:
    """(n, 3, 3) triangles without what lies before `NEAREST`: of some a smaller one is left, of others two."""
    is_far = corners[..., 2] > NEAREST
    parts = [corners[is_far.all(axis=1)]]
    for far in (1, 2):
        cut = is_far.sum(axis=1) == far
        lone = np.argmax(is_far[cut] == (far == 1), axis=1)  # the corner that has a side of its own
        a, b, c = (corners[cut, (lone + step) % 3] for step in range(3))
        ab, ac = (a + ((NEAREST - a[:, 2]) / (b - a)[:, 2])[:, None] * (b - a) for b in (b, c))
        parts += (
            [np.stack([a, ab, ac], axis=1)] if far == 1 else [np.stack(f, axis=1) for f in ((ab, b, c), (ab, c, ac))]
        )
    return np.concatenate(parts)


def _twice_area(drawn: Floats) -> Floats:
    """(n,) of triangles, below zero where they are clockwise."""
    first, second = np.moveaxis(drawn[:, 1:, :2] - drawn[:, :1, :2], 1, 0)
    areas: Floats = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return areas


def _union(drawn: Sequence[Floats] | Floats) -> Any:
    """The union of anticlockwise polygons (k, 2) or more, chunk by chunk."""
    order = np.argsort([corners[0, 0] for corners in drawn], kind="stable")
    flat = [np.ascontiguousarray(drawn[place][:, :2]) for place in order]
    return _joined([manifold3d.CrossSection(flat[start : start + CHUNK]) for start in range(0, len(flat), CHUNK)])


def _joined(parts: list[Any]) -> Any:
    """The union of such unions, of neighbours first."""
    while len(parts) > 1:
        pairs = [parts[start : start + 4] for start in range(0, len(parts), 4)]
        parts = [manifold3d.CrossSection.batch_boolean(some, manifold3d.OpType.Add) for some in pairs]
    return parts[0] if parts else manifold3d.CrossSection()


def _kept(near: Floats, far: Floats) -> list[Any]:
    """What blockers leave of the target's triangles: those that none reaches as one, and each of the others."""
    least, most = far.min(axis=1), far.max(axis=1)
    untouched, left = [], []
    for corners in near:
        low, high = corners.min(axis=0), corners.max(axis=0)
        reached = far[(least[:, :2] < high[:2]).all(axis=1) & (most > low).all(axis=1)]
        covers = [cover for other in reached if len(cover := _nearer(other, corners)) > 2]
        if covers:
            left.append(manifold3d.CrossSection([corners[:, :2]]) - _union(covers))
        else:
            untouched.append(corners)
    return [_union(untouched), *left]


def _nearer(other: Floats, corners: Floats) -> Floats:
    """(k, 2) the part of a triangle that is nearer than the plane of another one."""
    slope = np.linalg.solve(corners[1:, :2] - corners[0, :2], corners[1:, 2] - corners[0, 2])
    plane = corners[0, 2] + (other[:, :2] - corners[0, :2]) @ slope
    ahead = other[:, 2] - plane * (1.0 + SAME_DEPTH)
    part = []
    for place in range(3):
        here, after = ahead[place], ahead[(place + 1) % 3]
        if here > 0.0:
            part.append(other[place, :2])
        if (here > 0.0) != (after > 0.0):
            part.append(other[place, :2] + here / (here - after) * (other[(place + 1) % 3, :2] - other[place, :2]))
    return np.array(part)
