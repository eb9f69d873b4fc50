"""MANY: rows become a JUnit file, which the pages of CI systems show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from silhouette.batches.export import problem_of, whose, write_whole
from silhouette.text import Row


def write_junit(path: Path, rows: Iterable[Row]) -> None:
    """Writes a JUnit file: a test case per row, in a suite per scene.

    A failed row is an error, an unmet expectation a failure, and a check without an expectation is skipped.

    Args:
        path: the path of the file.
        rows: the rows of each scene in the order of its checks.

    Raises:
        FileError: where it cannot be written.
    """
    root = ElementTree.Element("testsuites", name="silhouette")
    suites: dict[str, ElementTree.Element] = {}
    names: dict[str, TestNames] = {}
    for row in rows:
        scene = _clean(row["scene"])
        if scene not in suites:
            suites[scene] = ElementTree.SubElement(root, "testsuite", name=scene)
            names[scene] = TestNames()
        name = names[scene].next(_clean(whose(row)), _clean(row.get("arc") or ""))
        case = ElementTree.SubElement(suites[scene], "testcase", name=name, classname=scene)
        if (problem := problem_of(row)) is not None:
            ElementTree.SubElement(case, "error", message=_clean(problem))
        elif row.get("expected") is False:
            unmet = "; ".join(row.get("unmet") or ()) or "not as expected"
            ElementTree.SubElement(case, "failure", message=_clean(unmet)).text = _clean(row.get("reason") or "")
        elif row.get("expected") is None:
            ElementTree.SubElement(case, "skipped", message="nothing is expected")
    for element in (*suites.values(), root):
        for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            element.set(kind, str(sum(1 for _ in element.iter(tag))))
    text = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    write_whole(path, lambda file: file.write(text + b"\n"))


class TestNames:
    """The names of the test cases of one scene: no two are the same, and they do not depend on any verdict.

    >>> names = TestNames()
    >>> names.next("Kal to Vex"), names.next("Kal to Vex", "right"), names.next(""), names.next("Kal to Vex")
    ('Kal to Vex', 'Kal to Vex, right arc', 'check 3', 'Kal to Vex (2)')
    """

    __test__ = False  # for pytest

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._checks = 0

    def next(self, pair: str, arc: str = "") -> str:
        """The name of the next check.

        Args:
            pair: who looks at whom, or "" for a check of rules alone, which has its number for a name.
            arc: the vision arc that the check is about, or "".
        """
        self._checks += 1
        plain = (pair or f"check {self._checks}") + (f", {arc} arc" if arc else "")
        name, times = plain, 1
        while name in self._given:
            times += 1
            name = f"{plain} ({times})"
        self._given.add(name)
        return name


def _clean(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return "".join(letter if letter.isprintable() or letter in "\t\n" else "?" for letter in text)
