"""Tiny named shapes, each a Mesh, and cameras to look at them: what every renderer's tests are made of.

Lengths are mm. Flat shapes stand upright in the plane y = 0; who looks along +y has +x to the right and +z upward.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from silhouette.common.geometry import Pose, cosine_and_sine, unit
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View


def mesh(vertices: Any, faces: Any) -> Mesh:
    faces = np.asarray(faces, dtype=np.int32).reshape(-1, 3)
    return Mesh(np.asarray(vertices, dtype=np.float64), faces, np.zeros(len(faces), np.int32))


def quad(a: Any, b: Any, c: Any, d: Any) -> Mesh:
    """Two triangles with the corners a, b, c, d in order, cut from a to c: a single-sided wall."""
    return mesh([a, b, c, d], [[0, 1, 2], [0, 2, 3]])


def square(side: float, middle: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Mesh:
    """A square that faces an eye looking along +y."""
    x, y, z = middle
    half = side / 2
    return quad(*[(x + i * half, y, z + k * half) for i, k in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def flipped(shape: Mesh) -> Mesh:
    """The same surface with every triangle facing the other way."""
    return mesh(shape.vertices, shape.faces[:, ::-1])


def moved(shape: Mesh, by: tuple[float, float, float]) -> Mesh:
    return mesh(shape.vertices + np.asarray(by), shape.faces)


def joined(*shapes: Mesh) -> Mesh:
    starts = np.cumsum([0, *[len(shape.vertices) for shape in shapes]])
    faces = [shape.faces + start for shape, start in zip(shapes, starts, strict=False)]
    return mesh(np.vstack([shape.vertices for shape in shapes]), np.vstack(faces))


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Mesh:
    """A closed box from corner to corner: a wall, a cube, a thin wire."""
    sides = []
    for axis in range(3):
        across, along = (axis + 1) % 3, (axis + 2) % 3
        for end in (low, high):
            corners = np.tile(np.asarray(end, dtype=np.float64), (4, 1))
            corners[:, across] = [low[across], high[across], high[across], low[across]]
            corners[:, along] = [low[along], low[along], high[along], high[along]]
            sides.append(quad(*corners))
    return joined(*sides)


def cube(side: float) -> Mesh:
    half = side / 2
    return box((-half, -half, -half), (half, half, half))


def wire(length: float, thickness: float) -> Mesh:
    """An upright rod, far thinner than a pixel if one likes."""
    half = thickness / 2
    return box((-half, -half, -length / 2), (half, half, length / 2))


def sphere(radius: float, meridians: int, parallels: int) -> Mesh:
    """A ball of 2 * meridians * (parallels - 1) triangles, inscribed: 40 and 21 make 1,600, 400 and 201 160,000."""
    around, down = np.meshgrid(np.arange(meridians), np.arange(parallels + 1))
    latitude, longitude = np.pi * down / parallels, 2 * np.pi * around / meridians
    points = np.stack(
        [np.sin(latitude) * np.cos(longitude), np.sin(latitude) * np.sin(longitude), np.cos(latitude)], axis=-1
    )
    number = np.arange(points.shape[0] * meridians).reshape(-1, meridians)
    right = np.roll(number, -1, axis=1)
    upper = np.stack([number[:-1], number[1:], right[1:]], axis=-1)[: parallels - 1]
    lower = np.stack([number[:-1], right[1:], right[:-1]], axis=-1)[1:]
    return mesh(radius * points.reshape(-1, 3), np.concatenate([upper.reshape(-1, 3), lower.reshape(-1, 3)]))


def looking(
    eye: Any, at: Any, step: float, width: int = 64, height: int = 64, roll: float = 0.0, shift: Any = (0.0, 0.0)
) -> View:
    """A picture from ``eye`` straight at ``at``, turned by ``roll`` degrees, moved by ``shift`` pixels off its axis."""
    eye = np.asarray(eye, dtype=np.float64)
    forward = unit(np.asarray(at, dtype=np.float64) - eye)
    upward = (0.0, 1.0, 0.0) if np.hypot(*forward[:2]) < 1e-9 else (0.0, 0.0, 1.0)
    right = unit(np.cross(forward, upward))
    up = np.cross(right, forward)
    cosine, sine = cosine_and_sine(roll)
    axes = np.array([cosine * right + sine * up, cosine * up - sine * right, forward])
    left, top = (shift[0] - width / 2) * step, (shift[1] + height / 2) * step
    return View(eye, axes, left, top, step, width, height)


def spot(view: View, row: int, column: int, height: int, width: int, distance: float, number: int = 1) -> Body:
    """A rectangle facing the eye that covers exactly these pixels of a view."""
    ends = np.array([[row, column], [row, column + width], [row + height, column + width], [row + height, column]])
    rays = view.directions(ends[:, 0] - 0.5, ends[:, 1] - 0.5)
    return Body(number, quad(*(view.eye + distance * rays)), Pose.standing())
