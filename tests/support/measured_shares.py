"""The share of a target that is obscured: as measured, and, for convex shapes, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from shapely import MultiPoint, Polygon
from shapely.ops import unary_union

from silhouette.common.geometry import Floats, Pose
from silhouette.measure.counting import measured as measured_of
from silhouette.measure.observation import OcclusionCounts
from silhouette.measure.sampling import Picture
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View, VisionArc, fit_view
from tests.support import shapes

HERE = Pose.standing()
EYE = np.array([0.0, 0.0, 25.0])
FRONT = shapes.box((300, -10, 3), (320, 10, 33))


def turned(shape: Mesh, rotation: Floats, about: Floats) -> Mesh:
    return Mesh((shape.vertices - about) @ rotation.T + about, shape.faces, shape.part)


def rotation_about_x(angle: float) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])


def measured(
    renderer: EmbreeRenderer,
    target: Mesh,
    blockers: Sequence[Mesh],
    eye: Floats = EYE,
    pixel: float = 0.1,
    arcs: Sequence[VisionArc] | None = None,
    pose: Pose = HERE,
) -> tuple[OcclusionCounts, list[View]]:
    aim = pose.place(target.bounds.mean(axis=0)[None])[0]
    views = fit_view(pose.place(eye[None])[0], aim, pose.place(bounding_points(target)), pixel)
    bodies = [Body(number, shape, pose) for number, shape in enumerate(blockers, 2)]
    pictures = [Picture(view, Body(1, target, pose), bodies, arcs) for view in views]
    return measured_of(pictures, renderer).counts, views


def exact_share(view: View, target: Mesh, blockers: Sequence[Mesh]) -> float:
    """For convex shapes before the eye, the blockers nearer than the target: by polygons in the picture's plane."""

    def outline(shape: Mesh) -> Polygon:
        across, upward, depth = ((shape.vertices - view.eye) @ view.axes.T).T
        assert depth.min() > 0
        return MultiPoint(np.column_stack([across / depth, upward / depth])).convex_hull

    whole = outline(target)
    return float(unary_union([outline(one) for one in blockers]).intersection(whole).area / whole.area)
