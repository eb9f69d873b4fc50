"""Planes put aside what cannot be before a target, and nothing that is, however small and wherever it is."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Pose
from silhouette.measure.contours import Placed
from silhouette.measure.separated import Planes
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import fit_view
from tests.support.shapes import box, joined, mesh, moved, quad

TARGET = box((-5.0, 100.0, 0.0), (5.0, 110.0, 20.0))
POSES = (Pose.standing(), Pose.standing((40.0, -30.0, 5.0), turn=33.0))


def left(blocker: Mesh, target: Mesh = TARGET, pose: Pose = POSES[0], eye: tuple[float, ...] = (0.0, 0.0, 15.0)) -> int:
    """How many faces of a blocker are not put aside; the blocker stands in a pose of its own, at the same place."""
    (view,) = fit_view(eye, target.bounds.mean(axis=0), target.vertices, 0.1)
    own = mesh(pose.localise(blocker.vertices), blocker.faces)
    before, behind = Placed.of(view, Body(2, own, pose)), Placed.of(view, Body(1, target, Pose.standing()))
    planes = Planes.of(before, behind, np.arange(len(behind.clusters.radii)))
    chosen = planes.clusters(before, np.arange(len(before.clusters.radii)))
    return len(planes.faces(before, before.faces_of(chosen)))


@pytest.mark.thinned(quick=33)
@pytest.mark.parametrize("pose", POSES)
def test_what_is_before_the_target_is_not_put_aside(pose: Pose) -> None:
    """A tiny triangle on the way from the eye to any place of the target, next to either of them too."""
    chance = np.random.default_rng(3)
    eye = np.array([0.0, 0.0, 15.0])
    for _ in range(200):
        corners = TARGET.vertices[TARGET.faces[chance.integers(len(TARGET.faces))]]
        place = eye + chance.choice([0.001, 0.4, 0.999]) * (chance.dirichlet(np.ones(3)) @ corners - eye)
        corners = chance.normal(0.0, 1e-3, (3, 3))
        assert left(mesh(place + corners - corners.mean(axis=0), [0, 1, 2]), pose=pose) == 1


def test_what_is_beside_below_or_behind_is_put_aside() -> None:
    """Also where it touches the target, as a floor and a wall do; a floor whichever way it is turned."""
    floor = quad((-500, -500, 0), (500, -500, 0), (500, 500, 0), (-500, 500, 0))
    back = quad((-500, 110, 0), (500, 110, 0), (500, 110, 500), (-500, 110, 500))
    beside = box((5.2, 50.0, 0.0), (50.0, 300.0, 100.0))
    for blocker in (back, beside, box((-90, -40, 0), (90, -20, 90))):
        assert left(blocker) == 0
    for pose in POSES:
        assert left(floor, pose=pose) == 0
        assert left(moved(floor, (0.0, 0.0, 0.01)), pose=pose) > 0


def test_an_eye_next_to_the_target_has_planes_too() -> None:
    """Where a part of the target lies behind the eye's plane none of the planes go through the eye."""
    wide = box((-300.0, 10.0, 0.0), (300.0, 12.0, 20.0))
    assert left(moved(wide, (0.0, 5.0, 0.0)), target=TARGET) > 0
    assert left(box((-5.0, 50.0, -9.0), (5.0, 60.0, -1.0)), target=TARGET) == 0


def test_planes_through_the_eye_touch_the_target() -> None:
    """Each of the sixteen has all of the target on one side, and comes as near to it as a rod allows."""
    rod = box((-1.0, 300.0, -20.0), (1.0, 301.0, 20.0))
    eye = np.array([30.0, 0.0, 15.0])
    (view,) = fit_view(eye, rod.bounds.mean(axis=0), rod.vertices, 0.1)
    for pose in POSES:
        own = Body(2, mesh(pose.localise(TARGET.vertices), TARGET.faces), pose)
        before, behind = Placed.of(view, own), Placed.of(view, Body(1, rod, Pose.standing()))
        planes = Planes.of(before, behind, np.arange(len(behind.clusters.radii)))
        assert len(planes.normals) == 16 + 26
        assert (planes.reaches[:16] == 0.0).all()
        seen = (rod.vertices - eye) @ pose.rotation
        ways = seen / np.linalg.norm(seen, axis=1)[:, None]
        normals = planes.normals / np.linalg.norm(planes.normals, axis=1)[:, None]
        angles = (ways @ normals.T).max(axis=0)[:16]  # below zero: how far the plane passes the target by
        assert (angles <= 1e-12).all()
        assert (angles >= -0.2 / 300.0).all()
        farthest = (seen @ planes.normals[16:].T).max(axis=0)
        assert (planes.reaches[16:] >= np.maximum(farthest, 0.0) - 1e-9).all()
        assert (planes.reaches[16:] <= np.maximum(farthest, 0.0) + 1e-6).all() or pose is not POSES[0]


def test_faces_are_put_aside_one_by_one() -> None:
    """Also those of a mesh that is before the target, with others of its faces."""
    before = box((-1.0, 60.0, 12.0), (1.0, 61.0, 13.0))
    others = [box((-90, -40, 0), (90, -20, 90)), box((30.0, 50.0, 0.0), (50.0, 300.0, 100.0))]
    others += [box((-3.0, 130.0, 5.0), (3.0, 131.0, 6.0)), box((-5.0, 20.0, 90.0), (5.0, 30.0, 95.0))]
    for pose in POSES:
        assert left(before, pose=pose) == 12
        assert left(joined(before, *others), pose=pose) == 12
        assert left(joined(*others), pose=pose) == 0
