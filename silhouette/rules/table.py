"""JUDGE: what rule systems share that judge models on a table: what their verdicts rest on, piece by piece."""

from __future__ import annotations

from silhouette.meshes.mesh import Mesh
from silhouette.models.model import BASE, INSIGNIFICANT
from silhouette.rules.base import Pieces
from silhouette.scenes.table import Piece, TableScene
from silhouette.text import coordinates

CAPTION = (
    "Everything on the table, where it stands, and what its mesh is. A hash names a surface: with "
    "the same hash it is the same mesh, triangle by triangle."
)


def table_meshes(scene: TableScene) -> dict[str, Mesh]:
    """The significant parts of every piece, by the name of the piece."""
    return {piece.name: piece.model.significant for piece in scene.pieces}


def table_basis(scene: TableScene) -> list[tuple[str, str]]:
    """How near to a threshold a verdict is too close to call."""
    return [("tolerance", f"{100 * scene.tolerance:g} % on either side of a threshold is too close to call")]


def table_pieces(scene: TableScene) -> Pieces:
    """Every piece: where it stands, where it looks from, and what its mesh is."""
    headings = ("name", "kind", "stands at", "eye", "mesh", "counts", "hash")
    rows = [(*_place_of(piece), *_mesh_of(piece)) for piece in scene.pieces]
    return Pieces(headings, rows, CAPTION, frozenset({"hash"}))


def _place_of(piece: Piece) -> tuple[str, str, str, str]:
    eye = "" if piece.kind == "terrain" else f"{coordinates(piece.eye)}, {piece.eye_from}"
    turned = f"{coordinates(piece.pose.translation)}, facing {piece.facing % 360.0:g}°"
    kind = f"{piece.kind} of {piece.gang}" if piece.gang else piece.kind
    return piece.name, kind, turned, eye


def _mesh_of(piece: Piece) -> tuple[str, str, str]:
    model = piece.model
    counts = [f"{len(model.mesh.faces):,} triangles".replace(",", " ")]
    if model.kind != "terrain":
        for role, faces in (("base", model.role == BASE), ("insignificant", model.role == INSIGNIFICANT)):
            if faces.any():
                counts.append(f"{role} {int(faces.sum()):,}".replace(",", " "))
    source = "solids of the scene" if model.format == "parts" else f"{model.source} ({model.format}, {model.units})"
    return source, ", ".join(counts), model.mesh.digest
