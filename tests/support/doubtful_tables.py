"""Random tables in doubt, and what they may be in truth: for how often the odds of verdicts are right.

A table is laid out so that its verdict is in doubt: an edge of a wall, of a box or of a vision arc lies near where it
begins to hide the target, hides half of it, or hides all. Then the true tables are drawn that it may stand for: each
piece is off by normal-distributed numbers with the standard deviations that the table states. Where every true table is
as likely as any other, as on a large table, pairs drawn so are the same as where the truth is drawn first, and what is
judged is the truth perturbed; which tables are asked about may depend on what is judged, but on nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.rules import rule_called
from silhouette.rules.base import Rule, Verdict
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.support.random_tables import PROJECT

FIGURES = ("ganger_blade", "ganger_rifle", "leader", "scout", "heavy")


THINGS = ("crate", "ruined_wall", "pillar", "barrel_stack", "rock_outcrop", "pipes")


BASE = {"cylinder": {"diameter": 25.0, "height": 3.0}, "base": True}


TALL = 60.0
"""mm: a wall over which nobody looks."""


BEYOND = 1.5
"""Edges lie up to so many standard deviations, as seen at the target, beyond where they begin or end to matter."""


SIZES = {"place": (0.2, 3.0), "facing": (0.5, 5.0), "eye": (0.2, 3.0), "surface": (0.2, 1.5)}
"""The least and the greatest standard deviation of each doubt; a surface is off by less than its wall is thick."""


AXES = {"place": 2, "facing": 1, "eye": 3, "surface": 1}
"""The numbers that are drawn for each."""


@dataclass(frozen=True, eq=False)
class Doubtful:
    """A table in doubt.

    Attributes:
        kind: how it was made.
        document: of the table.
        check: the question.
        movable: for each doubt the names of the pieces that it is about.
    """

    kind: str
    document: dict[str, Any]
    check: Check
    movable: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def rule(self) -> Any:
        """The game, which has odds."""
        return rule_called(self.document["rules"])

    def scene(self) -> TableScene:
        """The table as it is judged."""
        return _loaded(self.rule, self.document)

    def truths(self, chance: np.random.Generator, count: int) -> Iterator[TableScene]:
        """So many tables that it may be in truth."""
        scene, doubt = self.scene(), self.document["doubt"]
        for _ in range(count):
            drawn = {
                (name, source): (chance.standard_normal(AXES[source]) * doubt[source]).tolist()
                for source, names in self.movable.items()
                for name in names
            }
            off = {name: numbers[0] for (name, source), numbers in drawn.items() if source == "surface"}
            whole = _loaded(self.rule, _grown(self.document, off)) if off else scene
            yield self.rule.moved(whole, _moves({key: value for key, value in drawn.items() if key[1] != "surface"}))


def _moves(drawn: dict[tuple[str, str], list[float]]) -> dict[str, Move]:
    keys: dict[str, dict[str, Any]] = {}
    for (name, source), numbers in drawn.items():
        of_piece = keys.setdefault(name, {})
        if source == "place":
            of_piece["by"] = (*numbers, 0.0)
        elif source == "facing":
            of_piece["turn"] = numbers[0]
        else:
            of_piece["eye"] = tuple(numbers)
    return {name: Move(**of_piece) for name, of_piece in keys.items()}


def _grown(document: dict[str, Any], off: dict[str, float]) -> dict[str, Any]:
    """The document with the boxes of pieces larger, by so many mm on each side."""
    grown = deepcopy(document)
    for entry in (*grown["fighter"], *grown["terrain"]):
        by = off.get(entry["name"], 0.0)
        for part in entry["parts"] if by else ():
            x, y, z = part.get("at", [0.0, 0.0, 0.0])
            part |= {"box": [side + 2.0 * by for side in part["box"]], "at": [x, y, z - by]}
    return grown


def _loaded(rule: Rule[Any, Verdict], document: dict[str, Any]) -> TableScene:
    scene = rule.load(Path("doubtful.toml"), document, Cache.default())
    assert isinstance(scene, TableScene)
    if "surface" not in document["doubt"]:
        return scene
    pieces = [replace(piece, model=replace(piece.model, scan=True)) for piece in scene.pieces]
    return replace(scene, pieces=tuple(pieces))


@dataclass
class _Layout:
    """An attacker at the origin, a target ahead of it, and what stands between; ``doubt`` is drawn first."""

    chance: np.random.Generator
    doubt: dict[str, float]

    def __post_init__(self) -> None:
        self.far = float(self.chance.uniform(90.0, 350.0))
        self.near = float(self.chance.uniform(0.2, 0.85)) * self.far
        self.eye = float(self.chance.uniform(20.0, 32.0))
        self.width, self.height = float(self.chance.uniform(8.0, 26.0)), float(self.chance.uniform(22.0, 36.0))

    @property
    def off(self) -> float:
        """mm, how far an edge's shadow on the target may be off: what place, eye and surface do together."""
        doubt, lever = self.doubt, self.far / self.near
        place = doubt.get("place", 0.0) * math.hypot(1.0, lever - 1.0)
        surface = doubt.get("surface", 0.0) * math.hypot(lever, 1.0)
        return math.hypot(place, doubt.get("eye", 0.0) * (lever - 1.0), surface)

    def swept(self, least: float, most: float) -> float:
        """A place of the shadow's edge, in mm at the target, that may be any at which it matters, or nearly."""
        return float(self.chance.uniform(least - BEYOND * self.off, most + BEYOND * self.off))

    def table(self, walls: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
        """The document."""
        facing = float(self.chance.uniform(60.0, 120.0))
        size = [self.width, float(self.chance.uniform(8.0, 26.0)), self.height]
        kal = {"name": "Kal", "at": [0.0, 0.0], "facing": facing, "parts": [{"box": [12.0, 8.0, 30.0]}]}
        vex = {
            "name": "Vex",
            "at": [0.0, self.far],
            "facing": float(self.chance.uniform(0, 360)),
            "parts": [{"box": size}],
        }
        kal["eye"] = [0.0, 4.0, self.eye]
        return {"rules": "necromunda", "fighter": [kal, vex], "terrain": walls, "doubt": self.doubt, **keys}

    def wall(self, name: str, edge: float, left: bool, height: float = TALL, at: float | None = None) -> dict[str, Any]:
        """A wall whose shadow on the target ends at ``edge`` mm from its middle, to the left or to the right of it."""
        near = self.near if at is None else at
        end, thick = edge * near / self.far, float(self.chance.uniform(6.0, 12.0))
        middle = end - 100.0 if left else end + 100.0
        return {"name": name, "at": [middle, near], "parts": [{"box": [200.0, thick, height]}]}

    def half_width(self) -> float:
        """mm, half of the widest that the target, turned in any way, may look."""
        return self.width / 2.0


def _beside_a_wall(layout: _Layout) -> dict[str, Any]:
    half = layout.half_width()
    return layout.table([layout.wall("wall", layout.swept(-half, half), bool(layout.chance.random() < 0.5))])


def _behind_a_low_wall(layout: _Layout) -> dict[str, Any]:
    top = layout.swept(0.0, layout.height)
    height = max(3.0, layout.eye + (top - layout.eye) * layout.near / layout.far)
    return layout.table([layout.wall("wall", 60.0, left=True, height=height)])


def _nearly_hidden(layout: _Layout) -> dict[str, Any]:
    """Between two walls that nearly close."""
    gap = layout.swept(-2.0, 5.0)
    middle = float(layout.chance.uniform(-0.4, 0.4)) * layout.width
    one = layout.wall("one", middle - gap / 2.0, left=True)
    return layout.table([one, layout.wall("other", middle + gap / 2.0, left=False, at=layout.near * 0.96)])


def _nearly_open(layout: _Layout) -> dict[str, Any]:
    half = layout.half_width()
    return layout.table([layout.wall("wall", layout.swept(-half - 3.0, -half + 3.0), left=True)])


def _at_an_arc(layout: _Layout) -> dict[str, Any]:
    half, turning = math.degrees(layout.half_width() / layout.far), layout.doubt.get("facing", 0.0)
    off = math.hypot(turning, math.degrees(layout.doubt.get("place", 0.0) * math.sqrt(2.0) / layout.far))
    edge = float(layout.chance.uniform(-half - BEYOND * off, half + BEYOND * off))
    swept = layout.swept(-layout.half_width(), layout.half_width())
    walls = [layout.wall("wall", swept, left=True)] if layout.chance.random() < 0.5 else []
    document = layout.table(walls)
    document["fighter"][0]["facing"] = 90.0 + float(layout.chance.choice([-1.0, 1.0])) * (45.0 + edge)
    return document


def _models(layout: _Layout) -> dict[str, Any]:
    figures, thing = layout.chance.choice(FIGURES, 2, replace=False), str(layout.chance.choice(THINGS))
    document = layout.table([])
    for entry, model in zip(document["fighter"], figures, strict=True):
        for key in ("parts", "eye"):
            entry.pop(key, None)
        entry["model"] = str(PROJECT / "models" / f"{model}.toml")
    aside = float(layout.chance.uniform(-35.0, 35.0))
    thing_there = {"name": "thing", "model": str(PROJECT / "models" / f"{thing}.toml"), "at": [aside, layout.near]}
    document["terrain"].append(thing_there | {"turn": float(layout.chance.uniform(0.0, 360.0))})
    return document


def _past_a_friend(layout: _Layout) -> dict[str, Any]:
    """A friend stands before the attacker, in base contact or nearly: in contact it is no cover."""
    document = layout.table([])
    kal, vex = document["fighter"]
    for entry in (kal, vex):
        entry["parts"] = [BASE, {"box": [12.0, 8.0, 27.0], "at": [0.0, 0.0, 3.0]}]
    gap = float(layout.chance.uniform(-2.0, 2.0)) * layout.doubt.get("place", 0.0)
    aside = float(layout.chance.uniform(-10.0, 10.0))
    friend = {"name": "Odd", "at": [aside, math.sqrt((25.0 + max(gap, -1.0)) ** 2 - aside**2)], "facing": 90.0}
    document["fighter"].append({**friend, "parts": deepcopy(kal["parts"]), "gang": "A"})
    kal["gang"], vex["gang"] = "A", "B"
    return document


def _scanned(layout: _Layout) -> dict[str, Any]:
    """Solids so thick that none of them vanishes where its outline lies farther in.

    They stand square to the line of sight, for the outline of a box with sides farther out by d lies farther out by d
    there, and by up to 1.4 d where it is seen across a corner.
    """
    document = _beside_a_wall(layout) if layout.chance.random() < 0.5 else _behind_a_low_wall(layout)
    document["fighter"][1]["facing"] = 270.0
    for entry in (*document["fighter"], *document["terrain"]):
        for part in entry["parts"]:
            part["box"] = [max(side, 14.0) for side in part["box"]]
    return document


def _units(layout: _Layout) -> dict[str, Any]:
    """Units of SkirmishCorps, with a wall of bricks between them, in contact with one of them or with none."""
    swept = layout.swept(-8.0, 8.0)
    wall = layout.wall("wall", swept, left=bool(layout.chance.random() < 0.5))
    height = int(layout.chance.integers(1, 5))
    cover = {"name": "wall", "at": [*wall["at"], 0.0], "size": [200.0, 8.0], "height": height}
    units = [{"name": "Kal", "at": [0.0, 0.0, 0.0]}, {"name": "Vex", "at": [0.0, layout.far, 0.0]}]
    return {"rules": "skirmishcorps", "unit": units, "cover": [cover], "doubt": layout.doubt}


_Made = Callable[[_Layout], dict[str, Any]]


KINDS: dict[str, tuple[_Made, tuple[tuple[str, ...], ...]]] = {
    "beside a wall": (_beside_a_wall, (("place",), ("eye",), ("place", "eye"), ("place", "facing"))),
    "behind a low wall": (_behind_a_low_wall, (("eye",), ("place", "eye"))),
    "nearly hidden": (_nearly_hidden, (("place",), ("eye",), ("place", "facing"))),
    "nearly open": (_nearly_open, (("place",), ("eye",), ("place", "eye"))),
    "at the edge of an arc": (_at_an_arc, (("facing",), ("place", "facing"), ("facing", "eye"))),
    "models": (_models, (("place",), ("place", "facing"), ("place", "eye"))),
    "past a friend": (_past_a_friend, (("place",), ("place", "eye"))),
    "scanned": (_scanned, (("surface",), ("place", "surface"))),
    "units": (_units, (("place",), ("place", "eye"))),
}
"""The kinds of tables, with what may be in doubt there."""


def doubtful(kind: str, number: int) -> Doubtful:
    """The table of a kind with a number: the same one every time."""
    chance = np.random.default_rng([list(KINDS).index(kind), number])
    made, choices = KINDS[kind]
    sources = choices[int(chance.integers(len(choices)))]
    doubt = {one: float(np.exp(chance.uniform(*np.log(SIZES[one])))) for one in sources}
    document = made(_Layout(chance, doubt))
    keys = ("unit" if "unit" in document else "fighter", "terrain")
    models, terrain = ([entry["name"] for entry in document.get(key, [])] for key in keys)
    movable = {one: tuple(models if one != "surface" else models + terrain) for one in sources}
    return Doubtful(kind, document, Check("Kal", "Vex"), movable)
