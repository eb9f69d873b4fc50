"""How good is the scene that ``silhouette scan`` makes of a scan, how long does it take, and how much memory?

    python -m tests.benchmarks.scans [FOLDER...] [--tables N] [--things N] [--keep FOLDER] [--only-known]

Scans with a truth file: those of ``../shared/scans``, of the folders given, and random tables and things that the
project's own maker scans (``--keep`` keeps them). Each is scanned in a process of its own, with the meshes of the
figures; started by itself, the benchmark also scans without them, and lists what is wrong with each.

The random tables have nine figures each of thirteen (noise of 0.2 to 1.5 mm, four formats, four units); the things
touch, lean on each other or are stacked. An unknown facing is judged as if the target lay in its arc, from which most
different verdicts come. Of the others, what differs should be "roll off" by the odds, and little else.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

import silhouette
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, judge_scene
from silhouette.judging.calls import ROLL_OFF
from silhouette.renderers import choose
from silhouette.scans.read import read_scan
from silhouette.scenes.table import TableScene
from tests.benchmarks.tables import Options, Table
from tests.support.random_tables import known_figures, random_format, random_plan, random_table, things, things_plan
from tests.support.scan_maker import Plan, truth_of, write_scan
from tests.support.scan_scores import FigureScore, PairScore, Score, compare_verdicts, score
from tests.support.scan_truth import Truth, read_truth

TABLES, THINGS = 3, 2
"""Random tables of nine figures, and of things."""

SHARED = Path(__file__).resolve().parents[3] / "shared" / "scans"


@dataclass(frozen=True)
class Run:
    """One scan, understood by the command.

    Attributes:
        truth: what is true of it.
        known: whether the meshes of the figures were given.
        score: how well it was understood; None where the command failed, and ``error`` its message.
        pairs: the verdicts, in the true scene and in the scan's; none without the meshes of the figures.
        seconds, megabytes: of the command.
    """

    truth: Truth
    known: bool
    score: Score | None
    error: str
    pairs: tuple[PairScore, ...]
    seconds: float
    megabytes: float


def run(truth: Truth, out: Path, figures: Sequence[Path]) -> Run:
    """Scans, and holds what came out against the truth."""
    command = [sys.executable, "-m", "silhouette", "scan", str(truth.scan), "--out", str(out), "--yes", "--json"]
    command += [word for path in figures for word in ("--figures", str(path))]
    said = out.with_suffix(".said")
    started = time.perf_counter()
    with said.open("wb") as file:
        actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), 1), (os.POSIX_SPAWN_DUP2, file.fileno(), 2)]
        process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - started
    megabytes = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    if status != 0 or not (out / "scan.json").is_file():
        lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return Run(truth, bool(figures), None, lines[-1] if lines else "", (), seconds, megabytes)
    document = json.loads((out / "scan.json").read_text(encoding="utf-8"))
    found = score(truth, document, np.load(out / "labels.npy"), truth.labels(read_scan(truth.scan).vertices))
    pairs = verdicts(truth, out / "scene.toml", document, found) if figures and len(truth.figures) > 1 else ()
    return Run(truth, bool(figures), found, "", tuple(pairs), seconds, megabytes)


def verdicts(truth: Truth, scene: Path, document: dict[str, Any], found: Score) -> list[PairScore]:
    """All pairs of the true scene beside those of the scan's."""
    fighters = [piece for piece in document["pieces"] if piece["kind"] == "fighter"]
    scanned = with_odds(scene) if len(fighters) > 1 else []
    unknown = [piece["name"] for piece in fighters if piece["facing"] == "unknown"]
    return compare_verdicts(silhouette.matrix(truth.scene).rows(), scanned, found.figures, unknown)


def with_odds(scene: Path) -> list[Mapping[str, Any]]:
    """Everyone against everyone in a scene, with odds."""
    options = JudgingOptions(choose("auto"), Cache.default(), workers=os.cpu_count() or 1, seed=0)
    return [one.row() for one in judge_scene(scene, Selection(everyone=True), options).judged]


def tables_of(folder: Path) -> list[tuple[Truth, list[Path]]]:
    """The scans of a folder, with the meshes of figures to look for."""
    truths = [read_truth(file) for file in sorted(folder.glob("*.truth.json"))]
    if (folder / "figures").is_dir():
        return [(truth, [folder / "figures"]) for truth in truths]
    named = {(truth.scene_path.parent / entry["mesh"]).resolve() for truth in truths for entry in fighters_of(truth)}
    return [(truth, sorted(named)) for truth in truths]


def fighters_of(truth: Truth) -> list[dict[str, Any]]:
    """The entries of the true scene's fighters that name a mesh."""
    return [entry for entry in truth.document.get("fighter", ()) if "mesh" in entry]


