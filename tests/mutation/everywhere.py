"""Mutants of all rooms, drawn at random, each tried on the tests that run its line: which of them does a step notice?

    python -m tests.mutation.everywhere --count 60 --seed 1 --traced lines.cov --out readme.jsonl
    python -m tests.mutation.everywhere --again readme.jsonl --step slow --rooms --out slow.jsonl
    python -m tests.mutation.everywhere --table readme.jsonl slow.jsonl

First the tests of the step run once, with the lines of all rooms traced, to see which test runs which line: a file
given by ``--traced`` keeps it. Then each mutant is tried on the tests that run its line, the quickest first, until one
fails. A line that runs while a module is imported is tried on all tests that run anything of that module. With
``--again`` only what survived another run is tried, such as on the step after it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.mutation.run import PACKAGE, ROOT, difference_of, in_process, load_libraries

if TYPE_CHECKING:
    from tests.mutation.mutants import Mutant

LEFT_OUT = ("__main__.py", "words.py", "captions.py")
"""Files without anything to decide."""

STEPS = {"readme": "not slow", "slow": "slow"}
"""The marks of the tests of README's command, and of CI's second step."""

TOLD = {"readme": "README's command", "slow": "CI's second step alone"}
"""The steps in words."""

NOTICED = ("killed", "timeout")
"""The outcomes of a mutant that a step notices."""

FIRST_TRIED = 24
"""How many tests a mutant is tried on first: the few files of so many are collected in a moment."""

SETTINGS = """
[run]
branch = false
relative_files = true
data_file = {data}
include =
    silhouette/*
omit =
{omitted}
"""


class Only:
    """A plugin of pytest: of what was collected only these tests run, in this order."""

    def __init__(self, names: Sequence[str]) -> None:
        self.places = {name: place for place, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.places), key=lambda item: self.places[item.nodeid]
        )


class Timed:
    """A plugin of pytest that writes the seconds of each test into a file."""

    def __init__(self, file: Path) -> None:
        self.file, self.seconds = file, dict[str, float]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_unconfigure(self) -> None:
        self.file.write_text(json.dumps(self.seconds), encoding="utf-8")


def main(words: Sequence[str] | None = None) -> int:
    """Runs from the command line; the status is that of the traced run where that fails, else 0."""
    parser = argparse.ArgumentParser(description="Mutants of all rooms, each tried on the tests that run its line.")
    parser.add_argument("--count", type=int, default=60, help="of mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--step", choices=STEPS, default="readme", help="whose tests are to notice")
    parser.add_argument("--skip", nargs="*", default=[], metavar="ROOM", help="rooms of which none is drawn or traced")
    parser.add_argument("--again", type=Path, help="only those that survived the run which wrote this --out file")
    parser.add_argument("--traced", type=Path, help="keeps which test runs which line; is used if it is there")
    parser.add_argument(
        "--rooms", action="store_true", help="trace nothing: all tests of a mutant's room, and its doctests"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests that each mutant is tried on, at most")
    parser.add_argument("--out", type=Path, help="a .jsonl file that gets a line for each mutant")
    parser.add_argument(
        "--table", type=Path, nargs="*", help="try nothing: the table of these --out files, in Markdown"
    )
    given = parser.parse_args(words)
    if given.table is not None:
        print(table(given.table))
        return 0
    marks = ("-m", STEPS[given.step])
    with tempfile.TemporaryDirectory() as folder:
        file = given.traced or Path(folder) / "lines.cov"
        if not (given.rooms or file.exists()):
            _trace(given.skip, marks, file)
        traced = None if given.rooms else Traced(file)
        load_libraries(ours=False)
        outcomes = list[str]()
        for mutant in _chosen(given):
            row = _row(mutant, traced, given.step, given.seconds)
            outcomes.append(row["outcome"])
            print(f"{row['outcome']}, {row['tests']} tests: {row['mutant']}", flush=True)
            if given.out is not None:
                with given.out.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(row) + "\n")
    print(", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes)))
    return 0


def _row(mutant: Mutant, traced: Traced | None, step: str, seconds: float) -> dict[str, Any]:
    """What came of a mutant: the line of an ``--out`` file."""
    marks = ("-m", STEPS[step])
    if traced is None:
        names = [mutant.path.relative_to(ROOT).as_posix(), _tests_of_room(mutant)]  # with the module's doctests
        outcome: str = in_process(mutant, [*marks, *names], limit=1200.0)
    else:
        names = traced.tests_of(mutant, seconds)
        outcome = _tried(mutant, names, marks) if names else "never run"
    return {"mutant": difference_of(mutant), "step": step, "outcome": outcome, "tests": len(names)}


def table(files: Sequence[Path]) -> str:
    """How many mutants each step noticed, room by room, in Markdown: of `--out` files, those of README's step first."""
    outcomes: dict[str, dict[str, str]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            outcomes.setdefault(row["mutant"], {})[row["step"]] = row["outcome"]
    rooms: dict[str, list[str]] = {}
    for mutant, by_step in outcomes.items():
        noticed = next((step for step, outcome in by_step.items() if outcome in NOTICED), "nobody")
        parts = Path(mutant.partition(":")[0]).parts[1:-1]
        rooms.setdefault(parts[0] if parts else "at the top", []).append(noticed)
    rooms["**all**"] = [noticed for some in rooms.values() for noticed in some]
    lines = [f"| room | tried | {' | '.join(f'noticed by {words}' for words in TOLD.values())} | survive |"]
    lines.append(f"|---|{'---:|' * (len(TOLD) + 2)}")
    for room, noticed in sorted(rooms.items(), key=lambda pair: (pair[0].startswith("*"), pair[0])):
        counts = [len(noticed), *(noticed.count(step) for step in (*TOLD, "nobody"))]
        lines.append(f"| {room} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def _chosen(given: argparse.Namespace) -> list[Mutant]:
    """The mutants that are tried: drawn, or those of an earlier run that survived."""
    mutants = _drawn(given.count, given.seed, given.skip)
    if given.again is None:
        return mutants
    rows = [json.loads(line) for line in given.again.read_text(encoding="utf-8").splitlines()]
    survivors = {row["mutant"] for row in rows if row["outcome"] not in NOTICED}
    return [mutant for mutant in mutants if difference_of(mutant) in survivors]


def _drawn(count: int, seed: int, skipped: Sequence[str]) -> list[Mutant]:
    """As many mutants: each of a module that is drawn by its length, and any of that module's."""
    from tests.mutation.mutants import mutants_of  # needs the extra `mutation`

    chance = random.Random(seed)
    modules = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name not in LEFT_OUT]
    modules = [path for path in modules if path.relative_to(PACKAGE).parts[0] not in skipped]
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in modules]
    of_modules: dict[Path, list[Mutant]] = {}
    drawn: list[Mutant] = []
    while len(drawn) < count:
        (module,) = chance.choices(modules, lengths)
        if module not in of_modules:
            of_modules[module] = mutants_of(module)
        among = of_modules[module]
        if among and (mutant := chance.choice(among)) not in drawn:
            drawn.append(mutant)
    return sorted(drawn, key=lambda mutant: (str(mutant.path), mutant.line))


def _tests_of_room(mutant: Mutant) -> str:
    """The folder of the tests of a mutant's room; all tests where there is none."""
    parts = mutant.path.relative_to(PACKAGE).parts[:-1]
    folders = [ROOT.joinpath("tests", *parts[:length]) for length in range(len(parts), 0, -1)]
    return next((folder.relative_to(ROOT).as_posix() for folder in folders if folder.is_dir()), "tests")


class Traced:
    """Which tests run which lines, and the seconds of each test: `_trace` wrote it."""

    def __init__(self, file: Path) -> None:
        from coverage import CoverageData

        self.data = CoverageData(str(file))
        self.data.read()
        self.seconds: dict[str, float] = json.loads(_seconds_beside(file).read_text(encoding="utf-8"))

    def tests_of(self, mutant: Mutant, limit: float) -> list[str]:
        """The tests that run the line of a mutant, the quickest first, as many as take so many seconds together."""
        lines = self.data.contexts_by_lineno(str(mutant.path.relative_to(ROOT)))
        names = {context.partition("|")[0] for context in lines.get(mutant.line, ())} - {""}
        if not names:  # it runs at import, or within a statement of several lines, which is told of by its first
            names = {context.partition("|")[0] for contexts in lines.values() for context in contexts} - {""}
        chosen, total = list[str](), 0.0
        for name in sorted(names, key=lambda name: (self.seconds.get(name, 0.0), name)):
            total += self.seconds.get(name, 0.0)
            if chosen and total > limit:
                break
            chosen.append(name)
        return chosen


def _seconds_beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.seconds.json")


def _trace(skipped: Sequence[str], marks: Sequence[str], file: Path) -> None:
    """Runs the tests once, and writes which of them run which lines of all but the skipped rooms."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings"
        omitted = "\n".join(f"    silhouette/{room}/*" for room in skipped)
        settings.write_text(SETTINGS.format(data=file.resolve(), omitted=omitted), encoding="utf-8")
        words = [*marks, *("--cov", "--cov-report=", "--cov-context=test"), f"--cov-config={settings}"]
        script = "import sys, pytest; from pathlib import Path; from tests.mutation.everywhere import Timed; "
        script += "sys.exit(pytest.main(sys.argv[2:], plugins=[Timed(Path(sys.argv[1]))]))"
        command = [sys.executable, "-c", script, str(_seconds_beside(file.resolve())), *words]
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode not in (0, 1):
            file.unlink(missing_ok=True)
            sys.exit(done.returncode)


def _tried(mutant: Mutant, names: list[str], marks: Sequence[str]) -> str:
    """What the tests say of a mutant: first the quickest, then all others of its room, then those of other rooms."""
    first, others, room = names[:FIRST_TRIED], names[FIRST_TRIED:], _tests_of_room(mutant)
    own = [name for name in others if name.startswith(f"{room}/")]
    for chosen in (first, own, [name for name in others if name not in own]):
        if chosen:
            files = sorted({name.partition("::")[0] for name in chosen})
            outcome = in_process(mutant, [*marks, *files], limit=600.0, plugins=[Only(chosen)])
            if outcome != "survived":
                return outcome
    return "survived"


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
