"""Tables that fit the terminal: columns give way, or cells go on in the next line, before a word is broken.

    natural widths -> columns that may give way are left out -> cells wrapped between words -> long words folded

What a column that is left out would have said stands elsewhere, or matters least.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.table import Table
    from rich.text import Text

COLUMN_GAP = 3
"""Columns of the terminal between two columns of a table."""

EDGES = 2
"""Columns of the terminal on both sides of a table together."""

WORD = re.compile(r"(?:± )?\S+(?: %\S*)?")
"""What stays on one line: a word, or a number with its sign and its unit, such as "± 0.15 %"."""


class FittedTable:
    """A table for `rich`, which decides how it looks when it knows the width of the terminal.

    Args:
        headings: of the columns.
        gives_way: the headings of columns that are left out where the table is too wide, the first one first.
        spare: the headings of columns that are left out, the first one first, where words would be broken with them.
        whole: the headings of columns whose cells stay on one line while others can be wrapped, the first one longest.
        parted: whether a table that is too wide then becomes several, one below the other, each with the first column.
    """

    def __init__(
        self,
        headings: Sequence[Text],
        *,
        gives_way: Sequence[str] = (),
        spare: Sequence[str] = (),
        whole: Sequence[str] = (),
        parted: bool = False,
    ) -> None:
        self._headings, self._gives_way, self._spare = list(headings), gives_way, spare
        self._whole, self._parted = whole, parted
        self._rows: list[tuple[Text, ...]] = []

    def add_row(self, *cells: Text) -> None:
        """Adds a row, with a cell for each column."""
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        columns = self._kept(options.max_width)
        for part in self._parts(columns, options.max_width) if self._parted else [columns]:
            yield self._table(part, options.max_width)

    def _kept(self, room: int) -> list[int]:
        """The columns that are shown, by their numbers."""
        columns = list(range(len(self._headings)))
        for headings, width in ((self._gives_way, self._natural), (self._spare, self._least)):
            for heading in headings:
                if total([width(column) for column in columns]) <= room:
                    break
                columns = [column for column in columns if self._headings[column].plain != heading]
        return columns

    def _parts(self, columns: list[int], room: int) -> Iterator[list[int]]:
        """The columns in parts that fit, each led by the first column."""
        first, *others = columns
        part = [first]
        for column in others:
            if len(part) > 1 and total([self._natural(one) for one in (*part, column)]) > room:
                yield part
                part = [first]
            part.append(column)
        yield part

    def _table(self, columns: list[int], room: int) -> Table:
        from rich import box
        from rich.table import Table

        natural, least = ([width(column) for column in columns] for width in (self._natural, self._least))
        for heading in self._whole:
            for place, column in enumerate(columns):
                more = natural[place] - least[place]
                if self._headings[column].plain == heading and total(least) + more <= room:
                    least[place] = natural[place]
        widths = fitted(natural, least, room - EDGES - COLUMN_GAP * (len(columns) - 1))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column, width in zip(columns, widths, strict=True):
            table.add_column(self._headings[column], overflow="fold", width=width)
        for row in self._rows:
            table.add_row(*(wrapped(row[column], width) for column, width in zip(columns, widths, strict=True)))
        return table

    def _cells(self, column: int) -> list[str]:
        return [self._headings[column].plain, *(row[column].plain for row in self._rows)]

    def _natural(self, column: int) -> int:
        """The width of a column in which no cell is wrapped."""
        return _longest(line for cell in self._cells(column) for line in cell.splitlines())

    def _least(self, column: int) -> int:
        """The width of a column in which no word is broken."""
        return _longest(word for cell in self._cells(column) for word in WORD.findall(cell))


def wrapped(cell: Text, width: int) -> Text:
    """The cell in lines that are no wider than ``width``, broken between words; a longer word is left as it is.

    >>> from rich.text import Text
    >>> wrapped(Text("south wall 29.7 %, gantry 8 %"), 11).plain.splitlines()
    ['south wall', '29.7 %,', 'gantry 8 %']
    """
    from rich.cells import cell_len

    broken, start, end = list(cell.plain), 0, 0
    for word in WORD.finditer(cell.plain):
        between = cell.plain[end : word.start()]
        if "\n" in between:
            start = word.start()
        elif between and cell_len(cell.plain[start : word.end()]) > width:
            broken[end : word.start()] = "\n".rjust(len(between))
            start = word.start()
        end = word.end()
    lines = cell.copy()
    lines.plain = "".join(broken)
    return lines


def total(widths: Sequence[int]) -> int:
    """The width of a table with columns of these widths.

    >>> total([8, 6, 10])
    32
    """
    return sum(widths) + COLUMN_GAP * (len(widths) - 1) + EDGES


def fitted(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widths of columns that share some room: natural ones, else what their words need, else narrower ones.

    Args:
        natural: the widths that columns would like to have.
        least: the widths below which words are broken.
        room: for all of them together.

    >>> fitted([10, 20], [5, 8], 40), fitted([10, 20], [5, 8], 24), fitted([30, 4], [30, 4], 20)
    ([10, 20], [7, 17], [16, 4])
    """
    if sum(natural) <= room:
        return list(natural)
    widths = list(least)
    while sum(widths) < room:  # what is left goes to the column that is shortest of what it would like
        wants = [want - width for want, width in zip(natural, widths, strict=True)]
        widths[wants.index(max(wants))] += 1
    while sum(widths) > max(room, len(widths)):
        widths[widths.index(max(widths))] -= 1
    return widths


def _longest(texts: Iterator[str]) -> int:
    from rich.cells import cell_len

    return max((cell_len(text) for text in texts), default=1) or 1
