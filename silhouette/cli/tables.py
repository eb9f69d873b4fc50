"""TELL: verdicts become a table with reasons, or a JSON document; what else is found becomes tables.

Names come from users' files: they go through `printable` and into plain text, never into markup.

Tables fit the terminal: columns give way, or cells go on in the next line, before a word is broken.

    natural widths -> columns that may give way are left out -> cells wrapped between words -> long words folded

What a column that is left out would have said stands elsewhere, or matters least.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from silhouette.common.text import Row, printable, share_in_words
from silhouette.judging.calls import CALL_WORDS, ROLL_OFF, TOO_CLOSE, in_hundred, stands
from silhouette.models.inspection import has_list, is_model_file
from silhouette.rules.base import Level, Verdict, blockers_in_words

if TYPE_CHECKING:
    from silhouette.batches.run import BatchSummary
    from silhouette.judging import Judged, SceneResult

# ---- tables that fit

COLUMN_GAP = 3  # columns of the terminal between two columns of a table
TABLE_EDGE_COLUMNS = 2  # columns of the terminal on both sides of a table together

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

    def add_row(self, *cells: Text | str) -> None:
        """Adds a row, with a cell for each column; what is no text yet becomes a plain one."""
        self._rows.append(tuple(cell if isinstance(cell, Text) else plain_line(cell) for cell in cells))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        columns = self._shown(options.max_width)
        for part in self._parts(columns, options.max_width) if self._parted else [columns]:
            yield self._table(part, options.max_width)

    def _shown(self, room: int) -> list[int]:
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
            if len(part) > 1 and total([self._natural(number) for number in (*part, column)]) > room:
                yield part
                part = [first]
            part.append(column)
        yield part

    def _table(self, columns: list[int], room: int) -> Table:
        natural, least = ([width(column) for column in columns] for width in (self._natural, self._least))
        for heading in self._whole:
            for place, column in enumerate(columns):
                more = natural[place] - least[place]
                if self._headings[column].plain == heading and total(least) + more <= room:
                    least[place] = natural[place]
        widths = fitted(natural, least, room - TABLE_EDGE_COLUMNS - COLUMN_GAP * (len(columns) - 1))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column, width in zip(columns, widths, strict=True):
            table.add_column(self._headings[column], overflow="fold", width=width)
        for row in self._rows:
            table.add_row(*(wrapped(row[column], width) for column, width in zip(columns, widths, strict=True)))
        return table

    def _cells(self, column: int) -> list[str]:
        return [self._headings[column].plain, *(row[column].plain for row in self._rows)]

    def _natural(self, column: int) -> int:
        return _longest(line for cell in self._cells(column) for line in cell.splitlines())

    def _least(self, column: int) -> int:
        return _longest(word for cell in self._cells(column) for word in WORD.findall(cell))


def wrapped(cell: Text, width: int) -> Text:
    """The cell in lines that are no wider than ``width``, broken between words; a longer word is left as it is.

    >>> wrapped(Text("south wall 29.7 %, gantry 8 %"), 11).plain.splitlines()
    ['south wall', '29.7 %,', 'gantry 8 %']
    """
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
    """The width of a table with columns of these widths."""
    return sum(widths) + COLUMN_GAP * (len(widths) - 1) + TABLE_EDGE_COLUMNS


def fitted(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widths of columns that share some room: natural ones, else the least that break no word, else narrower ones.

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
    return max((cell_len(text) for text in texts), default=1) or 1


# ---- what there is to tell

LEVEL_STYLES: Mapping[Level | None, str] = {
    Level.CLEAR: "green",
    Level.PARTIAL: "yellow",
    Level.FULL: "magenta",
    Level.BLOCKED: "red",
    None: "",
}
"""The colour of a verdict's word, by its level."""

