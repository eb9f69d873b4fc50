"""The errors that checks state, and those that they truly have; and what slips between the samples.

python -m tests.benchmarks.stated_errors

The first table has checks that players make. Truth: exact polygons for figures of some hundred triangles
(`tests.support.exact_shares`), elsewhere a view with pixels a quarter of the size and a fortieth of the error allowed,
which states an error itself: by that much more a share may be off before it counts as outside. The second table has the
random cases of `tests.support.hard_sights` and `models_behind_screens`, against exact polygons.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, permutations
from pathlib import Path

import numpy as np

from silhouette.measure.observation import OcclusionCounts
from silhouette.measure.observe import Sight, observe
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.necromunda.scene import Readings
from silhouette.rules.necromunda.sight import sight_between
from silhouette.scenes.table import TableScene
from tests.benchmarks.crowded_table import MESHES, crowded_document, loaded
from tests.support.exact_shares import ExactShares
from tests.support.hard_sights import FINE, ORDINARY, TOUCHING, case, could_be, faults
from tests.support.models_behind_screens import cases_behind_screens
from tests.support.random_tables import random_table
from tests.support.sight_cases import Case

PIXEL = 0.1
FINER = 4
FINE_ERROR = 0.00005
"""Allowed where the truth is looked for: little beside the 0.002 that is allowed by default."""

CASES = {"ordinary": 150, "hard": 50}
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
        sight = sight_between(scene, attacker, target, None, ignored_parts_block=False, friends_block=False)
        yield replace(sight, arcs=None)


def against_finer(sights: Iterator[Sight], renderer: Renderer) -> Iterator[Judged]:
    """Each check, and the share in a finer view."""
    for sight in sights:
        counts = observe(sight, renderer, PIXEL).counts
        finer = observe(sight, renderer, PIXEL / FINER, error_goal=FINE_ERROR).counts
        if counts.total and finer.total:
            yield counts, finer.occluded / finer.total, finer.error


def groups(renderer: Renderer) -> Iterator[tuple[str, list[Judged]]]:
    """The checks that players make, by where they come from."""
    (kind,) = ORDINARY
    cases = [case(kind, number) for number in range(CASES["ordinary"])]
    judged = [(observe(one.sight, renderer, PIXEL).counts, one.exact().occluded, 0.0) for one in cases]
    yield f"{kind} figures and walls, exact", judged
    with tempfile.TemporaryDirectory() as folder:
        tables = [random_table(Path(folder), seed) for seed in range(TABLES)]
        yield "random tables", [one for table in tables for one in against_finer(sights_on(table, PAIRS), renderer)]
    if MESHES.is_dir():
        crowded = loaded({**crowded_document(), "readings": Readings().model_dump()})
        yield "the crowded table", list(against_finer(sights_on(crowded, 90), renderer))


COLUMNS = (
    "checks",
    "partly obscured",
    "stated error of those, mean",
    "stated, worst",
    "true error of those, mean",
    "true, worst",
    "true / stated, worst",
    "marginal",
    "error 0",
    "outside",
)
"""A check is marginal where another verdict lies within the error that it states, whatever a game tolerates."""


def told(name: str, judged: list[Judged]) -> str:
    """A row of the first table."""
    stated = np.array([counts.error for counts, _, _ in judged])
    true = np.array([abs(counts.occluded / counts.total - share) for counts, share, _ in judged])
    slack = np.array([off for _, _, off in judged])
    partly = np.array([0 < counts.occluded < counts.total for counts, _, _ in judged])
    ratio = np.max(true[stated > 0] / stated[stated > 0], initial=0.0)
    marginal = np.mean([len(could_be(counts)) > 1 for counts, _, _ in judged])
    outside = int(np.sum(true > stated + slack + 1e-9))
    figures = [f"{value:.3%}" for value in (stated[partly].mean(), stated.max(), true[partly].mean(), true.max())]
    rest = [f"{ratio:.2f}", f"{marginal:.1%}", f"{np.mean(stated == 0):.0%}", str(outside)]
    return "| " + " | ".join([name, str(len(judged)), str(partly.sum()), *figures, *rest]).replace("%", " %") + " |"


def hard_cases() -> Iterator[tuple[str, Iterator[tuple[Case, ExactShares]]]]:
    """Each kind of random case, with its cases."""
    count = CASES["hard"]
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


def main() -> None:
    """Prints both tables."""
    start, renderer = time.process_time(), choose("embree")
    print("| | " + " | ".join(COLUMNS) + " |\n|---" + "|---:" * len(COLUMNS) + "|")
    for name, judged in groups(renderer):
        print(told(name, judged), flush=True)
    print(f"\n| {CASES['hard']} cases each | outside | silently wrong | raised | marginal | stated error, mean |")
    print("|---|---:|---:|---:|---:|---:|")
    rows = {}
    for kind, cases in hard_cases():
        rows[kind] = slipped(cases, renderer)
        print("| {} | {} | {} | {} | {} | {:.2f} % |".format(kind, *rows[kind]), flush=True)
    counted = np.array(list(rows.values()))
    print("| all | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.2f} % |".format(*counted[:, :4].sum(0), counted[:, 4].mean()))
    print(f"\n{time.process_time() - start:.0f} s of CPU time")


if __name__ == "__main__":
    main()
