"""TELL: verdicts become a table with reasons, or a JSON document.

Names come from users' files: they go through `printable` and into plain text, never into markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.cli.fitting import FittedTable
from silhouette.doubt.calls import ROLL_OFF, TOO_CLOSE, in_hundred, stands
from silhouette.rules import rule_called
from silhouette.rules.base import Level
from silhouette.text import Row, fraction_in_words, obscured, printable, share_in_words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from silhouette.batches.run import BatchSummary
    from silhouette.judging import Judged, SceneResult

STYLES: Mapping[Level | None, str] = {
    Level.CLEAR: "green",
    Level.PARTIAL: "yellow",
    Level.FULL: "magenta",
    Level.BLOCKED: "red",
    None: "",
}
"""The colour of a verdict's word, by its level."""

MOST_BLOCKERS = 3
MOST_COLUMNS = 30
"""A matrix with more names to look at lists them in rows."""


def scenes_document(results: Iterable[SceneResult]) -> dict[str, Any]:
    """The output of ``--json`` for checks; a scene that failed has ``error`` next to the checks judged before."""
    return {"scenes": [_scene_entry(result) for result in results]}


def _scene_entry(result: SceneResult) -> dict[str, Any]:
    entry: dict[str, Any] = {"scene": str(result.path), "title": result.title, "rules": result.rules}
    if result.error is not None:
        entry["error"] = result.error
    entry["results"] = [judged.row() for judged in result.judged]
    entry["warnings"] = list(result.warnings)
    return entry


def scene_report(result: SceneResult, *, quiet: bool = False) -> list[RenderableType]:
    """A table of the verdicts of one scene; then the reason of each; then the warnings.

    Args:
        result: the result of the scene.
        quiet: whether to leave out the reasons and warnings, but never what would change a verdict, nor an expectation
            that does not hold.
    """
    if not result.judged:
        return []
    rows = [judged.row() for judged in result.judged]
    parts: list[RenderableType] = [_heading(result), _verdicts(result.judged, rows)]
    for judged, row in zip(result.judged, rows, strict=True):
        parts += _details(judged, row, quiet)
    if not quiet:
        parts += [plain_line(f"warning: {warning}", "dim") for warning in _warnings(result, rows)]
    return [*parts, plain_line("")]


def _verdicts(judged: Sequence[Judged], rows: Sequence[Row]) -> FittedTable:
    measured = any("occluded" in row for row in rows)
    hoped = any(result.expected is not None for result in judged)
    named = all(result.check.attacker for result in judged)
    headings = [*(["attacker", "target"] if named else ["asked"]), "verdict"]
    headings += ["obscured", "blockers", "renderer"] if measured else []
    likely = any("odds" in row for row in rows)
    headings += ["odds"] if likely else []
    headings += ["expected"] if hoped else []
    # What is not as expected is said below the table as well, and the renderer by --json.
    table = headed_table(
        *headings, gives_way=("renderer", "expected"), spare=("blockers",), whole=("verdict", *headings[:-1])
    )
    for result, row in zip(judged, rows, strict=True):
        who = [_attacker(result), result.check.target] if named else [result.check.label]
        cells = [*map(plain_line, who), _verdict_cell(result, row)]
        if measured:
            cells += [plain_line(obscured(row)), plain_line(_blockers(row)), plain_line(row.get("renderer", ""))]
        if likely:
            cells.append(plain_line(in_hundred(row["odds"]) if "odds" in row else ""))
        if hoped:
            words, style = {None: ("", ""), True: ("held", "green"), False: ("BROKEN", "bold red")}[result.expected]
            cells.append(plain_line(words, style))
        table.add_row(*cells)
    return table


def _attacker(judged: Judged) -> str:
    check = judged.check
    return f"{check.attacker} ({check.arc} arc)" if check.arc is not None else check.attacker


def _verdict_cell(judged: Judged, row: Row) -> Text:
    """The verdict, or the call where there are odds, and whether it is too close to call."""
    words, note = stands(row)
    cell = plain_line(words, _style_of_call(judged, row) if "call" in row else STYLES[judged.verdict.level])
    return cell.append(f", {note}", "bold") if note else cell


