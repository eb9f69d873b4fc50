"""Are the errors true that checks state, how large are they, and what slips through the counting?

The first table has checks that players make. The truth is exact (polygons by another library) in the first row,
elsewhere what rays of a witness count in fine pixels, whose own error is granted, at 4.5 deviations: *true error* is
what differs beyond it. *Marginal*: another verdict lies within the stated error. *Outside*: a share is off by more
than its error.

The second has random cases that are hard to measure (``tests/support/hard_sights.py``), and the project's models
behind finely patterned screens, against exact polygons. *Silently wrong*: the verdict is none of those within the
errors, or "hidden" or "open" is said at an error of 0 and is not true. *Raised*: no answer came.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, permutations
from pathlib import Path

import numpy as np

from silhouette.measure.observation import OcclusionCounts, Sight
from silhouette.measure.observe import ObservationRequest, observe
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.necromunda.judge import sight_between
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.table import TableScene
from tests.benchmarks.crowded_table import MESHES, MISSING, crowded_document, loaded
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.exact_shares import ExactShares
from tests.support.hard_sights import FINE, ORDINARY, TOUCHING, case, could_be, faults
from tests.support.models_behind_screens import cases_behind_screens
from tests.support.random_tables import random_table
from tests.support.sight_cases import Case

CROWDED = "the crowded table"

PIXEL = 0.1
FINER = 4
FINE_ERROR = 0.0005
"""Of the witness, with pixels so many times as fine."""

GRANTED = 1.5  # times the error of a witness, which is one of three deviations

CASES = {"ordinary": 150, "hard": 200}
"""How many of each kind."""

MODELS = ("ganger_rifle", "rock_outcrop")
"""The models behind screens."""

TABLES, PAIRS = 3, 40
"""Random tables, and checks on each."""

Judged = tuple[OcclusionCounts, float, float]
"""The counts of a check; the share that is truly obscured, and by how much that may be off."""


def sights_on(scene: TableScene, most: int) -> Iterator[Sight]:
    """Everyone who looks at someone; at most so many, spread over all pairs. No arc limits what is seen."""
    pairs = list(permutations([piece for piece in scene.pieces if piece.kind == "fighter"], 2))
    for attacker, target in pairs[:: -(-len(pairs) // most)]:
        sight = sight_between(scene, (attacker, target), None, ignored_parts_block=False, friends_block=False)
        yield replace(sight, arcs=None)


def against_rays(sights: Iterator[Sight], renderer: Renderer) -> Iterator[Judged]:
    """Each check, and the share that rays count."""
    witness = choose("embree")
    for sight in sights:
        counts = observe(sight, renderer, PIXEL).counts
        rays = observe(sight, witness, PIXEL / FINER, ObservationRequest(error_goal=FINE_ERROR)).counts
        if counts.total and rays.total:
            yield counts, rays.occluded / rays.total, GRANTED * rays.error


def groups(renderer: Renderer) -> Iterator[tuple[str, list[Judged]]]:
    """The checks that players make, by where they come from."""
    (kind,) = ORDINARY
    cases = [case(kind, number) for number in range(CASES["ordinary"])]
    judged = [(observe(one.sight, renderer, PIXEL).counts, one.exact().occluded, 0.0) for one in cases]
    yield f"{kind} figures and walls, exact", judged
    with tempfile.TemporaryDirectory() as folder:
        tables = [random_table(Path(folder), seed) for seed in range(TABLES)]
        yield "random tables", [one for table in tables for one in against_rays(sights_on(table, PAIRS), renderer)]
    if MESHES.is_dir():
        crowded = loaded({**crowded_document(), "readings": Readings().model_dump()})
        yield CROWDED, list(against_rays(sights_on(crowded, 90), renderer))


PLAYED = (
    "",
    "checks",
    "partly obscured",
    "stated error of those, mean",
    "stated, worst",
    "true error of those, mean",
    "true, median",
    "true, worst",
    "true / stated, worst",
    "marginal",
    "error 0",
    "outside",
)
HARD = ("", "outside", "silently wrong", "raised", "marginal", "stated error, mean")
"""The columns of the two tables."""


def told(name: str, judged: list[Judged]) -> tuple[str, ...]:
    """A row of the first table."""
    stated = np.array([counts.error for counts, _, _ in judged])
    true = np.array([max(abs(counts.occluded / counts.total - share) - off, 0.0) for counts, share, off in judged])
    partly = np.array([0 < counts.occluded < counts.total for counts, _, _ in judged])
    ratio = np.max(true[stated > 0] / stated[stated > 0], initial=0.0)
    marginal = np.mean([len(could_be(counts)) > 1 for counts, _, _ in judged])
    outside = int(np.sum(true > stated + 1e-9))
    errors = stated[partly].mean(), stated.max(), true[partly].mean(), np.median(true[partly]), true.max()
    rest = [f"{ratio:.2f}", f"{100 * marginal:.1f} %", f"{100 * np.mean(stated == 0):.0f} %", str(outside)]
    figures = [f"{100 * error:.2g} %" for error in errors]
    return progress((name, str(len(judged)), str(partly.sum()), *figures, *rest))


def hard_cases(count: int) -> Iterator[tuple[str, Iterator[tuple[Case, ExactShares]]]]:
    """Each kind of random case, with its cases."""
    for kind in FINE | TOUCHING:
        yield kind, ((one, one.exact()) for one in (case(kind, number) for number in range(count)))
    yield "models behind screens", chain(*(cases_behind_screens(name, count // len(MODELS)) for name in MODELS))


def slipped(cases: Iterator[tuple[Case, ExactShares]], renderer: Renderer) -> tuple[int, int, int, int, float]:
    """How many cases have a share outside its error, are silently wrong, raise, are marginal; mean stated error, %."""
    outside = wrong = raised = marginal = 0
    stated = []
    for one, exact in cases:
        try:
            counts = observe(one.sight, renderer, one.pixel).counts
        except (ArithmeticError, ValueError):
            raised += 1
            continue
        found = faults(counts, exact)
        outside += any("±" in fault for fault in found)
        wrong += any("±" not in fault for fault in found)
        marginal += len(could_be(counts)) > 1
        stated += [counts.error] if counts.total else []
    return outside, wrong, raised, marginal, 100.0 * float(np.mean(stated)) if stated else 0.0


def tables(options: Options) -> Iterator[Table]:
    """What players ask for, and what is hard to measure."""
    renderer = choose()
    rows = tuple(told(name, judged) for name, judged in groups(renderer))
    absent = {} if MESHES.is_dir() else {CROWDED: MISSING}
    compared = ("stated error of those, mean", "true, worst", "true / stated, worst", "marginal", "outside")
    yield Table("Checks that players make", PLAYED, rows, compared=compared, absent=absent)
    count = CASES["hard"] if options.rounds is None else min(CASES["hard"], 2 * options.rounds)
    found = {}
    for kind, cases in hard_cases(count):
        found[kind] = slipped(cases, renderer)
        progress((kind, *map(str, found[kind])))
    counted = np.array(list(found.values()))
    found["all"] = (*counted[:, :4].sum(0).astype(int).tolist(), counted[:, 4].mean())
    hard = tuple((kind, *map(str, numbers[:4]), f"{numbers[4]:.2g} %") for kind, numbers in found.items())
    yield Table(f"Hard cases, {count} of each kind", HARD, hard, compared=HARD[1:])


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
