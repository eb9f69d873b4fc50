"""JUDGE: games with models on a table: how these move, and how they are described."""

from __future__ import annotations

from collections.abc import Mapping

from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.models.model import BASE, INSIGNIFICANT
from silhouette.rules.abilities import (
    HasDescription,
    HasMaps,
    HasMeshes,
    HasOdds,
    Movers,
)
from silhouette.rules.base import OfVerdict, Pieces, Rule
from silhouette.rules.table import OfTable
from silhouette.scenes.motion import Mobility
from silhouette.scenes.places import Move, TablePlaces, moved, without
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece
from silhouette.text import coordinates

CAPTION = (
    "Everything on the table, where it stands, and what its mesh is. A hash names a surface: with "
    "the same hash it is the same mesh, triangle by triangle."
)


class OnTable(
    Rule[OfTable, OfVerdict],
    HasMeshes[OfTable],
    HasOdds[OfTable],
    HasMaps[OfTable],
    HasDescription[OfTable],
):
    """A game with models on a table: how they move, and how they are described."""

    reads = ("terrain", "fighter", "vehicle", "check")
    mobility = Mobility(walkers=("fighter", "vehicle"), turns=True)
    kind_of_lookers = "fighters or vehicles"

    def lookers(self, scene: OfTable) -> list[str]:
        """The names of all models."""
        return scene.models

    def refuse(self, scene: OfTable, attacker: str, target: str | None, arc: ArcName | None) -> None:
        """Refuses an arc in a game without arcs, and what is no model."""
        super().refuse(scene, attacker, target, arc)
        for name in filter(None, (attacker, target)):
            scene.model(name)

    def places(self, scene: OfTable, name: str) -> TablePlaces:
        """Where a model could stand.

        Raises:
            RequestError: if nothing has the name, or terrain has it.
        """
        return TablePlaces(scene, scene.model(name), moved)

    def meshes(self, scene: OfTable) -> dict[str, Mesh]:
        """The significant parts of every piece, by the name of the piece."""
        return {piece.name: piece.model.significant for piece in scene.pieces}

    def moved(self, scene: OfTable, moves: Mapping[str, Move]) -> OfTable:
        """The scene with pieces moved; base contact and vision arcs follow."""
        return moved(scene, moves)

    def without(self, scene: OfTable, name: str) -> OfTable:
        """The scene without a piece."""
        return without(scene, name)

    def movers(self, scene: OfTable, check: Check) -> Movers:
        """Both models can move; the attacker can turn if it is known where it faces."""
        is_turning = scene.piece(check.attacker).facing is not None
        others = tuple(piece.name for piece in scene.pieces if piece.name not in (check.attacker, check.target))
        return Movers(True, True, is_turning, others)

    def middle(self, scene: OfTable, name: str) -> Floats:
        """(2,) mm: the centre of a piece's base, or of its footprint."""
        return scene.piece(name).base_centre

    def basis(self, scene: OfTable) -> list[tuple[str, str]]:
        """The distance from a threshold within which a verdict is too close to call."""
        return [("tolerance", f"{100 * scene.tolerance:g} % on either side of a threshold is too close to call")]

    def pieces(self, scene: OfTable) -> Pieces:
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
