"""What a benchmark measures: tables of text, printed one by one as they are ready.

A benchmark is a module of this folder with ``tables(options)``, a generator of `Table` and `Skipped`. Its docstring is
its section in README.md: the first line asks the question, the rest says how it is measured and what was wanted.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.renderers.registry import check_name


class CannotRunError(Exception):
    """A benchmark lacks something that this machine does not have; the message says what."""


@dataclass(frozen=True)
class Table:
    """A table that was measured.

    Attributes:
        title: by which the same table of an earlier run is found; it is unlike those of the benchmark's other tables.
        columns: the headings; that of the first column, which names the rows, may be empty.
        rows: of as many words as there are columns.
        notes: sentences to stand below.
        compared: the columns beside which a run prints the figures of the last one of another commit.
        absent: rows that could not be measured here, by their names, with the reasons; the earlier ones are kept.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [row[0] for row in self.rows]
        assert len(set(names)) == len(names), f"{self.title}: two rows of one name"
        assert all(len(row) == len(self.columns) for row in self.rows), f"{self.title}: rows unlike the headings"
        assert not any("|" in word for row in (self.columns, *self.rows) for word in row), f"{self.title}: a bar"
        assert set(self.compared) <= set(self.columns[1:]), f"{self.title}: compares what is no column"

    def text(self) -> str:
        """The table for a terminal.

        >>> print(Table("Speed", ("", "ms"), (("one pair", "3.9"), ("another", "12.0"))).text())
        Speed
                    ms
        one pair   3.9
        another   12.0
        """
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines
        ]
        missing = [f"without {row}: {reason}" for row, reason in self.absent.items()]
        return "\n".join([self.title, *padded, *self.notes, *missing])


@dataclass(frozen=True)
class Skipped:
    """A table that cannot be measured on this machine, with the reason; its earlier figures are kept."""

    title: str
    reason: str

    def text(self) -> str:
        """The line for a terminal."""
        return f"{self.title}: not measured, {self.reason}"


@dataclass(frozen=True)
class Options:
    """What all benchmarks may be asked for.

    Attributes:
        against: an earlier checkout, which takes turns with this one where whole processes are measured.
        rounds: the most times that anything is measured; None for as often as each benchmark does.
        renderer: what measures, for the benchmarks that can be run with another one than `auto`.
        device: its device, as ``silhouette doctor`` names it; None for the one that it chooses.
        scenes: of OcclusionBench; None for all.
    """

    against: Path | None = None
    rounds: int | None = None
    renderer: str = "auto"
    device: str | None = None
    scenes: int | None = None

    def titled(self, title: str) -> str:
        """The title of a table that depends on the renderer.

        >>> Options().titled("Growth"), Options(renderer="cuda", device="cpu").titled("Growth")
        ('Growth', 'Growth (cuda, cpu)')
        """
        words = [self.renderer, *([self.device] if self.device else [])]
        return title if words == ["auto"] else f"{title} ({', '.join(words)})"

    def laps(self, usual: int) -> int:
        """How often something is measured that is usually measured so often.

        >>> Options().laps(5), Options(rounds=2).laps(5), Options(rounds=2).laps(1)
        (5, 2, 1)
        """
        return usual if self.rounds is None else min(usual, self.rounds)


Tables = Callable[[Options], Iterator[Table | Skipped]]


def add_options(parser: ArgumentParser) -> None:
    """Adds `Options` to a command line."""
    parser.add_argument(
        "--against", type=Path, metavar="DIR", help="an earlier checkout, which takes turns with this one"
    )
    parser.add_argument("--rounds", type=_count, metavar="N", help="measure everything at most so many times")
    parser.add_argument("--scenes", type=_count, metavar="N", help="of OcclusionBench, only so many")


def _count(word: str) -> int:
    if (count := int(word)) < 1:
        raise ValueError
    return count


def options_of(arguments: Sequence[str] | None = None, *, any_renderer: bool = False) -> Options:
    """The options on the command line of one benchmark; with ``any_renderer`` also which one measures."""
    parser = ArgumentParser()
    add_options(parser)
    if not any_renderer:
        asked = parser.parse_args(arguments)
        return Options(asked.against, asked.rounds, scenes=asked.scenes)
    parser.add_argument("--renderer", default="auto", help="what measures: auto, embree, cuda, gl or reference")
    parser.add_argument("--device", metavar="NAME", help="of that renderer, as silhouette doctor lists them")
    asked = parser.parse_args(arguments)
    try:
        check_name(asked.renderer, asked.device)
    except RequestError as refused:
        parser.error(str(refused))
    return Options(asked.against, asked.rounds, asked.renderer, asked.device, asked.scenes)


def show(tables: Iterator[Table | Skipped]) -> None:
    """Prints tables as they are ready; exit status 1, with the reason, where this machine lacks what they need."""
    try:
        for number, table in enumerate(tables):
            print(("\n" if number else "") + table.text(), flush=True)
    except (CannotRunError, RendererUnavailable) as reason:
        sys.exit(str(reason))


def progress(row: tuple[str, ...]) -> tuple[str, ...]:
    """The row, which is shown on standard error at once: a whole table may take minutes."""
    print("   ", *row, sep="  ", file=sys.stderr, flush=True)
    return row