def _style_of_call(judged: Judged, row: Row) -> str:
    """The colour of the verdict that stands; bold where the players roll off."""
    level = rule_called(judged.verdict.rules).levels.get(row["call"])
    return "bold" if level is None else STYLES[level]


def _details(judged: Judged, row: Row, quiet: bool) -> list[RenderableType]:
    lines: list[RenderableType] = []
    who = judged.check.label
    if not quiet:
        is_close = row["call"] == ROLL_OFF if "call" in row else bool(row.get("marginal"))
        close = f"; {TOO_CLOSE}: roll off" if is_close and "call" not in row and TOO_CLOSE not in row["reason"] else ""
        lines.append(plain_line(f"{who}: {row['reason']}{close}", "bold" if is_close else ""))
    lines += _what_if(judged, f"{who}: " if quiet else "")  # below its reason it needs no name
    if judged.unmet:
        lines.append(plain_line(f"NOT AS EXPECTED: {who}: {'; '.join(judged.unmet)}", "bold red"))
    if judged.picture is not None and not quiet:
        lines.append(plain_line(f"  drawn in {judged.picture}", "dim"))
    return lines


def _warnings(result: SceneResult, rows: Sequence[Row]) -> list[str]:
    """Every warning once; a warning of the scene only where no verdict repeats it with a name before it."""
    warnings = list(dict.fromkeys(warning for row in rows for warning in row.get("warnings", ())))
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


def _share(row: Row) -> str:
    return share_in_words(row["occluded_pixels"], row["target_pixels"])


def _blockers(row: Row) -> str:
    """The blockers with their shares; their names alone where nothing was measured."""
    blockers = [blocker for blocker in row.get("blockers", ()) if blocker.get("occluded") != 0.0]
    named = [
        f"{blocker['name']} {fraction_in_words(blocker['occluded'])}" if "occluded" in blocker else blocker["name"]
        for blocker in blockers[:MOST_BLOCKERS]
    ]
    rest = len(blockers) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest else "")


