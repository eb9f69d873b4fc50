"""PLACE: a scene with pieces elsewhere than its file says: a trial, an animation, moves, or thousands of places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, get_args

import numpy as np
from pydantic import BaseModel

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.common.text import did_you_mean
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.scenes.entries import SceneEntry, direction_of, facing_towards
from silhouette.scenes.pieces import Piece
from silhouette.scenes.standing import StandingTest
from silhouette.scenes.table import TableScene

# ---- poses of an animation

FRAMES = 48  # the number of frames of an animation, by default

MAX_FRAMES = 600

POSE_DECIMALS = 3  # decimals of mm and degrees to which a pose is rounded, so that it can be typed


@dataclass(frozen=True)
class Mobility:
    """The motions that the scenes of a rule system allow."""

    # The tables of a scene's document, such as ``fighter``, whose entries can walk; none where nothing can
    walkers: tuple[str, ...] = ()
    flat: bool = False  # whether places have two coordinates, not three
    turns: bool = False  # whether it matters where an attacker faces
    ask: str | None = None  # the question that a step changes, where checks have a key ``ask``; else None


@dataclass(frozen=True)
class Motion:
    """The motion of an animation, of so many frames, those of the first and the last pose included."""

    # The place that the target walks to, in the scene's own coordinates; None where it stands still
    walk: tuple[float, ...] | None = None
    # Degrees by which the attacker turns, anticlockwise seen from above; None where it does not turn
    turn: float | None = None
    frames: int = FRAMES

    def __post_init__(self) -> None:
        if self.walk is None and self.turn is None:
            raise RequestError("nothing moves; say --walk X,Y where the target walks to, or --turn DEGREES")
        if self.turn is not None and not 0.0 < abs(self.turn) <= MAX_LENGTH_MM:
            raise RequestError(f"--turn {self.turn:g}: give a number of degrees that is not 0")
        if not 2 <= self.frames <= MAX_FRAMES:
            raise RequestError(f"--frames {self.frames}: give a whole number from 2 to {MAX_FRAMES}")


@dataclass(frozen=True)
class Posed:
    """A frame's scene: its document, and how the pieces of the check stand in it."""

    document: dict[str, Any]
    at: list[float] | None
    facing: float | None
    way: float


def place_of(text: str) -> tuple[float, ...]:
    """The place that a text spells: two or three numbers with commas between them.

    >>> place_of("60,-12.5"), place_of("[0, 40, 76]")
    ((60.0, -12.5), (0.0, 40.0, 76.0))
    >>> place_of("sixty")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: --walk sixty: give where to as X,Y or X,Y,Z, such as 60,216
    """
    place = tuple(_numbers(text.strip().strip("[]()")))
    if len(place) not in (2, 3) or not all(abs(number) <= MAX_LENGTH_MM for number in place):
        raise RequestError(f"--walk {text}: give where to as X,Y or X,Y,Z, such as 60,216")
    return place


def _numbers(text: str) -> list[float]:
    """The numbers of a text, with commas between them; none where it has anything else."""
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        return []


