"""EXCHANGE: the folder of an imported table: scene.toml and its meshes, of one version at every moment."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
from silhouette.exchange.base_sizes import odd_base
from silhouette.exchange.imported import ImportedPiece, ImportedTable, LeftOut
from silhouette.exchange.names import file_stem
from silhouette.exchange.obj_writing import obj_bytes
from silhouette.exchange.scene_models import Found, SceneModels
from silhouette.exchange.scene_text import scene_text
from silhouette.files.cache import Cache
from silhouette.files.changing import FolderChange, changing_folder, check_folder
from silhouette.files.documents import MOST_OF, document_of
from silhouette.files.reading import LARGEST_FILE, read_file
from silhouette.rules import rule_of
from silhouette.scans.mesh_writing import ply_bytes

SCENE, BEFORE, MESHES = "scene.toml", "scene.before.toml", "meshes"


CLEAR = 2.0
"""mm: what stands higher than this above the table hangs in the air, as the warnings of a scene have it."""


@dataclass(frozen=True, eq=False)
class WrittenPiece:
    """A piece that stands in the scene.

    Attributes:
        piece: as it was imported.
        mesh: the path of its mesh, seen from the folder; None of a stand-in.
        keys: of its table in the scene that say what it looks like.
    """

    piece: ImportedPiece
    mesh: str | None
    keys: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class WrittenTable:
    """What was written.

    Attributes:
        pieces: in the scene.
        left_out: all other objects of the table, those among them whose meshes no scene can use.
        warnings: sentences about sizes of bases.
    """

    pieces: tuple[WrittenPiece, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """The document of the contract: what stands where, and what was left out."""
        return {
            "pieces": [
                {
                    "name": one.piece.name,
                    "kind": one.piece.kind,
                    "at": list(one.piece.at),
                    "turn": one.piece.turn,
                    "facing": one.piece.facing,
                    "mesh": one.mesh,
                    "baked": one.piece.baked,
                }
                for one in self.pieces
            ],
            "left_out": [{"name": one.name, "why": one.why} for one in self.left_out],
            "warnings": list(self.warnings),
        }


def write_table(table: ImportedTable, folder: Path, cache: Cache) -> WrittenTable:
    """Writes the folder of an imported table; other files in it stay, and a scene that is there as scene.before.toml.

    Meshes of earlier scenes stay as well: other scenes may name them. Each mesh is read again as the scene reads it: a
    piece that no scene could use is left out, and not in the scene.

    Args:
        table: what is to be written.
        folder: an earlier one, or a new one.
        cache: of meshes, in which the bases that are found stay.

    Raises:
        FileError: where it cannot be written, or is none to write into (`check_folder`); an earlier scene and all that
            it names are then unchanged.
    """
    check_folder(folder, [table.file])
    with changing_folder(folder, folder / SCENE) as change:
        writer = _Writer(folder, change, cache)
        writer.add(table.pieces)
        lost, keys_of_all = _about(table.keys, {one.piece.name for one in writer.pieces})
        high = () if table.has_its_table else hanging(writer.grounds)
        warnings = (*table.warnings, *lost, *writer.warnings, *high)
        written = WrittenTable(tuple(writer.pieces), (*table.left_out, *writer.left_out), warnings)
        addresses = {name: table.addresses[file] for file, name in writer.copied.items() if file in table.addresses}
        keys = [(one.piece, one.keys) for one in written.pieces]
        text = scene_text(table, keys, addresses, keys_of_all)
        if keys_of_all:
            try:
                document = document_of(folder / SCENE, text)
                rule_of(folder / SCENE, document).load(folder / SCENE, document, cache)
            except FileError as error:
                raise FileError(
                    table.file, f"what it says of the whole scene cannot be used: {error.problem}"
                ) from None
        change.commit(text, before=folder / BEFORE)
    return written


def _about(keys: Mapping[str, Any], names: Collection[str]) -> tuple[list[str], dict[str, Any]]:
    """A sentence for each list from which entries about missing pieces are left out, and the keys without them."""
    kept, warnings = dict(keys), []
    for key in ("check", "base_contact"):
        entries = kept.get(key)
        if isinstance(entries, list):
            there = [entry for entry in entries if _pieces_of(entry) <= set(names)]
            if len(there) < len(entries):
                warnings.append(f"{len(entries) - len(there)} of {key} are left out: their pieces are not there")
                kept[key] = there
    return warnings, kept


def _pieces_of(entry: object) -> set[str]:
    """The names of pieces that a check, or a pair in contact, is about."""
    if isinstance(entry, Mapping):
        entry = [entry.get("attacker"), entry.get("target")]
    return {name for name in entry if isinstance(name, str)} if isinstance(entry, list | tuple) else set()


def hanging(grounds: Sequence[float]) -> list[str]:
    """The warning, in a list, that all models stand higher than the table of a scene, as on a table of the game's own.

    Args:
        grounds: the lowest z of each model, mm.

    >>> hanging([24.6, 100.0])[0][:52], hanging([24.6, 0.0]), hanging([])
    ('every model stands 24.6 mm or more above z = 0, wher', [], [])
    """
    if not grounds or min(grounds) <= CLEAR:
        return []
    height = f"{min(grounds):.1f} mm"
    where = f"every model stands {height} or more above z = 0, where a scene has its table"
    return [f"{where}; the game's own is no object of the file: terrain with a box {height} high would be in its place"]


class _Writer:
    """A folder while its meshes are written."""

    def __init__(self, folder: Path, change: FolderChange, cache: Cache) -> None:
        self.pieces: list[WrittenPiece] = []
        self.left_out: list[LeftOut] = []
        self.warnings: list[str] = []
        self.grounds: list[float] = []
        self.copied: dict[Path, str] = {}
        self._change = change
        self._models = SceneModels(folder / SCENE, cache)
        self._own: dict[tuple[str, ...], str] = {}
        self._of_kind: Counter[str] = Counter()

    def add(self, pieces: Sequence[ImportedPiece]) -> None:
        """Writes the mesh of each piece, if there is none of the same content yet; or leaves it out."""
        todo = deque(pieces)
        while todo:
            # Those for which there is room whatever becomes of the others are looked at together.
            together: list[ImportedPiece] = []
            expected = Counter(self._of_kind)
            while todo and expected[todo[0].kind] < MOST_OF[todo[0].kind]:
                together.append(todo.popleft())
                expected[together[-1].kind] += 1
            self._add(together)
            while todo and self._of_kind[todo[0].kind] >= MOST_OF[todo[0].kind]:
                piece = todo.popleft()
                why = f"a scene has at most {MOST_OF[piece.kind]} of its kind, {piece.kind}"
                self.left_out.append(LeftOut(piece.name, why))

    def _add(self, pieces: Sequence[ImportedPiece]) -> None:
        """Adds pieces for which the scene has room."""
        written = [self._written(piece) for piece in pieces]
        with_mesh = [one for one in written if isinstance(one, WrittenPiece) and one.mesh is not None]
        models = self._models.of([(one.piece.kind, one.keys) for one in with_mesh])
        model_of = dict(zip(with_mesh, models, strict=True))
        for piece, one in zip(pieces, written, strict=True):
            found = one if isinstance(one, FileError) else model_of.get(one)
            if isinstance(found, FileError):
                self.left_out.append(LeftOut(piece.name, f"its mesh cannot be used: {found.problem}"))
            elif isinstance(one, WrittenPiece):
                self._place(one, found if isinstance(found, Found) else None)

    def _place(self, one: WrittenPiece, found: Found | None) -> None:
        """Adds a piece that can stand in the scene, with what was found of its mesh; None of a stand-in."""
        self._of_kind[one.piece.kind] += 1
        self.pieces.append(one)
        if one.piece.kind != "terrain":
            self.grounds.append(one.piece.at[2] + (0.0 if found is None else found.ground))
        warning = odd_base(one.piece.name, None if found is None else found.base)
        if warning:
            self.warnings.append(warning)

    def _written(self, piece: ImportedPiece) -> WrittenPiece | FileError:
        """A piece whose mesh is written, or why its file cannot be read.

        Raises:
            FileError: where the mesh cannot be written, which is no fault of the piece.
        """
        content = b""
        if piece.file is not None and piece.file not in self.copied:
            try:
                content = read_file(piece.file, LARGEST_FILE)
            except FileError as error:
                return error
        name = self._mesh(piece, content)
        keys = {**({} if name is None else {"mesh": name}), **piece.keys, **_kept_where_it_lies(piece)}
        return WrittenPiece(piece, name, keys)

    def _mesh(self, piece: ImportedPiece, content: bytes) -> str | None:
        """The path of a piece's mesh, seen from the folder; None of a stand-in.

        Args:
            piece: that stands on the table.
            content: of its file, where that is not copied yet.
        """
        if piece.file is not None:
            if piece.file not in self.copied:
                self.copied[piece.file] = self._keep(piece.name, piece.file.suffix.lower(), content)
            return self.copied[piece.file]
        if piece.mesh is None:
            return None
        mesh = piece.mesh
        one = len(mesh.part_names) == 1  # PLY is read faster, but has no names for parts
        known = (mesh.digest, *(() if one else (mesh.part.tobytes().hex(), *mesh.part_names)))
        if known not in self._own:
            content = ply_bytes(mesh.vertices, mesh.faces) if one else obj_bytes(mesh)
            self._own[known] = self._keep(piece.name, ".ply" if one else ".obj", content)
        return self._own[known]

    def _keep(self, name: str, ending: str, content: bytes) -> str:
        return self._change.keep(MESHES, file_stem(name), {ending: content})


def _kept_where_it_lies(piece: ImportedPiece) -> dict[str, str]:
    """The key by which a mesh stays where its file has it; a stand-in has none."""
    return {} if piece.file is None and piece.mesh is None else {"origin": "keep"}
