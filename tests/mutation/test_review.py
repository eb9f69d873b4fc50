"""The mutants of a review still change something; `python -m tests.mutation.run review` tells whether tests notice."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.mutation.review import PATCHES, ROOT, Patch
from tests.mutation.subjects import SUBJECTS, Subject


@pytest.mark.parametrize("patch", PATCHES, ids=[f"{patch.path.stem}-{patch.new}" for patch in PATCHES])
def test_a_mutant_applies_and_its_tests_are_there(patch: Patch) -> None:
    assert ast.dump(ast.parse(patch.source())) != ast.dump(ast.parse(patch.path.read_text(encoding="utf-8")))
    assert patch.difference()[0].startswith("-")
    for test in patch.tests:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8") or not name


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=list(SUBJECTS))
def test_the_modules_and_tests_of_a_subject_are_there(subject: Subject) -> None:
    for name in subject.modules:
        assert (ROOT / "silhouette" / subject.folder / f"{name}.py").is_file(), name
    for file in subject.tests:
        assert (ROOT / file).is_file(), file


def test_a_text_that_is_gone_is_told() -> None:
    with pytest.raises(ValueError, match=r"match.py has 'no such text' 0 times; once would be right"):
        Patch("silhouette/scans/match.py", "no such text", "", ()).source()


def test_the_table_of_mutants_counts_each_once_for_the_first_step_that_notices_it(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="mutation runs need a system that can fork")
    from tests.mutation.everywhere import table

    def written(step: str, **outcomes: str) -> Path:
        rows = [{"mutant": f"{file}:7 core/AddNot 0", "step": step, "outcome": what} for file, what in outcomes.items()]
        file = tmp_path / f"{step}.jsonl"
        file.write_text("".join(json.dumps(row).replace("__", "/") + "\n" for row in rows))
        return file

    files = [
        written("readme", silhouette__cli__a="killed", silhouette__cli__b="survived", silhouette__text="timeout"),
        written("slow", silhouette__cli__b="killed"),
    ]
    assert table(files).splitlines()[2:] == [
        "| at the top | 1 | 1 | 0 | 0 |",
        "| cli | 2 | 1 | 1 | 0 |",
        "| **all** | 3 | 2 | 1 | 0 |",
    ]