def poses(
    path: Path,
    document: dict[str, Any],
    number: int,
    motion: Motion,
    mobility: Mobility,
    facing: float | None = 90.0,
) -> list[Posed]:
    """The scene of every frame; the first is the document as it is.

    Args:
        number: of the check, from 1, whose target walks or whose attacker turns.
        motion: of them.
        mobility: the motions that scenes of this rule system allow; another one raises RequestError.
        facing: the direction in which the attacker of the check faces, degrees; None where it is unknown.

    >>> fighters = [{"name": "Kal", "at": [0, 0]}, {"name": "Vex", "at": [0, 200]}]
    >>> asked = [{"attacker": "Kal", "target": "Vex"}]
    >>> duel, mobility = {"rules": "necromunda", "fighter": fighters, "check": asked}, Mobility(("fighter",))
    >>> [one.at for one in poses(Path("duel.toml"), duel, 1, Motion(walk=(60, 200), frames=3), mobility)]
    [[0, 200], [30.0, 200.0], [60.0, 200.0]]
    >>> [one.facing for one in poses(Path("duel.toml"), duel, 1, Motion(turn=-45, frames=2), mobility)]
    [90.0, 45.0]
    """
    check = document["check"][number - 1]
    if check.get("ask", mobility.ask) != mobility.ask:
        raise RequestError(f"{path}: check {number} asks '{check['ask']}'; only {mobility.ask} changes with a step")
    places: Sequence[list[float] | None] = [None] * motion.frames
    facings: Sequence[float | None] = [None] * motion.frames
    ways = [abs(motion.turn or 0.0) * frame / (motion.frames - 1) for frame in range(motion.frames)]
    if motion.walk is not None:
        walked = _places(path, document, check, motion, mobility)
        places, ways = walked, [length(walked[0], place) for place in walked]
    if motion.turn is not None:
        if facing is None:
            raise RequestError(f"{path}: where '{check['attacker']}' faces is unknown; give facing a number to turn it")
        steps = (facing + motion.turn * frame / (motion.frames - 1) for frame in range(1, motion.frames))
        facings = [float(facing), *(round(step, POSE_DECIMALS) for step in steps)]
    return [
        Posed(_posed(document, number, at, towards, facings[0], mobility), at, towards, way)
        for at, towards, way in zip(places, facings, ways, strict=True)
    ]


def _places(
    path: Path, document: dict[str, Any], check: dict[str, Any], motion: Motion, mobility: Mobility
) -> list[list[float]]:
    """The place of the target in each frame, as its entry spells it."""
    name, to = check["target"], motion.walk or ()
    entry = _entry(document, name, mobility)
    if entry is None:
        raise RequestError(f"{path}: '{name}' is no {' or '.join(mobility.walkers)}, and stays where it is")
    start = list(entry["at"])
    if len(to) > 2 and "on" in entry:
        raise RequestError(f"{path}: '{name}' is lowered onto what it stands on; say --walk X,Y")
    if mobility.flat and len(to) > 2:
        raise RequestError(f"{path}: in {document['rules']} everything is flat; say --walk X,Y")
    full = np.array((*start, 0.0)[: 2 if mobility.flat else 3], dtype=np.float64)
    end = np.array((*to, *full[len(to) :]), dtype=np.float64)
    if np.allclose(full, end, atol=10.0**-POSE_DECIMALS):
        raise RequestError(f"{path}: '{name}' stands at {start} already; walk it somewhere else")
    shares = np.linspace(0.0, 1.0, motion.frames)[1:, None]
    wide = slice(0, max(len(start), len(to)))
    between = np.round(full * (1.0 - shares) + end * shares, POSE_DECIMALS)[:, wide]
    return [start, *between.tolist()]


def length(start: Sequence[float], place: Sequence[float]) -> float:
    """The step from one place to another, of which either may lack its height.

    >>> length([0, 3], [4, 0, 0])
    5.0
    """
    padded = [np.array((*point, 0.0)[:3], dtype=np.float64) for point in (start, place)]
    return float(np.linalg.norm(padded[1] - padded[0]))


def _entry(document: dict[str, Any], name: Any, mobility: Mobility) -> dict[str, Any] | None:
    return next(
        (entry for table in mobility.walkers for entry in document.get(table, ()) if entry.get("name") == name), None
    )


def _posed(
    document: dict[str, Any], number: int, at: Any, towards: float | None, start: float | None, mobility: Mobility
) -> dict[str, Any]:
    """The document with the target of a check, by its number from 1, at another place, and its attacker turned.

    The place is None if the target stands still; ``towards`` and ``start``, where the attacker faces and faced at
    first, degrees, if it does not turn.
    """
    checks = list(map(_without_expectations, document["check"]))
    check = checks[number - 1]
    changes: dict[str, dict[str, Any]] = {}
    if at is not None:
        changes[check["target"]] = {"at": at}
    if towards is not None and start is not None:
        entry = _entry(document, check["attacker"], mobility) or {}
        changes[check["attacker"]] = {"facing": facing_towards(entry.get("facing"), towards)}
        if "turn" in entry:  # it says how the piece stands, and facing no longer does
            changes[check["attacker"]]["turn"] = round(float(entry["turn"]) + (towards - start), POSE_DECIMALS)
    tables = {
        table: [{**entry, **changes.get(entry.get("name"), {})} for entry in document[table]]
        for table in mobility.walkers
        if table in document
    }
    return {**document, **tables, "check": checks}


