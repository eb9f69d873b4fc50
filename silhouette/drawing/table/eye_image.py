"""DRAW: what the attacker's eye sees, as images of numbers: what is in front, and what of the target is seen.

Observation -> a window wider than the target -> layers of what stands there; kinds of pixel from the masks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing.shading import plane
from silhouette.drawing.table.windows import STRIP, rendered, swept
from silhouette.geometry import Flags
from silhouette.measure.observe import NOTHING, OBSCURED, OUTSIDE, SEEN, Observation, Sight
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.scenes.table import Piece, TableScene
from silhouette.views import View, VisionArc, fit_view, in_any

TARGET = 1
FIRST_PIECE = 2
"""Ids in the layers: the target has the lowest, as when it was measured; piece n of the scene has n + FIRST_PIECE."""

SHARE_OF_HEIGHT = 0.52
SHARE_OF_WIDTH = 0.6
"""How much of the picture the target fills, so that the table around it is seen as well."""

WIDEST_WINDOW = 1.1
"""Half the picture's width over its distance, at most, unless the target itself is wider: beyond, shapes look odd."""

FAR = 1e5
"""mm; the table ends there, and the sky begins."""


@dataclass(frozen=True, eq=False)
class EyeImage:
    """The attacker's view in numbers; all images are (height, width), row 0 at the top.

    Attributes:
        view: the window, upright, its middle where the verdict was measured.
        surrounds: whether the target reaches round the eye, so that this is only what lies ahead.
        front: what is in front, ghosts left out; ids as told at FIRST_PIECE.
        depth: float32, of what is in front or of the table top, on which the lowest piece stands; inf in the sky.
        inside: bool, whether what is met lies in a vision arc; the sky by its direction.
        target: the target's significant parts alone.
        kinds: uint8, what of the target each pixel is: NOTHING, SEEN, OBSCURED or OUTSIDE.
        ghosts: parts that neither count nor block, where they stand before what does: the target's own everywhere,
            those of others before the target.
        disregarded: pieces that the rules look past, where nothing stands before them.
    """

    view: View
    surrounds: bool
    front: Layer
    depth: NDArray[np.float32]
    inside: Flags
    target: Layer
    kinds: NDArray[np.uint8]
    ghosts: Layer
    disregarded: Layer


def image_of(scene: TableScene, observation: Observation, renderer: Renderer, width: int, height: int) -> EyeImage:
    """Renders what was seen in a look, in a window of so many pixels.

    What each pixel of the target is, seen or obscured, is not decided here: it is read off the observation's masks.

    Args:
        scene: whose pieces stand round the target.
        observation: with its masks.
        renderer: renders; it need not be the one that measured.
        width, height: of the window, in pixels.
    """
    sight, target = observation.sight, observation.sight.target
    view, surrounds = _window(sight, width, height)
    number = {piece.name: index for index, piece in enumerate(scene.pieces, FIRST_PIECE)}

    def bodies(parts: Sequence[tuple[Piece, Mesh]]) -> list[Body]:
        return [Body(number[piece.name], mesh, piece.pose) for piece, mesh in parts if len(mesh.faces)]

    itself = Body(TARGET, target.model.significant, target.pose)
    alone = rendered(renderer, view, [itself])
    front = swept(renderer, view, [itself, *bodies(solid_pieces(scene, sight))])
    kinds = _kinds(view, alone, front, sight.arcs, observation)
    ghosts = rendered(renderer, view, bodies([(target, target.model.ignored)]))
    _only_before(ghosts, front)
    _enter_ignored(rendered(renderer, view, bodies(sight.uncounted)), front, kinds, ghosts)
    disregarded = rendered(renderer, view, bodies([(piece, piece.model.mesh) for piece in sight.disregarded]))
    _only_before(disregarded, front)
    depth = _with_table(view, scene, front)
    inside = _inside(view, depth, sight.arcs)
    return EyeImage(view, surrounds, front, depth, inside, alone, kinds, ghosts, disregarded)


def solid_pieces(scene: TableScene, sight: Sight) -> list[tuple[Piece, Mesh]]:
    """What a picture shows as solid, each piece with what of it: what may block, and what stands elsewhere."""
    named = [sight.attacker, sight.target, *sight.disregarded, *sight.left_out]
    names = {piece.name for piece in (*named, *(piece for piece, _ in sight.present))}
    rest = [(piece, piece.model.significant) for piece in scene.pieces if piece.name not in names]
    return [*sight.present, *rest]