def matrix_report(result: SceneResult, *, quiet: bool = False) -> list[RenderableType]:
    """Everyone against everyone: a row for each attacker, a column for each target."""
    rows = [judged.row() for judged in result.judged]
    if not rows:
        return []
    pairs = [(judged.check.attacker, judged.check.target) for judged in result.judged]
    cells = {pair: _matrix_cell(judged, row) for pair, judged, row in zip(pairs, result.judged, rows, strict=True)}
    attackers, targets = (list(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    if set(attackers) & set(targets):
        attackers = targets = list(dict.fromkeys(name for pair in pairs for name in pair))
    wide = len(targets) <= MOST_COLUMNS
    table = headed_table("", *(targets if wide else attackers), parted=True)
    for name in attackers if wide else targets:
        pairs = [(name, column) for column in targets] if wide else [(column, name) for column in attackers]
        table.add_row(plain_line(name, "bold"), *(cells.get(pair, plain_line("")) for pair in pairs))
    parts: list[RenderableType] = [_heading(result), table]
    if not quiet:
        who = "Each row looks at each column" if wide else "Each column looks at each row"
        share = "; the share is what is obscured" if any(row.get("occluded") for row in rows) else ""
        parts.append(plain_line(f"{who}{share}.", "dim"))
        if any("odds" in row for row in rows):
            parts.append(
                plain_line("Where another verdict may be true, the likeliest and its odds stand below the call.", "dim")
            )
        marginal = (cell for cell, row in zip(cells.values(), rows, strict=True) if _is_questioned(row))
        close = next(marginal, None)
        if close is not None:
            shown = close.plain.splitlines()[0]
            meaning = f"{TOO_CLOSE}: roll off" if "call" not in rows[0] else f"{TOO_CLOSE} as measured: the odds decide"
            parts.append(plain_line(f'A question mark, as in "{shown}", means {meaning}.', "dim"))
    for judged in result.judged:
        parts += _what_if(judged, f"{judged.check.label}: ")
    if not quiet:
        parts += [plain_line(f"warning: {warning}", "dim") for warning in _warnings(result, rows)]
    return parts


def _what_if(judged: Judged, who: str = "  what would change it: ") -> list[RenderableType]:
    """What would change a verdict, and why the target sees the attacker and not the other way round; where asked."""
    lines: list[RenderableType] = []
    if judged.changes is not None:
        lines.append(plain_line(f"{who}{judged.changes.words}", "dim"))
    if judged.one_way is not None:
        lines.append(plain_line(f"  {judged.one_way}"))
    return lines


def _matrix_cell(judged: Judged, row: Row) -> Text:
    from rich.text import Text

    verdict, level = row["verdict"], judged.verdict.level
    if "call" in row and max(row["odds"].values()) < 0.995:
        close = "?" * _is_questioned(row)
        return Text(f"{_short(row['call'])}{close}\n{_short(in_hundred(row['odds']))}", _style_of_call(judged, row))
    words = printable(verdict if level is Level.CLEAR else _short(verdict)) + ("?" if _is_questioned(row) else "")
    share = row.get("occluded")
    if share and level is not Level.BLOCKED:
        words += f"\n{_share(row)}"
    return Text(words, STYLES[level])


def _short(words: str) -> str:
    """The first of several verdicts with their odds, or a verdict, without the word cover.

    >>> _short("partial cover, 71 in 100; full cover 29"), _short("hidden")
    ('partial, 71 in 100', 'hidden')
    """
    return words.partition(";")[0].replace(" cover", "", 1)


def _is_questioned(row: Row) -> bool:
    """Whether a verdict has a question mark: as measured it is too close to call."""
    return bool(row.get("marginal"))


def batch_report(out: Path, summary: BatchSummary, *, named: bool) -> list[RenderableType]:
    """The outcome of a batch, in a line; where ``named``, each check that is not as expected as well."""
    lines = [plain_line(f"NOT AS EXPECTED: {sentence}", "bold red") for sentence in summary.unmet if named]
    words = [f"{'already complete: ' * summary.complete}{_counted(summary.rows, 'row')} in {out}"]
    if summary.kept and not summary.complete:
        words.append(f"{summary.kept} judged before")
    words.append(f"{len(summary.unmet)} not as expected" if summary.unmet else "every expectation held")
    if summary.failed:
        words.append(f"{len(summary.failed)} with an error, which --retry-errors judges again")
    return [*lines, plain_line(", ".join(words), "bold red" if summary.unmet or summary.failed else "bold")]


MOST_PARTS_LISTED = 500
"""The most parts of a model in its table, which takes longer to print than the model to read."""


def inspection_report(report: Row) -> list[RenderableType]:
    """The findings of `silhouette.models.inspection.inspection`, in words."""
    size = " x ".join(f"{length:.1f}" for length in report["extents"])
    parts: list[RenderableType] = [
        plain_line(report["file"], "bold"),
        plain_line(f"{report['kind']}, {report['format']}, {_counted(report['triangles'], 'triangle')}"),
        plain_line(
            f"size    {size} mm (x, y, z), units {report['units']} ({report['units_from']}), {report['up']} was up"
        ),
    ]
    if report["kind"] != "terrain":
        base, eye = report["base"], _point(report["eye"])
        known = f"{base['diameter']:.1f} mm across, {base['height']:.2f} mm high ({base['from']})" if base else "none"
        parts += [plain_line(f"base    {known}"), plain_line(f"eye     {eye} ({report['eye_from']})")]
        parts += [plain_line(f"        {_point(point)} into the {arc} arc") for arc, point in report["eyes"].items()]
        if "front" in report:
            parts.append(plain_line(f"front   {report['front']:g}° anticlockwise from +x ({report['front_from']})"))
    surface = "watertight" if report["watertight"] else f"not watertight, {_counted(report['holes'], 'hole')}"
    surface += ", closed" if report["solid"] and not report["watertight"] else ""
    surface += "; what its outline encloses is filled" if report["solid"] == "filled" else ""
    table = headed_table("part", "triangles", "role")
    for part in report["parts"][:MOST_PARTS_LISTED]:
        table.add_row(plain_line(part["name"]), plain_line(str(part["triangles"])), plain_line(part["role"]))
    parts += [plain_line(f"surface {surface}"), table]
    if len(report["parts"]) > MOST_PARTS_LISTED:
        more = _counted(len(report["parts"]) - MOST_PARTS_LISTED, "more part")
        parts.append(plain_line(f"and {more}; --json lists all"))
    parts += [plain_line(f"warning: {warning}", "yellow") for warning in report["warnings"]]
    if report["suggested"]:
        from silhouette.models.inspection import has_list, is_model_file

        file = Path(report["file"])
        where = f"at the end of {file.name}"
        if not is_model_file(file):
            where = f'next to mesh = "{file.name}", in a scene or a model file'
        elif file.suffix.lower() == ".json":
            where = f'before "mesh" in {file.name}, or into the list "insignificant" that is there'
        elif has_list(file):
            where = f"at the beginning of the list insignificant = [...] of {file.name}"
        parts.append(
            plain_line(f"Thin parts that stick out and could be insignificant. Paste what you both agree to {where}:")
        )
        shares = ", ".join(f"{100 * suggestion['share']:.1f} %" for suggestion in report["suggested"])
        parts.append(plain_line(f"# of the body's surface, in this order: {shares}", "dim"))
        parts += [plain_line(line, "cyan") for line in report["suggested_toml"].splitlines()]
    return parts


def _point(coordinates: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in coordinates)


def doctor_report(report: Row) -> list[RenderableType]:
    """The findings of `silhouette.cli.doctor.examination`, as tables."""
    renderers = report["renderers"]
    timed = any(renderer["checks_per_second"] is not None for renderer in renderers)
    table = headed_table(
        "renderer",
        "works",
        "--device",
        "device",
        *(["checks/s"] if timed else []),
        "driver, or why not",
        spare=("checks/s",),
    )
    for renderer in renderers:
        works = plain_line("yes", "green") if renderer["works"] else plain_line("no", "red")
        option, memory = renderer["device_option"] or "", renderer["memory"]
        device = renderer["device"] + (f", {memory / 2**30:.0f} GiB" if memory else "")
        rate = renderer["checks_per_second"]
        fast = "" if rate is None else f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        words = [option, device, *([fast] if timed else []), renderer["reason"] or renderer["driver"] or ""]
        table.add_row(plain_line(renderer["name"]), works, *map(plain_line, words))
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
        table.add_row(*(plain_line(text) for text in (system["name"], system["title"], ", ".join(system["reads"]))))
        example = plain_line(f"  {system['example']}")
        example.no_wrap = True
        examples.append(example)
    return [table, plain_line("An example of each:", "dim"), *examples]


def game_report(content: Row) -> list[RenderableType]:
    """A game that is a file, in plain words: its verdicts, its clauses with their sources, its keys."""
    lines: list[RenderableType] = [plain_line(content["title"], "bold")]
    lines += [plain_line(content[key], "dim") for key in ("about", "source") if content[key]]
    verdicts = headed_table("verdict", "given where", "")
    for one in content["verdicts"]:
        verdicts.add_row(plain_line(one["verdict"]), plain_line(one["when"]), plain_line(one["choice"] or ""))
    clauses = headed_table("clause", "it says", "source")
    for one in content["clauses"]:
        clauses.add_row(*(plain_line(one[key]) for key in ("number", "text", "source")))
    lines += [verdicts, clauses]
    for key, heading in (("terrain", "terrain says"), ("model", "a model says"), ("readings", "reading")):
        if content[key]:
            keys = headed_table(heading, "its value", "which means")
            for one in content[key]:
                keys.add_row(*(plain_line(one[name]) for name in ("key", "value", "means")))
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
    from rich.text import Text

    return Text(printable(text), style)


def _counted(number: int, noun: str) -> str:
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}".replace(",", " ")
