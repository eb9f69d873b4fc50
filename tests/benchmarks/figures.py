"""The figures of the manual's page: of each table the latest run and the one before, in ``figures.json``.

The earlier run is the last one of another commit, unless `Figures.record` is told to keep the one that is there.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from silhouette.common.installation import VERSION
from silhouette.files.writing import write_file
from tests.benchmarks.tables import Table

FILE = "figures.json"


@dataclass(frozen=True)
class Origin:
    """Where figures come from.

    Attributes:
        date: of the run, as 2026-11-23.
        commit: of the checkout, with "+" behind it where files had changed since.
        machine: the number of the machine in `Figures.machines`.
    """

    date: str
    commit: str
    machine: int


@dataclass(frozen=True)
class Run:
    """A table as it was measured once.

    Attributes:
        table: its words; rows that were absent are those of an earlier run, as long as there is one.
        origin: where they come from.
        kept: where the rows come from that are of an earlier run, by their names.
        rounds: the most times that anything was measured, where that was limited.
    """

    table: Table
    origin: Origin
    kept: Mapping[str, Origin] = field(default_factory=dict)
    rounds: int | None = None

    def completed(self, earlier: Run | None) -> Run:
        """This run with the rows of an earlier one that could not be measured this time."""
        if earlier is None or earlier.table.columns != self.table.columns:
            return self
        rows = tuple(row for row in earlier.table.rows if row[0] in self.table.absent)
        kept = {row[0]: earlier.kept.get(row[0], earlier.origin) for row in rows}
        return replace(self, table=replace(self.table, rows=(*self.table.rows, *rows)), kept=kept)

    def beside(self, before: Run | None) -> Table:
        """The table with an earlier run's figures beside those columns that are compared."""
        earlier = {row[0]: row for row in before.table.rows} if before else {}
        then = {name: place for place, name in enumerate(before.table.columns)} if before else {}
        columns, lines = [self.table.columns[0]], [[row[0]] for row in self.table.rows]
        for place, column in enumerate(self.table.columns[1:], 1):
            is_compared = column in self.table.compared and column in then
            columns += [f"{column}, before", "now"] if is_compared else [column]
            for line, row in zip(lines, self.table.rows, strict=True):
                if is_compared:
                    line.append(earlier[row[0]][then[column]] if row[0] in earlier else "")
                line.append(row[place])
        return replace(self.table, columns=tuple(columns), rows=tuple(map(tuple, lines)), compared=())


@dataclass
class Measured:
    """What is known of one benchmark.

    Attributes:
        tables: the latest run of each table and the one before, by title, in order.
        gaps: what the last run lacked, with the reason: titles of tables, or "" for the benchmark as a whole.
        seconds: for which the last whole run took.
    """

    tables: dict[str, tuple[Run, Run | None]] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)
    seconds: float | None = None


