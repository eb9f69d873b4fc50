"""Mutants of all rooms, drawn at random, each tried on the tests that run its line: which of them does a step notice?

    python -m tests.mutation.everywhere --count 60 --seed 1 --out all.jsonl
    python -m tests.mutation.everywhere --again all.jsonl --step slow --out again.jsonl

First the tests of the step run once, with the lines of the chosen modules traced, to see which test runs which line: a
file given by ``--traced`` keeps it. Then each mutant is tried on the tests that run its line, the quickest first, until
one fails. A line that runs while a module is imported is tried on all tests that run anything of that module. With
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

SETTINGS = """
[run]
branch = false
data_file = {data}
include =
{files}
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
    parser.add_argument("--again", type=Path, help="only those that survived the run which wrote this --out file")
    parser.add_argument("--traced", type=Path, help="keeps which test runs which line; is used if it is there")
    parser.add_argument(
        "--rooms", action="store_true", help="trace nothing: all tests of a mutant's room, and its doctests"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests that each mutant is tried on, at most")
    parser.add_argument("--out", type=Path, help="a .jsonl file that gets a line for each mutant")
    given = parser.parse_args(words)
    mutants = _drawn(given.count, given.seed)
    if given.again is not None:
        rows = [json.loads(line) for line in given.again.read_text(encoding="utf-8").splitlines()]
        survivors = {row["mutant"] for row in rows if row["outcome"] == "survived"}
        mutants = [mutant for mutant in mutants if difference_of(mutant) in survivors]
    marks = ("-m", STEPS[given.step])
    traced = None if given.rooms else _traced(given.traced, mutants, marks)
    load_libraries(ours=False)
    outcomes = list[str]()
    for mutant in mutants:
        if traced is None:
            names = [mutant.path.relative_to(ROOT).as_posix(), _room_of(mutant)]  # with the module's doctests
            outcome: str = in_process(mutant, [*marks, *names], limit=1200.0)
        else:
            names = _tests_of(mutant, traced, given.seconds)
            outcome = _tried(mutant, names, marks) if names else "never run"
        outcomes.append(outcome)
        print(f"{outcome}, {len(names)} tests: {difference_of(mutant)}", flush=True)
        if given.out is not None:
            with given.out.open("a", encoding="utf-8") as log:
                log.write(json.dumps({"mutant": difference_of(mutant), "outcome": outcome, "tests": len(names)}) + "\n")
    print(", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes)))
    return 0


def _drawn(count: int, seed: int) -> list[Mutant]:
    """As many mutants: each of a module that is drawn by its length, and any of that module's."""
    from tests.mutation.mutants import mutants_of  # needs the extra `mutation`

    chance = random.Random(seed)
    modules = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name not in LEFT_OUT]
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in modules]
    of_modules: dict[Path, list[Mutant]] = {}
    drawn: list[Mutant] = []
    while len(drawn) < count:
        (module,) = chance.choices(modules, lengths)
        among = of_modules.setdefault(module, mutants_of(module))
        if among and (mutant := chance.choice(among)) not in drawn:
            drawn.append(mutant)
    return sorted(drawn, key=lambda mutant: (str(mutant.path), mutant.line))


def _room_of(mutant: Mutant) -> str:
    """The folder of the tests of a mutant's room; all tests where there is none."""
    parts = mutant.path.relative_to(PACKAGE).parts[:-1]
    folders = [ROOT.joinpath("tests", *parts[:length]) for length in range(len(parts), 0, -1)]
    return next((folder.relative_to(ROOT).as_posix() for folder in folders if folder.is_dir()), "tests")


def _traced(kept: Path | None, mutants: list[Mutant], marks: Sequence[str]) -> dict[str, Any]:
    """Which tests run which lines of the modules of the mutants, and the seconds of each test: `_trace`."""
    with tempfile.TemporaryDirectory() as folder:
        file = kept or Path(folder) / "traced.json"
        if not file.exists():
            _trace(sorted({mutant.path for mutant in mutants}), marks, file)
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found


def _trace(modules: list[Path], marks: Sequence[str], file: Path) -> None:
    """Runs the tests once, and writes which of them run which lines of the modules, and the seconds of each."""
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as folder:
        settings, data, seconds = (Path(folder) / name for name in ("settings", "data", "seconds"))
        included = "\n".join(f"    {module}" for module in modules)
        settings.write_text(SETTINGS.format(data=data, files=included), encoding="utf-8")
        words = [*marks, *("--cov", "--cov-report=", "--cov-context=test"), f"--cov-config={settings}"]
        script = "import sys, pytest; from pathlib import Path; from tests.mutation.everywhere import Timed; "
        script += "sys.exit(pytest.main(sys.argv[2:], plugins=[Timed(Path(sys.argv[1]))]))"
        done = subprocess.run([sys.executable, "-c", script, str(seconds), *words], cwd=ROOT, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.returncode)
        found = CoverageData(str(data))
        found.read()
        lines = {
            module.relative_to(ROOT).as_posix(): {
                str(line): sorted({context.partition("|")[0] for context in contexts})
                for line, contexts in found.contexts_by_lineno(str(module)).items()
            }
            for module in modules
        }
        content = {"lines": lines, "seconds": json.loads(seconds.read_text(encoding="utf-8"))}
        file.write_text(json.dumps(content), encoding="utf-8")


def _tests_of(mutant: Mutant, traced: dict[str, Any], limit: float) -> list[str]:
    """The tests that run the line of a mutant, the quickest first, as many as take so many seconds together."""
    lines = traced["lines"].get(mutant.path.relative_to(ROOT).as_posix(), {})
    names = {name for name in lines.get(str(mutant.line), ()) if name}
    if not names:  # it runs at import, or within a statement of several lines, which is told of by its first
        names = {name for some in lines.values() for name in some if name}
    seconds, chosen, total = traced["seconds"], list[str](), 0.0
    for name in sorted(names, key=lambda name: (seconds.get(name, 0.0), name)):
        total += seconds.get(name, 0.0)
        if chosen and total > limit:
            break
        chosen.append(name)
    return chosen


def _tried(mutant: Mutant, names: list[str], marks: Sequence[str]) -> str:
    """What the tests say of a mutant: first the two dozen quickest, whose few files are collected in a moment."""
    for chosen in (names[:24], names[24:]):
        if chosen:
            files = sorted({name.partition("::")[0] for name in chosen})
            outcome = in_process(mutant, [*marks, *files], limit=600.0, plugins=[Only(chosen)])
            if outcome != "survived":
                return outcome
    return "survived"


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
