"""PLACE: a scene in which the target walks or the attacker turns, as one scene for each frame of an animation.

document, check, motion -> for each frame the document with one piece in another pose

The document of each frame is a valid scene file: judged by itself, it gives the verdict that the frame shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.schema import MAX_LENGTH

FRAMES = 48
"""The number of frames of an animation, by default."""

MOST_FRAMES = 600

DIGITS = 3
"""Decimals of mm and degrees to which a pose is rounded, so that it can be typed."""


@dataclass(frozen=True)
class Mobility:
    """The motions that the scenes of a rule system allow.

    Attributes:
        walkers: the tables of a scene's document, such as ``fighter``, whose entries can walk; none where nothing can.
        flat: whether places have two coordinates, not three.
        turns: whether it matters where an attacker faces.
        ask: the question that a step changes, where checks have a key ``ask``; else None.
    """

    walkers: tuple[str, ...] = ()
    flat: bool = False
    turns: bool = False
    ask: str | None = None


@dataclass(frozen=True)
class Motion:
    """The motion of an animation.

    Attributes:
        walk: the place that the target walks to, in the scene's own coordinates; None where it stands still.
        turn: degrees by which the attacker turns, anticlockwise seen from above; None where it does not turn.
        frames: the number of frames, those of the first and the last pose included.
    """

    walk: tuple[float, ...] | None = None
    turn: float | None = None
    frames: int = FRAMES

    def __post_init__(self) -> None:
        if self.walk is None and self.turn is None:
            raise RequestError("nothing moves; say --walk X,Y where the target walks to, or --turn DEGREES")
        if self.turn is not None and not 0.0 < abs(self.turn) <= MAX_LENGTH:
            raise RequestError(f"--turn {self.turn:g}: give a number of degrees that is not 0")
        if not 2 <= self.frames <= MOST_FRAMES:
            raise RequestError(f"--frames {self.frames}: give a whole number from 2 to {MOST_FRAMES}")


@dataclass(frozen=True)
class Posed:
    """A frame's scene.

    Attributes:
        document: the content of the scene file of this frame.
        at: the place of the target, x and y, or x, y and z; None where it does not walk.
        facing: the direction in which the attacker faces, degrees; None where it does not turn.
        way: the length of the way so far: mm or the scene's own units walked; else degrees turned.
    """

    document: dict[str, Any]
    at: list[float] | None
    facing: float | None
    way: float


def place_of(text: str) -> tuple[float, ...]:
    """The place that a text spells: two or three numbers with commas between them.

    Raises:
        RequestError: where it spells none.

    >>> place_of("60,-12.5"), place_of("[0, 40, 76]")
    ((60.0, -12.5), (0.0, 40.0, 76.0))
    >>> place_of("sixty")
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: --walk sixty: give where to as X,Y or X,Y,Z, such as 60,216
    """
    try:
        place = tuple(float(number) for number in text.strip().strip("[]()").split(","))
    except ValueError:
        place = ()
    if len(place) not in (2, 3) or not all(abs(number) <= MAX_LENGTH for number in place):
        raise RequestError(f"--walk {text}: give where to as X,Y or X,Y,Z, such as 60,216")
    return place


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
        path: the path of the scene, for messages.
        document: its content, which describes a scene that can be judged.
        number: the number, from 1, of the check whose target walks or whose attacker turns.
        motion: the motion.
        mobility: the motions that scenes of this rule system allow.
        facing: the direction in which the attacker of the check faces, degrees; None where it is unknown.

    Raises:
        RequestError: where the piece cannot move in this way.

    >>> fighters = [{"name": "Kal", "at": [0, 0]}, {"name": "Vex", "at": [0, 200]}]
    >>> asked = [{"attacker": "Kal", "target": "Vex"}]
    >>> duel, mobility = {"rules": "necromunda", "fighter": fighters, "check": asked}, Mobility(("fighter",))
    >>> [one.at for one in poses(Path("duel.toml"), duel, 1, Motion(walk=(60, 200), frames=3), mobility)]
    [[0, 200], [30.0, 200.0], [60.0, 200.0]]
    >>> [one.facing for one in poses(Path("duel.toml"), duel, 1, Motion(turn=-45, frames=2), mobility)]
    [90.0, 45.0]
    >>> poses(Path("duel.toml"), duel, 1, Motion(walk=(0, 200)), mobility)
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: duel.toml: 'Vex' stands at [0, 200] already; walk it somewhere else
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
        facings = _facings(float(facing), motion.turn, motion.frames)
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
    if np.allclose(full, end, atol=10.0**-DIGITS):
        raise RequestError(f"{path}: '{name}' stands at {start} already; walk it somewhere else")
    shares = np.linspace(0.0, 1.0, motion.frames)[1:, None]
    wide = slice(0, max(len(start), len(to)))
    between = np.round(full * (1.0 - shares) + end * shares, DIGITS)[:, wide]
    return [start, *between.tolist()]


def _facings(start: float, turn: float, frames: int) -> list[float]:
    return [start, *(round(start + turn * frame / (frames - 1), DIGITS) for frame in range(1, frames))]


def length(start: Sequence[float], place: Sequence[float]) -> float:
    """The step from one place to another, of which either may lack its height.

    >>> length([0, 3], [4, 0, 0])
    5.0
    """
    padded = [np.array((*point, 0.0)[:3], dtype=np.float64) for point in (start, place)]
    return float(np.linalg.norm(padded[1] - padded[0]))


def _entry(document: dict[str, Any], name: Any, mobility: Mobility) -> dict[str, Any] | None:
    """The entry of the piece that has a name and can move; None where there is no such piece."""
    return next(
        (entry for table in mobility.walkers for entry in document.get(table, ()) if entry.get("name") == name), None
    )


def _posed(
    document: dict[str, Any], number: int, at: Any, towards: float | None, start: float | None, mobility: Mobility
) -> dict[str, Any]:
    """The document with the target of a check standing elsewhere, and its attacker turned.

    Args:
        document: the content of the scene file.
        number: of the check, from 1.
        at: the place of the target; None if it stands still.
        towards, start: where the attacker faces, and faced at first, degrees; None if it does not turn.
        mobility: the motions that scenes of this rule system allow.
    """
    checks = [{key: value for key, value in check.items() if key != "expect"} for check in document["check"]]
    check = checks[number - 1]
    changes: dict[str, dict[str, Any]] = {}
    if at is not None:
        changes[check["target"]] = {"at": at}
    if towards is not None and start is not None:
        changes[check["attacker"]] = {"facing": towards}
        entry = _entry(document, check["attacker"], mobility) or {}
        if "turn" in entry:  # it says how the piece stands, and facing no longer does
            changes[check["attacker"]]["turn"] = round(float(entry["turn"]) + (towards - start), DIGITS)
    tables = {
        table: [{**entry, **changes.get(entry.get("name"), {})} for entry in document[table]]
        for table in mobility.walkers
        if table in document
    }
    return {**document, **tables, "check": checks}
