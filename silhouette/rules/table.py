"""JUDGE: the parts that rule systems for models on a table share: meshes, tolerance, and the table of pieces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from silhouette.geometry import Floats
from silhouette.measure.observation import Observation
from silhouette.meshes.bounds import faces_near
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import BASE, INSIGNIFICANT
from silhouette.relations.triangles import nearest_of_triangles
from silhouette.renderers.protocol import NEAREST
from silhouette.rules.base import Pieces
from silhouette.scenes.places import Elsewhere, Move, elsewhere_of
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Occluders, Piece, TableScene
from silhouette.text import coordinates, in_a_sentence

OfTable = TypeVar("OfTable", bound=TableScene)
Given = TypeVar("Given")

ASIDE = 1e-3
"""mm by which an eye on a surface is moved to either side of it: clear of what it only touches (`NEAREST`)."""

CAPTION = (
    "Everything on the table, where it stands, and what its mesh is. A hash names a surface: with "
    "the same hash it is the same mesh, triangle by triangle."
)


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


def table_meshes(scene: TableScene) -> dict[str, Mesh]:
    """The significant parts of every piece, by the name of the piece."""
    return {piece.name: piece.model.significant for piece in scene.pieces}


def windows_seen_through(observation: Observation) -> list[str]:
    """A warning for each piece with ``solid = true`` through whose outline the target is seen all the same."""
    return [
        f"{piece.name}: one sees {observation.sight.target.name} through a window of its mesh, or a gap between its "
        'parts; solid = true closes holes alone: say solid = "filled" if nothing is seen through it'
        for piece in observation.looked_through
    ]


def table_basis(scene: TableScene) -> list[tuple[str, str]]:
    """The distance from a threshold within which a verdict is too close to call, as a name and words."""
    return [("tolerance", f"{100 * scene.tolerance:g} % on either side of a threshold is too close to call")]


def table_pieces(scene: TableScene) -> Pieces:
    """The pieces as a table: place, facing and eye of each, and the source, triangles and hash of its mesh."""
    headings = ("name", "kind", "stands at", "eye", "mesh", "counts", "hash")
    rows = [(*_place_of(piece), *_mesh_of(piece)) for piece in scene.pieces]
    return Pieces(headings, rows, CAPTION, frozenset({"hash"}))


def _place_of(piece: Piece) -> tuple[str, str, str, str]:
    """Name, kind, place with facing, and eye of a piece, in words; terrain has no eye."""
    eye = "" if piece.kind == "terrain" else f"{coordinates(piece.eye)}, {piece.eye_from}"
    facing = "unknown" if piece.facing is None else f"{piece.facing % 360.0:g}°"
    turned = f"{coordinates(piece.pose.translation)}, facing {facing}"
    kind = f"{piece.kind} of {piece.gang}" if piece.gang else piece.kind
    return piece.name, kind, turned, eye


def _mesh_of(piece: Piece) -> tuple[str, str, str]:
    """Source, numbers of triangles and hash of a piece's mesh, in words."""
    model = piece.model
    counts = [f"{len(model.mesh.faces):,} triangles".replace(",", " ")]
    if model.kind != "terrain":
        for role, faces in (("base", model.role == BASE), ("insignificant", model.role == INSIGNIFICANT)):
            if faces.any():
                counts.append(f"{role} {int(faces.sum()):,}".replace(",", " "))
    made = {"parts": "solids of the scene", "figure": "a stand-in"}
    source = made.get(model.format) or f"{model.source} ({model.format}, {model.units})"
    return source, ", ".join(counts), model.mesh.digest
