"""Is what a scan says of its doubts true, and does no wrong verdict pass for sure?

    python -m tests.benchmarks.scan_doubts [--tables N] [--first SEED] [--keep FOLDER]

Small tables whose figures look across them from behind cover are scanned by the project's own maker, from fine to
coarse and rough, with a camera that goes astray, and made worse (`tests.support.scan_damage`). How far figures stand
and face from the truth is held against the doubt that the scene states; every verdict of a pair, without odds, against
that of the true scene. Wrong without a word is one that differs where the scene neither says that it is marginal, nor
asks about a figure of the pair or the scale, nor leaves a facing unknown. Each scan is judged with doubts, with those
of facing alone, and without any. The seeds on which doubts were tuned are `TUNED`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import silhouette
from silhouette.common.geometry import Floats
from tests.benchmarks.tables import Options, Table
from tests.support.random_tables import covered_plan, covered_table, known_figures
from tests.support.scan_damage import damaged
from tests.support.scan_maker import truth_of, write_scan
from tests.support.scan_truth import Truth, read_truth

TABLES, FIRST = 12, 101
TUNED = range(1, 9)
"""The seeds of the tables on which the doubts were tuned; others are measured."""

DAMAGES = (
    ("twisted", 0.7),
    ("rough", 0.6),
    ("stretched", 1.5),
    ("coarse", 3.0),
    ("bent", 1.0),
    ("wavy", 0.7),
    ("doubled", 2.0),
    ("holed", 8.0),
    ("leaning", 20.0),
)
"""How the scans are made worse, in turn."""

NEAR = 8.0
"""mm: a piece so near to a figure is that figure."""

IN_COVER = ("partial cover", "full cover")


@dataclass(frozen=True)
class Pull:
    """How far off something is, and its stated standard deviation: of a place along one axis, mm, or of a facing."""

    off: float
    stated: float

    @property
    def deviations(self) -> float:
        """The error in standard deviations."""
        return self.off / max(self.stated, 1e-9)


@dataclass
class Findings:
    """What came of scans; counts, and the errors of sure figures and of those that are not sure."""

    scans: int = 0
    failed: int = 0
    figures: int = 0
    found: int = 0
    named: int = 0
    sure_and_wrong: int = 0
    lost: int = 0
    lost_without_word: int = 0
    scale: list[float] = field(default_factory=list)
    scale_not_asked: list[float] = field(default_factory=list)
    place: list[Pull] = field(default_factory=list)
    facing: list[Pull] = field(default_factory=list)
    facing_not_sure: list[Pull] = field(default_factory=list)
    pairs: int = 0
    in_cover: int = 0
    judged: int = 0
    wrong: int = 0
    wrong_but_asked: int = 0
    wrong_without_word: list[str] = field(default_factory=list)
    marginal: int = 0
    marginal_by_turns: int = 0
    marginal_by_doubts: int = 0


def scanned(truth: Path, out: Path) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The record and the scene that the command makes of the scan beside a truth file; None where it failed."""
    command = [sys.executable, "-m", "silhouette", "scan", str(read_truth(truth).scan), "--out", str(out), "--yes"]
    command += ["--json", *(word for path in known_figures() for word in ("--figures", str(path)))]
    log = out.with_suffix(".log")
    if not (out / "scan.json").is_file():
        with log.open("wb") as file:
            actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), 1), (os.POSIX_SPAWN_DUP2, file.fileno(), 2)]
            os.waitpid(os.posix_spawn(command[0], command, os.environ, file_actions=actions), 0)
    if not (out / "scan.json").is_file():
        return None
    record = json.loads((out / "scan.json").read_text(encoding="utf-8"))
    return record, tomllib.loads((out / "scene.toml").read_text(encoding="utf-8"))


def add(findings: Findings, truth: Truth, out: Path) -> None:
    """Scans what belongs to a truth, and enters what came of it."""
    findings.scans += 1
    made = scanned(truth.path, out)
    if made is None:
        findings.failed += 1
        return
    record, scene = made
    across = truth.to_table @ np.linalg.inv(np.array(record["to_table"]).reshape(4, 4))
    scale = float(np.cbrt(np.linalg.det(across[:3, :3])))
    asked_scale = any(question["key"] == "scale" for question in scene.get("question", ()))
    findings.scale.append(1.0 / scale - 1.0)
    if not asked_scale:
        findings.scale_not_asked.append(1.0 / scale - 1.0)
    names = _add_figures(findings, truth, record, scene, across)
    asked = {name for question in scene.get("question", ()) for name in question.get("about", ())}
    _add_pairs(findings, truth, out / "scene.toml", names, {*asked, *(["scale"] if asked_scale else [])})


