"""Is the least move that ``--what-if`` finds the least, and how long does it take?

Pairs of figures on random tables. If a move under 5 mm is found, every place on rings 0.2 mm apart is judged up to
that length, and every 0.1 degrees of a turn under 5: *too long* is by how much the least that changes the verdict is
shorter. Places count whose share is farther than its error from the threshold. Wanted: 0.2 mm at most, and at the end
of every move the verdict that was said.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from silhouette.judging.counterfactuals import changes_of
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.changes_by_brute_force import judged_after, least_move, least_turn
from tests.support.least_moves import nearest_place, nearest_turn
from tests.support.random_tables import random_table

PAIRS = 100
"""The pairs with a move under `SHORT`."""

SHORT = 5.0
"""mm, or degrees: what is longer is not compared, which would take hours."""

PIXEL = 0.2

EACH = 24
"""The pairs of a table that are looked at."""

TIMED = 10
"""Every so many, all that `--what-if` says of a pair is timed."""

COLUMNS = ("", "compared", "too long, worst", "too long, mean", "another verdict there")


@dataclass
class Compared:
    """How far what was found is from the truth.

    Attributes:
        too_long: mm or degrees, of each move or turn.
        otherwise: the moves at whose end the verdict is not the one that was said.
    """

    too_long: list[float] = field(default_factory=list)
    otherwise: int = 0

    def add(self, found: float, truth: float | None, said: str, there: str) -> None:
        """Adds a move or a turn, with the least that the brute force found, if that is shorter."""
        self.too_long.append(0.0 if truth is None else found - truth)
        self.otherwise += said != there

    def row(self, name: str, unit: str) -> tuple[str, ...]:
        """The row of a table."""
        worst, mean = (max(self.too_long), float(np.mean(self.too_long))) if self.too_long else (0.0, 0.0)
        return (name, str(len(self.too_long)), f"{worst:.2f} {unit}", f"{mean:.2f} {unit}", str(self.otherwise))


def compared(scene: TableScene, check: Check, now: str, settings: Settings, into: dict[str, Compared]) -> bool:
    """Compares the short moves and turn of a check with all that are shorter; whether there is such a move."""
    moves = []
    for role, mover in (("target", check.target), ("attacker", check.attacker)):
        found = nearest_place(scene, check, now, mover, settings, SHORT)
        if found is not None:
            x, y = found.point.tolist()
            truth = least_move(scene, check, now, mover, found.distance, settings)
            into[role].add(
                found.distance, truth, found.verdict, _there(scene, check, mover, Move((x, y, 0.0)), settings)
            )
            moves.append(found)
    turn = nearest_turn(scene, check, now, settings, SHORT)
    if turn is not None:
        truth = least_turn(scene, check, now, turn.distance, settings)
        there = _there(scene, check, check.attacker, Move(turn=float(turn.point[0])), settings)
        into["turn"].add(turn.distance, None if truth is None else abs(truth), turn.verdict, there)
    return bool(moves)


def _there(scene: TableScene, check: Check, mover: str, move: Move, settings: Settings) -> str:
    (there,) = judged_after(scene, check, [{mover: move}], settings)
    return there.verdict


def tables(options: Options) -> Iterator[Table]:
    """Random tables, until there are enough pairs."""
    settings = Settings(choose(), PIXEL)
    wanted = PAIRS if options.rounds is None else min(PAIRS, 5 * options.rounds)
    found = {what: Compared() for what in ("target", "attacker", "turn")}
    seconds, seed, pairs = list[float](), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while pairs < wanted:
            scene = random_table(Path(folder), seed)
            rule = rule_called(scene.rules)
            checks = rule.everyone(scene)
            for number in np.random.default_rng(seed).permutation(len(checks))[:EACH].tolist():
                (verdict,) = rule.judge([(scene, checks[number])], settings)
                if not compared(scene, checks[number], verdict.verdict, settings, found):
                    continue
                pairs += 1
                if pairs % TIMED == 1:
                    start = time.process_time()
                    changes_of(scene, checks[number], verdict, settings)
                    seconds.append(time.process_time() - start)
                progress((f"{pairs} pairs", *(f"{max(one.too_long, default=0.0):.2f}" for one in found.values())))
            seed += 1
    names = {"target": ("moves of the target", "mm"), "attacker": ("moves of the attacker", "mm")}
    names["turn"] = ("turns of the attacker", "°")
    rows = tuple(found[what].row(*named) for what, named in names.items())
    yield Table("Changes against brute force", COLUMNS, rows, (f"{pairs} pairs.",), COLUMNS[1:])
    times = (("all changes of a check", f"{np.median(seconds):.1f}", f"{max(seconds):.1f}", str(len(seconds))),)
    yield Table("How long they take", ("", "s of one core, median", "most", "checks"), times)


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