def made_anew(folder: Path, scene: TableScene, plan: Plan, ending: str) -> Truth:
    """A scan of a scene, written into a folder with its truth."""
    file = folder / f"{scene.path.stem}.{ending}"
    truth = folder / f"{scene.path.stem}.truth.json"
    if not truth.is_file():
        # In a process of its own: the command that is measured next inherits the most memory that this one had.
        maker = multiprocessing.get_context("fork").Process(target=write_scan, args=(scene, plan, file))
        maker.start()
        maker.join()
        assert maker.exitcode == 0
        truth.write_text(json.dumps(truth_of(scene, plan), indent=1), encoding="utf-8")
    return read_truth(truth)


def random_tables(folder: Path, tables: int, count: int) -> Iterator[tuple[Truth, list[Path]]]:
    """So many tables with figures, and so many with things, made anew."""
    for seed in range(1, tables + 1):
        scene = random_table(folder, seed)
        yield made_anew(folder, scene, random_plan(seed), random_format(seed)), known_figures()
    for seed in range(1, count + 1):
        yield made_anew(folder, things(folder, seed), things_plan(seed), "glb"), []


def report(runs: Sequence[Run]) -> list[tuple[str, str, str]]:
    """The rows of the table: what was asked, what is wanted, and what was measured."""
    good = [each.score for each in runs if each.score is not None]
    with_tables = [each.score for each in runs if each.score is not None and each.truth.figures]
    known = [each for each in runs if each.score is not None and each.known]
    named = [one for each in known for one in (each.score.figures if each.score else ()) if one.found]
    right = [one for one in named if one.named]
    sure = [one for one in right if one.sure]
    pairs = [pair for each in runs for pair in each.pairs]
    rows = [
        ("scans understood", "all", f"{len(good)} of {len(runs)}"),
        ("table's plane: tilt", "≤ 0.1°", f"{_largest(each.tilt for each in good):.3f}°"),
        ("table's plane: height", "≤ 0.3 mm", f"{_largest(each.height for each in good):.2f} mm"),
    ]
    for source in ("units", "known models", "bases", "guess"):
        here = [each for each in with_tables if each.scale_from == source]
        wanted = {"known models": "≤ 0.5 %", "bases": "≤ 2 %", "guess": "with a question"}.get(source, "")
        asked = sum(each.asked for each in here)
        said = f"{100 * _largest(each.scale for each in here):.2f} %, {len(here)} scans, {asked} with a question"
        said = said if here else "no scan"
        rows.append((f"scale from {source}", wanted, said))
    wrong = [each for each in with_tables if each.scale > 0.03 and not each.asked]
    rows.append(("scale wrong and not asked", "0", str(len(wrong))))
    figures = [one for each in good for one in each.figures]
    for standing, wanted in (("isolated", "all"), ("at a wall", ""), ("on terrain", "≥ 95 %"), ("touching", "")):
        of_these = [one for one in figures if one.standing == standing]
        found = _part(sum(one.found for one in of_these), len(of_these))
        rows.append((f"figures {standing}, found within 3 mm", wanted, found))
    # `of_these` are those that touch
    settled = sum(one.found or one.flagged for one in of_these)
    rows.append(("the same, split or flagged", "all", _part(settled, len(of_these))))
    facing = [pair for pair in pairs if pair.known]
    there = [pair for pair in facing if pair.scanned is not None]
    apart = [each.score for each in runs if each.score is not None and not each.truth.figures]
    seconds = [each.seconds for each in runs]
    return [
        *rows,
        ("figures where none stands", "", str(sum(len(each.extra) for each in good))),
        ("figures named right, of those found", "≥ 95 %", _part(len(right), len(named))),
        ("figures named wrong and sure", "0", str(sum(one.sure and one.named is False for one in named))),
        ("figures that are sure", "", _part(len(sure), len(named))),
        ("place of those, 90th percentile", "≤ 0.5 mm", f"{_ninety(one.off for one in sure):.2f} mm"),
        ("facing of those, 90th percentile", "≤ 2°", f"{_ninety(one.turned or 0.0 for one in sure):.2f}°"),
        ("place of all that are named right, 90th percentile", "", f"{_ninety(one.off for one in right):.2f} mm"),
        ("terrain: points right", "≥ 95 %", f"{100 * _mean(each.terrain for each in with_tables):.1f} %"),
        ("verdicts the same, all pairs", "≥ 90 %", _part(sum(pair.same for pair in pairs), len(pairs))),
        ("the same where the facing is known", "", _part(sum(pair.same for pair in facing), len(facing))),
        ('those that differ, called "roll off"', "all", _rolled([pair for pair in there if not pair.same])),
        ('those that agree, called "roll off"', "≤ 20 %", _rolled([pair for pair in there if pair.same])),
        (
            "things that touch, lean or are stacked: points",
            "≥ 70 %",
            f"{100 * _mean(one.apart for one in apart):.1f} %",
        ),
        ("things that touch or lean", "", f"{100 * _mean(one.things for one in apart):.1f} %"),
        ("seconds, most and median", "", f"{_largest(seconds):.0f}, {_middle(seconds):.0f}"),
        ("memory, most", "≤ 2,000 MB", f"{_largest(each.megabytes for each in runs):,.0f} MB"),
    ]