def _add_figures(
    findings: Findings, truth: Truth, record: Mapping[str, Any], scene: Mapping[str, Any], across: Floats
) -> dict[str, str]:
    """Enters what became of figures; the name of the scan's piece for each that was found."""
    fighters = [piece for piece in record["pieces"] if piece["kind"] != "terrain"]
    turn = float(np.degrees(np.arctan2(across[1, 0], across[0, 0])))
    places = [across[:3, :3] @ np.array(piece["at"], dtype=float) + across[:3, 3] for piece in fighters]
    missing, names = list(record["missing"]), dict[str, str]()
    asked = [across[:3, :3] @ [*q["at"], 0.0] + across[:3, 3] for q in scene.get("question", ()) if "at" in q]
    for figure in truth.figures:
        findings.figures += 1
        at = np.array(figure.at)
        order = sorted((float(np.hypot(*(place - at)[:2])), k) for k, place in enumerate(places))
        order = [(apart, k) for apart, k in order if apart <= NEAR and fighters[k]["name"] not in names.values()]
        if not order:
            findings.lost += 1
            is_told = any(np.hypot(*(place - at)[:2]) < 30.0 for place in asked)
            is_told |= record["grade"] == "terrain only" or any(Path(one).stem == figure.mesh for one in missing)
            findings.lost_without_word += not is_told
            continue
        piece, place = fighters[order[0][1]], places[order[0][1]]
        names[figure.name] = piece["name"]
        findings.found += 1
        is_sure = bool(piece["match"] and piece["match"]["sure"])
        is_right = piece["model"] is not None and Path(piece["model"]).stem == figure.mesh
        findings.named += is_sure and is_right
        findings.sure_and_wrong += is_sure and not is_right
        findings.place += [Pull(abs(float(off)), piece["doubt"]["place"]) for off in (place - at)[:2]]
        stated = piece["doubt"]["facing"]
        if stated is not None and piece["facing"] != "unknown":
            true = truth.scene.piece(figure.name).facing or 0.0
            off = abs((piece["facing"] + turn - true + 180.0) % 360.0 - 180.0)
            (findings.facing if is_sure else findings.facing_not_sure).append(Pull(off, stated))
            print(
                f"  {figure.name}: {'sure' if is_sure else '?'} {np.hypot(*(place - at)[:2]):.2f} mm "
                f"({piece['doubt']['place']}), {off:.2f} degrees ({stated})",
                file=sys.stderr,
            )
    return names


def _add_pairs(findings: Findings, truth: Truth, scene: Path, names: Mapping[str, str], asked: set[str]) -> None:
    """Enters the verdicts of all pairs; ``asked`` are the pieces of open questions, and "scale"."""
    true = silhouette.matrix(truth.scene).rows()
    findings.pairs += len(true)
    findings.in_cover += sum(row["verdict"] in IN_COVER for row in true)
    if len(names) < 2:
        return
    text = scene.read_text(encoding="utf-8")
    own = r"(?m)^doubt = \{ place = [0-9.]+(?:, facing = ([0-9.]+))? \}\n"
    turns = scene.with_name("turns.toml")
    turns.write_text(re.sub(own, lambda m: f"doubt = {{ facing = {m[1]} }}\n" if m[1] else "", text), encoding="utf-8")
    bare = scene.with_name("bare.toml")
    bare.write_text(re.sub(own, "", text), encoding="utf-8")
    whole, turned, plain = (_matrix(path) for path in (scene, turns, bare))
    for row in true:
        key = names.get(row["attacker"], ""), names.get(row["target"], "")
        if key not in whole:
            continue
        mine = whole[key]
        findings.judged += 1
        findings.marginal += mine["marginal"]
        findings.marginal_by_turns += turned[key]["marginal"] and not plain[key]["marginal"]
        findings.marginal_by_doubts += mine["marginal"] and not plain[key]["marginal"]
        if mine["verdict"] == row["verdict"]:
            continue
        findings.wrong += 1
        is_near = mine["marginal"] or row["marginal"] or mine["in_arc"] is None
        findings.wrong_but_asked += bool(not is_near and {*key, "scale"} & asked)
        told = is_near or {*key, "scale"} & asked
        line = (
            f"{scene.parent.name}: {key[0]} to {key[1]}: {row['verdict']} {row['occluded']:.3f}"
            f"{' marginal' if row['marginal'] else ''}, scanned {mine['verdict']} {mine['occluded']:.3f} "
            f"{mine['could_be'] if mine['marginal'] else ''}{'' if told else ' WITHOUT A WORD'}"
        )
        print("  " + line, file=sys.stderr, flush=True)
        if not told:
            findings.wrong_without_word.append(line)


