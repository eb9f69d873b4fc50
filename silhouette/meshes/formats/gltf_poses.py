"""glTF: what moves the vertices of a mesh: shape keys (morph targets) that are on, and skeletons (skins) in their pose.

Sources: glTF 2.0, 3.7.2.2 (morph targets: a vertex and the sum of its weighted offsets) and 3.7.3 (skins: over the
joints of a vertex, the sum of weight times the joint's global transform times its inverse bind matrix; the transform of
the node itself is ignored).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import Refused
from silhouette.meshes.formats.gltf_accessors import Numbers
from silhouette.meshes.formats.gltf_nodes import Node, is_usable
from silhouette.meshes.formats.gltf_tree import Tree

AS_BOUND = 1e-4
"""How far a skeleton may put the vertices of a mesh apart that it carries as it was bound, in sizes of the mesh."""

_CHUNK = 1 << 17


def weights_of(told: Tree, mesh: Tree) -> list[float]:
    """How far each shape key of a mesh is on: as its node says, or else as the mesh itself says.

    Raises:
        Refused: if they are no numbers.

    >>> weights_of({"weights": [0, 1]}, {"weights": [1, 1]}), weights_of({}, {})
    ([0.0, 1.0], [])
    """
    weights = told.get("weights") or mesh.get("weights") or []
    if not isinstance(weights, list) or not all(
        isinstance(weight, int | float) and not isinstance(weight, bool) and math.isfinite(weight) for weight in weights
    ):
        raise Refused("is malformed: how far its shape keys are on (weights) is no list of numbers")
    return [float(weight) for weight in weights]


def morphed(points: Numbers, targets: Sequence[Numbers | None], weights: Sequence[float]) -> Numbers:
    """Points (n, 3) moved by the offsets (n, 3) of shape keys, each as far as its weight says.

    Raises:
        Refused: if more shape keys are on than there are.

    >>> morphed(np.zeros((1, 3)), [np.ones((1, 3)), None], [0.5, 1.0]).tolist()
    [[0.5, 0.5, 0.5]]
    """
    if targets and any(weights[len(targets) :]):
        raise Refused(f"is malformed: its weights are for {len(weights)} shape keys, and it has {len(targets)}")
    for offsets, weight in zip(targets, weights, strict=False):
        if offsets is not None and weight:
            points = points + weight * np.asarray(offsets, dtype=np.float64)
    return points


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a skeleton puts what its joints carry.

    Attributes:
        matrices: (j, 4, 4) from the frame of the mesh to that of the scene, for each joint.
    """

    matrices: Floats

    def applied(
        self, points: Sequence[Numbers], moving: Sequence[tuple[Numbers, Numbers] | None], node: Node
    ) -> tuple[Floats, list[Numbers], str]:
        """The points of primitives in this pose, in a frame that moves with the skeleton.

        Args:
            points: (n, 3) of each primitive.
            moving: for each the joints (n, k) that its points follow, and how much (n, k); None if it follows none.
            node: with the mesh; what follows no joint stands where it does.

        Returns:
            The matrix (4, 4) of that frame to the scene's, the points (n, 3) in it, and a sentence if some follow no
            joint.

        Raises:
            Refused: if a point follows a joint that is not there.
        """
        frame = next((matrix for matrix in self.matrices if is_usable(matrix)), np.eye(4))
        relative = np.linalg.solve(frame, self.matrices)
        stay = None if node.world is None else np.linalg.solve(frame, node.world)
        posed, loose = [], 0
        for rows, follows in zip(points, moving, strict=True):
            if follows is None:
                if stay is None:
                    raise Refused(f"is malformed: {node.called} {node.wrong}")
                posed.append(rows @ stay[:3, :3].T + stay[:3, 3])
                loose += len(rows)
                continue
            joints, shares, without = _shares(*follows, len(self.matrices))
            posed.append(_skinned(rows, joints, shares, relative))
            loose += without
        sentence = f"{loose} vertices of {node.called!r} follow no joint of its skeleton" if loose else ""
        size = max((float(np.ptp(rows, axis=0).max()) for rows in points if len(rows)), default=0.0)
        if all(np.abs(new - old).max(initial=0.0) <= AS_BOUND * size for new, old in zip(posed, points, strict=True)):
            posed = list(points)
            if node.world is not None and _near(frame, node.world, points, AS_BOUND * size):
                frame = node.world
        return frame, posed, sentence


