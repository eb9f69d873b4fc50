"""JUDGE: what rule systems for models on a table share: where else attackers may stand, and windows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from silhouette.geometry import Floats
from silhouette.measure.observation import Observation
from silhouette.meshes.bounds import faces_near
from silhouette.meshes.mesh import Mesh
from silhouette.relations.obstacles import nearest_of_triangles
from silhouette.renderers.protocol import NEAREST
from silhouette.scenes.places import Elsewhere, Move, elsewhere_of
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Occluders, Piece, TableScene
from silhouette.text import in_a_sentence

OfTable = TypeVar("OfTable", bound=TableScene)


Given = TypeVar("Given")


ASIDE = 1e-3
"""mm by which an eye on a surface is moved to either side of it: clear of what it only touches (`NEAREST`)."""


def in_like_groups(
    requests: Sequence[tuple[OfTable, Check]],
    asked: Callable[[OfTable], Hashable],
    judge: Callable[[Sequence[tuple[OfTable, Check]]], Sequence[Given]],
) -> list[Given]:
    """What ``judge`` gives for requests, in their order, where it takes only those whose scenes ask for the same.

    Args:
        requests: each a check and its scene.
        asked: what a scene asks of all its measurements, such as their error.
        judge: gives an answer to each question; its scenes ask for the same.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, (scene, _) in enumerate(requests):
        groups.setdefault(asked(scene), []).append(number)
    given: dict[int, Given] = {}
    for numbers in groups.values():
        given |= zip(numbers, judge([requests[number] for number in numbers]), strict=True)
    return [given[number] for number in range(len(requests))]


def places_of_attacker(attacker: Piece, occluders: Occluders) -> list[Elsewhere]:
    """Where else an attacker may stand or look, since nobody can tell: mostly nowhere.

    Beside what `elsewhere_of` says of the piece alone: an eye within `NEAREST` of a surface, by which numbers in files
    and renderers are off, may be a hair to either side of it, or the piece may not be in its way at all.

    Args:
        attacker: with the eye that it looks from.
        occluders: what may block, the attacker itself among it or not.
    """
    eye, boxes = attacker.eye, occluders.boxes
    low, high = boxes.min(axis=1) - NEAREST, boxes.max(axis=1) + NEAREST
    places = list(elsewhere_of(attacker))
    for number in np.flatnonzero(((eye >= low) & (eye <= high)).all(axis=1)).tolist():
        piece, mesh = occluders.pieces[number], occluders.meshes[number]
        if piece.index == attacker.index:
            continue
        outward = _normal_at(mesh, piece.pose.localise(eye[None])[0])
        if outward is not None:
            x, y, z = (attacker.pose.rotation.T @ piece.pose.rotation @ outward * ASIDE).tolist()
            why = f"how the eye of {attacker.name}, which lies on the surface of {in_a_sentence(piece.name)}, is taken"
            places += [Elsewhere(Move(eye=shift), why) for shift in ((x, y, z), (-x, -y, -z))]
            places.append(Elsewhere(Move(), why, piece.name))
    return places


def _normal_at(mesh: Mesh, point: Floats) -> Floats | None:
    """(3,) the unit normal of the surface within `NEAREST` of a point (3,) of its frame; None if there is none."""
    corners = mesh.vertices[mesh.faces[faces_near(mesh, point, NEAREST)]]
    points = np.repeat(point[None], len(corners), axis=0)
    distance, _ = nearest_of_triangles(points, points, corners)
    near = corners[distance <= NEAREST]
    across = np.cross(near[:, 1] - near[:, 0], near[:, 2] - near[:, 0])
    across = across[np.abs(across).any(axis=1)]
    outward = np.zeros(3)
    for normal in across / np.linalg.norm(across, axis=1, keepdims=True):
        if abs(normal @ outward) < 0.5:  # each side of an edge once, and of a sheet with two faces one
            outward = outward + normal
    length = float(np.linalg.norm(outward))
    return outward / length if length else None


def windows_seen_through(observation: Observation) -> list[str]:
    """A warning for each piece with ``solid = true`` through whose outline the target is seen all the same."""
    return [
        f"{piece.name}: one sees {observation.sight.target.name} through a window of its mesh, or a gap between its "
        'parts; solid = true closes holes alone: say solid = "filled" if nothing is seen through it'
        for piece in observation.looked_through
    ]
