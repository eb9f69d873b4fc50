"""KEEP: questions to players, and what they have written into the scene of an earlier run.

A piece of the new run is that of the earlier one which stands nearest, of the same kind of mesh or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import FileError
from silhouette.common.geometry import Floats
from silhouette.files.changing import DIGEST_DIGITS
from silhouette.files.documents import document_of, read_document, read_text
from silhouette.files.writing import PARTIAL

# ---- questions

SCALE = "scale"  # the key of the question how large the scan is
ABOUT_PIECE, ABOUT_JOIN, ABOUT_SPLIT = "piece", "join", "split"  # the kinds that nobody asks: see `corrections`
ABOUT_MODEL = "model"  # the kind of the question whether a piece is a known model; its second answer is that model


def kind_of(key: str) -> str:
    """The kind of a question, from its key: what is asked, without the place that it is asked about.

    >>> kind_of("odd at 3,4"), kind_of(SCALE)
    ('odd', 'scale')
    """
    return key.partition(" at ")[0]


@dataclass(frozen=True)
class Question:
    """A question that only the player can answer."""

    key: str  # by which an answer given earlier is found again, such as "scale" or "odd at 3,4"
    text: str  # the question in one sentence, with what it is about
    answers: tuple[str, ...]  # what can be answered, the likeliest first
    about: tuple[str, ...] = ()  # names of the pieces that it is about; none for the whole scan
    at: tuple[float, float] | None = None  # x, y in mm on the table where there is something to look at, or None

    def keys(self) -> dict[str, Any]:
        """The keys of its table in a scene.

        >>> Question("scale", "Which bases are these?", ("25 mm", "32 mm")).keys()
        {'key': 'scale', 'text': 'Which bases are these?', 'answers': ['25 mm', '32 mm']}
        """
        keys: dict[str, Any] = {"key": self.key, "text": self.text, "answers": list(self.answers)}
        if self.about:
            keys["about"] = list(self.about)
        if self.at is not None:
            keys["at"] = [round(place, 1) for place in self.at]
        return keys


# ---- keeping

SAME_PIECE_REACH = 15.0  # mm: two places that are nearer to each other are those of one piece; half of a base of 30 mm

PIECE_KEYS = ("gang", "eye", "eyes", "arcs", "insignificant")
"""The keys of a piece that no scan can know, and that are kept as they are."""

MESH_KEYS = ("eye", "eyes", "arcs", "insignificant")
"""Those of them that hold for one mesh alone: they are in its own frame, or name its parts."""

SCENE_KEYS = ("title", "rules", "readings", "tolerance", "pixel", "error", "base_contact", "check", "source")
"""The keys of the scene that no scan can know."""

DOUBT_KEYS = ("eye", "rule", "guard")  # those of its ``[doubt]``: who has the benefit of doubt is for the players

PIECE_TABLES = ("terrain", "fighter", "vehicle")
SCENE, RECORD, MESHES = "scene.toml", "scan.json", "meshes"

SOURCE_RECORD = "record"  # the key of the scene's ``source`` that names the file with the same content as scan.json


@dataclass(frozen=True)
class EarlierPiece:
    """A piece of the scene as a person left it."""

    name: str  # its name
    kind: str  # the table it stands in
    at: Floats  # (3,) mm, its place
    facing: float | None  # degrees, where a player has said it; None where the scan has, or nobody
    keys: Mapping[str, Any]  # those of its keys that no scan can know
    # The file name of the known model's mesh that stands for it; empty where what was scanned of it does
    model: str = ""
    # All of its keys, of a piece that a person has added and no run has found; None for what a run has found
    added: Mapping[str, Any] | None = None

    def keys_with(self, mesh: Mapping[str, Any]) -> dict[str, Any]:
        """Its keys, without those that hold for its mesh alone where another one now stands for it.

        >>> kal = EarlierPiece("Kal", "fighter", np.zeros(3), None, {"gang": "Orlock", "eye": [0, 4, 30]})
        >>> kal.keys_with({"mesh": "meshes/kal.ply", "scan": True})
        {'gang': 'Orlock', 'eye': [0, 4, 30]}
        >>> kal.keys_with({"mesh": "meshes/oswald.stl"})
        {'gang': 'Orlock'}
        """
        is_same = _model_of(mesh) == self.model
        return {key: value for key, value in self.keys.items() if is_same or key not in MESH_KEYS}


@dataclass(frozen=True)
class Earlier:
    """The earlier run into the same folder."""

    pieces: tuple[EarlierPiece, ...] = ()  # those of its scene
    # The questions that a player has answered, with their answers, by their keys
    answers_by_key: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    keys: Mapping[str, Any] = field(default_factory=dict)  # those of the scene that no scan can know
    scale: float | None = None  # mm in a unit of the file, which all places rest on; None where it is not known
    scan: str = ""  # the name of the file that was scanned; empty where there was none

    def for_scan(self, name: str) -> Earlier:
        """The same for a file of some name: how large a unit is in another file says nothing of this one.

        >>> scale = {"key": "scale", "answer": "25.4"}
        >>> earlier = Earlier(answers_by_key={"scale": scale}, scale=25.4, scan="monday.glb")
        >>> earlier.for_scan("monday.glb") is earlier, dict(earlier.for_scan("friday.glb").answers_by_key)
        (True, {})
        """
        if self.scan in ("", name):
            return self
        answers_by_key = {key: question for key, question in self.answers_by_key.items() if key != "scale"}
        return replace(self, answers_by_key=answers_by_key, scale=None)

    def at_scale(self, mm: float) -> Earlier:
        """The same with all places as they are where a unit of the file is ``mm``: the answer on the scale moves them.

        >>> kal = EarlierPiece("Kal", "fighter", np.array([10.0, 0, 0]), None, {})
        >>> Earlier((kal,), scale=25.0).at_scale(50.0).pieces[0].at.tolist()
        [20.0, 0.0, 0.0]
        """
        ratio = 1.0 if self.scale is None else mm / self.scale
        pieces = tuple(replace(piece, at=piece.at * ratio) for piece in self.pieces)
        answers_by_key = {key: _moved(question, ratio) for key, question in self.answers_by_key.items()}
        return replace(self, pieces=pieces, answers_by_key=answers_by_key, scale=mm)

    @property
    def answers(self) -> list[Mapping[str, Any]]:
        """The questions that are answered, in the order in which the scene has them."""
        return list(self.answers_by_key.values())

    def with_answers(self, entries: Sequence[Mapping[str, Any]]) -> Earlier:
        """The same with these questions answered, each with ``key`` and ``answer``, and no others."""
        return replace(self, answers_by_key={str(entry["key"]): entry for entry in entries})

    def answer(self, question: Question) -> str | None:
        """The answer of a player to a question, or to one of its kind about the same place; None without one.

        >>> odd = {"odd at 3,4": {"key": "odd at 3,4", "text": "A mug?", "at": [3.0, 4.0], "answer": "leave it out"}}
        >>> Earlier(answers_by_key=odd).answer(Question("odd at 5,4", "A cup?", (), at=(5.0, 4.0)))
        'leave it out'
        >>> Earlier(answers_by_key=odd).answer(Question("scale", "Which bases?", ())) is None
        True
        """
        if question.key in self.answers_by_key:
            return str(self.answers_by_key[question.key]["answer"])
        if question.at is None:
            return None
        nearest, answer = SAME_PIECE_REACH, None
        for key, other in self.answers_by_key.items():
            at = other.get("at")
            if kind_of(key) != kind_of(question.key) or not isinstance(at, list) or len(at) != 2:
                continue
            apart = float(np.hypot(at[0] - question.at[0], at[1] - question.at[1]))
            if apart < nearest:
                nearest, answer = apart, str(other["answer"])
        return answer

    def matched(self, places: Sequence[Floats | tuple[float, float, float]]) -> list[EarlierPiece | None]:
        """For each place (3,) mm the earlier piece that stood there, the nearest pairs first; None for a new one.

        >>> kal = EarlierPiece("Kal", "fighter", np.array([0.0, 0, 0]), None, {})
        >>> partners = Earlier((kal,)).matched([np.array([9.0, 0, 0]), np.array([0.0, 1, 0])])
        >>> [piece and piece.name for piece in partners]
        [None, 'Kal']
        """
        partners: list[EarlierPiece | None] = [None] * len(places)
        if not self.pieces or not places:
            return partners
        gaps = np.linalg.norm(np.array([piece.at for piece in self.pieces])[:, None] - np.array(places)[None], axis=2)
        while gaps.min() <= SAME_PIECE_REACH:
            piece, place = np.unravel_index(gaps.argmin(), gaps.shape)
            partners[place] = self.pieces[piece]
            gaps[piece], gaps[:, place] = np.inf, np.inf
        return partners


def earlier_run(folder: Path) -> Earlier:
    """What is to be kept of an earlier run into a folder; nothing where there was none.

    Raises:
        FileError: where the folder is a file, or has a scene that no scan wrote, one that cannot be read, or one with
            an answer that is none of those to its question.
    """
    if folder.exists() and not folder.is_dir():
        raise FileError(folder, "is a file, and is not overwritten; give a folder")
    scene = folder / SCENE
    if not scene.exists():
        there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
        # A run that was killed leaves meshes, and files under temporary names.
        if RECORD not in there and any(name != MESHES and not name.endswith(PARTIAL) for name in there):
            raise FileError(folder, "is a folder with other files in it; give a new one, or one that scan has made")
        return Earlier()
    record = earlier_record(folder)
    if record is None:
        raise FileError(folder, f"has a {SCENE} that no scan wrote, and it is not overwritten; give another folder")
    document = read_document(scene)
    standing = [(kind, entry) for kind in PIECE_TABLES for entry in _tables(document, kind) if _is_piece(entry)]
    rows = rows_of([entry for _, entry in standing], _tables(record, "pieces"))
    questions = [each for each in _tables(document, "question") if {"key", "answer"} <= each.keys()]
    scale, scan = record.get("scale"), Path(str(record.get("scan", ""))).name
    return Earlier(
        tuple(_piece(kind, entry, row or {}) for (kind, entry), row in zip(standing, rows, strict=True)),
        {str(each["key"]): _checked(scene, each) for each in questions},
        _scene_keys(document, title_of(scan)),
        float(scale) if isinstance(scale, int | float) and scale > 0 else None,
        scan,
    )


def earlier_record(folder: Path) -> dict[str, Any] | None:
    """What the scan has found whose scene lies in a folder; None where no scan made it.

    It is scan.json, or where that is missing, since a run was killed, the file that the scene names.

    Raises:
        FileError: where it, or the scene, cannot be read.
    """
    if (folder / RECORD).exists():
        return read_document(folder / RECORD)
    source = read_document(folder / SCENE).get("source") if (folder / SCENE).is_file() else None
    name = source.get(SOURCE_RECORD) if isinstance(source, dict) else None
    if not isinstance(name, str) or not (folder / name).is_file():
        return None
    return document_of(folder / RECORD, read_text(folder / name))


def title_of(scan: str) -> str:
    """The title of a scene to which nobody has given one, by the name of the scan's file."""
    return f"The table of {scan}"


