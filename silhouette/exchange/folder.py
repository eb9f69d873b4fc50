"""EXCHANGE: a file of another program -> ImportedTable -> the folder of a scene, of one version at every moment."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from silhouette.common.errors import FileError, RequestError
from silhouette.exchange.gltf import read_gltf
from silhouette.exchange.imported import ImportedPiece, ImportedTable, OmittedObject, file_stem, obj_bytes, side_by_side
from silhouette.exchange.tts import read_save
from silhouette.files.cache import Cache
from silhouette.files.changing import FolderChange, changing_folder, check_folder
from silhouette.files.documents import MAX_ENTRIES, document_of, toml, toml_lines
from silhouette.files.reading import MAX_FILE_BYTES, missing, read_file
from silhouette.files.schema import Location, validated
from silhouette.models.bases import Base
from silhouette.models.entries import Kind, ModelOptions
from silhouette.models.model import model_of_mesh
from silhouette.rules import DEFAULT_GAME, rule_of
from silhouette.scans.meshes import ply_bytes


def read_table(
    path: Path, meshes: Path | None, cache: Cache, *, stand_ins: bool = False, units: str | None = None
) -> ImportedTable:
    """The table of a file from elsewhere: of Tabletop Simulator (.json), or a scene of glTF (.glb, .gltf).

    Args:
        meshes: the folder in which that program keeps meshes.
        stand_ins: whether a fighter without a mesh becomes a stand-in, where the size of its base is known.
        units: of a glTF scene, where they are others than it says: "mm", "cm", "m" or "inch".

    Raises:
        RequestError: where an option is that of another format.
        FileError: where it cannot be read.
    """
    if path.suffix.lower() in (".glb", ".gltf"):
        if meshes is not None or stand_ins:
            option = "--stand-ins" if meshes is None else "--meshes"
            raise RequestError(f"{option} goes with a save of Tabletop Simulator; a glTF scene has its meshes itself")
        return read_gltf(path, units)
    if units is not None:
        raise RequestError("--units goes with a glTF scene; an inch of Tabletop Simulator is an inch")
    if path.suffix.lower() == ".json":
        return read_save(path, meshes, cache, stand_ins=stand_ins)
    if not path.exists():
        raise missing(path)
    raise FileError(
        path, f"'{path.suffix}' is no table that is read; give a save of Tabletop Simulator, .json, or .glb or .gltf"
    )


# ---- sizes of bases

BASE_SIZES_MM = (20.0, 25.0, 27.0, 28.5, 30.0, 32.0, 35.0, 40.0, 50.0, 60.0, 65.0, 70.0, 75.0, 80.0, 90.0, 100.0,
                 105.0, 120.0, 130.0, 160.0, 170.0)  # fmt: skip
"""mm: diameters of round bases that are sold, and the longer sides and axes of others."""

BASE_TOLERANCE = 0.015  # the share of its size by which a base may be off: lips and bevels of casts and scans


def odd_base(name: str, base: Base | None) -> str | None:
    """A warning where a base has no size that exists, with the nearest and the factor to it; else None.

    >>> odd_base("Kal", Base("auto", 3.0, 31.8, (0.0, 0.0))) is None
    True
    >>> odd_base("Kal", Base("auto", 3.0, 36.0, (0.0, 0.0)))
    'Kal: its base is 36.0 mm across, and the nearest that exists 35 mm: at 0.972 of its scale it would be that'
    """
    if base is None or base.source not in ("auto", "part"):
        return None
    nearest = min(BASE_SIZES_MM, key=lambda size: abs(size - base.diameter))
    if abs(base.diameter - nearest) <= BASE_TOLERANCE * nearest:
        return None
    factor = nearest / base.diameter
    what = f"its base is {base.diameter:.1f} mm across, and the nearest that exists {nearest:g} mm"
    return f"{name}: {what}: at {factor:.3f} of its scale it would be that"


# ---- the models of the meshes


@dataclass(frozen=True)
class ModelFacts:
    """What is wanted of a model: no more, since it comes from another process; ``ground`` is its lowest z, mm."""

    base: Base | None
    ground: float


Keys = tuple[Kind, Mapping[str, Any]]
"""The kind of a piece, and the keys of its table in the scene that say what it looks like, ``mesh`` among them."""


class SceneModels:
    """The models of a scene, each made once; its file, from which meshes are named, need not be there yet."""

    def __init__(self, scene: Path, cache: Cache) -> None:
        self._scene = scene
        self._cache = cache
        self._facts: dict[tuple[Any, ...], ModelFacts | FileError] = {}

    def of(self, pieces: Sequence[Keys]) -> list[ModelFacts | FileError]:
        """What is found of the model of each piece, or why there could be none."""
        looks = [(kind, *sorted((key, repr(value)) for key, value in keys.items())) for kind, keys in pieces]
        new = {name: piece for name, piece in zip(looks, pieces, strict=True) if name not in self._facts}
        files = {keys["mesh"] for _, keys in new.values()}
        together = sum((self._scene.parent / file).stat().st_size for file in files)
        looked_at = side_by_side(partial(_looked_at, self._scene, self._cache), list(new.values()), together)
        self._facts |= zip(new, looked_at, strict=True)
        return [self._facts[name] for name in looks]


def _looked_at(scene: Path, cache: Cache, piece: Keys) -> ModelFacts | FileError:
    kind, keys = piece
    place = Location(scene, "")
    try:
        of_model = {key: value for key, value in keys.items() if key in ModelOptions.model_fields}
        model = model_of_mesh(validated(ModelOptions, of_model, place), place, cache, kind)
    except FileError as error:
        return error
    return ModelFacts(model.base, float(model.mesh.bounds[0, 2]))


# ---- the text of scene.toml

_TABLE_ARRAY_KEYS = ("check", "question")  # the keys of a scene whose entries are written as tables of their own


def scene_text(
    table: ImportedTable,
    pieces: Iterable[tuple[ImportedPiece, Mapping[str, Any]]],
    addresses: Mapping[str, str],
    keys_of_all: Mapping[str, Any],
) -> str:
    """The scene of an imported table, with the pieces that stand in it, each with the keys that say what it looks like.

    ``addresses``: where the other program has a mesh from, by its path in the scene: `export` gives it back.
    ``keys_of_all`` are those of the scene itself.
    """
    order = sorted(pieces, key=lambda pair: pair[0].kind != "terrain")
    names = [piece.name for piece, _ in order if piece.kind != "terrain"][:2]
    blocks = [_head(table, keys_of_all), _source(table, addresses, keys_of_all)]
    for piece, keys in order:
        gang = {} if piece.gang is None else {"gang": piece.gang}
        facing = {} if piece.facing is None else {"facing": piece.facing}
        entry = {"name": piece.name, **gang, **keys, "at": piece.at, "turn": piece.turn, **facing}
        blocks.append([f"[[{piece.kind}]]", *toml_lines(entry)])
    blocks += [[f"[[{key}]]", *toml_lines(entry)] for key in _TABLE_ARRAY_KEYS for entry in keys_of_all.get(key, ())]
    if len(names) == 2 and not keys_of_all.get("check"):
        comment = "# Who looks at whom; silhouette matrix judges everyone against everyone without."
        pair = toml_lines(dict(zip(("attacker", "target"), names, strict=True)))
        blocks.append([comment, "# [[check]]", *(f"# {line}" for line in pair)])
    return "\n\n".join(map("\n".join, blocks)) + "\n"


def _head(table: ImportedTable, keys_of_all: Mapping[str, Any]) -> list[str]:
    others = {key: value for key, value in keys_of_all.items() if key not in ("rules", "source", *_TABLE_ARRAY_KEYS)}
    return [
        f"# Made from a table of {table.program}. Lengths are mm, angles degrees anticlockwise from x from above.",
        "# Names, gangs, facings, eyes and checks are yours to edit; importing again writes this file anew, and keeps",
        "# the one that is here as scene.before.toml.",
        *toml_lines({"title": table.title, "rules": keys_of_all.get("rules", DEFAULT_GAME)}),
        *toml_lines(others),
    ]


def _source(table: ImportedTable, addresses: Mapping[str, str], keys_of_all: Mapping[str, Any]) -> list[str]:
    own = {"program": table.program, "file": _one_line(table.file.name)}
    earlier = {key: value for key, value in keys_of_all.get("source", {}).items() if key not in (*own, "meshes")}
    lines = ["[source]", *toml_lines(own), *toml_lines(earlier)]
    if addresses:
        rows = [f"    {toml({'mesh': mesh, 'address': _one_line(address)})}," for mesh, address in addresses.items()]
        lines += ["meshes = [", *rows, "]"]
    return lines


def _one_line(text: str) -> str:
    """A text without what no file in UTF-8 can hold."""
    return text.encode("utf-8", errors="replace").decode()


# ---- the folder

SCENE_FILE, PREVIOUS_SCENE_FILE, MESH_FOLDER = "scene.toml", "scene.before.toml", "meshes"

# mm: what stands higher than this above the table hangs in the air, as the warnings of a scene have it.
HANGING_HEIGHT_MM = 2.0


@dataclass(frozen=True, eq=False)
class WrittenPiece:
    """A piece that stands in the scene: the path of its mesh, seen from the folder, None of a stand-in; and the keys of
    its table in the scene that say what it looks like.
    """

    piece: ImportedPiece
    mesh: str | None
    keys: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class WrittenTable:
    """The pieces in the scene; all other objects, with those whose meshes no scene can use; warnings about bases."""

    pieces: tuple[WrittenPiece, ...]
    left_out: tuple[OmittedObject, ...]
    warnings: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """The document of the contract: what stands where, and what was left out."""
        return {
            "pieces": [
                {
                    "name": each.piece.name,
                    "kind": each.piece.kind,
                    "at": list(each.piece.at),
                    "turn": each.piece.turn,
                    "facing": each.piece.facing,
                    "mesh": each.mesh,
                    "baked": each.piece.baked,
                }
                for each in self.pieces
            ],
            "left_out": [{"name": each.name, "why": each.why} for each in self.left_out],
            "warnings": list(self.warnings),
        }


def write_table(table: ImportedTable, folder: Path, cache: Cache) -> WrittenTable:
    """Writes the folder of an imported table; other files in it stay, and a scene that is there as scene.before.toml.

    Meshes of earlier scenes stay as well: other scenes may name them. Each mesh is read again as the scene reads it: a
    piece that no scene could use is left out, and not in the scene.

    Raises:
        FileError: where it cannot be written, or is none to write into (`check_folder`); an earlier scene and all that
            it names are then unchanged.
    """
    check_folder(folder, [table.file])
    with changing_folder(folder, folder / SCENE_FILE) as change:
        writer = _Writer(folder, change, cache)
        writer.add(table.pieces)
        lost, keys_of_all = _about(table.keys, {each.piece.name for each in writer.pieces})
        high = () if table.has_its_table else hanging(writer.grounds)
        warnings = (*table.warnings, *lost, *writer.warnings, *high)
        written = WrittenTable(tuple(writer.pieces), (*table.left_out, *writer.left_out), warnings)
        addresses = {name: table.addresses[file] for file, name in writer.copied.items() if file in table.addresses}
        keys = [(each.piece, each.keys) for each in written.pieces]
        text = scene_text(table, keys, addresses, keys_of_all)
        if keys_of_all:
            try:
                document = document_of(folder / SCENE_FILE, text)
                rule_of(folder / SCENE_FILE, document).load(folder / SCENE_FILE, document, cache)
            except FileError as error:
                raise FileError(
                    table.file, f"what it says of the whole scene cannot be used: {error.problem}"
                ) from None
        change.commit(text, before=folder / PREVIOUS_SCENE_FILE)
    return written


def _about(keys: Mapping[str, Any], names: Collection[str]) -> tuple[list[str], dict[str, Any]]:
    """A sentence for each list from which entries about missing pieces are left out, and the keys without them."""
    left, warnings = dict(keys), []
    for key in ("check", "base_contact"):
        entries = left.get(key)
        if isinstance(entries, list):
            there = [entry for entry in entries if _pieces_of(entry) <= set(names)]
            if len(there) < len(entries):
                warnings.append(f"{len(entries) - len(there)} of {key} are left out: their pieces are not there")
                left[key] = there
    return warnings, left


def _pieces_of(entry: object) -> set[str]:
    if isinstance(entry, Mapping):
        entry = [entry.get("attacker"), entry.get("target")]
    return {name for name in entry if isinstance(name, str)} if isinstance(entry, list | tuple) else set()


def hanging(grounds: Sequence[float]) -> list[str]:
    """The warning, in a list, that all models stand higher than the table of a scene, as on a table of the game's own.

    >>> hanging([24.6, 100.0])[0][:52], hanging([24.6, 0.0]), hanging([])
    ('every model stands 24.6 mm or more above z = 0, wher', [], [])
    """
    if not grounds or min(grounds) <= HANGING_HEIGHT_MM:
        return []
    height = f"{min(grounds):.1f} mm"
    where = f"every model stands {height} or more above z = 0, where a scene has its table"
    return [f"{where}; the game's own is no object of the file: terrain with a box {height} high would be in its place"]


class _Writer:
    """A folder while its meshes are written."""

    def __init__(self, folder: Path, change: FolderChange, cache: Cache) -> None:
        self.pieces: list[WrittenPiece] = []
        self.left_out: list[OmittedObject] = []
        self.warnings: list[str] = []
        self.grounds: list[float] = []
        self.copied: dict[Path, str] = {}
        self._change = change
        self._models = SceneModels(folder / SCENE_FILE, cache)
        self._own: dict[tuple[str, ...], str] = {}
        self._of_kind: Counter[str] = Counter()

    def add(self, pieces: Sequence[ImportedPiece]) -> None:
        todo = deque(pieces)
        while todo:
            # Those for which there is room whatever becomes of the others are looked at together.
            together: list[ImportedPiece] = []
            expected = Counter(self._of_kind)
            while todo and expected[todo[0].kind] < MAX_ENTRIES[todo[0].kind]:
                together.append(todo.popleft())
                expected[together[-1].kind] += 1
            self._add(together)
            while todo and self._of_kind[todo[0].kind] >= MAX_ENTRIES[todo[0].kind]:
                piece = todo.popleft()
                why = f"a scene has at most {MAX_ENTRIES[piece.kind]} of its kind, {piece.kind}"
                self.left_out.append(OmittedObject(piece.name, why))

    def _add(self, pieces: Sequence[ImportedPiece]) -> None:
        """Adds pieces for which the scene has room."""
        written = [self._written(piece) for piece in pieces]
        with_mesh = [each for each in written if isinstance(each, WrittenPiece) and each.mesh is not None]
        models = self._models.of([(each.piece.kind, each.keys) for each in with_mesh])
        model_of = dict(zip(with_mesh, models, strict=True))
        for piece, each in zip(pieces, written, strict=True):
            facts = each if isinstance(each, FileError) else model_of.get(each)
            if isinstance(facts, FileError):
                self.left_out.append(OmittedObject(piece.name, f"its mesh cannot be used: {facts.problem}"))
            elif isinstance(each, WrittenPiece):
                self._place(each, facts if isinstance(facts, ModelFacts) else None)

    def _place(self, each: WrittenPiece, facts: ModelFacts | None) -> None:
        """Adds a piece that can stand in the scene, with what was found of its mesh; None of a stand-in."""
        self._of_kind[each.piece.kind] += 1
        self.pieces.append(each)
        if each.piece.kind != "terrain":
            self.grounds.append(each.piece.at[2] + (0.0 if facts is None else facts.ground))
        warning = odd_base(each.piece.name, None if facts is None else facts.base)
        if warning:
            self.warnings.append(warning)

    def _written(self, piece: ImportedPiece) -> WrittenPiece | FileError:
        """A piece whose mesh is written, or why its file cannot be read."""
        content = b""
        if piece.file is not None and piece.file not in self.copied:
            try:
                content = read_file(piece.file, MAX_FILE_BYTES)
            except FileError as error:
                return error
        name = self._mesh(piece, content)
        origin = {} if piece.file is None and piece.mesh is None else {"origin": "keep"}  # where its file has it
        keys = {**({} if name is None else {"mesh": name}), **piece.keys, **origin}
        return WrittenPiece(piece, name, keys)

    def _mesh(self, piece: ImportedPiece, content: bytes) -> str | None:
        """The path of a piece's mesh, seen from the folder; None of a stand-in."""
        if piece.file is not None:
            if piece.file not in self.copied:
                ending = piece.file.suffix.lower()
                self.copied[piece.file] = self._change.keep(MESH_FOLDER, file_stem(piece.name), {ending: content})
            return self.copied[piece.file]
        if piece.mesh is None:
            return None
        mesh = piece.mesh
        is_single = len(mesh.part_names) == 1  # PLY is read faster, but has no names for parts
        look = (mesh.digest, *(() if is_single else (mesh.part.tobytes().hex(), *mesh.part_names)))
        if look not in self._own:
            files = {".ply": ply_bytes(mesh.vertices, mesh.faces)} if is_single else {".obj": obj_bytes(mesh)}
            self._own[look] = self._change.keep(MESH_FOLDER, file_stem(piece.name), files)
        return self._own[look]
