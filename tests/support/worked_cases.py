"""Worked cases of the games by data: tables of boxes, with the verdict that the rules give on them.

A case file has tables ``[[case]]`` with a ``name``, the numbers of the ``clauses`` that it is about, ``terrain`` made
of boxes, ``figures``, and the ``verdict`` on the first figure's look at the second. It may say ``because`` of which
clauses, where several could give that verdict. A figure of ``kind = "vehicle"`` is a vehicle of the scene, any other a
fighter. A file that says ``square`` gives places, and the plan sizes of boxes, in squares of so many mm. A case is
turned into a scene for the package, and into a `SampledTable` for the oracle, which reads nothing of the package: what
an oracle said of its cases holds until one of them changes, and is kept in ``agreed.json``, by game.
``python -m tests.support.worked_cases`` asks the oracles of the games that have changed, and keeps what they agreed to.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.rules.data.oracles.sampling import Box, Figure, SampledTable, Terrain

CASES = Path(__file__).resolve().parents[1] / "rules" / "data" / "cases"
ORACLES = CASES.parent / "oracles"
AGREED = ORACLES / "agreed.json"

OWN = ("name", "at", "facing", "base", "height", "boxes", "turn")
"""Keys of figures and terrain that are read here; all others are the game's."""


@dataclass(frozen=True)
class WorkedCase:
    """A table and the verdict on it.

    Attributes:
        name: what it shows.
        clauses: the numbers of the clauses that it is about.
        figures, terrain: what stands on the table.
        verdict: that the rules give.
        because: the numbers of the clauses that decide, in their order; empty where any may.
        chooser: the name of the figure whose player chooses; empty where the rules leave nothing.
        readings: those that it is read by.
        more: its other keys.
    """

    name: str
    clauses: tuple[str, ...]
    figures: tuple[Figure, ...]
    terrain: tuple[Terrain, ...]
    verdict: str
    because: tuple[str, ...]
    chooser: str
    readings: Mapping[str, Any]
    more: Mapping[str, Any]

    @property
    def table(self) -> SampledTable:
        """For the oracle."""
        return SampledTable({one.name: one for one in self.figures}, {one.name: one for one in self.terrain})

    def scene(self, rules: str) -> dict[str, Any]:
        """The document of a scene, for the package."""
        attacker, target = self.figures[:2]
        return {
            "title": self.name,
            "rules": rules,
            "terrain": [_terrain_entry(one) for one in self.terrain],
            "fighter": [_figure_entry(one) for one in self.figures if one.says.get("kind") != "vehicle"],
            "vehicle": [_figure_entry(one) for one in self.figures if one.says.get("kind") == "vehicle"],
            "check": [{"attacker": attacker.name, "target": target.name}],
            **({"readings": dict(self.readings)} if self.readings else {}),
        }


def stem_of(game: str) -> str:
    """The name of a game's files without their ending."""
    return game.replace("-", "_")


def cases_of(game: str) -> list[WorkedCase]:
    """The worked cases of a game."""
    document = tomllib.loads((CASES / f"{stem_of(game)}.toml").read_text(encoding="utf-8"))
    return [_case(dict(entry), document.get("square", 1.0)) for entry in document["case"]]


def disagreeing(game: str) -> list[str]:
    """The names of the cases of a game on which its oracle gives another verdict; it takes up to half a minute."""
    oracle = import_module(f"tests.rules.data.oracles.{stem_of(game)}")
    return [
        case.name
        for case in cases_of(game)
        if oracle.ruled(case.table, *(figure.name for figure in case.figures[:2]), **case.readings)
        != (case.verdict, case.chooser)
    ]


def agreed() -> dict[str, str]:
    """The `digest` of each game at which its oracle agreed with all its cases."""
    digests: dict[str, str] = json.loads(AGREED.read_text(encoding="utf-8")) if AGREED.exists() else {}
    return digests


def digest(game: str) -> str:
    """SHA-256 of all that an oracle's verdicts rest on: its code, the code that it shares, and its cases."""
    stem = stem_of(game)
    shared = (ORACLES / "sampling.py", ORACLES / "squares.py", Path(__file__))
    files = (ORACLES / f"{stem}.py", *shared, CASES / f"{stem}.toml")
    return hashlib.sha256("\0".join(file.read_text(encoding="utf-8") for file in files).encode()).hexdigest()


def _case(entry: dict[str, Any], square: float) -> WorkedCase:
    figures = tuple(_figure(one, square) for one in entry.pop("figures"))
    terrain = tuple(_terrain(one, square) for one in entry.pop("terrain", ()))
    known = {key: entry.pop(key, default) for key, default in (("chooser", ""), ("readings", {}))}
    name, verdict = entry.pop("name"), entry.pop("verdict")
    clauses, because = (tuple(entry.pop(key, ())) for key in ("clauses", "because"))
    return WorkedCase(name, clauses, figures, terrain, verdict, because, **known, more=entry)


def _figure(entry: Mapping[str, Any], square: float) -> Figure:
    says = {key: value for key, value in entry.items() if key not in OWN}
    shape = {key: float(entry[key]) for key in ("base", "height") if key in entry}
    return Figure(entry["name"], _place(entry["at"], square), float(entry["facing"]), **shape, says=says)


def _terrain(entry: Mapping[str, Any], square: float) -> Terrain:
    """A piece of terrain; boxes are [x, y, z, width, depth, height], of the world."""
    plan = np.array([square, square, 1.0])
    says = {key: value for key, value in entry.items() if key not in OWN}
    turn = float(entry.get("turn", 0.0))
    boxes = tuple(
        Box(tuple((plan * box[:3]).tolist()), tuple((plan * box[3:]).tolist()), turn) for box in entry["boxes"]
    )
    return Terrain(entry["name"], boxes, says)


def _place(at: list[float], square: float) -> tuple[float, float, float]:
    return square * at[0], square * at[1], float(at[2]) if len(at) > 2 else 0.0


def _figure_entry(one: Figure) -> dict[str, Any]:
    says = {key: value for key, value in one.says.items() if key != "kind"}
    return {"name": one.name, "parts": one.parts, "at": list(one.at), "facing": one.facing, **says}


def _terrain_entry(one: Terrain) -> dict[str, Any]:
    """An entry of a scene; a piece that is turned is one box, turned round its middle."""
    (first, *_) = one.boxes
    if first.turn:
        at, middles = first.middle, [(0.0, 0.0, 0.0)]
    else:
        at, middles = (0.0, 0.0, 0.0), [box.middle for box in one.boxes]
    parts = [{"box": list(box.size), "at": list(place)} for box, place in zip(one.boxes, middles, strict=True)]
    return {"name": one.name, "parts": parts, "at": list(at), "turn": first.turn, **one.says}


def main() -> int:
    """Asks the oracles of the games that have changed; keeps the digests of those that agree, and names other cases."""
    kept, untrue = agreed(), list[str]()
    games = [path.stem for path in sorted(CASES.glob("*.toml"))]
    for game in games:
        if kept.get(game) != digest(game):
            found = disagreeing(game)
            untrue += [f"{game}: {name}" for name in found]
            kept = {**kept, game: "" if found else digest(game)}
    AGREED.write_text(json.dumps({game: kept[game] for game in games if kept[game]}, indent=2) + "\n", encoding="utf-8")
    print(*(f"the oracle does not agree with {name}" for name in untrue), sep="\n", end="\n" if untrue else "")
    return 1 if untrue else 0


if __name__ == "__main__":
    sys.exit(main())