def _window(sight: Sight, width: int, height: int) -> tuple[View, bool]:
    """An upright window round the target, looking where the verdict looked; the way ahead where that is all round."""
    target = sight.target
    mesh = target.model.significant
    points = target.pose.place(mesh.vertices[np.unique(mesh.faces)])
    aim = target.body_box.mean(axis=0)
    views = fit_view(sight.eye, aim, points, 1.0, roll=0.0, facing=sight.facing)
    view = views[0]
    if len(views) > 1:
        step = 2.0 / width
        return replace(view, left=-1.0, top=height * step / 2, step=step, width=width, height=height), True
    across, upward, depth = ((points - sight.eye) @ view.axes.T).T
    across, upward = across / depth, upward / depth
    needed = max(np.ptp(across) / width, np.ptp(upward) / height)
    wanted = max(np.ptp(upward) / (SHARE_OF_HEIGHT * height), np.ptp(across) / (SHARE_OF_WIDTH * width))
    step = float(max(min(wanted, 2 * WIDEST_WINDOW / width), 1.1 * needed))
    left = float(across.min() + across.max()) / 2 - width * step / 2
    top = float(upward.min() + upward.max()) / 2 + height * step / 2
    return replace(view, left=left, top=top, step=step, width=width, height=height), False


def _kinds(
    view: View, alone: Layer, front: Layer, arcs: Sequence[VisionArc] | None, observation: Observation
) -> NDArray[np.uint8]:
    """What of the target each pixel is: as the masks have it, and on its rim, where they have nothing, as rendered."""
    rows, columns = np.nonzero(alone.ids == TARGET)
    rays = view.directions(rows, columns)
    inside = True if arcs is None else in_any(arcs, view.eye + alone.depth[rows, columns, None] * rays)
    is_front = front.ids[rows, columns] == TARGET
    shown = np.where(is_front, np.where(inside, SEEN, OUTSIDE), OBSCURED).astype(np.uint8)
    for mask in observation.masks:
        across, down, depth = mask.view.project(view.eye + rays)
        met = (depth > 0.0) & (across >= 0.0) & (across < mask.view.width) & (down >= 0.0) & (down < mask.view.height)
        counted = mask.kinds[down[met].astype(np.intp), across[met].astype(np.intp)]
        shown[met] = np.where(counted == NOTHING, shown[met], counted)
    kinds = np.full(alone.ids.shape, NOTHING, np.uint8)
    kinds[rows, columns] = shown
    return kinds


def _only_before(layer: Layer, front: Layer) -> None:
    """Takes out of a layer what lies behind the front."""
    _cleared(layer, layer.depth >= front.depth)


def _enter_ignored(ignored: Layer, front: Layer, kinds: NDArray[np.uint8], ghosts: Layer) -> None:
    """Draws what others have of parts that do not block: like anything else, but as a ghost where it would hide what
    is seen of the target; then all of it."""
    nearer = ignored.depth < front.depth
    over = np.unique(ignored.ids[nearer & ((kinds == SEEN) | (kinds == OUTSIDE))])
    ghostly = np.isin(ignored.ids, over)
    for where, layer in ((nearer & ghostly & (ignored.depth < ghosts.depth), ghosts), (nearer & ~ghostly, front)):
        layer.ids[where] = ignored.ids[where]
        layer.depth[where] = ignored.depth[where]
    _only_before(ghosts, front)


def _with_table(view: View, scene: TableScene, front: Layer) -> NDArray[np.float32]:
    """The depth of what is in front, or of the table top where that is nothing."""
    level = min(0.0, *(float(piece.pose.place(piece.model.mesh.bounds)[:, 2].min()) for piece in scene.pieces))
    across, upward = plane(view)
    right, up, forward = view.axes[:, 2].astype(np.float32)
    falling = -(across * right + upward * up + forward)
    drop = np.float32(view.eye[2] - level)
    depth = front.depth.copy()
    met = (front.ids == 0) & (falling * np.float32(FAR) > drop) & (drop > 0.0)
    depth[met] = drop / falling[met]
    return depth


def _inside(view: View, depth: NDArray[np.float32], arcs: Sequence[VisionArc] | None) -> Flags:
    """Which pixels show something in a vision arc; the sky by its direction."""
    if arcs is None:
        return np.ones(depth.shape, np.bool_)
    far = np.where(np.isfinite(depth), depth, np.float32(FAR))
    corner_rows, corner_columns = np.array([[0, 0, view.height, view.height], [0, view.width, 0, view.width]]) - 0.5
    rays = view.directions(corner_rows, corner_columns)
    around = np.concatenate([view.eye + far.min() * rays, view.eye + far.max() * rays])
    if any(arc.contains(around).all() for arc in arcs):
        return np.ones(depth.shape, np.bool_)
    across, upward = plane(view)
    inside = np.empty(depth.shape, np.bool_)
    for start in range(0, view.height, STRIP):
        rows = slice(start, start + STRIP)
        points = [far[rows] * (across * right + upward[rows] * up + forward) for right, up, forward in view.axes.T[:2]]
        inside[rows] = in_any(arcs, np.stack(points, axis=2).reshape(-1, 2) + view.eye[:2]).reshape(inside[rows].shape)
    return inside


def _cleared(layer: Layer, where: Flags) -> None:
    layer.ids[where] = 0
    layer.depth[where] = np.inf
