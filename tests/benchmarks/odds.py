"""Are the odds of verdicts true, and what do they take?

The first tables are a reliability diagram: random tables (``tests/support/doubtful_tables.py``; in doubt by 0.2 to 3
mm and 0.5 to 5 degrees) are judged with odds, and true tables that each may stand for exactly. The error of
calibration is the mean difference between stated and right, in ten bins, weighted by their size; at most 2 % is
wanted, and 70 ± 3 % right of those given 65 to 75 %.

The third compares odds with exact judgements of a thousand true tables each, which should differ by no more than is
*allowed*, both 95 % intervals together, in all but one in fifteen. The last has whole processes, on two cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from pathlib import Path
from statistics import median

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.judging.monte_carlo import NORMAL, Odds, odds_of
from silhouette.judging.trials import Trials
from silhouette.renderers import choose
from silhouette.rules.base import Settings
from silhouette.workers import parallel_map
from tests.benchmarks.processes import PROJECT, cpu_seconds
from tests.benchmarks.tables import Options, Table, add_options, progress, show
from tests.support.doubtful_tables import KINDS, Doubtful, doubtful

TABLES, A_ROUND = 2000, 200
"""Random tables, and how many of them in each round where rounds are limited."""

TRUTHS = 8
"""True tables of each."""

CHECKS, BRUTE = 24, 1000
"""Checks by brute force, and how many true tables each of them has."""

IN_DOUBT = 0.97
"""Brute force is asked about tables whose likeliest verdict has no better odds than this."""

BINS = 10
TOGETHER = 50
"""True tables that are judged together."""

PIXEL = 0.1
SKIRMISH = "scenes/necromunda/skirmish.toml"


@dataclass(frozen=True)
class Held:
    """Odds held against the truth.

    Attributes:
        kind: of the table.
        odds: of it.
        right: the share of its true tables with each verdict.
    """

    kind: str
    odds: Odds
    right: dict[str, float]


def held(table: Doubtful, number: int, truths: int) -> Held:
    """The odds of a table, and what so many true tables have."""
    settings, scene = Settings(choose(), PIXEL), table.scene()
    (verdict,) = table.rule.judge([(scene, table.check)], settings)
    odds = odds_of(Trials(scene, table.rule, number), table.check, verdict, settings)
    return Held(table.kind, odds, right(table, number, truths))


def right(table: Doubtful, number: int, truths: int) -> dict[str, float]:
    """The share of so many true tables with each verdict, judged exactly."""
    settings, counts = Settings(choose(), PIXEL), dict.fromkeys(table.rule.levels, 0)
    drawn = list(table.truths(np.random.default_rng([1, number]), truths))
    for start in range(0, truths, TOGETHER):
        asked = [(true, table.check) for true in drawn[start : start + TOGETHER]]
        for verdict in table.rule.judge(asked, settings):
            counts[verdict.verdict] += 1
    return {word: count / truths for word, count in counts.items()}


def random_tables(count: int) -> list[tuple[int, Doubtful]]:
    """So many tables, of each kind in turn, with their numbers."""
    kinds = list(KINDS)
    return [(number, doubtful(kinds[number % len(kinds)], number // len(kinds))) for number in range(count)]


def held_of(count: int) -> Iterator[Held]:
    """So many tables held against the truth, by two processes; how far it is, standard error tells."""
    choose()
    tables = random_tables(count)
    for done, one in enumerate(parallel_map(lambda pair: held(pair[1], pair[0], TRUTHS), tables, workers()), 1):
        if done % A_ROUND == 0:
            progress((f"{done} of {count} tables",))
        yield one


def workers() -> int:
    """Processes."""
    return min(2, os.cpu_count() or 1)


@dataclass(frozen=True, eq=False)
class Stated:
    """What was stated of verdicts, and how often it was right.

    Attributes:
        odds: (n,) of each verdict of each table that either has odds or was true.
        right: (n,) the share of true tables with that verdict.
    """

    odds: Floats
    right: Floats

    @classmethod
    def of(cls, tables: Sequence[Held]) -> Stated:
        """Of all verdicts of tables."""
        pairs = [(odds, one.right[word]) for one in tables for word, odds in one.odds.odds.items()]
        kept = np.array([pair for pair in pairs if any(pair)]).reshape(-1, 2)
        return cls(kept[:, 0], kept[:, 1])

    @classmethod
    def of_likeliest(cls, tables: Sequence[Held]) -> Stated:
        """Of the likeliest verdict of each table."""
        likely = [(one, max(one.odds.odds, key=lambda word: one.odds.odds[word])) for one in tables]
        return cls(
            np.array([one.odds.odds[word] for one, word in likely]), np.array([one.right[word] for one, word in likely])
        )

    def between(self, low: float, high: float) -> Stated:
        """Those given odds from ``low`` up to ``high``; 1 is below 1."""
        chosen = (self.odds >= low) & ((self.odds < high) | (high >= 1.0))
        return Stated(self.odds[chosen], self.right[chosen])

    def bins(self) -> Iterator[tuple[float, Stated]]:
        """The bins, by where they begin."""
        for low in (np.arange(BINS) / BINS).tolist():
            yield low, self.between(low, low + 1.0 / BINS)

    def calibration(self) -> float:
        """The expected calibration error."""
        apart = [
            abs(float(one.odds.mean() - one.right.mean())) * len(one.odds) for _, one in self.bins() if one.odds.size
        ]
        return sum(apart) / max(len(self.odds), 1)


def reliability(tables: Sequence[Held]) -> Table:
    """The reliability diagram."""
    stated, rows = Stated.of(tables), []
    for low, one in stated.bins():
        name = f"{100 * low:.0f} to {100 * low + 100 / BINS:.0f} %"
        rows.append(_row(name, one))
    rows.append(_row("65 to 75 %, wanted 70 ± 3", stated.between(0.65, 0.75)))
    every = 100 * stated.calibration()
    likeliest = 100 * Stated.of_likeliest(tables).calibration()
    in_doubt = sum(max(one.odds.odds.values()) < IN_DOUBT for one in tables)
    notes = (
        f"Expected calibration error (wanted ≤ 2 %): {every:.2f} % of all, {likeliest:.2f} % of the likeliest.",
        f"{len(tables)} tables, {in_doubt} of them in doubt, with {TRUTHS} true tables each.",
    )
    columns = ("stated", "verdicts", "stated, mean", "right", "± (95 %)", "right: a dot, stated: a line")
    return Table(
        "Reliability: of verdicts given such odds, how many are right", columns, tuple(rows), notes, ("right",)
    )


def _row(name: str, one: Stated) -> tuple[str, ...]:
    if not one.odds.size:
        return name, "0", "", "", "", ""
    odds, share = float(one.odds.mean()), float(one.right.mean())
    # True tables of one table are alike: they are counted as one.
    error = NORMAL * float(one.right.std()) / sqrt(len(one.right))
    return (
        name,
        str(len(one.odds)),
        f"{100 * odds:.1f} %",
        f"{100 * share:.1f} %",
        f"{100 * error:.1f} %",
        _bar(odds, share),
    )


def _bar(odds: float, share: float) -> str:
    """Twenty-one places from 0 to 1: a line up to what was stated, a dot where it was right."""
    line = ["─" if place / 20 <= odds else " " for place in range(21)]
    line[round(20 * share)] = "●"
    return "".join(line).replace(" ", "·")


def by_kind(tables: Sequence[Held]) -> Table:
    """The same for each kind of table."""
    rows = []
    for kind in KINDS:
        mine = [one for one in tables if one.kind == kind]
        stated = Stated.of(mine)
        in_doubt = sum(max(one.odds.odds.values()) < IN_DOUBT for one in mine)
        gaps = [abs(one.odds.odds[word] - one.right[word]) for one in mine for word in one.right]
        trials = float(np.mean([one.odds.trials for one in mine]))
        rows.append(
            (
                kind,
                str(len(mine)),
                str(in_doubt),
                f"{100 * stated.calibration():.2f} %",
                f"{np.mean(gaps):.3f}",
                f"{trials:.0f}",
            )
        )
    columns = ("", "tables", "in doubt", "calibration error", "stated - right, mean", "trials, mean")
    return Table("The same by kinds of tables", columns, tuple(rows), compared=("calibration error",))


def by_brute_force(checks: int) -> Table:
    """Odds beside those of so many exact judgements."""
    choose()
    asked = list(_in_doubt(checks))
    rows, within, worst = list[tuple[str, ...]](), 0, 0.0
    for found in parallel_map(lambda pair: held(pair[1], 10_000 + pair[0], BRUTE), asked, workers()):
        word = max(found.odds.odds, key=lambda verdict: found.odds.odds[verdict])
        stated, true = found.odds.odds[word], found.right[word]
        allowed = hypot(found.odds.error, NORMAL * sqrt(true * (1.0 - true) / BRUTE))
        within += abs(stated - true) <= allowed
        worst = max(worst, abs(stated - true))
        name = f"{found.kind} {len(rows) + 1}: {word}"
        numbers = [f"{100 * number:.1f} %" for number in (stated, true, found.odds.error, abs(stated - true), allowed)]
        rows.append(progress((name, *numbers, str(found.odds.trials))))
    notes = (f"{within} of {len(rows)} within; the worst differs by {100 * worst:.1f} %.",)
    columns = ("", "odds", "by brute force", "odds_error", "differ by", "allowed", "trials")
    return Table(f"Odds against {BRUTE} exact judgements", columns, tuple(rows), notes)


def _in_doubt(count: int) -> Iterator[tuple[int, Doubtful]]:
    """So many tables in doubt, of each kind in turn; other ones than those of the reliability diagram."""
    settings, kinds = Settings(choose(), PIXEL), list(KINDS)
    for kind in range(count):
        for number in range(kind * 1000 + 100_000, (kind + 1) * 1000 + 100_000):
            table = doubtful(kinds[kind % len(kinds)], number)
            scene = table.scene()
            (verdict,) = table.rule.judge([(scene, table.check)], settings)
            odds = odds_of(Trials(scene, table.rule), table.check, verdict, settings)
            if max(odds.odds.values()) <= IN_DOUBT:
                yield number, table
                break


def whole_processes(laps: int) -> Table:
    """Seconds and CPU seconds of commands."""
    asked = {
        "one pair (wanted ≤ 1.5 s)": ["check", SKIRMISH, "--from", "Kal", "--to", "Vex", "--odds"],
        "ten by ten (wanted ≤ 60 s)": ["matrix", SKIRMISH, "--odds"],
    }
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, arguments in asked.items():
            taken = []
            for _ in range(laps + 1):
                start = time.perf_counter()
                cpu = cpu_seconds(["-m", "silhouette", *arguments], PROJECT, folder)
                taken.append((time.perf_counter() - start, cpu))
            wall, cpu = (median(numbers) for numbers in zip(*taken[1:], strict=True))
            rows.append(progress((what, f"{wall:.2f}", f"{cpu:.2f}")))
    return Table("Whole processes", ("", "seconds", "CPU seconds"), tuple(rows), compared=("CPU seconds",))


def tables(options: Options, count: int = TABLES) -> Iterator[Table]:
    """Reliability, brute force, speed."""
    count = count if options.rounds is None else min(count, A_ROUND * options.rounds)
    found = list(held_of(count))
    yield reliability(found)
    yield by_kind(found)
    yield by_brute_force(CHECKS if options.rounds is None else min(CHECKS, 4 * options.rounds))
    yield whole_processes(options.laps(3))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.odds")
    add_options(parser)
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N", help="so many random tables")
    asked = parser.parse_args(arguments)
    show(tables(Options(asked.against, asked.rounds), asked.tables))


if __name__ == "__main__":
    main()