# ---- trials that a user asks for


@dataclass(frozen=True)
class Trial:
    """A place to try, in the scene's units; facing in degrees anticlockwise from +x, None to keep its own."""

    name: str
    at: tuple[float, float]
    facing: float | None = None

    @classmethod
    def of(cls, text: str) -> Trial:
        """The trial that a text spells.

        >>> Trial.of("Kal=4,6.5"), Trial.of("wall 3=-20,0,90")
        (Trial(name='Kal', at=(4.0, 6.5), facing=None), Trial(name='wall 3', at=(-20.0, 0.0), facing=90.0))
        >>> Trial.of("Kal=4")
        Traceback (most recent call last):
        ...
        silhouette.common.errors.RequestError: --at Kal=4: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90
        """
        name, _, place = text.rpartition("=")
        return cls.placed(name.strip(), _numbers(place), text)

    @classmethod
    def placed(cls, name: str, numbers: Sequence[float], text: str | None = None) -> Trial:
        """The trial of a piece at x, y and perhaps a facing; ``text`` is what the user wrote.

        Raises RequestError if the numbers are fewer, more, or too large; ``text`` is what the user wrote.
        """
        written = f"{name}={','.join(f'{number:g}' for number in numbers)}" if text is None else text
        if not name or len(numbers) not in (2, 3) or not all(abs(number) <= MAX_LENGTH_MM for number in numbers):
            raise RequestError(f"--at {written}: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90")
        return cls(name, (float(numbers[0]), float(numbers[1])), float(numbers[2]) if len(numbers) == 3 else None)


def with_trials(
    path: Path, document: Mapping[str, Any], trials: Sequence[Trial], schema: type[SceneEntry]
) -> dict[str, Any]:
    """The document with pieces elsewhere; what it expects of its checks is left out, as it is about other places.

    A piece keeps its height (the third number of its place, or ``on``) and all else that its entry says. Of two places
    for one piece the last counts. RequestError where no piece has a name, or a piece has no place, or faces nowhere.

    >>> from silhouette.scenes.entries import TableEntry
    >>> duel = {"rules": "necromunda", "fighter": [{"name": "Kal", "at": [0, 0, 76], "facing": 90}]}
    >>> with_trials(Path("duel.toml"), duel, [Trial("Kal", (4.5, 6.0), 45.0)], TableEntry)["fighter"]
    [{'name': 'Kal', 'at': [4.5, 6, 76], 'facing': 45.0}]
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
    """The entry of a piece, in ``table`` of the scene, at another place; one that says how it is turned is turned on
    with its facing.

    Raises RequestError if the piece faces noif and the trial says if it is to face.
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
        before = direction_of(facing)
        moved["turn"] = turn + (0.0 if before is None else trial.facing - before)
    return {**moved, "facing": facing_towards(facing, trial.facing)}


def turns(schema: type[SceneEntry], table: str) -> bool:
    """Whether the entries of a table have a facing."""
    entries = get_args(schema.model_fields[table].annotation)
    models = [entry for entry in entries if isinstance(entry, type) and issubclass(entry, BaseModel)]
    return any("facing" in entry.model_fields for entry in models)


# ---- moves

OfTable = TypeVar("OfTable", bound=TableScene)


@dataclass(frozen=True)
class Move:
    """How a piece stands otherwise than before."""

    by: tuple[float, float, float] = (0.0, 0.0, 0.0)  # (x, y, z) mm, in the world
    turn: float = 0.0  # degrees anticlockwise, about the piece's own origin; vision arcs turn with it
    # (x, y, z) mm, along the axes of its model: by how much its eyes lie elsewhere in it
    eye: tuple[float, float, float] = (0.0, 0.0, 0.0)
    outline: float = 0.0  # mm by which its outline lies farther out, seen from anywhere; below 0 farther in
    faces: bool = False  # whether one that nobody knows where it faces is then known to face where its front is


