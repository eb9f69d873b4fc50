"""Runs the tests of a game, or of COUNT, against mutants of its source, and lists those that no test notices.

    python -m tests.mutation.run tide_of_iron
    python -m tests.mutation.run necromunda --sample 200 --seed 1
    python -m tests.mutation.run skirmishcorps --bounds
    python -m tests.mutation.run ikosa --again ikosa.jsonl
    python -m tests.mutation.run measure --only occlusion error
    python -m tests.mutation.run review

Nothing is written into the source tree: each mutant is loaded in a process of its own, forked from one that has the
libraries loaded already, by an import hook. What survives the quick tests is tried on all of them. A run
needs a system that can fork.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from tests.mutation.review import PATCHES, Patch
from tests.mutation.subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    from tests.mutation.mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "silhouette"

LIBRARIES = (
    *("numpy", "scipy.sparse", "scipy.spatial", "shapely", "trimesh", "pydantic", "typer", "rich", "PIL.Image"),
    *("hypothesis", "hypothesis.strategies", "hypothesis.extra.numpy", "pytest", "embreex", "silhouette.rules.base"),
    *("silhouette.meshes.mesh", "silhouette.renderers.reference", "silhouette.cli.app"),
)
"""Loaded once, before the processes are forked; none of them loads a game, or COUNT."""

BOUNDS = ("_Lt_LtE", "_LtE_Lt", "_Gt_GtE", "_GtE_Gt")
"""The ends of the names of operators that move what lies exactly on a threshold to the other side."""

REVIEW = "review"
"""The subject of which the mutants are those of `tests.mutation.review`, each with its own tests."""

OURS_LAST = (REVIEW, "measure")
"""Subjects whose modules some of `LIBRARIES` load: of these only what is not ours is loaded before the processes."""

Outcome = Literal["killed", "timeout", "survived"]


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from another source than its file's."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self.name, self.path, self.source = name, path, source

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=str(self.path))
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)


def main(words: Sequence[str] | None = None) -> int:
    """Runs from the command line; the status is 0 unless the tests fail without a mutant."""
    parser = argparse.ArgumentParser(description="A mutation run over one game's rules, or over COUNT.")
    parser.add_argument("subject", choices=[*sorted(SUBJECTS), REVIEW])
    parser.add_argument("--only", nargs="*", default=[], help="names of modules; all that are listed by default")
    parser.add_argument("--bounds", action="store_true", help="only < for <=, > for >=, and the other way round")
    parser.add_argument("--sample", type=int, help="as many mutants, drawn at random; all by default")
    parser.add_argument("--each", type=int, help="as many mutants of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--again", type=Path, help="only those that survived the run which wrote this --out file")
    parser.add_argument("--out", type=Path, help="a .jsonl file that gets a line for each mutant")
    given = parser.parse_args(words)
    load_libraries(ours=given.subject not in OURS_LAST)
    return _review(given) if given.subject == REVIEW else _run(given, SUBJECTS[given.subject])


def load_libraries(*, ours: bool) -> None:
    """Imports `LIBRARIES` before the processes are forked; of this package only if ``ours``."""
    for library in LIBRARIES:
        if ours or not library.startswith("silhouette."):
            importlib.import_module(library)
    gc.freeze()  # what is loaded by now need not be looked through again in each process


def _review(given: argparse.Namespace) -> int:
    """Tries the mutants of a review, each on the tests that are to notice it; the status is 0 if none survives."""
    patches = [patch for patch in PATCHES if not given.only or patch.path.stem in given.only]
    outcomes = list[Outcome]()
    for patch in patches:
        module = ".".join(Path(patch.file).with_suffix("").parts)
        assert module not in sys.modules, f"{module} is loaded before it is changed"
        subject = Subject(str(Path(patch.file).parent), (patch.path.stem,), patch.tests)
        if _tried(None, subject, limit=600.0, silent=True) != "survived":
            print(f"{', '.join(patch.tests)}: fails without any mutant", file=sys.stderr)
            return 1
        outcomes.append(_tried(patch, subject, limit=600.0))
        print("\n".join([f"{outcomes[-1]}: {patch.file}", *patch.difference()]), flush=True)
    print(f"{outcomes.count('survived')} of {len(outcomes)} survive")
    return min(1, outcomes.count("survived"))


def _run(given: argparse.Namespace, subject: Subject) -> int:
    """Tries the mutants of a subject; the status is 0 unless the tests fail without one."""
    package = ".".join(["silhouette", *subject.folder.split("/")])
    assert not any(f"{package}.{name}" in sys.modules for name in subject.modules)
    modules = [name for name in subject.modules if not given.only or name in given.only]
    mutants, total = _chosen(given, [PACKAGE / subject.folder / f"{name}.py" for name in modules])
    before = _seconds()
    if _tried(None, subject, limit=600.0) != "survived":
        print("the tests fail without any mutant", file=sys.stderr)
        return 1
    spent = _seconds() - before
    print(f"{len(mutants)} of {total} mutants of {', '.join(modules)}; all tests take {spent:.0f} s", flush=True)
    limit = 10.0 + 2.0 * spent
    outcomes: list[Outcome] = []
    for mutant in mutants:
        outcome = _tried(mutant, subject, limit)
        if outcome == "survived":
            outcome = _tried(mutant, subject.whole(), limit=600.0)
        outcomes.append(outcome)
        if outcome == "survived":
            print(difference_of(mutant), flush=True)
        if given.out is not None:
            with given.out.open("a", encoding="utf-8") as log:
                log.write(json.dumps({"mutant": difference_of(mutant), "outcome": outcome}) + "\n")
    survived = outcomes.count("survived")
    share = 100.0 * survived / max(1, len(outcomes))
    print(
        f"{survived} of {len(outcomes)} survive: {share:.1f} %; {outcomes.count('timeout')} of the others ran too long"
    )
    return 0


def _chosen(given: argparse.Namespace, paths: Sequence[Path]) -> tuple[list[Mutant], int]:
    """The mutants that are asked for, in the order of the modules and lines, and from how many they are drawn."""
    from tests.mutation.mutants import mutants_of  # needs the extra `mutation`, which a review does without

    chance, of_modules = random.Random(given.seed), [mutants_of(path) for path in paths]
    if given.bounds:
        of_modules = [[mutant for mutant in some if mutant.operator.endswith(BOUNDS)] for some in of_modules]
    if given.again is not None:
        survivors = _survivors(given.again)
        of_modules = [[mutant for mutant in some if _is_among(mutant, survivors)] for some in of_modules]
    total = sum(map(len, of_modules))
    if given.each is not None:
        of_modules = [_drawn(some, given.each, chance) for some in of_modules]
    mutants = [mutant for some in of_modules for mutant in some]
    return mutants if given.sample is None else _drawn(mutants, given.sample, chance), total


def _drawn(mutants: list[Mutant], count: int, chance: random.Random) -> list[Mutant]:
    """As many of the mutants as asked for, or all where there are fewer; in their order."""
    return sorted(chance.sample(mutants, min(count, len(mutants))), key=mutants.index)


def difference_of(mutant: Mutant) -> str:
    """Its place and operator, and the lines that it changes."""
    return "\n".join([f"{_file(mutant)}:{mutant.line} {mutant.operator} {mutant.occurrence}", *mutant.difference()])


def _file(mutant: Mutant) -> str:
    return mutant.path.relative_to(ROOT).as_posix()


def _survivors(log: Path) -> dict[tuple[str, str], list[list[str]]]:
    """What the mutants change that survived an earlier run, by file and operator."""
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    found: dict[tuple[str, str], list[list[str]]] = {}
    for first, *difference in [row["mutant"].splitlines() for row in rows if row["outcome"] == "survived"]:
        place, operator, _ = first.split()
        found.setdefault((place.split(":")[0], operator), []).append(difference)
    return found


def _is_among(mutant: Mutant, survivors: dict[tuple[str, str], list[list[str]]]) -> bool:
    """Whether a mutant changes what one of the survivors changed, wherever the lines stand by now."""
    alike = survivors.get((_file(mutant), mutant.operator), [])
    return len(alike) > 0 and mutant.difference() in alike


def _seconds() -> float:
    """The processor time of the processes that have ended; unlike the clock it does not hang on what else runs."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def _tried(mutant: Mutant | Patch | None, subject: Subject, limit: float, *, silent: bool = False) -> Outcome:
    """What the tests of a subject say of a mutant: `in_process`."""
    words = [*(("-m", "not slow") if subject.words else ()), *subject.words, *subject.tests]  # all, the second time
    return in_process(mutant, words, limit, silent=silent)


