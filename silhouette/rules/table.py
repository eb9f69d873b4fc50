"""JUDGE: the parts that rule systems for models on a table share: meshes, tolerance, and the table of pieces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from silhouette.measure.observation import Sight
from silhouette.meshes.bounds import faces_near
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import BASE, INSIGNIFICANT
from silhouette.relations.triangles import nearest_of_triangles
from silhouette.renderers.protocol import NEAREST
from silhouette.rules.base import Pieces
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece, TableScene
from silhouette.text import coordinates

OfTable = TypeVar("OfTable", bound=TableScene)
Given = TypeVar("Given")

ASIDE = 1e-3
"""mm by which an eye on a surface is moved to either side of it: clear of what it only touches (`NEAREST`)."""

CAPTION = (
    "Everything on the table, where it stands, and what its mesh is. A hash names a surface: with "
    "the same hash it is the same mesh, triangle by triangle."
)


def in_like_groups(
    questions: Sequence[tuple[OfTable, Check]],
    asked: Callable[[OfTable], Hashable],
    judge: Callable[[Sequence[tuple[OfTable, Check]]], Sequence[Given]],
) -> list[Given]:
    """What ``judge`` gives for questions, in their order, where it takes only those whose scenes ask for the same.

    Args:
        questions: each a check and its scene.
        asked: what a scene asks of all its measurements, such as their error.
        judge: gives an answer to each question; its scenes ask for the same.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, (scene, _) in enumerate(questions):
        groups.setdefault(asked(scene), []).append(number)
    given: dict[int, Given] = {}
    for numbers in groups.values():
        given |= zip(numbers, judge([questions[number] for number in numbers]), strict=True)
    return [given[number] for number in range(len(questions))]


def sights_beside_surfaces(sight: Sight) -> tuple[tuple[str, ...], list[Sight]]:
    """What an eye sees that lies on a surface, where nobody can tell on which side of it; nothing for any other eye.

    On a surface is within `NEAREST` of a piece that may block, by which numbers in files and renderers are off.

    Returns:
        The names of the pieces; and for each the sight from a hair outside its surface, that from a hair inside it, and
        the sight without it.
    """
    low, high = sight.occluders.boxes.min(axis=1) - NEAREST, sight.occluders.boxes.max(axis=1) + NEAREST
    near = np.flatnonzero(((sight.eye >= low) & (sight.eye <= high)).all(axis=1))
    names, others = list[str](), list[Sight]()
    for number in near.tolist():
        piece, mesh = sight.occluders.pieces[number], sight.occluders.meshes[number]
        if number in sight.absent:
            continue
        eye = piece.pose.localise(sight.eye[None])
        corners = mesh.vertices[mesh.faces[faces_near(mesh, eye[0], NEAREST)]]
        eyes = np.repeat(eye, len(corners), axis=0)
        distance, _ = nearest_of_triangles(eyes, eyes, corners)
        on = corners[distance <= NEAREST]
        if not len(on):
            continue
        across = np.cross(on[:, 1] - on[:, 0], on[:, 2] - on[:, 0])
        across = across[np.abs(across).any(axis=1)]
        outward = np.zeros(3)
        for normal in across / np.linalg.norm(across, axis=1, keepdims=True):
            if abs(normal @ outward) < 0.5:  # each side of an edge once, and of a sheet with two faces one
                outward = outward + normal
        length = np.linalg.norm(outward)
        way = piece.pose.rotation @ (outward / length if length else outward) * ASIDE
        names.append(piece.name)
        others += [replace(sight, eye=sight.eye + way), replace(sight, eye=sight.eye - way)]
        others.append(replace(sight, absent=(*sight.absent, number)))
    return tuple(names), others


def table_meshes(scene: TableScene) -> dict[str, Mesh]:
    """The significant parts of every piece, by the name of the piece."""
    return {piece.name: piece.model.significant for piece in scene.pieces}


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