class Displacement(NamedTuple):
    """How an attacker may stand or look otherwise than a scene has it.

    ``why`` says what decides, if the verdict there is another, as a clause: "where Kal's eye is". A piece of the name
    ``absent``, if any, is not in the way from there. ``likelihood``, 0 to 1, is None where nobody knows it.
    """

    move: Move
    why: str
    absent: str | None = None
    likelihood: float | None = None


def elsewhere_of(piece: Piece) -> tuple[Displacement, ...]:
    """The other places of an estimated eye."""
    return tuple(
        Displacement(Move(eye=(x, y, z)), f"where {piece.name}'s eye is", likelihood=likelihood)
        for (x, y, z), likelihood in ((shift.tolist(), likelihood) for shift, likelihood in piece.eye_shifts[1:])
    )


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
        weapon=None if piece.weapon is None else piece.weapon + move.turn,
        outline=piece.outline + move.outline,
    )
    if not any(move.eye):
        return changed
    eye = np.array(move.eye)
    return replace(
        changed,
        eye_given=changed.pose.localise(changed.eye[None])[0] + eye,
        eyes={arc: point + eye for arc, point in piece.eyes.items()},
    )


def moved(scene: OfTable, moves: Mapping[str, Move]) -> OfTable:
    """The scene with pieces moved; each keeps its height but for ``by``, and may overlap others.

    Mistakes in where pieces stand are not looked for again. RequestError where no piece has a name.
    """
    for name in moves:
        scene.piece(name)
    pieces = tuple(moved_piece(piece, moves[piece.name]) if piece.name in moves else piece for piece in scene.pieces)
    return replace(scene, pieces=pieces, placement_warnings=())


def without(scene: OfTable, name: str) -> OfTable:
    """The scene without a piece; all others stay where they are, even what stands on it. RequestError without one."""
    gone = scene.piece(name)
    left = [piece for piece in scene.pieces if piece is not gone]
    pieces = tuple(piece if piece.index == index else replace(piece, index=index) for index, piece in enumerate(left))
    return replace(scene, pieces=pieces, placement_warnings=())


# ---- places


class Places(Protocol):
    """Where one model of a scene could stand, with everyone else where they are; what games give for maps.

    ``table`` (2, 2) has the least and the greatest x and y of the table's top, ``start`` (2,) where it stands now, mm.
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
        """(q,) mm: the heights of its place where it is lowered at points (q, 2), mm; -inf where nothing is to stand
        on.

        Nothing higher than ``under``, mm, counts to stand on.
        """

    def stands(self, points: Floats, heights: Floats) -> Flags:
        """(q,) whether it stands at points (q, 2), lowered to ``heights`` (q,); both mm."""

    def boxes(self, points: Floats, heights: Floats) -> Floats:
        """(q, 8, 3) mm: the corners of the box round what is measured of it at each point, turned as it stands now."""

    def scene_at(self, point: Floats, height: float, toward: str | None = None) -> Any:
        """The scene with it at a point (2,) and a height, mm; facing as before, or another piece, where it can turn."""


class TablePlaces:
    """`Places` of a piece of a table, which may turn or not."""

    def __init__(self, scene: TableScene, piece: Piece, origin: Floats | None = None, *, turns: bool = True) -> None:
        self._scene, self._piece, self._turns = scene, piece, turns
        self._standing = StandingTest(scene.pieces, piece)
        self.start = piece.pose.translation[:2] if origin is None else origin
        self._offset = piece.pose.translation[:2] - self.start
        self._lift = float(self._standing.there(np.zeros(2), 0.0).pose.translation[2])
        self.table = scene.table_top

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

    def scene_at(self, point: Floats, height: float, toward: str | None = None) -> TableScene:
        """See `Places`."""
        x, y = (point - self.start).tolist()
        move = Move((x, y, height - float(self._piece.pose.translation[2])))
        if toward is not None and self._turns:
            x, y = self._scene.piece(toward).base_centre - point
            turn = float(np.degrees(np.arctan2(y, x))) - self._piece.ahead
            move = replace(move, turn=(turn + 180.0) % 360.0 - 180.0, faces=True)
        return moved(self._scene, {self._piece.name: move})