EXPECTED_WORDS: Mapping[bool | None, tuple[str, str]] = {
    None: ("", ""),
    True: ("held", "green"),
    False: ("BROKEN", "bold red"),
}
"""Whether what was expected holds, and the colour of that."""

MAX_LISTED_BLOCKERS = 3
MAX_MATRIX_COLUMNS = 30  # a matrix with more names to look at lists them in rows


def scene_report(result: SceneResult, *, quiet: bool = False) -> list[RenderableType]:
    """A table of the verdicts of one scene; then the reason of each; then the warnings.

    If quiet, without reasons and warnings, but never without what would change a verdict, nor an expectation that does
    not hold.
    """
    if not result.judged:
        return []
    parts: list[RenderableType] = [_heading(result), _verdicts(result.judged)]
    for judged in result.judged:
        parts += _details(judged, quiet)
    if not quiet:
        parts += [plain_line(f"warning: {warning}", "dim") for warning in _warnings(result)]
    return [*parts, plain_line("")]


USUAL_RENDERER = "layers (embree)"  # what ``auto`` takes wherever it can: of that no table has a column


class Column(NamedTuple):
    """A column of a table of verdicts: the cell of a result, and whether some results make a table have it."""

    cell: Callable[[Judged], Text | str]
    shown: Callable[[Sequence[Judged]], bool]


def _has_pairs(results: Sequence[Judged]) -> bool:
    return all(result.check.attacker for result in results)


def _are_measured(results: Sequence[Judged]) -> bool:
    return any(result.verdict.measurement is not None for result in results)


VERDICT_COLUMNS = {
    "attacker": Column(lambda result: _attacker(result), _has_pairs),
    "target": Column(lambda result: result.check.target, _has_pairs),
    "asked": Column(lambda result: result.check.label, lambda results: not _has_pairs(results)),
    "verdict": Column(lambda result: _verdict_cell(result), lambda results: True),
    "obscured": Column(
        lambda result: result.verdict.measurement.words if result.verdict.measurement else "", _are_measured
    ),
    "blockers": Column(lambda result: _blockers(result.verdict), _are_measured),
    "renderer": Column(
        lambda result: _renderer(result.verdict),
        lambda results: any(_renderer(result.verdict) not in ("", USUAL_RENDERER) for result in results),
    ),
    "odds": Column(
        lambda result: "" if result.odds is None else in_hundred(result.odds.odds),
        lambda results: any(result.odds is not None for result in results),
    ),
    "expected": Column(
        lambda result: plain_line(*EXPECTED_WORDS[result.expected]),
        lambda results: any(result.expected is not None for result in results),
    ),
}
"""The columns of a table of verdicts, by their headings."""


def _verdicts(results: Sequence[Judged]) -> FittedTable:
    columns = {heading: column for heading, column in VERDICT_COLUMNS.items() if column.shown(results)}
    # What is not as expected is said below the table as well, and the renderer by --json.
    whole = ("verdict", *list(columns)[:-1])
    table = headed_table(*columns, gives_way=("renderer", "expected"), spare=("blockers",), whole=whole)
    for result in results:
        table.add_row(*(column.cell(result) for column in columns.values()))
    return table


def _attacker(judged: Judged) -> str:
    check = judged.check
    return f"{check.attacker} ({check.arc} arc)" if check.arc is not None else check.attacker


def _verdict_cell(judged: Judged) -> Text:
    words, note = stands(judged.verdict, judged.call)
    cell = plain_line(words, _style_of(judged))
    return cell.append(f", {note}", "bold") if note else cell


def _style_of(judged: Judged) -> str:
    """The colour of the verdict that stands; bold if the players roll off by the odds."""
    return "bold" if judged.level is None and judged.odds is not None else LEVEL_STYLES[judged.level]


