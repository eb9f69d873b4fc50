"""The command that runs all benchmarks: what was measured is kept, and the manual's page is made of it alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from silhouette.judging import load_scene
from silhouette.scenes.table import TableScene
from tests.benchmarks.__main__ import main as measure
from tests.benchmarks.figures import Figures, Measured, Origin, Run
from tests.benchmarks.page import FOLDER, benchmarks, described, page
from tests.benchmarks.renderers import ours, steps
from tests.benchmarks.scale import on_ground
from tests.benchmarks.tables import Table
from tests.support.batching import wait_until

PROJECT = FOLDER.parents[1]

FAKES = {
    "quick": '''"""How quick is it?

It takes ``no time``.
"""
from tests.benchmarks.tables import Skipped, Table
def tables(options):
    rows = ("one pair", f"{options.laps(9)}.0"), ("another", "12.0")
    yield Table("Speed", ("", "ms"), rows, compared=("ms",), absent={"with a GPU": "there is none"})
    yield Skipped("Memory", "this system does not tell")
''',
    "broken": '''"""Does it break?"""
from tests.benchmarks.tables import Table
def tables(options):
    yield Table("Before it broke", ("", "ms"), (("one", "1"),))
    raise ValueError("it broke")
''',
    "poor": '''"""Does it run here?"""
from tests.benchmarks.tables import CannotRunError
def tables(options):
    raise CannotRunError("needs what is not here")
    yield
''',
    "dead": '''"""Does it die?"""
import os
def tables(options):
    os._exit(3)
    yield
''',
    "endless": '''"""Does it end?"""
import time
from tests.benchmarks.tables import Table
def tables(options):
    yield Table("At first", ("", "ms"), (("one", "1"),))
    time.sleep(60.0)
''',
}


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for figures, beside a package of benchmarks that are none."""
    package = tmp_path / "fakes"
    package.mkdir()
    for name, text in FAKES.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "out"


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "tests.benchmarks", "--folder", str(folder), *words]


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder.parent), str(PROJECT)])}


