"""DRAW: the view from the attacker's eye, in numbers: the nearest surface, and the kind of each target pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags
from silhouette.drawing.shading import plane
from silhouette.drawing.table.rendering import TILE_STRIP_ROWS, cropped, rendered, swept
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN, Observation, Sight
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.renderers.views import View, VisionArc, fit_view, in_any
from silhouette.scenes.table import Piece, TableScene

TARGET_ID = 1
FIRST_PIECE_ID = 2  # ids in the layers: TARGET, and n + FIRST_PIECE for piece n; at equal depth the lowest is in front
SHARE_OF_HEIGHT = 0.52
SHARE_OF_WIDTH = 0.6  # the most of the window that the target fills, so that the table round it is seen as well
# The most of half the width to the distance, but for a wider target: beyond, shapes are distorted.
MAX_WINDOW_RATIO = 1.1
HORIZON = 1e5  # mm from the eye: where the table top ends, and the sky begins


@dataclass(frozen=True, eq=False)
class EyeImage:
    """The view from the attacker's eye; all images are (height, width), row 0 at the top."""

    view: View  # the window: upright, looking in the direction of the measurement
    surrounds: bool  # whether the target reaches round the eye, so that the window shows only the part of it ahead
    front: Layer  # the nearest surface, without ghosts and disregarded pieces; ids as of `FIRST_PIECE_ID`
    # float32 mm, of ``front``, or of the table top, on which the lowest piece stands; inf in the sky
    depth: NDArray[np.float32]
    # whether the surface lies in a vision arc; for the sky, a point `HORIZON` away in its direction
    inside: Flags
    target: Layer  # the target's significant parts alone
    kinds: NDArray[np.uint8]  # uint8, the kind of each pixel of the target: SEEN, OBSCURED or OUTSIDE; else NOTHING
    # Parts that neither count nor block, such as bases, where they stand before ``front``: the target's own, and all of
    # such parts of a piece that would hide some of the target that is not obscured
    ghosts: Layer
    disregarded: Layer  # pieces that the rules disregard, where they stand before ``front``

    def part(self, rows: slice, columns: slice) -> EyeImage:
        """Some rows and columns of the view, as an image of its own; the ranges have a start and a stop."""
        part = rows, columns
        layers = (self.front, self.target, self.ghosts, self.disregarded)
        front, target, ghosts, disregarded = (Layer(layer.ids[part], layer.depth[part]) for layer in layers)
        depth, inside, kinds = self.depth[part], self.inside[part], self.kinds[part]
        view = cropped(self.view, rows, columns)
        return EyeImage(view, self.surrounds, front, depth, inside, target, kinds, ghosts, disregarded)


def image_of(
    scene: TableScene,
    observation: Observation,
    renderer: Renderer,
    width: int,
    height: int,
    part: tuple[slice, slice] | None = None,
) -> EyeImage:
    """Renders the view that an observation measured, in a window of so many pixels that shows the table round the
    target, or some of its rows and columns; seen or obscured is what the masks say. The renderer need not be the one
    that measured.
    """
    sight, target = observation.sight, observation.sight.target
    view, surrounds = _window(sight, width, height)
    view = view if part is None else cropped(view, *part)
    number = {piece.name: index for index, piece in enumerate(scene.pieces, FIRST_PIECE_ID)}

    def bodies(parts: Sequence[tuple[Piece, Mesh]]) -> list[Body]:
        return [Body(number[piece.name], mesh, piece.pose) for piece, mesh in parts if len(mesh.faces)]

    body = Body(TARGET_ID, target.model.significant, target.pose)
    alone = rendered(renderer, view, [body])
    front = swept(renderer, view, [body, *bodies(solid_pieces(scene, sight))], [alone])
    kinds = _kinds(view, alone, front, sight.arcs, observation)
    ghosts = rendered(renderer, view, bodies([(target, target.model.ignored)]), front)
    if sight.uncounted:
        _enter_ignored(rendered(renderer, view, bodies(sight.uncounted), front), front, kinds, ghosts)
    disregarded = rendered(renderer, view, bodies([(piece, piece.model.mesh) for piece in sight.disregarded]), front)
    depth = _with_table(view, scene, front)
    inside = _inside(view, depth, sight.arcs)
    return EyeImage(view, surrounds, front, depth, inside, alone, kinds, ghosts, disregarded)


def solid_pieces(scene: TableScene, sight: Sight) -> list[tuple[Piece, Mesh]]:
    """The pieces shown as solid, each with its part: what is neither attacker, nor target, nor disregarded."""
    named = [sight.attacker, sight.target, *sight.disregarded, *sight.left_out]
    names = {piece.name for piece in (*named, *(piece for piece, _ in sight.present))}
    elsewhere = [(piece, piece.model.significant) for piece in scene.pieces if piece.name not in names]
    return [*sight.present, *elsewhere]


