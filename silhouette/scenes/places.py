"""PLACE: a scene with pieces elsewhere than its file says: one trial, small moves, or thousands of places of one model.

"NAME=X,Y" or "NAME=X,Y,FACING" -> Trial; document, trials -> the document with those pieces there
Piece, Move -> the piece there; TableScene, moves by name -> the scene with these pieces there
points in plan -> heights -> whether one model stands there -> the scene with it there

A trial is a place that a player tries before a move, and the scene is loaded with it. For moves and places nothing is
loaded or lowered again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, get_args

import numpy as np
from pydantic import BaseModel

from silhouette.errors import RequestError
from silhouette.files.schema import MAX_LENGTH
from silhouette.geometry import Flags, Floats, Pose
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Scene
from silhouette.scenes.standing import Standing
from silhouette.scenes.table import TableScene
from silhouette.text import did_you_mean

# ---- trials that a user asks for


@dataclass(frozen=True)
class Trial:
    """A place to try for a piece.

    Attributes:
        name: of the piece.
        at: x and y, in the scene's units.
        facing: the direction in which it faces there, degrees anticlockwise from +x; None to keep its own.
    """

    name: str
    at: tuple[float, float]
    facing: float | None = None

    @classmethod
    def of(cls, text: str) -> Trial:
        """The trial that a text spells.

        Raises:
            RequestError: where it spells none.

        >>> Trial.of("Kal=4,6.5"), Trial.of("wall 3=-20,0,90")
        (Trial(name='Kal', at=(4.0, 6.5), facing=None), Trial(name='wall 3', at=(-20.0, 0.0), facing=90.0))
        >>> Trial.of("Kal=4")
        Traceback (most recent call last):
        ...
        silhouette.errors.RequestError: --at Kal=4: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90
        """
        name, _, place = text.rpartition("=")
        try:
            numbers = [float(number) for number in place.split(",")]
        except ValueError:
            numbers = []
        return cls.placed(name.strip(), numbers, text)

    @classmethod
    def placed(cls, name: str, numbers: Sequence[float], text: str | None = None) -> Trial:
        """The trial of a piece at two or three numbers: x, y and, where it is given, the facing.

        Raises:
            RequestError: where the numbers are fewer, more, or too large; ``text`` is what the user wrote.
        """
        written = f"{name}={','.join(f'{number:g}' for number in numbers)}" if text is None else text
        if not name or len(numbers) not in (2, 3) or not all(abs(number) <= MAX_LENGTH for number in numbers):
            raise RequestError(f"--at {written}: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90")
        return cls(name, (float(numbers[0]), float(numbers[1])), float(numbers[2]) if len(numbers) == 3 else None)


def with_trials(
    path: Path, document: Mapping[str, Any], trials: Sequence[Trial], schema: type[SceneEntry]
) -> dict[str, Any]:
    """The document with pieces elsewhere; what it expects of its checks is left out, as it is about other places.

    A piece keeps its height (the third number of its place, or ``on``) and all else that its entry says.

    Args:
        path: of the scene, for messages.
        document: its content.
        trials: the places; of two for one piece the last counts.
        schema: of the scene file.

    Raises:
        RequestError: where no piece has a name, or a piece has no place, or faces nowhere.

    >>> from silhouette.scenes.entries import TableEntry
    >>> duel = {"rules": "necromunda", "fighter": [{"name": "Kal", "at": [0, 0, 76], "facing": 90}]}
    >>> with_trials(Path("duel.toml"), duel, [Trial("Kal", (4.5, 6.0), 45.0)], TableEntry)["fighter"]
    [{'name': 'Kal', 'at': [4.5, 6, 76], 'facing': 45.0}]
    >>> with_trials(Path("duel.toml"), duel, [Trial("Kel", (4.5, 6.0))], TableEntry)
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: duel.toml: --at: nothing is called 'Kel'; did you mean 'Kal'?
    """
    tables = {key: list(value) for key, value in document.items() if isinstance(value, list)}
    changed = {**document, **tables}
    named = {
        entry["name"]: (table, number)
        for table in tables
        if table in schema.model_fields and table != "check"
        for number, entry in enumerate(tables[table])
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    }
    for trial in trials:
        if trial.name not in named:
            raise RequestError(f"{path}: --at: nothing is called '{trial.name}'; {did_you_mean(trial.name, named)}")
        table, number = named[trial.name]
        entry = changed[table][number]
        if "at" not in entry:
            raise RequestError(f"{path}: --at: '{trial.name}' has no place at, which --at could change")
        changed[table][number] = entry_at(path, entry, trial, schema, table)
    if trials and "check" in tables:
        changed["check"] = list(map(_without_expectations, tables["check"]))
    return changed


def _without_expectations(check: Any) -> Any:
    if not isinstance(check, dict):
        return check
    return {key: value for key, value in check.items() if key != "expect"}


def entry_at(
    path: Path, entry: Mapping[str, Any], trial: Trial, schema: type[SceneEntry], table: str
) -> dict[str, Any]:
    """The entry of a piece at another place; one that says how it is turned is turned on with its facing.

    Args:
        path: of the scene, for messages.
        entry: of the piece, in ``table``.
        trial: where it is to stand.
        schema: of the scene file.
        table: the key of the scene that has the entry, such as "fighter".

    Raises:
        RequestError: where the piece faces nowhere and the trial says where it is to face.
    """
    height = entry["at"][2:] if isinstance(entry["at"], list) else []
    at = [int(number) if number == int(number) else number for number in trial.at]
    moved = {**entry, "at": [*at, *height]}
    if trial.facing is None:
        return moved
    if not turns(schema, table):
        raise RequestError(f"{path}: --at: '{trial.name}' has no facing; give --at '{trial.name}=X,Y'")
    facing, turn = entry.get("facing"), moved.pop("turn", None)
    # Terrain's front is where it looks, and turns there.
    if turn is not None and facing is not None and table != "terrain":
        moved["turn"] = turn + (trial.facing - facing if isinstance(facing, int | float) else 0.0)
    return {**moved, "facing": trial.facing}


def turns(schema: type[SceneEntry], table: str) -> bool:
    """Whether the entries of a table have a facing."""
    entries = get_args(schema.model_fields[table].annotation)
    models = [entry for entry in entries if isinstance(entry, type) and issubclass(entry, BaseModel)]
    return any("facing" in entry.model_fields for entry in models)


# ---- moves

OfTable = TypeVar("OfTable", bound=TableScene)

DEVIATIONS = 2.0
"""Standard deviations by which where a piece faces is tried (contract, section 3)."""


@dataclass(frozen=True)
class Move:
    """How a piece stands otherwise than before.

    Attributes:
        by: (x, y, z) mm, in the world.
        turn: degrees anticlockwise, about the piece's own origin; vision arcs turn with it.
        eye: (x, y, z) mm, along the axes of its model: by how much its eyes lie elsewhere in it.
        outline: mm by which its outline lies farther out, seen from anywhere; below 0 farther in.
        faces: whether one that nobody knows where it faces is then known to face where its front is.
    """

    by: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: float = 0.0
    eye: tuple[float, float, float] = (0.0, 0.0, 0.0)
    outline: float = 0.0
    faces: bool = False


class Elsewhere(NamedTuple):
    """How an attacker may stand or look otherwise than a scene has it.

    Attributes:
        move: that leads there.
        why: what decides, if the verdict there is another, as a clause: "where Kal's eye is".
        absent: the name of a piece that is not in the way from there, or None.
    """

    move: Move
    why: str
    absent: str | None = None


def elsewhere_of(piece: Piece) -> tuple[Elsewhere, ...]:
    """The other places of an eye that is estimated; and two standard deviations to either side, if it has a doubt of
    its own about where it faces.
    """
    eyes = [Elsewhere(Move(eye=_three(shift)), f"where {piece.name}'s eye is") for shift in piece.other_eyes]
    turn = 0.0 if piece.doubt is None or piece.facing is None else DEVIATIONS * (piece.doubt.facing or 0.0)
    faces = f"where {piece.name} faces"
    return (*eyes, *(Elsewhere(Move(turn=side * turn), faces) for side in (-1.0, 1.0) if turn))


def _three(vector: Floats) -> tuple[float, float, float]:
    x, y, z = (float(part) for part in vector)
    return x, y, z


def moved_piece(piece: Piece, move: Move) -> Piece:
    """The piece after a move; one that faces nobody knows where still does, but for a move that says otherwise."""
    if move == Move():
        return piece
    turn = Pose.standing(turn=move.turn).rotation
    facing = piece.ahead if move.faces else piece.facing
    changed = replace(
        piece,
        pose=Pose(turn @ piece.pose.rotation, piece.pose.translation + move.by),
        facing=None if facing is None else facing + move.turn,
        outline=piece.outline + move.outline,
    )
    if not any(move.eye):
        return changed
    eye = np.array(move.eye)
    return replace(
        changed,
        eye_given=changed.pose.localise(changed.eye[None])[0] + eye,
        eyes={arc: one + eye for arc, one in piece.eyes.items()},
    )


def moved(scene: OfTable, moves: Mapping[str, Move]) -> OfTable:
    """The scene with pieces moved; each keeps its height but for ``by``, and may overlap others.

    Mistakes in where pieces stand are not looked for again.

    Args:
        scene: with the pieces where they stand.
        moves: by the names of pieces.

    Raises:
        RequestError: where no piece has a name.
    """
    for name in moves:
        scene.piece(name)
    pieces = tuple(moved_piece(piece, moves[piece.name]) if piece.name in moves else piece for piece in scene.pieces)
    return replace(scene, pieces=pieces, placement_warnings=())


def without(scene: OfTable, name: str) -> OfTable:
    """The scene without a piece; all others stay where they are, even what stands on it.

    Raises:
        RequestError: where no piece has the name.
    """
    gone = scene.piece(name)
    left = [piece for piece in scene.pieces if piece is not gone]
    pieces = tuple(piece if piece.index == index else replace(piece, index=index) for index, piece in enumerate(left))
    return replace(scene, pieces=pieces, placement_warnings=())


# ---- places


class Places(Protocol):
    """Where one model of a scene could stand, with everyone else where they are; what games give for maps.

    Attributes:
        table: (2, 2) mm, the least and the greatest x and y of the table's top.
        start: (2,) mm, where it stands now.
    """

    @property
    def table(self) -> Floats:
        """See the class."""

    @property
    def start(self) -> Floats:
        """See the class."""

    def prepare(self) -> None:
        """Works out now what all points share, so that processes forked from this one need not do it again."""

    def heights(self, points: Floats, under: float | None) -> Floats:
        """(q,) mm: the heights of its place where it is lowered at points (q, 2); -inf where nothing is to stand on.

        Args:
            points: mm.
            under: mm; nothing higher than this counts to stand on.
        """

    def stands(self, points: Floats, heights: Floats) -> Flags:
        """(q,) whether it stands at points (q, 2), lowered to ``heights`` (q,); both mm."""

    def boxes(self, points: Floats, heights: Floats) -> Floats:
        """(q, 8, 3) mm: the corners of the box round what is measured of it at each point, turned as it stands now."""

    def facing_to(self, point: Floats, other: str) -> float | None:
        """The direction from a point (2,) to another piece, degrees anticlockwise from +x; None where it has none."""

    def scene_at(self, point: Floats, height: float, facing: float | None = None) -> Any:
        """The scene with it at a point (2,) and a height, mm; facing as before, or in a direction in degrees."""


class TablePlaces:
    """`Places` of a piece of a table.

    Args:
        scene: where it stands.
        piece: the piece.
        moved: gives the scene with pieces moved, as `silhouette.scenes.places.moved` does.
        origin: (2,) mm, where the scene file says that it stands; by default its model's own origin.
        turns: whether it can face another way.
    """

    def __init__(
        self,
        scene: TableScene,
        piece: Piece,
        moved: Callable[[Any, Mapping[str, Move]], Scene],
        origin: Floats | None = None,
        *,
        turns: bool = True,
    ) -> None:
        self._scene, self._piece, self._moved, self._turns = scene, piece, moved, turns
        self._standing = Standing(scene.pieces, piece)
        self.start = piece.pose.translation[:2] if origin is None else origin
        self._offset = piece.pose.translation[:2] - self.start
        self._lift = float(self._standing.there(np.zeros(2), 0.0).pose.translation[2])

    @property
    def table(self) -> Floats:
        """See `Places`."""
        return self._scene.table_top

    def prepare(self) -> None:
        """See `Places`."""
        self._standing.prepare()

    def heights(self, points: Floats, under: float | None) -> Floats:
        """See `Places`."""
        return self._standing.heights(points + self._offset, under) + self._lift

    def stands(self, points: Floats, heights: Floats) -> Flags:
        """See `Places`."""
        return self._standing.stands(points + self._offset, heights - self._lift)

    def boxes(self, points: Floats, heights: Floats) -> Floats:
        """See `Places`."""
        by = np.column_stack([points - self.start, heights - self._piece.pose.translation[2]])
        boxes: Floats = self._piece.body_box + by[:, None]
        return boxes

    def facing_to(self, point: Floats, other: str) -> float | None:
        """See `Places`."""
        if not self._turns:
            return None
        x, y = self._scene.piece(other).base_centre - point
        return float(np.degrees(np.arctan2(y, x)))

    def scene_at(self, point: Floats, height: float, facing: float | None = None) -> Scene:
        """See `Places`."""
        x, y = point - self.start
        by = (float(x), float(y), height - float(self._piece.pose.translation[2]))
        if facing is None:
            return self._moved(self._scene, {self._piece.name: Move(by)})
        move = Move(by, (facing - self._piece.ahead + 180.0) % 360.0 - 180.0, faces=True)
        return self._moved(self._scene, {self._piece.name: move})