def _details(judged: Judged, quiet: bool) -> list[RenderableType]:
    lines: list[RenderableType] = []
    who, reason = judged.check.label, judged.reason
    if not quiet:
        is_close = judged.verdict.marginal if judged.odds is None else judged.odds.call == ROLL_OFF
        close = f"; {CALL_WORDS['call']}" if is_close and judged.odds is None and TOO_CLOSE not in reason else ""
        lines.append(plain_line(f"{who}: {reason}{close}", "bold" if is_close else ""))
    lines += _agreed(judged)
    lines += _what_if(judged, f"{who}: " if quiet else "")  # below its reason it needs no name
    if judged.unmet:
        lines.append(plain_line(f"NOT AS EXPECTED: {who}: {'; '.join(judged.unmet)}", "bold red"))
    if judged.picture is not None and not quiet:
        lines.append(plain_line(f"  drawn in {judged.picture}", "dim"))
    return lines


def _agreed(judged: Judged) -> list[RenderableType]:
    agreed = judged.verdict.agreed
    return [] if agreed is None else [plain_line(f"{judged.check.label}: the players agreed: {agreed}", "bold")]


def _warnings(result: SceneResult) -> list[str]:
    """Every warning once; a warning of the scene only if no verdict repeats it with a name before it."""
    warnings = list(dict.fromkeys(warning for judged in result.judged for warning in judged.verdict.warnings))
    of_scene = (warning for warning in result.warnings if not any(named.endswith(warning) for named in warnings))
    return [*warnings, *of_scene]


def summary(results: Sequence[SceneResult]) -> Text:
    """One line about many scenes."""
    checks = [judged for result in results for judged in result.judged]
    unexpected = sum(judged.expected is False for judged in checks)
    failed = sum(result.error is not None for result in results)
    words = [f"{_counted(len(checks), 'check')} in {_counted(len(results), 'scene')}"]
    words.append(f"{unexpected} not as expected" if unexpected else "every expectation held")
    if failed:
        words.append(f"{_counted(failed, 'scene')} with an error")
    return plain_line(", ".join(words), "bold red" if unexpected or failed else "bold")


def _renderer(verdict: Verdict) -> str:
    return verdict.measurement.renderer if verdict.measurement else ""


def _blockers(verdict: Verdict) -> str:
    """The blockers with their shares; their names alone if nothing was measured."""
    named = blockers_in_words(verdict)
    rest = len(named) - MAX_LISTED_BLOCKERS
    return ", ".join(named[:MAX_LISTED_BLOCKERS]) + (f" and {rest} more" if rest > 0 else "")


def matrix_report(result: SceneResult, *, quiet: bool = False) -> list[RenderableType]:
    """Everyone against everyone: a row for each attacker, a column for each target."""
    if not result.judged:
        return []
    cells = {(judged.check.attacker, judged.check.target): _matrix_cell(judged) for judged in result.judged}
    table, wide = _matrix_table(cells)
    parts: list[RenderableType] = [_heading(result), table]
    if not quiet:
        parts += [plain_line(line, "dim") for line in _matrix_legend(result.judged, list(cells.values()), wide=wide)]
    for judged in result.judged:
        parts += [*_agreed(judged), *_what_if(judged, f"{judged.check.label}: ")]
    if not quiet:
        parts += [plain_line(f"warning: {warning}", "dim") for warning in _warnings(result)]
    return parts


def _matrix_table(cells: Mapping[tuple[str, str], Text]) -> tuple[FittedTable, bool]:
    """The cells of attackers and targets as a table, and whether its rows are attackers, not targets."""
    attackers, targets = (list(dict.fromkeys(names)) for names in zip(*cells, strict=True))
    if set(attackers) & set(targets):
        attackers = targets = list(dict.fromkeys(name for pair in cells for name in pair))
    wide = len(targets) <= MAX_MATRIX_COLUMNS
    rows, columns = (attackers, targets) if wide else (targets, attackers)
    table = headed_table("", *columns, parted=True)
    for name in rows:
        pairs = [(name, column) if wide else (column, name) for column in columns]
        table.add_row(plain_line(name, "bold"), *(cells.get(pair, "") for pair in pairs))
    return table, wide


