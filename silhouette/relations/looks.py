"""RELATE: a look from a point at a surface past blockers, as the measurement knows it: an Observation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.time_limit import go_on
from silhouette.geometry import Flags, Floats
from silhouette.measure.observation import SEEN, Mask, Observation, Sight
from silhouette.measure.observe import Wanted, observe_many
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import Model
from silhouette.relations.obstacles import Blocker
from silhouette.relations.points import PointSet
from silhouette.renderers.protocol import Body
from silhouette.renderers.registry import looking_between_pixels
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import Occluders
from silhouette.views import View

PIXEL = 0.1
"""mm per pixel at the target, by default."""

WITNESSES = 64
"""Pixels, those deepest inside what is seen, through which lines are drawn."""


def observed(eyes: Floats, target: PointSet, blockers: Sequence[Blocker], pixel: float = PIXEL) -> list[Observation]:
    """What is seen of a surface from each of some eyes (n, 3), with masks.

    Raises:
        ValueError: where the target has no surface.
    """
    go_on()
    piece, occluders = _as_piece(target), Occluders.of(blockers)
    sights = [Sight(piece, piece, eye, 90.0, None, occluders) for eye in np.asarray(eyes, dtype=np.float64)]
    return observe_many(sights, looking_between_pixels(), pixel, Wanted(thresholds=(), keep=True))


def seen_points(observation: Observation, target: PointSet) -> Floats:
    """(n, 3) mm, world: points of the target in the middle of what is seen of it; none where nothing is."""
    found = [_seen_in(mask, observation.sight.target) for mask in observation.masks]
    return np.concatenate([np.empty((0, 3)), *found])


def seen_at(piece: Piece, blockers: Sequence[Blocker], view: View, places: Floats) -> Flags:
    """(n,) at which places (n, 2), rows and columns of a view, a piece is seen past blockers."""
    target = Body(1, piece.model.significant, piece.pose)
    bodies = [Body(number, mesh, other.pose) for number, (other, mesh) in enumerate(blockers, 2) if len(mesh.faces)]
    renderer = looking_between_pixels()
    seen: Flags = renderer.render(view, [target], places).ids == 1
    if bodies:  # looked for only where there is anything to hide
        seen[seen] = renderer.render(view, [target, *bodies], places[seen]).ids == 1
    return seen


def surface_points(piece: Piece, view: View, rows: Floats, columns: Floats) -> Floats:
    """(n, 3) mm, world: the points of a piece's surface at places of a view; only of those that lie on it."""
    places = np.column_stack([rows, columns])
    body = Body(1, piece.model.significant, piece.pose)
    depth = looking_between_pixels().render(view, [body], places).depth.astype(np.float64)
    met = np.isfinite(depth)
    points: Floats = view.eye + depth[met, None] * view.directions(rows, columns)[met]
    return points


def _seen_in(mask: Mask, piece: Piece) -> Floats:
    from scipy.ndimage import distance_transform_edt

    is_seen = mask.kinds == SEEN
    if not is_seen.any():
        return np.empty((0, 3))
    inside = distance_transform_edt(np.pad(is_seen, 1))[1:-1, 1:-1]
    deepest = np.argsort(-inside, axis=None, kind="stable")[: min(WITNESSES, int(is_seen.sum()))]
    rows, columns = np.unravel_index(deepest, is_seen.shape)
    return surface_points(piece, mask.view, rows.astype(np.float64), columns.astype(np.float64))


def _as_piece(points: PointSet) -> Piece:
    """A piece whose significant parts are the surface of a point set."""
    if points.mesh is None:
        raise ValueError(f"the point set '{points.name}' has no surface to look at")
    return Piece(points.name, "terrain", _model(points.mesh), points.pose, None, 90.0, (), None, {}, -1)


def _model(mesh: Mesh) -> Model:
    role = np.zeros(len(mesh.faces), np.uint8)
    return Model(
        "surface", "terrain", mesh, role, None, np.zeros(3), 90.0, False, "parts", "mm", "given", "z", False, 0, ()
    )