def _matrix(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of everyone against everyone, by attacker and target."""
    return {(row["attacker"], row["target"]): row for row in silhouette.matrix(path).rows()}


def scans(folder: Path, seeds: Sequence[int]) -> Iterator[Truth]:
    """The truths of the scans of covered tables, each as scanned and made worse; made anew where they are not there."""
    for seed in seeds:
        file = folder / f"covered_{seed}.truth.json"
        if not file.is_file():
            scene, plan = covered_table(folder, seed), covered_plan(seed)
            write_scan(scene, plan, folder / f"covered_{seed}.{'ply' if seed % 3 == 1 else 'glb'}")
            file.write_text(json.dumps(truth_of(scene, plan), indent=1), encoding="utf-8")
        yield read_truth(file)
        kind, strength = DAMAGES[seed % len(DAMAGES)]
        worse = folder / f"covered_{seed}_{kind}_{strength:g}.truth.json"
        if not worse.is_file():
            damaged(file, folder, kind, strength)
            said = json.loads(worse.read_text(encoding="utf-8"))
            said |= {"name": worse.name.removesuffix(".truth.json"), "unit": 1.0}
            worse.write_text(json.dumps(said, indent=1), encoding="utf-8")
        yield read_truth(worse)


def findings_of(folder: Path, seeds: Sequence[int]) -> Findings:
    """What came of the scans of some seeds; told scan by scan on standard error."""
    findings = Findings()
    for truth in scans(folder, seeds):
        print(truth.scan.name, file=sys.stderr, flush=True)
        add(findings, truth, folder / f"made of {truth.scan.stem}")
    return findings


def rows_of(found: Findings) -> tuple[tuple[str, str, str], ...]:
    """The rows of the table: what, what is wanted, and what was measured."""

    def within(pulls: Sequence[Pull]) -> str:
        of = [sum(pull.deviations <= most for pull in pulls) / max(len(pulls), 1) for most in (1.0, 2.0)]
        most = max((pull.deviations for pull in pulls), default=0.0)
        return f"{of[0]:.0%}, {of[1]:.0%} of {len(pulls)}; most {most:.1f}"

    wanted = "≥ 67 %, ≥ 95 %"
    silent = max((abs(off) for off in found.scale_not_asked), default=0.0)
    return (
        ("scans, failed", "≥ 24, 0", f"{found.scans}, {found.failed}"),
        ("pairs in cover, in truth", "≥ 25 %", _part(found.in_cover, found.pairs)),
        ("figures found", "", _part(found.found, found.figures)),
        ("sure of the right model", "", _part(found.named, found.found)),
        ("sure of a wrong model", "0", str(found.sure_and_wrong)),
        ("figures lost; without a word", "; 0", f"{found.lost}; {found.lost_without_word}"),
        ("scale off, most; most without a question", "; 1 %", f"{max(map(abs, found.scale)):.1%}; {silent:.1%}"),
        ("place along an axis within 1, 2 deviations", wanted, within(found.place)),
        ("facing of sure figures, the same", wanted, within(found.facing)),
        ("facing of others, the same", wanted, within(found.facing_not_sure)),
        ("verdicts that differ", "", _part(found.wrong, found.judged)),
        ("of those, only a question tells", "", str(found.wrong_but_asked)),
        ("verdicts that differ without a word", "0", str(len(found.wrong_without_word))),
        ("marginal", "", _part(found.marginal, found.judged)),
        ("marginal by doubt of facing alone", "≤ 10 %", _part(found.marginal_by_turns, found.judged)),
        ("marginal by doubt of place and facing", "", _part(found.marginal_by_doubts, found.judged)),
    )


def _part(some: int, of: int) -> str:
    return f"{some} of {of}" + (f" ({100 * some / of:.0f} %)" if of else "")


TITLE = "Doubts of scans, and verdicts that differ"


def tables(options: Options) -> Iterator[Table]:
    """How true the doubts of scans are."""
    seeds = range(FIRST, FIRST + options.laps(TABLES))
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(findings_of(Path(folder), seeds))
    yield Table(TITLE, ("", "wanted", "measured"), rows, compared=("measured",))


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: runs all and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scan_doubts")
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N", help="so many tables, each scanned twice")
    parser.add_argument("--first", type=int, default=FIRST, metavar="SEED", help="the seed of the first table")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where scans and scenes are kept, and not made anew"
    )
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        found = findings_of(folder, range(given.first, given.first + given.tables))
    print(Table(TITLE, ("", "wanted", "measured"), rows_of(found)).text())
    for line in found.wrong_without_word:
        print(line)


if __name__ == "__main__":
    main()