@pytest.mark.slow
def test_one_that_fails_costs_none_of_the_others(fakes: Path) -> None:
    names = ["fakes.broken", "fakes.poor", "fakes.dead", "fakes.quick"]
    words = command(fakes, *names, "--rounds", "2")
    ran = subprocess.run(words, cwd=PROJECT, env=environment(fakes), capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "failed: fakes.broken, fakes.dead" in ran.stderr
    figures = Figures.read(fakes)
    assert {name: measured.gaps for name, measured in figures.benchmarks.items()} == {
        "fakes.broken": {"": "failed: ValueError: it broke"},
        "fakes.poor": {"": "needs what is not here"},
        "fakes.dead": {"": "its process ended (exit status 3)"},
        "fakes.quick": {"Memory": "this system does not tell"},
    }
    titles = {name: list(measured.tables) for name, measured in figures.benchmarks.items() if measured.tables}
    assert titles == {"fakes.broken": ["Before it broke"], "fakes.quick": ["Speed"]}
    words = command(fakes, "--page", str(fakes / "page.md"))
    subprocess.run(words, cwd=PROJECT, env=environment(fakes), check=True)
    text = (fakes / "page.md").read_text(encoding="utf-8")
    for line in ("**How quick is it?**", "It takes `no time`.", "| one pair | 2.0 |", "needs what is not here."):
        assert line in text.split("\n") or f"Not measured in the last run: {line}" in text
    assert "Not measured here: with a GPU: there is none." in text
    assert str(fakes.parent) not in text + (fakes / "figures.json").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no process is sent Ctrl-C there")
def test_what_was_measured_before_ctrl_c_is_kept(fakes: Path) -> None:
    # A process that was started in the background takes no Ctrl-C unless it asks for it.
    listen = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    listen += "runpy.run_module('tests.benchmarks', run_name='__main__', alter_sys=True)"
    python, _, _, *rest = command(fakes, "fakes.endless", "fakes.quick")
    words = [python, "-c", listen, *rest]
    ran = subprocess.Popen(words, cwd=PROJECT, env=environment(fakes), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with ran:
        wait_until(lambda: (fakes / "figures.json").exists())
        ran.send_signal(signal.SIGINT)
        _, said = ran.communicate(timeout=60)
    assert ran.returncode == 130
    assert b"Traceback" not in said
    figures = Figures.read(fakes)
    assert {name: list(measured.tables) for name, measured in figures.benchmarks.items()} == {
        "fakes.endless": ["At first"]
    }


def run_of(commit: str, ms: str, **absent: str) -> Run:
    rows = tuple((name, ms) for name in ("one", "other") if name not in absent)
    return Run(Table("Speed", ("", "ms"), rows, compared=("ms",), absent=absent), Origin("2026-01-01", commit, 0))


def test_the_figures_of_another_commit_stand_beside_the_latest() -> None:
    figures = Figures()
    for commit, ms in (("a", "4"), ("a", "5"), ("b", "6"), ("b", "7")):
        figures.record("speed", run_of(commit, ms))
    now, before = figures.benchmarks["speed"].tables["Speed"]
    assert before is not None
    assert (now.table.rows[0], before.table.rows[0]) == (("one", "7"), ("one", "5"))
    figures.record("speed", run_of("c", "8"), again=True)
    now, before = figures.benchmarks["speed"].tables["Speed"]
    assert before is not None
    assert (now.table.rows[0], before.table.rows[0]) == (("one", "8"), ("one", "5"))
    printed = now.beside(before)
    assert (printed.columns, printed.rows[0]) == (("", "ms, before", "now"), ("one", "5", "8"))
    assert now.beside(None).columns == now.table.columns


def test_a_row_that_cannot_be_measured_keeps_its_earlier_figures_and_says_so() -> None:
    figures = Figures(machines=[{"cores": "2"}])
    figures.record("scale", run_of("a", "4"))
    for commit in "bc":
        figures.record("scale", run_of(commit, "6", other="there is no GPU"))
    now, _ = figures.benchmarks["scale"].tables["Speed"]
    assert now.table.rows == (("one", "6"), ("other", "4"))
    assert now.kept == {"other": Origin("2026-01-01", "a", 0)}
    text = page(figures)
    assert "| one | 6 |" in text
    assert "| other (2026-01-01, `a`, machine 1) | 4 |" in text
    assert "Not measured here: other: there is no GPU." in text


def test_figures_are_written_and_read_as_they_are(tmp_path: Path) -> None:
    figures = Figures(machines=[{"cores": "1"}, {"cores": "2"}])
    first, second = (replace(run_of(commit, "4"), origin=Origin("2026-01-01", commit, 1)) for commit in "ab")
    for run in (first, replace(second, rounds=2)):
        figures.record("scale", run)
    figures.benchmarks["start"] = Measured(gaps={"": "no time"}, seconds=1.5)
    figures.tidy()  # the first machine has no figures
    figures.write(tmp_path)
    assert Figures.read(tmp_path) == figures
    assert figures.machines == [{"cores": "2"}]
    assert "machine 1" in page(figures)
    assert "machine 2" not in page(figures)


def test_the_page_has_all_that_was_measured(tmp_path: Path) -> None:
    """Of every benchmark its question, and of every table that is kept its title and each of its cells."""
    assert measure(["--page", str(tmp_path / "page.md")]) == 0
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert text == page(Figures.read(FOLDER))
    assert (tmp_path / "occlusion.svg").is_file()
    figures = Figures.read(FOLDER).benchmarks
    assert set(figures) <= set(benchmarks())
    for name in benchmarks():
        question, _ = described(name)
        assert question.endswith("?"), name
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section.startswith(f"\n**{question}**\n")
        for now, _ in figures.get(name, Measured()).tables.values():
            assert f"**{now.table.title}**" in section
            assert [row for row in now.table.rows if " | ".join(row[1:]) not in section] == []


def test_the_figures_in_readme_are_those_that_were_measured_last() -> None:
    """Whoever measures them anew writes them there, too."""
    readme = (FOLDER / "README.md").read_text(encoding="utf-8").partition("## In short")[2]
    rows = re.findall(r"^\| `(\w+)`.*? \| (.+?) \| (.+?) \| (.+?) \|$", readme, re.MULTILINE)
    assert len(rows) == 9
    figures = Figures.read(FOLDER).benchmarks
    for benchmark, of, what, measured in rows:
        tables = [now.table for now, _ in figures[benchmark].tables.values()]
        cells = {
            row[table.columns.index(what)]
            for table in tables
            if what in table.columns
            for row in table.rows
            if row[0] == of
        }
        assert measured in cells, f"{benchmark}, {of}, {what}"


def test_ways_of_telling_the_order_are_counted() -> None:
    """The benchmark watches steps of counting by their names: under others it would count nothing."""
    scene = load_scene(PROJECT / "scenes/necromunda/above_and_below.toml")
    assert isinstance(scene, TableScene)
    pair = [next(piece for piece in scene.pieces if piece.name == name) for name in ("Kal above", "Vex")]
    table = steps(ours(scene, "auto"), [(pair[0], pair[1])])
    assert [number for _, number in table.rows] == ["2", "1", "1", "0", "1", "1,000"]


def test_figures_stand_on_scanned_ground() -> None:
    row = on_ground(20, 1, "auto", None)
    assert row[:2] == ("20 squares along each side", "800")
    assert all(float(number) > 0.0 for number in row[2:])
