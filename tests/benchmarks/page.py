"""The page of the benchmarks: README.md, and all that was measured, from the docstrings and `figures.json`."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

from silhouette.files.writing import write_file
from tests.benchmarks.chart import error_against_time
from tests.benchmarks.figures import Figures, Measured, Origin, Run
from tests.support.made_parts import whole

FOLDER = Path(__file__).resolve().parent
PACKAGE = "tests.benchmarks"

FIRST = (
    "renderers",
    "stated_errors",
    "occlusion",
    "scale",
    "start",
    "matrices",
    "pictures",
    "soak",
    "batch",
    "out_of_view",
    "scans",
)
"""The benchmarks that the page begins with, and that are run first; the others follow by name."""

CONTENTS = """\
Below the tables of a run stand date, commit and [machine](#the-machines). The benchmarks, with the time that all of it
takes if it was measured:
"""

MACHINES = "## The machines\n"


def benchmarks() -> list[str]:
    """The names of all benchmarks: the modules of this folder that have tables."""
    found = [
        path.stem
        for path in sorted(FOLDER.glob("*.py"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "tables" for node in _tree(path).body)
    ]
    return sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def write_page(file: Path, figures: Figures) -> None:
    """Writes the page, whole or not at all, and beside it the picture that it shows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, page(figures))
    write_picture(file.parent, figures)


def write_picture(folder: Path, figures: Figures) -> None:
    """Draws the table of `occlusion`, if it was measured."""
    if runs := list(figures.benchmarks.get("occlusion", Measured()).tables.values()):
        table = runs[0][0].table
        write_file(
            folder / "occlusion.svg",
            error_against_time(table, "first check, ms", "error, 95th percentile", "Silhouette"),
        )


def page(figures: Figures) -> str:
    """README.md with all that was measured."""
    return whole((FOLDER / "README.md").read_text(encoding="utf-8"), {"benchmarks": lambda: sections_of(figures)})


def sections_of(figures: Figures) -> str:
    """A section for each benchmark of the project and each that has figures, and what the machines are."""
    names = [*benchmarks(), *(name for name in figures.benchmarks if "." in name)]
    contents, sections = [], []
    for name in names:
        measured = figures.benchmarks.get(name, Measured())
        question, text = described(name)
        took = "" if measured.seconds is None else f" ({_in_words(measured.seconds)})"
        contents.append(f"[`{name}`](#{name}){took}")
        runs = [now for now, _ in measured.tables.values()]
        following = [*map(_origin, runs[1:]), ""]
        tables = [_table(run, dated=_origin(run) != after) for run, after in zip(runs, following, strict=False)]
        sections.append("\n".join([f"## {name}\n", f"**{question}**\n", text, *tables, *_gaps(measured)]))
    first = figures.machines[0] if figures.machines else {}
    machines = [_machine(number, one, first) for number, one in enumerate(figures.machines, 1)]
    return "\n".join([CONTENTS + ",\n".join(contents) + ".\n", *sections, MACHINES, *machines])


def described(name: str) -> tuple[str, str]:
    """The question of a benchmark and the text of its section, from its docstring, which is read without an import.

    >>> described("scale")[0].endswith("?")
    True
    """
    try:
        spec = importlib.util.find_spec(name if "." in name else f"{PACKAGE}.{name}")
    except ModuleNotFoundError:
        spec = None
    docstring = (ast.get_docstring(_tree(Path(spec.origin))) if spec and spec.origin else None) or ""
    question, _, text = docstring.replace("``", "`").partition("\n\n")
    return " ".join(question.split()), text + "\n"


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _in_words(seconds: float) -> str:
    """A duration.

    >>> _in_words(5.2), _in_words(75.0)
    ('5 s', '1 min 15 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _table(run: Run, *, dated: bool) -> str:
    """A table in Markdown, and what it rests on; when it was measured, unless the next table is of the same run."""
    table = run.table
    marks = ["---", *["---:"] * (len(table.columns) - 1)]
    lines = [(_row_name(row[0], run), *row[1:]) for row in table.rows]
    notes = [f"{note}\n" for note in (*table.notes, *_absent(run), *([_origin(run)] if dated else []))]
    markdown = "\n".join(["| " + " | ".join(table.columns) + " |", "|" + "|".join(marks) + "|", *_lines(lines)])
    return "\n".join([f"**{table.title}**\n", markdown, "", *notes])


def _lines(lines: list[tuple[str, ...]]) -> list[str]:
    return ["| " + " | ".join(line) + " |" for line in lines]


def _row_name(name: str, run: Run) -> str:
    """The name of a row, with the date and the commit where it is of an earlier run."""
    return f"{name} ({_told(run.kept[name])})" if name in run.kept else name


def _absent(run: Run) -> list[str]:
    return [f"Not measured here: {row}: {reason}." for row, reason in run.table.absent.items()]


def _origin(run: Run) -> str:
    """The line below a table that says when it was measured."""
    return f"*{_told(run.origin)}{'' if run.rounds is None else f', --rounds {run.rounds}'}.*"


def _told(origin: Origin) -> str:
    return f"{origin.date}, `{origin.commit}`, machine {origin.machine + 1}"


def _gaps(measured: Measured) -> list[str]:
    return [
        f"Not measured in the last run{f': {title}' if title else ''}: {re.sub(r'[.]$', '', reason)}.\n"
        for title, reason in measured.gaps.items()
    ]


def _machine(number: int, described: dict[str, str], first: dict[str, str]) -> str:
    """A machine, by what it has otherwise than the first, if that is not everything.

    >>> _machine(2, {"cores": "2", "CUDA": "none"}, {"cores": "2"})
    '2. as machine 1, but for CUDA: none'
    >>> _machine(2, {"cores": "2"}, {"cores": "2", "CUDA": "none"}), _machine(1, {"cores": "2"}, {"cores": "2"})
    ('2. cores: 2', '1. cores: 2')
    """
    own = {name: value for name, value in described.items() if first.get(name) != value}
    short = number > 1 and first.keys() <= described.keys() and len(own) < len(described)
    words = "; ".join(f"{name}: {value}" for name, value in (own if short else described).items())
    return f"{number}. as machine 1, but for {words}" if short else f"{number}. {words}"