def pose_of(skin: Tree, bound: Floats | None, nodes: Mapping[int, Node]) -> Pose:
    """The pose of a skeleton.

    Args:
        skin: its JSON.
        bound: (j, 4, 4) from the frame of the mesh to that of each joint, as it was bound; None if they are the same.
        nodes: of the default scene.

    Raises:
        Refused: if it has no joints, or one of them has no place.
    """
    joints = skin.get("joints")
    if not isinstance(joints, list) or not joints:
        raise Refused("has a skeleton that cannot be used: it has no joints")
    if bound is not None and len(bound) < len(joints):
        raise Refused(f"has a skeleton that cannot be used: of {len(joints)} joints {len(bound)} have a matrix")
    matrices = []
    for number, joint in enumerate(joints):
        node = nodes.get(joint) if type(joint) is int else None
        if node is None or node.world is None:
            raise Refused("has a skeleton that cannot be used: a joint is not in the scene, or has no place")
        with np.errstate(all="ignore"):
            matrices.append(node.world if bound is None else node.world @ np.asarray(bound[number], dtype=np.float64))
    if not np.isfinite(matrices).all():
        raise Refused("has a skeleton that cannot be used: its matrices are no numbers")
    return Pose(np.array(matrices))


def _shares(joints: Numbers, weights: Numbers, count: int) -> tuple[Numbers, Floats, int]:
    """The joints (n, k) of points, the share (n, k) of each, which together are 1, and how many points follow none.

    Those follow the first joint that is named for them.
    """
    shares = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(shares).all() or (shares < 0.0).any():
        raise Refused("is malformed: how much its vertices follow joints is no number, or below 0")
    numbers = np.asarray(joints).astype(np.int64)
    total = shares.sum(axis=1, keepdims=True)
    without = total[:, 0] == 0.0
    if without.any():
        shares = shares.copy()
        shares[without, 0] = 1.0
        total = shares.sum(axis=1, keepdims=True)
    numbers = np.where(shares > 0.0, numbers, 0)
    if len(numbers) and int(numbers.max()) >= count:
        raise Refused(f"is malformed: a vertex follows joint {int(numbers.max())} of {count} (counted from 0)")
    return numbers, shares / total, int(np.count_nonzero(without))


def _skinned(points: Numbers, joints: Numbers, shares: Floats, matrices: Floats) -> Floats:
    """Points (n, 3), each moved by the matrices (j, 4, 4) of its joints (n, k) in their shares (n, k)."""
    moved = np.zeros((len(points), 3))
    for start in range(0, len(points), _CHUNK):
        some = slice(start, start + _CHUNK)
        rows = np.asarray(points[some], dtype=np.float64)
        for column in range(joints.shape[1]):
            share = shares[some, column]
            if not share.any():
                continue
            matrix = matrices[joints[some, column]]
            placed = np.einsum("nij,nj->ni", matrix[:, :3, :3], rows) + matrix[:, :3, 3]
            moved[some] += share[:, None] * placed
    return moved


def _near(one: Floats, other: Floats, points: Sequence[Numbers], most: float) -> bool:
    """Whether two matrices (4, 4) put the corners of the box round points in the same places, but for ``most``."""
    low = np.min([rows.min(axis=0) for rows in points if len(rows)], axis=0)
    high = np.max([rows.max(axis=0) for rows in points if len(rows)], axis=0)
    box = np.array([[*np.where(np.array(corner), high, low), 1.0] for corner in np.ndindex(2, 2, 2)])
    return bool(np.abs((box @ (one - other).T)[:, :3]).max() <= most * float(np.abs(other[:3, :3]).max()))
