"""PLACE: a scene with some pieces elsewhere than its file says, to try a place before a move.

"NAME=X,Y" or "NAME=X,Y,FACING" -> Trial; document, trials -> the document with those pieces there
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from silhouette.errors import RequestError
from silhouette.files.schema import LARGEST
from silhouette.scenes.entries import SceneEntry
from silhouette.text import did_you_mean


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
        if not name or len(numbers) not in (2, 3) or not all(abs(number) <= LARGEST for number in numbers):
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
    changed = dict(document)
    named: dict[str, tuple[str, int]] = {}
    for table, entries in document.items():
        if isinstance(entries, list) and table in schema.model_fields and table != "check":
            changed[table] = list(entries)
            for number, entry in enumerate(entries):
                if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                    named[entry["name"]] = table, number
    for trial in trials:
        if trial.name not in named:
            raise RequestError(f"{path}: --at: nothing is called '{trial.name}'; {did_you_mean(trial.name, named)}")
        table, number = named[trial.name]
        entry = changed[table][number]
        if "at" not in entry:
            raise RequestError(f"{path}: --at: '{trial.name}' has no place at, which --at could change")
        changed[table][number] = entry_at(path, entry, trial, schema, table)
    if trials and isinstance(document.get("check"), list):
        changed["check"] = [
            {key: value for key, value in check.items() if key != "expect"} if isinstance(check, dict) else check
            for check in document["check"]
        ]
    return changed


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