def _window(sight: Sight, width: int, height: int) -> tuple[View, bool]:
    """The window, upright and in the direction of the measurement; and whether the target reaches round the eye: it is
    then the quarter turn ahead, two wide at distance one.
    """
    target = sight.target
    mesh = target.model.significant
    used = np.zeros(len(mesh.vertices), np.bool_)
    used[mesh.faces] = True
    points = target.pose.place(mesh.vertices[used])
    aim = target.body_middle
    views = fit_view(sight.eye, aim, points, 1.0, roll=0.0, facing=sight.facing)
    view = views[0]
    if len(views) > 1:
        step = 2.0 / width
        return replace(view, left=-1.0, top=height * step / 2, step=step, width=width, height=height), True
    across, upward, depth = ((points - sight.eye) @ view.axes.T).T
    across, upward = across / depth, upward / depth
    needed = max(np.ptp(across) / width, np.ptp(upward) / height)
    comfortable = max(np.ptp(upward) / (SHARE_OF_HEIGHT * height), np.ptp(across) / (SHARE_OF_WIDTH * width))
    step = float(max(min(comfortable, 2 * MAX_WINDOW_RATIO / width), 1.1 * needed))
    left = float(across.min() + across.max()) / 2 - width * step / 2
    top = float(upward.min() + upward.max()) / 2 + height * step / 2
    return replace(view, left=left, top=top, step=step, width=width, height=height), False


def _kinds(
    view: View, alone: Layer, front: Layer, arcs: Sequence[VisionArc] | None, observation: Observation
) -> NDArray[np.uint8]:
    """(height, width) uint8, the kind of each pixel of the target, of which ``alone`` has nothing else: from the masks,
    and as rendered where these, of other pixels, have NOTHING.
    """
    rows, columns = np.nonzero(alone.ids == TARGET_ID)
    rays = view.directions(rows, columns)
    inside = True if arcs is None else in_any(arcs, view.eye + alone.depth[rows, columns, None] * rays)
    is_front = front.ids[rows, columns] == TARGET_ID
    target_kinds = np.where(is_front, np.where(inside, SEEN, OUTSIDE), OBSCURED).astype(np.uint8)
    for mask in observation.masks:
        across, down, depth = mask.view.project(view.eye + rays)
        met = (depth > 0.0) & (across >= 0.0) & (across < mask.view.width) & (down >= 0.0) & (down < mask.view.height)
        counted = mask.kinds[down[met].astype(np.intp), across[met].astype(np.intp)]
        target_kinds[met] = np.where(counted == NOTHING, target_kinds[met], counted)
    kinds = np.full(alone.ids.shape, NOTHING, np.uint8)
    kinds[rows, columns] = target_kinds
    return kinds


def _enter_ignored(ignored: Layer, front: Layer, kinds: NDArray[np.uint8], ghosts: Layer) -> None:
    """Enters the parts of others that do not block into ``front``, or, all parts of a piece of which any pixel would
    hide some of the target that is not obscured, into ``ghosts``.
    """
    nearer = ignored.depth < front.depth
    over = np.unique(ignored.ids[nearer & ((kinds == SEEN) | (kinds == OUTSIDE))])
    ghostly = np.isin(ignored.ids, over)
    for where, layer in ((nearer & ghostly & (ignored.depth < ghosts.depth), ghosts), (nearer & ~ghostly, front)):
        layer.ids[where] = ignored.ids[where]
        layer.depth[where] = ignored.depth[where]
    behind = ghosts.depth >= front.depth
    ghosts.ids[behind], ghosts.depth[behind] = 0, np.inf


def _with_table(view: View, scene: TableScene, front: Layer) -> NDArray[np.float32]:
    """(height, width) float32 mm: the depth of ``front``, or where it is empty of the table top; inf in the sky."""
    level = min(0.0, *(float(piece.pose.place(piece.model.mesh.bounds)[:, 2].min()) for piece in scene.pieces))
    across, upward = plane(view)
    right, up, forward = view.axes[:, 2].astype(np.float32)
    falling = -(across * right + upward * up + forward)
    drop = np.float32(view.eye[2] - level)
    depth = front.depth.copy()
    met = (front.ids == 0) & (falling * np.float32(HORIZON) > drop) & (drop > 0.0)
    depth[met] = drop / falling[met]
    return depth


def _inside(view: View, depth: NDArray[np.float32], arcs: Sequence[VisionArc] | None) -> Flags:
    """(height, width) bool: whether the surface at ``depth`` lies in a vision arc; the sky as if at `HORIZON`."""
    if arcs is None:
        return np.ones(depth.shape, np.bool_)
    far = np.where(np.isfinite(depth), depth, np.float32(HORIZON))
    corner_rows, corner_columns = np.array([[0, 0, view.height, view.height], [0, view.width, 0, view.width]]) - 0.5
    rays = view.directions(corner_rows, corner_columns)
    around = np.concatenate([view.eye + far.min() * rays, view.eye + far.max() * rays])
    if any(arc.contains(around).all() for arc in arcs):
        return np.ones(depth.shape, np.bool_)
    across, upward = plane(view)
    inside = np.empty(depth.shape, np.bool_)
    for start in range(0, view.height, TILE_STRIP_ROWS):
        rows = slice(start, start + TILE_STRIP_ROWS)
        points = [far[rows] * (across * right + upward[rows] * up + forward) for right, up, forward in view.axes.T[:2]]
        inside[rows] = in_any(arcs, np.stack(points, axis=2).reshape(-1, 2) + view.eye[:2]).reshape(inside[rows].shape)
    return inside