def _matrix_legend(results: Sequence[Judged], cells: Sequence[Text], *, wide: bool) -> Iterator[str]:
    who = "Each row looks at each column" if wide else "Each column looks at each row"
    measured = (result.verdict.measurement for result in results)
    is_obscured = any(measurement and measurement.occluded for measurement in measured)
    yield f"{who}{'; the share is what is obscured' if is_obscured else ''}."
    if any(result.odds is not None for result in results):
        yield "Where another verdict may be true, the likeliest and its odds stand below the call."
    marginal = (cell for cell, result in zip(cells, results, strict=True) if result.verdict.marginal)
    close = next(marginal, None)
    if close is not None:
        with_odds = results[0].odds is not None
        meaning = CALL_WORDS["byOdds" if with_odds else "call"]
        yield f'A question mark, as in "{close.plain.splitlines()[0]}", means {meaning}.'


def _what_if(judged: Judged, who: str = "  what would change it: ") -> list[RenderableType]:
    """What would change a verdict, and why the target sees the attacker and not the other way round; where asked."""
    lines: list[RenderableType] = []
    if judged.changes is not None:
        lines.append(plain_line(f"{who}{judged.changes.words}", "dim"))
    if judged.one_way is not None:
        lines.append(plain_line(f"  {judged.one_way}"))
    return lines


def _matrix_cell(judged: Judged) -> Text:
    verdict, odds, measured = judged.verdict, judged.odds, judged.verdict.measurement
    close = "?" * verdict.marginal
    if odds is not None and max(odds.odds.values()) < 0.995:
        return Text(f"{_short(odds.call)}{close}\n{_short(in_hundred(odds.odds))}", _style_of(judged))
    words = printable(verdict.verdict if verdict.level is Level.CLEAR else _short(verdict.verdict)) + close
    if measured is not None and measured.occluded and verdict.level is not Level.BLOCKED:
        words += f"\n{share_in_words(measured.counts.occluded, measured.counts.total)}"
    return Text(words, LEVEL_STYLES[verdict.level])


def _short(words: str) -> str:
    """The first of several verdicts with their odds, or a verdict, without the word cover.

    >>> _short("partial cover, 71 in 100; full cover 29"), _short("hidden")
    ('partial, 71 in 100', 'hidden')
    """
    return words.partition(";")[0].replace(" cover", "", 1)


def batch_report(out: Path, summary: BatchSummary, *, named: bool, quiet: bool = False) -> list[RenderableType]:
    """The outcome of a batch: how often each verdict was given, by game, and all in a line; if quiet, that alone. Where
    ``named``, each check that is not as expected as well.
    """
    lines: list[RenderableType] = [_batch_verdicts(summary)] if summary.games and not quiet else []
    lines += [plain_line(f"NOT AS EXPECTED: {sentence}", "bold red") for sentence in summary.unmet if named]
    words = [f"{'already complete: ' * summary.complete}{_counted(summary.rows, 'row')} in {out}"]
    if summary.kept and not summary.complete:
        words.append(f"{summary.kept} judged before")
    words.append(f"{len(summary.unmet)} not as expected" if summary.unmet else "every expectation held")
    if summary.failed:
        words.append(f"{len(summary.failed)} with an error, which --retry-errors judges again")
    return [*lines, plain_line(", ".join(words), "bold red" if summary.unmet or summary.failed else "bold")]


MAX_LISTED_VERDICTS = 5  # of a game, the most frequent ones


def _batch_verdicts(summary: BatchSummary) -> FittedTable:
    table = headed_table("game", "scenes", "checks", "verdicts", TOO_CLOSE)
    for name, game in sorted(summary.games.items()):
        often = sorted(game["verdicts"].items(), key=lambda entry: (-entry[1], entry[0]))
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in often[:MAX_LISTED_VERDICTS])
        if more := sum(count for _, count in often[MAX_LISTED_VERDICTS:]):
            verdicts += f" and {more} others"
        table.add_row(name, str(game["scenes"]), str(game["checks"]), verdicts, str(game["marginal"] or ""))
    return table


