"""Does a scan say what it lost: which figures are found and named, and which are lost without a word?

    python -m tests.benchmarks.scan_losses [FOLDER...] [--keep FOLDER] [--only NAME]

Scans with a truth file: the seven of `../shared/reports/scans`, those of `../shared/scans`, and of the folders given,
each with the figures of `../shared`, as an owner of a collection would. Found is a figure with a fighter within 8 mm.
A lost one is told by `missing`, by a question within 30 mm of its place, or by a grade too coarse for figures; what is
left is lost without a word.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from tests.benchmarks.tables import CannotRunError, Options, Table

SHARED = Path(__file__).resolve().parents[3] / "shared"
FOLDERS = (SHARED / "reports" / "scans", SHARED / "scans")
FIGURES = SHARED / "meshes" / "miniatures" / "rpg.scad"

NEAR, ASKED = 8.0, 30.0
"""mm, of the true table: a piece so near to a figure is that figure, a question so near is about it."""

COLUMNS = (
    "",
    "figures",
    "found",
    "named",
    "wrong and sure",
    "lost, told",
    "lost, untold",
    "extra",
    "questions",
    "scale off",
    "CPU s",
    "MB",
)


@dataclass(frozen=True)
class Losses:
    """What became of the figures of one scan; `cpu` in seconds, `scale` as a share of the true one."""

    name: str
    figures: int = 0
    found: int = 0
    named: int = 0
    wrong: int = 0
    told: int = 0
    extra: int = 0
    questions: int = 0
    scale: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    error: str = ""
    lines: tuple[str, ...] = ()

    @property
    def untold(self) -> int:
        """Figures lost without a word; all of them where the command failed is no such loss: it says so."""
        return 0 if self.error else self.figures - self.found - self.told

    def row(self) -> tuple[str, ...]:
        """Its row among `COLUMNS`."""
        counts = (self.figures, self.found, self.named, self.wrong, self.told, self.untold, self.extra, self.questions)
        return (self.name, *map(str, counts), f"{self.scale:+.1%}", f"{self.cpu:.1f}", f"{self.megabytes:.0f}")


def losses(truth: Path, out: Path, figures: Path = FIGURES) -> Losses:
    """Scans what lies beside a truth file into a folder, and holds the record against the truth."""
    stem = truth.name.removesuffix(".truth.json")
    scan = next(file for file in sorted(truth.parent.glob(f"{stem}.*")) if not file.name.endswith(".json"))
    command = [sys.executable, "-m", "silhouette", "scan", str(scan), "--out", str(out), "--yes", "--json"]
    command += ["--figures", str(figures)]
    log = out.with_suffix(".log")
    with log.open("wb") as file:
        actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), 1), (os.POSIX_SPAWN_DUP2, file.fileno(), 2)]
        _, status, used = os.wait4(os.posix_spawn(command[0], command, os.environ, file_actions=actions), 0)
    facts = json.loads(truth.read_text(encoding="utf-8"))
    cost = {"cpu": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1024}
    if status != 0 or not (out / "scan.json").is_file():
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        error = lines[-1] if lines else f"status {status}"
        return Losses(stem, len(_fighters(facts)), cpu=cost["cpu"], megabytes=cost["megabytes"], error=error)
    questions = tomllib.loads((out / "scene.toml").read_text(encoding="utf-8")).get("question", ())
    asked = [(*question["at"], 0.0) for question in questions if "at" in question]
    return compared(stem, facts, json.loads((out / "scan.json").read_text(encoding="utf-8")), asked, cost)


def compared(
    stem: str,
    facts: dict[str, Any],
    record: dict[str, Any],
    asked_at: Sequence[Sequence[float]],
    cost: Mapping[str, float],
) -> Losses:
    """What a record, and the places that are asked about, say of the figures of a truth."""
    to_truth = _to_table(facts)
    scale = record["scale"] / float(np.cbrt(np.linalg.det(to_truth[:3, :3])))
    across = to_truth @ np.linalg.inv(np.array(record["to_table"]).reshape(4, 4))
    fighters = [piece for piece in record["pieces"] if piece["kind"] != "terrain"]
    places = _moved(across, [piece["at"] for piece in fighters])
    asked = _moved(across, asked_at)
    missing = list(record.get("missing", ()))
    coarse = record.get("grade") == "terrain only"
    taken: set[int] = set()
    found = named = wrong = told = 0
    lines = []
    for entry in _fighters(facts):
        at = np.array(entry.get("base_at") or entry["at"], dtype=np.float64)
        apart = np.linalg.norm((places - at)[:, :2], axis=1) if len(places) else np.zeros(0)
        order = [k for k in np.argsort(apart).tolist() if k not in taken and apart[k] <= NEAR]
        if order:
            taken.add(order[0])
            found += 1
            piece = fighters[order[0]]
            match = piece["match"]
            right = piece["model"] is not None and Path(piece["model"]).stem == entry["name"]
            named += right and match["sure"]
            wrong += not right and match is not None and match["sure"]
            lines.append(f"  {entry['name']}: {_named(piece)}, {apart[order[0]]:.1f} mm off")
            continue
        by_name = next((one for one in missing if Path(one).stem == entry["name"]), None)
        is_near = bool(len(asked)) and bool((np.linalg.norm((asked - at)[:, :2], axis=1) < ASKED).any())
        if by_name is not None:
            missing.remove(by_name)
        if coarse or is_near or by_name is not None:
            told += 1
        lines.append(
            f"  {entry['name']} at {at[0]:.0f}, {at[1]:.0f}: lost{', told' if coarse or is_near or by_name else ''}"
        )
    extra = len(fighters) - len(taken)
    lines += [
        f"  extra: {piece['name']} at {places[k][0]:.0f}, {places[k][1]:.0f}, {_named(piece)}"
        for k, piece in enumerate(fighters)
        if k not in taken
    ]
    return Losses(
        stem,
        len(_fighters(facts)),
        found=found,
        named=named,
        wrong=wrong,
        told=told,
        extra=extra,
        questions=len(record["questions"]),
        scale=scale - 1,
        cpu=cost.get("cpu", 0.0),
        megabytes=cost.get("megabytes", 0.0),
        lines=tuple(lines),
    )


def _fighters(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in facts["pieces"] if entry["kind"] == "fighter" and not entry.get("junk")]


def _named(piece: dict[str, Any]) -> str:
    match = piece["match"]
    if match is None:
        return "no model"
    return f"{Path(piece['model']).stem}{'' if match['sure'] else '?'} {match['residual']:.2f} mm"


def _to_table(facts: dict[str, Any]) -> Floats:
    """(4, 4) from the file's coordinates to those of the truth."""
    if "to_file" in facts:
        return np.linalg.inv(np.array(facts["to_file"]).reshape(4, 4))
    return np.array(facts["to_table"], dtype=np.float64).reshape(4, 4)