def _rolled(pairs: Sequence[PairScore]) -> str:
    return _part(sum(pair.call == ROLL_OFF for pair in pairs), len(pairs))


def _part(some: int, of: int) -> str:
    return f"{some} of {of}" + (f" ({100 * some / of:.1f} %)" if of else "")


def _largest(values: Iterable[float]) -> float:
    return max(values, default=math.nan)


def _mean(values: Iterable[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return float(np.mean(there)) if there else math.nan


def _middle(values: Iterable[float]) -> float:
    there = list(values)
    return float(np.median(there)) if there else math.nan


def _ninety(values: Iterable[float]) -> float:
    there = list(values)
    return float(np.percentile(there, 90)) if there else math.nan


def say(each: Run) -> None:
    """What went wrong with one scan, line by line."""
    name = (
        f"{each.truth.scan.name}{' with meshes' if each.known else ''}: {each.seconds:.0f} s, {each.megabytes:.0f} MB; "
    )
    one = each.score
    if one is None:
        print(name + each.error, file=sys.stderr, flush=True)
        return
    found = sum(figure.found for figure in one.figures)
    name += f"tilt {one.tilt:.3f}, height {one.height:.2f}, scale {100 * one.scale:.2f} % from {one.scale_from}"
    name += f"{', asked' if one.asked else ''}; figures {found} of {len(one.figures)}, {len(one.extra)} too many"
    print(f"{name}; terrain {one.terrain:.3f}, apart {one.apart:.2f}", file=sys.stderr, flush=True)
    for figure in one.figures:
        if fault := _fault(figure, each.known):
            print(f"    {figure.name}, {figure.standing}: {fault}", file=sys.stderr)
    if one.extra:
        print(f"    no figures: {', '.join(one.extra)}", file=sys.stderr)
    for pair in each.pairs:
        if not pair.same:
            share = "" if pair.scanned_share is None else f" {100 * pair.scanned_share:.1f} %"
            print(
                f"    {pair.attacker} → {pair.target}: {pair.true} {100 * pair.true_share:.1f} %, in the scan's scene "
                f"{pair.scanned or 'not there'}{share}{'' if pair.known else ', facing unknown'}; call: {pair.call}",
                file=sys.stderr,
            )


def _fault(figure: FigureScore, known: bool) -> str:
    """What is wrong with a figure, in a few words; empty where nothing is."""
    fault = ""
    if not figure.found:
        fault = f"not found{', flagged' if figure.flagged else ''}"
    elif known and not figure.named:
        fault = "not named" if figure.named is None else "named wrong"
    elif figure.turned is not None and (figure.turned > 5 or figure.off > 1):
        fault = f"{figure.off:.2f} mm and {figure.turned:.1f}° off"
    return fault + (", sure" if fault and figure.sure else "")


TITLE = "Scans, with the meshes of the figures"


def tables(options: Options) -> Iterator[Table]:
    """What came of all scans: what is wanted, and what was measured."""
    with tempfile.TemporaryDirectory() as temporary:
        count = options.laps(TABLES), options.laps(THINGS)
        runs = list(runs_of([], *count, Path(temporary), Path(temporary), only_known=True))
    yield Table(TITLE, ("", "wanted", "measured"), tuple(report(runs)), compared=("measured",))


def runs_of(
    folders: Sequence[Path], count: int, count_things: int, made: Path, temporary: Path, *, only_known: bool
) -> Iterator[Run]:
    """Scans everything; what went wrong is told on standard error."""
    given = [pair for folder in [SHARED, *folders] if folder.is_dir() for pair in tables_of(folder)]
    number = 0
    for truth, figures in chain(given, random_tables(made, count, count_things)):
        for known in [figures] if only_known or not figures else [figures, []]:
            one = run(truth, temporary / f"scan {number}", known)
            number += 1
            say(one)
            yield one


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: runs all and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scans")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="more scans with truth files")
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N", help="so many random tables of nine figures")
    parser.add_argument("--things", type=int, default=THINGS, metavar="N", help="so many random tables of things")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the scans made anew are kept")
    parser.add_argument("--only-known", action="store_true", help="not again without the meshes of the figures")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        made = asked.keep or Path(temporary)
        made.mkdir(parents=True, exist_ok=True)
        count = asked.tables, asked.things
        runs = list(runs_of(asked.folders, *count, made, Path(temporary), only_known=asked.only_known))
    print(Table("Scans", ("", "wanted", "measured"), tuple(report(runs))).text())


if __name__ == "__main__":
    main()