MAX_LISTED_PARTS = 500  # the most parts of a model in its table, which takes longer to print than the model to read


def inspection_report(report: Row) -> list[RenderableType]:
    """The findings of `silhouette.models.inspection.inspection`, in words."""
    table = headed_table("part", "triangles", "role")
    for part in report["parts"][:MAX_LISTED_PARTS]:
        table.add_row(part["name"], str(part["triangles"]), part["role"])
    parts: list[RenderableType] = [plain_line(report["file"], "bold"), *map(plain_line, _facts(report)), table]
    if len(report["parts"]) > MAX_LISTED_PARTS:
        more = _counted(len(report["parts"]) - MAX_LISTED_PARTS, "more part")
        parts.append(plain_line(f"and {more}; --json lists all"))
    parts += [plain_line(f"warning: {warning}", "yellow") for warning in report["warnings"]]
    if report["suggested"]:
        what = "Thin parts that stick out and could be insignificant. Paste what you both agree to"
        shares = ", ".join(f"{100 * suggestion['share']:.1f} %" for suggestion in report["suggested"])
        parts.append(plain_line(f"{what} {_place_for_tags(Path(report['file']))}:"))
        parts.append(plain_line(f"# of the body's surface, in this order: {shares}", "dim"))
        parts += [plain_line(line, "cyan") for line in report["suggested_toml"].splitlines()]
    return parts


def _facts(report: Row) -> Iterator[str]:
    size = " x ".join(f"{length:.1f}" for length in report["extents"])
    yield f"{report['kind']}, {report['format']}, {_counted(report['triangles'], 'triangle')}"
    yield f"size    {size} mm (x, y, z), units {report['units']} ({report['units_from']}), {report['up']} was up"
    if report["kind"] != "terrain":
        base = report["base"]
        across = f"{base['diameter']:.1f} mm across, {base['height']:.2f} mm high ({base['from']})" if base else "none"
        yield f"base    {across}"
        yield f"eye     {_point(report['eye'])} ({report['eye_from']})"
        yield from (f"        {_point(point)} into the {arc} arc" for arc, point in report["eyes"].items())
        if "front" in report:
            yield f"front   {report['front']:g}° anticlockwise from +x ({report['front_from']})"
    surface = "watertight" if report["watertight"] else f"not watertight, {_counted(report['holes'], 'hole')}"
    surface += ", closed" if report["solid"] and not report["watertight"] else ""
    yield f"surface {surface}" + ("; what its outline encloses is filled" if report["solid"] == "filled" else "")


def _place_for_tags(file: Path) -> str:
    if not is_model_file(file):
        return f'next to mesh = "{file.name}", in a scene or a model file'
    if file.suffix.lower() == ".json":
        return f'before "mesh" in {file.name}, or into the list "insignificant" that is there'
    return f"at the {'beginning of the list insignificant = [...] of' if has_list(file) else 'end of'} {file.name}"


def _point(coordinates: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in coordinates)


def doctor_report(report: Row) -> list[RenderableType]:
    """The findings of `silhouette.cli.doctor.examination`, as tables."""
    timed = any(renderer["checks_per_second"] is not None for renderer in report["renderers"])
    rate = ["checks/s"] if timed else []
    headings = ("renderer", "works", "--device", "device", *rate, "driver, or why not")
    table = headed_table(*headings, spare=("checks/s",))
    for renderer in report["renderers"]:
        works = plain_line("yes", "green") if renderer["works"] else plain_line("no", "red")
        table.add_row(renderer["name"], works, *_renderer_cells(renderer, timed=timed))
    cache, memory = report["cache"], report["memory"]
    versions = ", ".join(f"{name} {version or 'not installed'}" for name, version in report["versions"].items())
    return [
        table,
        plain_line(f"auto takes {report['auto']['name']} ({report['auto']['device']})", "bold"),
        *_gpu_lines(report["gpu"]),
        plain_line(versions),
        plain_line(f"cache {cache['folder']}: {_counted(cache['entries'], 'entry')}, {cache['bytes'] / 1e6:.1f} MB"),
        plain_line(
            f"kept in memory {memory['bytes'] / 1e6:.1f} MB, {memory['most'] / 1e6:.0f} MB at most in a process"
        ),
    ]


