"""TAG: a stand-in for a figure whose mesh is not at hand, made from a base diameter and a height. numpy only.

    height -> o      the head, a ball; the eye is estimated as for any mesh: on its front, at 0.9 of the body's height
             /#\\     shoulders and chest, the widest part: 0.54 of the body's height across
             |#|     hips
             |#|     legs
            =====    the base, a disc of 3 mm

The body is a solid of revolution, so that it looks the same from all sides. The shape is that of the fighters in
``models/``: from the side it covers 0.36 of the square of the body's height, as they do on average (0.29 to 0.44).
"""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Floats, Integers, cosine_and_sine
from silhouette.common.lazy import remembered
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Cylinder, Solid, solid
from silhouette.models.bases import Base
from silhouette.models.entries import FigureEntry, Kind
from silhouette.models.frame import DEFAULT_FRONT_DEG
from silhouette.models.mistakes import base_mistakes
from silhouette.models.model import BASE, BODY, Model

THICKNESS = 3.0  # the thickness of the base, mm; a tenth of the height where that is less

TRUNK = ((0.0, 0.17), (0.25, 0.17), (0.45, 0.21), (0.70, 0.27), (0.78, 0.26), (0.83, 0.11), (0.85, 0.05))
"""From the feet to the neck: a height and the radius there, as shares of the body's height."""

# The height of the middle of the head, and its radius, as shares of the body's height.
HEAD_HEIGHT_SHARE, HEAD_RADIUS_SHARE = 0.92, 0.08

MAX_BODY_RADIUS = 0.45
"""The largest radius of the body, as a share of the diameter of the base: a tall figure on a small base is slimmer."""

STAND_IN_SIDES = 64
HEAD_RINGS = 9


def stand_in(figure: FigureEntry, kind: Kind, front: float | None = None) -> Model:
    """The model of a stand-in: a round base, and on it a rounded body with its eye on the front of the head.

    The front, degrees anticlockwise from +x, is +y where it is not given.

    >>> model = stand_in(FigureEntry(base=32.0, height=38.0), "fighter")
    >>> model.mesh.bounds.round(1).tolist()
    [[-16.0, -16.0, 0.0], [16.0, 16.0, 38.0]]
    >>> model.eye.round(1).tolist(), model.eye_from
    ([0.0, 2.7, 34.5], 'estimated')
    """
    thickness = min(THICKNESS, figure.height / 10.0)
    mesh, of_base = _mesh(figure.base, figure.height, thickness)
    warning = f"it is a stand-in, not a mesh: a figure {figure.height:g} mm tall on a base of {figure.base:g} mm"
    role = np.full(len(mesh.faces), BODY, np.uint8)
    role[:of_base] = BASE
    ahead = DEFAULT_FRONT_DEG["z"] if front is None else front
    base = Base("parts", thickness, figure.base, (0.0, 0.0))
    warnings = (warning, *base_mistakes(base))
    return Model(
        "figure", kind, mesh, role, base, None, ahead, False, "figure", "mm", "given", "z", True, 0, warnings,
        front_from="default" if front is None else "given", touching=(Solid(Cylinder(figure.base, thickness)),),
    )  # fmt: skip


@remembered
def _mesh(base: float, height: float, thickness: float) -> tuple[Mesh, int]:
    disc = solid(Solid(Cylinder(base, thickness)))
    widest = max(radius for _, radius in TRUNK) * (height - thickness)
    vertices, faces = _body(height - thickness, min(1.0, MAX_BODY_RADIUS * base / widest))
    vertices = np.concatenate([disc.vertices, vertices + np.array([0.0, 0.0, thickness])])
    part = np.repeat(np.array([0, 1], np.int32), [len(disc.faces), len(faces)])
    every = np.concatenate([disc.faces, faces + np.int32(len(disc.vertices))]).astype(np.int32)
    for array in (vertices, every, part):
        array.setflags(write=False)
    return Mesh(vertices, every, part, ("base", "body")), len(disc.faces)


def _body(height: float, slimness: float) -> tuple[Floats, Integers]:
    """Vertices (n, 3) and faces (m, 3) of the body, standing on z = 0: a ring of vertices for each height."""
    angles = np.linspace(-0.3 * np.pi, 0.5 * np.pi, HEAD_RINGS + 1)[:-1]
    head = [
        (HEAD_HEIGHT_SHARE + HEAD_RADIUS_SHARE * np.sin(angle), HEAD_RADIUS_SHARE * np.cos(angle)) for angle in angles
    ]
    profile = np.array([*TRUNK, *head]) * [height, height * slimness]
    around = np.array([cosine_and_sine(360.0 * side / STAND_IN_SIDES) for side in range(STAND_IN_SIDES)])
    rings = np.empty((len(profile), STAND_IN_SIDES, 3))
    rings[:, :, :2] = profile[:, 1, None, None] * around
    rings[:, :, 2] = profile[:, 0, None]
    vertices = np.concatenate([rings.reshape(-1, 3), [[0.0, 0.0, 0.0], [0.0, 0.0, height]]])
    here = np.arange(STAND_IN_SIDES)
    after = np.roll(here, -1)
    starts = (np.arange(len(profile) - 1) * STAND_IN_SIDES)[:, None]
    lower, lower_after = (starts + here).ravel(), (starts + after).ravel()
    upper, upper_after = lower + STAND_IN_SIDES, lower_after + STAND_IN_SIDES
    last, sole, crown = (len(profile) - 1) * STAND_IN_SIDES, len(vertices) - 2, len(vertices) - 1
    faces = [
        np.stack([lower, lower_after, upper_after], axis=1),
        np.stack([lower, upper_after, upper], axis=1),
        np.stack([np.full(STAND_IN_SIDES, sole), after, here], axis=1),
        np.stack([np.full(STAND_IN_SIDES, crown), last + here, last + after], axis=1),
    ]
    return vertices, np.concatenate(faces).astype(np.int32)