@dataclass
class Figures:
    """All figures, of all benchmarks by name, and the machines that they were measured on."""

    machines: list[dict[str, str]] = field(default_factory=list)
    benchmarks: dict[str, Measured] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Figures:
        """The figures of a folder; none where it has no such file."""
        path = folder / FILE
        if not path.exists():
            return cls()
        document = json.loads(path.read_text(encoding="utf-8"))
        found = cls(document["machines"])
        for name, one in document["benchmarks"].items():
            pairs = [(_run(pair["now"]), _run(pair["before"])) for pair in one["tables"]]
            tables = {now.table.title: (now, before) for now, before in pairs if now is not None}
            found.benchmarks[name] = Measured(tables, one["gaps"], one["seconds"])
        return found

    def write(self, folder: Path) -> None:
        """Writes the file, whole or not at all."""
        benchmarks = {
            name: {
                "seconds": one.seconds,
                "gaps": one.gaps,
                "tables": [{"now": _document(now), "before": _document(before)} for now, before in one.tables.values()],
            }
            for name, one in self.benchmarks.items()
        }
        document = {"machines": self.machines, "benchmarks": benchmarks}
        write_file(folder / FILE, json.dumps(document, ensure_ascii=False, indent=1) + "\n")

    def machine(self, described: dict[str, str]) -> int:
        """The number of a machine, which is added where it is a new one."""
        if described not in self.machines:
            self.machines.append(described)
        return self.machines.index(described)

    def record(self, name: str, run: Run, *, again: bool = False) -> None:
        """Adds a table that a benchmark has measured.

        Args:
            name: of the benchmark.
            run: the table.
            again: whether it takes the place of the latest run; it always does where that is of the same commit.
        """
        tables = self.benchmarks.setdefault(name, Measured()).tables
        latest, before = tables.get(run.table.title, (None, None))
        if latest is not None and not again and latest.origin.commit != run.origin.commit:
            before = latest
        tables[run.table.title] = (run.completed(latest), before)

    def forget_all_but(self, name: str, titles: Sequence[str], machine: int) -> None:
        """Drops the tables that a benchmark has no more, once it has run to its end, and puts the others in order.

        What was measured with a GPU stays if this machine, of that number, has none.
        """
        tables = self.benchmarks[name].tables
        others = [
            title
            for title, (now, _) in tables.items()
            if title not in titles and self._has_gpu(now.origin.machine) and not self._has_gpu(machine)
        ]
        self.benchmarks[name].tables = {title: tables[title] for title in (*titles, *others) if title in tables}

    def _has_gpu(self, machine: int) -> bool:
        return self.machines[machine].get("CUDA", "none") != "none"

    def tidy(self) -> None:
        """Drops the machines of which no figure is left, and numbers the others anew."""
        origins = [origin for one in self.benchmarks.values() for runs in one.tables.values() for origin in _of(*runs)]
        used = sorted({origin.machine for origin in origins})
        numbers = {machine: number for number, machine in enumerate(used)}
        for one in self.benchmarks.values():
            one.tables = {
                title: (_renumbered(now, numbers), before and _renumbered(before, numbers))
                for title, (now, before) in one.tables.items()
            }
        self.machines = [self.machines[machine] for machine in used]


def _of(now: Run, before: Run | None) -> list[Origin]:
    return [origin for run in (now, before) if run is not None for origin in (run.origin, *run.kept.values())]


def _renumbered(run: Run, numbers: Mapping[int, int]) -> Run:
    kept = {row: replace(origin, machine=numbers[origin.machine]) for row, origin in run.kept.items()}
    return replace(run, origin=replace(run.origin, machine=numbers[run.origin.machine]), kept=kept)


BAR = " | "
"""Between the words of a row, which is one line of the file."""


def _document(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    table = {**asdict(run.table), "columns": BAR.join(run.table.columns), "rows": list(map(BAR.join, run.table.rows))}
    return {**asdict(run), "table": table}


def _run(document: Any) -> Run | None:
    if document is None:
        return None
    words = document["table"]
    table = Table(
        words["title"],
        tuple(words["columns"].split(BAR)),
        tuple(tuple(row.split(BAR)) for row in words["rows"]),
        tuple(words["notes"]),
        tuple(words["compared"]),
        words["absent"],
    )
    kept = {row: Origin(**origin) for row, origin in document["kept"].items()}
    return Run(table, Origin(**document["origin"]), kept, document["rounds"])


def today() -> str:
    """The date, in UTC."""
    return datetime.now(UTC).date().isoformat()


def commit() -> str:
    """The commit of this checkout, with "+" where files of the project have changed since.

    Outside git it is what the environment variable SILHOUETTE_COMMIT says, as in a container, else the version.
    """
    project = Path(__file__).resolve().parents[2]

    def git(*words: str) -> str:
        asked = subprocess.run(["git", "-C", str(project), *words], check=True, capture_output=True, text=True)
        return asked.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "silhouette", "tests/*.py")
        return git("rev-parse", "--short=7", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return os.environ.get("SILHOUETTE_COMMIT") or f"version {VERSION}"