def in_process(
    mutant: Mutant | Patch | None,
    words: Sequence[str],
    limit: float,
    *,
    silent: bool = False,
    plugins: Sequence[object] = (),
) -> Outcome:
    """What pytest with these words says of a mutant, in a process of its own.

    It may take ``limit`` seconds of processor time. With a mutant nothing is printed, and without one if it is to be
    ``silent``.
    """
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
        status = 3
        try:
            status = _tested(mutant, words, silent or mutant is not None, plugins)
        finally:
            sys.stdout.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == -signal.SIGXCPU:
        return "timeout"
    return "killed" if status else "survived"


def _tested(mutant: Mutant | Patch | None, words: Sequence[str], silent: bool, plugins: Sequence[object]) -> int:
    """Runs the tests with the mutant in place; 0 where all pass. Nothing is printed if it is to be ``silent``."""
    import pytest
    from hypothesis import Phase, settings

    # A failing example need not be made smaller here, and the same examples are tried on every mutant.
    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], database=None, derandomize=True)
    settings.load_profile("mutants")
    if silent:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    if mutant is not None:
        name = ".".join(mutant.path.relative_to(ROOT).with_suffix("").parts)
        sys.meta_path.insert(0, _Loader(name, mutant.path, mutant.source()))
    options = ["-x", "-q", "--assert=plain"]
    for plugin in ("cacheprovider", "xdist", "unraisableexception"):
        options += ["-p", f"no:{plugin}"]
    status = pytest.main([*options, *words], plugins=list(plugins))
    return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)


if __name__ == "__main__":
    sys.exit(main())