def _moved(matrix: Floats, points: Sequence[Sequence[float]]) -> Floats:
    some = np.array(points, dtype=np.float64).reshape(-1, 3)
    return np.asarray(some @ matrix[:3, :3].T + matrix[:3, 3])


def all_losses(folders: Sequence[Path], out: Path, only: str = "") -> Iterator[Losses]:
    """What is lost of each scan of some folders; told line by line on standard error."""
    for truth in (file for folder in folders for file in sorted(folder.glob("*.truth.json"))):
        if only and only not in truth.name:
            continue
        each = losses(truth, out / truth.name.removesuffix(".truth.json"))
        print("  ".join(each.row()), each.error, file=sys.stderr, flush=True)
        for line in each.lines:
            print(line, file=sys.stderr, flush=True)
        yield each


def rows_of(every: Sequence[Losses]) -> tuple[tuple[str, ...], ...]:
    """The rows of the table, with their sums."""
    whole = Losses(
        "all, or most",
        figures=sum(each.figures for each in every),
        found=sum(each.found for each in every),
        named=sum(each.named for each in every),
        wrong=sum(each.wrong for each in every),
        told=sum(each.told for each in every),
        extra=sum(each.extra for each in every),
        questions=sum(each.questions for each in every),
        scale=max((each.scale for each in every), key=abs),
        cpu=max(each.cpu for each in every),
        megabytes=max(each.megabytes for each in every),
    )
    return (*(each.row() for each in every), whole.row())


TITLE = "Figures found, named and lost"


def tables(options: Options) -> Iterator[Table]:
    """What was lost of all scans."""
    del options
    if not FIGURES.is_dir():
        raise CannotRunError("the shared scans are not here")
    with tempfile.TemporaryDirectory() as folder:
        every = list(all_losses(FOLDERS, Path(folder)))
    yield Table(TITLE, COLUMNS, rows_of(every), compared=("found", "named", "lost, untold"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: runs all and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scan_losses")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="more scans with truth files")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where the scanned tables are kept, to be looked at"
    )
    parser.add_argument("--only", default="", metavar="NAME", help="only scans with this in their names")
    given = parser.parse_args(arguments)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        out = given.keep or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        every = list(all_losses([*FOLDERS, *given.folders], out, given.only))
    if every:
        print(Table(TITLE, COLUMNS, rows_of(every), (f"{time.perf_counter() - started:.0f} s",)).text())


if __name__ == "__main__":
    main()
