"""DRAW: what the attacker's eye sees, as images of numbers: what is in front, and what of the target is seen.

pieces -> those that block, the target, ghosts -> a window wider than the target -> layers -> kinds of pixel
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing.shading import plane
from silhouette.drawing.table.windows import STRIP, rendered, swept
from silhouette.geometry import Flags
from silhouette.measure.observe import arcs_of
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.rules.necromunda.judge import Readings, is_friend_in_contact
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece, TableScene
from silhouette.views import View, VisionArc, fit_view, in_any

NOTHING, SEEN, OBSCURED, OUTSIDE = 0, 1, 2, 3
"""Kinds of pixel: not the target; target seen; something before it; seen, but beyond the vision arc."""

Kinds = NDArray[np.uint8]

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
        arcs: the vision arcs looked from.
        front: what is in front, ghosts left out; ids as told at FIRST_PIECE.
        depth: float32, of what is in front or of the table top, on which the lowest piece stands; inf in the sky.
        inside: bool, whether what is met lies in a vision arc; the sky by its direction.
        target: the target's significant parts alone.
        kinds: uint8, what of the target each pixel is: NOTHING, SEEN, OBSCURED or OUTSIDE.
        ghosts: parts that neither count nor block, where they stand before what does: the target's own everywhere,
            those of others before the target.
        friends: fighters in base contact, disregarded, where nothing stands before them.
    """

    view: View
    surrounds: bool
    arcs: Sequence[VisionArc]
    front: Layer
    depth: NDArray[np.float32]
    inside: Flags
    target: Layer
    kinds: Kinds
    ghosts: Layer
    friends: Layer

    @property
    def obscured_share(self) -> float:
        """The share of the target's pixels before which something is: the verdict's, in this picture."""
        total = np.count_nonzero(self.kinds)
        return np.count_nonzero(self.kinds == OBSCURED) / total if total else 0.0


@dataclass(frozen=True, eq=False)
class Looking:
    """Who looks at whom, and past what.

    Attributes:
        attacker: looks, from its eye.
        target: its significant parts are looked at.
        solid: what blocks, each piece with what of it does.
        ignored: the pieces of which the rest does not count and does not block, each with that.
        friends: pieces that are disregarded.
        arcs: the vision arcs looked from.
    """

    attacker: Piece
    target: Piece
    solid: Sequence[tuple[Piece, Mesh]]
    ignored: Sequence[tuple[Piece, Mesh]]
    friends: Sequence[Piece]
    arcs: Sequence[VisionArc]


def looking(scene: TableScene, check: Check) -> Looking:
    """What a check of Necromunda looks past, and from which arcs: as silhouette.rules.necromunda.judge says."""
    attacker, target = scene.piece(check.attacker).looking(check.arc), scene.piece(check.target)
    whole = Readings.model_validate(scene.readings).ignored_parts_block
    others = [piece for piece in scene.pieces if piece.name not in (attacker.name, target.name)]
    friends = [piece for piece in others if is_friend_in_contact(scene, attacker, piece)]
    solid = [piece for piece in others if piece not in friends]
    return Looking(
        attacker=attacker,
        target=target,
        solid=[(piece, piece.model.mesh if whole else piece.model.significant) for piece in solid],
        ignored=[] if whole else [(piece, piece.model.ignored) for piece in solid],
        friends=friends,
        arcs=arcs_of(attacker, check.arc),
    )


def eye_image(scene: TableScene, check: Check, renderer: Renderer, width: int, height: int) -> EyeImage:
    """Renders what the attacker of a check of Necromunda sees, in a window of so many pixels."""
    return image_of(scene, looking(scene, check), renderer, width, height)


def image_of(scene: TableScene, sight: Looking, renderer: Renderer, width: int, height: int) -> EyeImage:
    """Renders what is seen in a look, in a window of so many pixels."""
    target = sight.target
    view, surrounds = _window(sight.attacker, target, width, height)
    number = {piece.name: index for index, piece in enumerate(scene.pieces, FIRST_PIECE)}

    def bodies(parts: Sequence[tuple[Piece, Mesh]]) -> list[Body]:
        return [Body(number[piece.name], mesh, piece.pose) for piece, mesh in parts if len(mesh.faces)]

    itself = Body(TARGET, target.model.significant, target.pose)
    alone = rendered(renderer, view, [itself])
    front = swept(renderer, view, [itself, *bodies(sight.solid)])
    kinds = _kinds(view, alone, front, sight.arcs)
    ghosts = rendered(renderer, view, bodies([(target, target.model.ignored)]))
    _only_before(ghosts, front)
    _enter_ignored(rendered(renderer, view, bodies(sight.ignored)), front, kinds, ghosts)
    shown_friends = rendered(renderer, view, bodies([(piece, piece.model.mesh) for piece in sight.friends]))
    _only_before(shown_friends, front)
    depth = _with_table(view, scene, front)
    inside = _inside(view, depth, sight.arcs)
    return EyeImage(view, surrounds, sight.arcs, front, depth, inside, alone, kinds, ghosts, shown_friends)


def _window(attacker: Piece, target: Piece, width: int, height: int) -> tuple[View, bool]:
    """An upright window round the target, looking where the verdict looked; the way ahead where that is all round."""
    mesh = target.model.significant
    points = target.pose.place(mesh.vertices[np.unique(mesh.faces)])
    aim = target.body_box.mean(axis=0)
    views = fit_view(attacker.eye, aim, points, 1.0, roll=0.0, facing=attacker.facing)
    view = views[0]
    if len(views) > 1:
        step = 2.0 / width
        return replace(view, left=-1.0, top=height * step / 2, step=step, width=width, height=height), True
    across, upward, depth = ((points - attacker.eye) @ view.axes.T).T
    across, upward = across / depth, upward / depth
    needed = max(np.ptp(across) / width, np.ptp(upward) / height)
    wanted = max(np.ptp(upward) / (SHARE_OF_HEIGHT * height), np.ptp(across) / (SHARE_OF_WIDTH * width))
    step = float(max(min(wanted, 2 * WIDEST_WINDOW / width), 1.1 * needed))
    left = float(across.min() + across.max()) / 2 - width * step / 2
    top = float(upward.min() + upward.max()) / 2 + height * step / 2
    return replace(view, left=left, top=top, step=step, width=width, height=height), False


def _kinds(view: View, alone: Layer, front: Layer, arcs: Sequence[VisionArc]) -> Kinds:
    there = alone.ids == TARGET
    kinds = np.where(there, OBSCURED, NOTHING).astype(np.uint8)
    rows, columns = np.nonzero(there & (front.ids == TARGET))
    points = view.eye + alone.depth[rows, columns, None] * view.directions(rows, columns)
    kinds[rows, columns] = np.where(in_any(arcs, points), SEEN, OUTSIDE)
    return kinds


def _only_before(layer: Layer, front: Layer) -> None:
    """Takes out of a layer what lies behind the front."""
    _cleared(layer, layer.depth >= front.depth)


def _enter_ignored(ignored: Layer, front: Layer, kinds: Kinds, ghosts: Layer) -> None:
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


def _inside(view: View, depth: NDArray[np.float32], arcs: Sequence[VisionArc]) -> Flags:
    """Which pixels show something in a vision arc; the sky by its direction."""
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