def _scene_keys(document: Mapping[str, Any], title: str) -> dict[str, Any]:
    """The keys of a scene that no scan can know; a title that nobody has written is none of them."""
    keys = {key: document[key] for key in SCENE_KEYS if key in document}
    if keys.get("title") == title:
        del keys["title"]  # another scan into this folder gives another one
    doubt = document.get("doubt")
    settled = {key: doubt[key] for key in DOUBT_KEYS if key in doubt} if isinstance(doubt, dict) else {}
    return {**keys, "doubt": settled} if settled else keys


def _checked(scene: Path, question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A question with its answer as a text, if that is one of its answers; the scale may be a number of mm as well.

    Raises:
        FileError: where it is another: taken as it is, it would settle nothing, and the question would be gone.
    """
    answer, answers = str(question["answer"]), question.get("answers")
    is_number = question["key"] == SCALE and re.fullmatch(r"\d+(\.\d*)?", answer) is not None
    if isinstance(answers, list) and answers and answer not in answers and not is_number:
        listed = ", ".join(f'"{choice}"' for choice in answers)
        raise FileError(scene, f"question '{question['key']}': '{answer}' is no answer to it; the answers are {listed}")
    return {**question, "answer": answer}


def _moved(question: Mapping[str, Any], ratio: float) -> Mapping[str, Any]:
    """A question whose places, if it has any, are moved away from the origin by a ratio; those in its answer too.

    >>> _moved({"key": "join at 1,2", "at": [1, 2], "answer": "with 3.5,-4.0"}, 10.0)
    {'key': 'join at 1,2', 'at': [10.0, 20.0], 'answer': 'with 35.0,-40.0'}
    """
    at = question.get("at")
    if ratio == 1.0 or not isinstance(at, list):
        return question
    moved = {**question, "at": [round(place * ratio, 1) for place in at]}
    if kind_of(str(question["key"])) in (ABOUT_JOIN, ABOUT_SPLIT):
        answer = re.sub(r"-?\d+(\.\d+)?", lambda number: f"{float(number[0]) * ratio:.1f}", str(question["answer"]))
        moved["answer"] = answer
    return moved


def _tables(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The tables of a name in a document; other things of that name are passed over."""
    tables = document.get(name)
    return [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []


def _is_piece(entry: Mapping[str, Any]) -> bool:
    at = entry.get("at")
    return isinstance(at, list) and 2 <= len(at) <= 3 and isinstance(entry.get("name"), str)


def _piece(kind: str, entry: Mapping[str, Any], row: Mapping[str, Any]) -> EarlierPiece:
    """A piece of an earlier scene, by its keys in a table and the row that it was of that run's record, if of any."""
    # Where the scan has it, however far a player has moved it since.
    place = np.array([*row.get("at", entry["at"]), 0.0][:3], dtype=np.float64)
    facing = _degrees(entry.get("facing"))
    if row.get("facing_from") == "scan" and _degrees(row.get("facing")) == facing:
        facing = None
    keys = {key: entry[key] for key in PIECE_KEYS if key in entry}
    added = entry if not row and entry.get("scan") is not True else None
    return EarlierPiece(entry["name"], kind, place, facing, keys, _model_of(entry), added)


def rows_of(entries: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any] | None]:
    """The piece that each entry of a scene was in the record of its scan; None for one that a hand has added.

    A player may have moved it, named it anew, or both: it is known by its place, else by its name, else by its mesh,
    which is called after the piece or after the known model. Two entries are one piece only where both stand there.

    >>> rows = [{"name": "figure 1", "at": [0.0, 0.0, 0.0]}, {"name": "figure 2", "at": [90.0, 0.0, 0.0]}]
    >>> kal = {"name": "Kal", "at": [50, 60], "mesh": "meshes/figure_2-0123456789abcdef.ply", "scan": True}
    >>> [row and row["name"] for row in rows_of([kal, {**kal, "name": "a copy"}, {**kal, "mesh": "kal.stl"}], rows)]
    ['figure 2', None, None]
    """
    places = [row for row in rows if isinstance(row.get("at"), list)]
    matched = [next((row for row in places if _stands_there(entry, row)), None) for entry in entries]
    free = [row for row in places if all(row is not other for other in matched)]
    for is_same in (_has_its_name, _has_its_mesh):
        for number, entry in enumerate(entries):
            row = next((row for row in free if is_same(entry, row)), None) if matched[number] is None else None
            if row is not None:
                matched[number] = row
                free = [other for other in free if other is not row]
    return matched


def _stands_there(entry: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    # Whoever writes `on` writes two numbers: the height is as the scan has found it.
    return bool(row["at"][: len(entry["at"])] == entry["at"])


def _has_its_name(entry: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    return bool(row.get("name") == entry["name"])


def _has_its_mesh(entry: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    stem = Path(str(entry.get("mesh", ""))).stem
    if entry.get("scan") is True:
        return file_name(str(row.get("name"))) == _DIGEST.sub("", stem)
    model, match = row.get("model"), row.get("match")
    return isinstance(model, str) and isinstance(match, dict) and match.get("sure") is True and Path(model).stem == stem


def file_name(name: str) -> str:
    """A name for a file, from that of a piece.

    >>> file_name("Kal / 2"), file_name("...")
    ('kal_2', 'piece')
    """
    return re.sub(r"[^\w-]+", "_", name.lower()).strip("_") or "piece"


_DIGEST = re.compile(rf"-[0-9a-f]{{{DIGEST_DIGITS}}}$")  # what content adds to the name of a mesh


def _model_of(entry: Mapping[str, Any]) -> str:
    """The file name of the mesh of a known model, from the keys of a piece; empty for one that was scanned."""
    return "" if entry.get("scan") is True else Path(str(entry.get("mesh", ""))).name


def _degrees(value: Any) -> float | None:
    """A number of degrees; None for anything else, such as "unknown"."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
