"""Scenes of a few kilobytes, absurd in one way each: judged within 10 s of CPU and 2 GB, or refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from math import cos, sin
from pathlib import Path
from typing import Any

import pytest

from silhouette.rules import RULES, rule_called
from silhouette.rules.base import Rule
from tests.conftest import PROJECT

pytest.importorskip("resource", reason="this system has no limits for a process")
from tests.fuzz.limits import limited
from tests.fuzz.trials import answer, unfit

Document = dict[str, Any]
KILOMETRE, NANOMETRE, NOTHING = 1e6, 1e-6, 1e-300
CHECKS = [{"attacker": "A", "target": "B"}]


def table(game: str, wall: Document, target: Document, at: list[float], **keys: Any) -> Document:
    """A piece of terrain between a figure and what it looks at, at a place."""
    figure = {"name": "A", "at": [0, 0], "facing": 90, "figure": {"base": 32, "height": 38}}
    pieces = [figure, {"name": "B", "at": at, "facing": 270, **target}]
    terrain = [{"name": "wall", "at": [0, 100], "parts": [wall]}]
    return {
        "rules": game,
        "terrain": terrain,
        "unit" if game == "skirmishcorps" else "fighter": pieces,
        "check": CHECKS,
        **keys,
    }


def _walls(count: int, at: Callable[[int], tuple[float, float]]) -> list[Document]:
    """Walls, each at a place by its number, and a little larger than the one before."""
    return [
        {"name": f"w{number}", "at": at(number), "parts": [{"box": [9 + number / 1000, 1 + number / 1000, 40]}]}
        for number in range(count)
    ]


def tables(game: str) -> Iterator[tuple[str, Document]]:
    """The kinds for a game on a table; Necromunda, the fastest, has those of the schema that all of them share."""
    crate, figure = {"box": [60, 5, 30]}, {"figure": {"base": 32, "height": 38}}
    for name, size in (("kilometre", KILOMETRE), ("nanometre", NANOMETRE), ("nothing", NOTHING)):
        cylinder = {"cylinder": {"diameter": size, "height": size}}
        yield f"terrain of a {name}", table(game, cylinder, figure, [0, 200])
        yield f"target of a {name}", table(game, crate, {"parts": [{"sphere": {"diameter": size}}]}, [0, 2e5])
        if game != "necromunda" and size == NANOMETRE:
            break
    disc, large = {"cylinder": {"diameter": 9e5, "height": 1e-3}}, {"figure": {"base": 9e4, "height": 9e4}}
    yield "wide and thin, beside the very small", table(game, disc, {"parts": [{"box": [1e-3, 1e-3, 1e-3]}]}, [0, 600])
    yield "figures of ninety metres", table(game, crate, large, [0, 6e5])
    if game != "necromunda":
        return
    yield "far away", table(game, crate, figure, [KILOMETRE, KILOMETRE])
    yield "beyond everything", table(game, crate, figure, [1e300, 0])
    yield "a name of a million letters", table(game, crate, {"name": "B" * 10**6, **figure}, [0, 200])
    yield "nested a thousand times", table(game, json.loads("[" * 900 + "]" * 900), figure, [0, 200])
    yield "one over the other", table(game, crate, figure, [0, 200], terrain=_walls(100, lambda number: (0.0, 100.0)))
    for count in (150, 600):
        walls = _walls(count, lambda number: (0.0, 100.0))
        yield f"{count} walls in each other", table(game, crate, figure, [0, 200], terrain=walls)
        pillars = [
            {**wall, "parts": [{"cylinder": {"diameter": 9 + number / 1000, "height": 40}}]}
            for number, wall in enumerate(walls)
        ]
        yield f"{count} pillars in each other", table(game, crate, figure, [0, 200], terrain=pillars)
    yield (
        "a thousand walls",
        table(
            game,
            crate,
            figure,
            [0, 600],
            terrain=_walls(1000, lambda number: (number % 32 * 20.0 - 320.0, 30.0 + number // 32 * 17.0)),
        ),
    )
    yield "no error", table(game, crate, figure, [0, 200], error=NOTHING, pixel=NOTHING)


def plans() -> Iterator[tuple[str, Document]]:
    """The kinds for Crisis Protocol."""
    rest = {
        "rules": "crisis-protocol",
        "ranges": {"1": 70, "2": 140},
        "character": [{"name": name, "size": 2, "at": [0, y], "base": 35} for name, y in (("A", 0), ("B", 200))],
        "check": CHECKS,
    }
    shapes: dict[str, list[list[float]]] = {
        "in a line": [[float(at), 0.5 * at] for at in range(200)],
        "crossing itself": [[90 * cos(2.2 * at), 100 + 90 * sin(2.2 * at)] for at in range(200)],
        "a comb": [[at // 2 / 10, 60 + 80 * (at % 4 in (1, 2))] for at in range(300)] + [[15.0, 150], [0.0, 150]],
        "nothing": [[0.0, 0.0], [NOTHING, 0.0], [0.0, NOTHING]],
        "a sliver": [[-KILOMETRE, 100], [KILOMETRE, 100.0000001], [KILOMETRE, 100.0000002]],
    }
    for name, corners in shapes.items():
        yield name, {**rest, "terrain": [{"name": "t", "size": 3, "polygon": corners}]}
    yield "endless ranges", {**rest, "ranges": {"1": 1e300, "2": 1e300}}


def cells() -> Iterator[tuple[str, Document]]:
    """The kinds for Ikosa."""

    def scene(target: list[int], *boxes: Any) -> Document:
        creatures = [{"name": "A", "cells": [[0, 0, 0]]}, {"name": "B", "cells": [target]}]
        return {"rules": "ikosa", "mode": "ranged", "creature": creatures, "boxes": boxes, "check": CHECKS}

    yield "far apart", scene([10**6, 999_999, 77], [[0, 0, 0], ["1/3", "1/7", "1/11"]])
    yield "too far apart", scene([10**9, 0, 0])
    yield "long fractions", scene([9, 3, 2], [[f"{'1' * 29}/{'7' * 29}", 0, 1], [3, "1/99999999999999999", 2]])
    yield "longer fractions", scene([9, 3, 2], [[f"{'1' * 300}/{'7' * 300}", 0, 1], [3, 1, 2]])
    yield "next to nothing", scene([9, 3, 2], [[NOTHING, 0, 0], [5, 5, 5]])


def hexes() -> Iterator[tuple[str, Document]]:
    """The kinds for Tide of Iron."""
    units = [{"name": "A", "at": [-9000, 0]}, {"name": "B", "at": [9000, 0]}]
    rest = {"rules": "tide-of-iron", "unit": units}
    yield "high up", {**rest, "map": {"default": {"elevation": 10**300}}, "check": CHECKS}
    yield "far apart", {**rest, "check": CHECKS * 100}


OTHERS = {"crisis-protocol": plans, "ikosa": cells, "tide-of-iron": hexes}
KINDS = [
    pytest.param(document, id=f"{game}, {name}")
    for game in RULES
    for name, document in (OTHERS[game]() if game in OTHERS else tables(game))
]


@cache
def make_ready(game: str) -> None:
    """Has the game judge something, so that no kind pays for what is loaded once."""
    rule: Rule[Any, Any] = rule_called(game)
    answer(["check", "--quiet", "--no-cache", str(PROJECT / rule.example)])


@pytest.mark.thinned(quick=3, ci=6)
@pytest.mark.parametrize("document", KINDS)
def test_what_is_absurd_is_judged_or_refused_in_one_line(document: Document, tmp_path: Path) -> None:
    make_ready(document["rules"])
    path = tmp_path / "absurd.json"
    path.write_text(json.dumps(document))
    outcome = limited(lambda: answer(["check", "--quiet", "--no-cache", str(path)]), wall=600.0)
    assert outcome.kind == "done", outcome
    status, _, complaint = outcome.text.partition("\n")
    assert unfit(status, complaint, [str(path)]) == ""