def _renderer_cells(renderer: Row, *, timed: bool) -> list[str]:
    memory, rate = renderer["memory"], renderer["checks_per_second"]
    device = renderer["device"] + (f", {memory / 2**30:.0f} GiB" if memory else "")
    fast = "" if rate is None else f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    return [
        renderer["device_option"] or "",
        device,
        *([fast] if timed else []),
        renderer["reason"] or renderer["driver"] or "",
    ]


def _gpu_lines(gpu: Row) -> list[Text]:
    """Lines that say whether there is a GPU, and if so, whether it is used, or why not."""
    if not gpu["seen"]:
        return [plain_line("GPU: gl draws on one" if gpu["used"] else "GPU: this system shows none")]
    seen = ", ".join(gpu["seen"]) + ("; cuda runs on it" if gpu["cuda"] else "")
    if gpu["used"]:
        return [plain_line(f"GPU: {seen}; gl draws on it")]
    return [
        plain_line(f"GPU: {seen}; gl cannot draw on it", "" if gpu["cuda"] else "red"),
        *(plain_line(f"  - {why}") for why in gpu["obstacles"]),
    ]


def rules_report(systems: Iterable[Row]) -> list[RenderableType]:
    """The rule systems, as a table, and below it an example of each: a path on one line, so that it can be copied."""
    table = headed_table("rules", "game", "reads")
    examples: list[RenderableType] = []
    for system in systems:
        table.add_row(system["name"], system["title"], ", ".join(system["reads"]))
        example = plain_line(f"  {system['example']}")
        example.no_wrap = True
        examples.append(example)
    return [table, plain_line("An example of each:", "dim"), *examples]


def game_report(content: Row) -> list[RenderableType]:
    """A game that is a file, in plain words: its verdicts, its clauses with their sources, its keys."""
    lines: list[RenderableType] = [plain_line(content["title"], "bold")]
    lines += [plain_line(content[key], "dim") for key in ("about", "source") if content[key]]
    verdicts = headed_table("verdict", "given where", "")
    for row in content["verdicts"]:
        verdicts.add_row(row["verdict"], row["when"], row["choice"] or "")
    clauses = headed_table("clause", "it says", "source")
    for row in content["clauses"]:
        clauses.add_row(row["number"], row["text"], row["source"])
    lines += [verdicts, clauses]
    for key, heading in (("terrain", "terrain says"), ("model", "a model says"), ("readings", "reading")):
        if content[key]:
            keys = headed_table(heading, "its value", "which means")
            for row in content[key]:
                keys.add_row(row["key"], row["value"], row["means"])
            lines.append(keys)
    return lines


def _heading(result: SceneResult) -> Text:
    heading = plain_line(result.title or result.path.stem, "bold")
    return heading.append(f"  {printable(str(result.path))}", "not bold dim")


def headed_table(*headings: str, **how: Any) -> FittedTable:
    """A table with these headings; ``how`` as of `FittedTable`."""
    return FittedTable([plain_line(heading) for heading in headings], **how)


def plain_line(text: str, style: str = "") -> Text:
    """A line of text without markup, of signs that a terminal can show."""
    return Text(printable(text), style)


def _counted(number: int, noun: str) -> str:
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}".replace(",", " ")
