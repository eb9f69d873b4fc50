"""TELL: the report of a scene, one page that needs nothing else: verdicts, figures and reasons, the table in 3D."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from shlex import quote
from types import MappingProxyType
from typing import Any

from silhouette.common.text import Progress, fraction_in_words, sentence
from silhouette.drawing.figures import warm_up
from silhouette.drawing.games import drawing_of
from silhouette.drawing.in_3d.stage import Stage
from silhouette.drawing.saving import NOTHING_KEPT
from silhouette.drawing.sheet import settings
from silhouette.drawing.table.tracing import standing
from silhouette.files.cache import Cache
from silhouette.judging import Judged, JudgingOptions, Selection, judge_all
from silhouette.judging.maps import Map
from silhouette.meshes.bounds import prepare
from silhouette.meshes.health import TRIFLES
from silhouette.pages.html.page import (
    Content,
    Figures,
    Head,
    Markup,
    asset,
    element,
    joined,
    page,
    plate,
    table,
    verbatim,
)
from silhouette.pages.report.sections import (
    VIEWER_TEXTS,
    PageWriting,
    about_checks,
    figures_for_page,
    map_section,
    on_page,
    overview_for_page,
    see_button,
    view_section,
)
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasDescription
from silhouette.rules.base import Verdict, blockers_in_words
from silhouette.rules.fields import OCCLUDED_IN_ARC, PIXEL, RENDERER, ResultField
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene
from silhouette.workers import parallel_map

# ---- results in words


def result_in_words(row: Mapping[str, Any], fields: Sequence[ResultField]) -> list[tuple[str, str]]:
    """The name and the value of each key of a result that is a detail, without those that have no value.

    >>> from silhouette.rules.fields import ARC, LINE_OF_SIGHT, VERDICT
    >>> row = {"verdict": "open", "line_of_sight": True, "arc": None, "distance": 61.5}
    >>> result_in_words(row, (VERDICT, LINE_OF_SIGHT, ARC, ResultField("distance", float, "")))
    [('line of sight', 'yes'), ('distance', '61.5')]
    >>> sight_line = ResultField("sight_line", list, "", label="a free line")
    >>> result_in_words({"sight_line": [[0.0, 1.25], [3.0, 4.0]]}, [sight_line])
    [('a free line', '(0, 1.25), (3, 4)')]
    >>> lines = ResultField("lines", list, "", parts=(ResultField("hexes", list, "", form="address"),))
    >>> result_in_words({"lines": [{"hexes": [[0, 1], [0, 2]]}]}, [lines])
    [('lines', 'hexes: [0, 1], [0, 2]')]
    """
    by_key = {field.key: field for field in fields}
    details = [(field, _value_of(field, row[key], by_key)) for key, field in by_key.items() if key in row]
    order = list(row)
    details.sort(key=lambda detail: order.index(detail[0].key))
    return [(field.name, words) for field, words in details if words and field.is_detail]


def value_in_words(value: Any, parts: Mapping[str, ResultField]) -> str:
    """A value of JSON, with the fields of the tables in it by their keys; empty if there is none.

    >>> [value_in_words(value, {}) for value in (False, None, [], -2, 1 / 3)]
    ['no', '', '', '-2', '0.3333']
    >>> from silhouette.rules.fields import OCCLUDED_FIELD
    >>> value_in_words([{"reading": "hills = solid", "occluded": 0.25, "cover": None}], {"occluded": OCCLUDED_FIELD})
    'reading: hills = solid, occluded: 25.0 %'
    """
    if isinstance(value, Mapping):
        fields = [parts.get(key, ResultField(key, Any, "")) for key in value]
        pairs = [(field, _value_of(field, value[field.key], parts)) for field in fields]
        return ", ".join(f"{field.name}: {words}" for field, words in pairs if words)
    if isinstance(value, list | tuple):
        return _list_in_words(value, parts)
    if isinstance(value, bool):
        return _yes_or_no(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def _list_in_words(values: Sequence[Any], parts: Mapping[str, ResultField]) -> str:
    words = [value_in_words(value, parts) for value in values]
    if values and all(isinstance(value, list | tuple) for value in values):
        return ", ".join(f"({place})" for place in words)
    return ("; " if any(isinstance(value, Mapping) for value in values) else ", ").join(words)


def _yes_or_no(value: object) -> str:
    return "yes" if value else "no"


def _value_of(field: ResultField, value: Any, parts: Mapping[str, ResultField]) -> str:
    """The value of a key: codes of the program in words, addresses of hexes as reasons write them."""
    if field.form == "share" and isinstance(value, float):
        return fraction_in_words(value)
    if field.form == "code" and isinstance(value, str):
        return value.replace("_", " ")
    if field.form == "address" and value:
        several = value if isinstance(value[0], list | tuple) else [value]
        return ", ".join(f"[{value_in_words(address, parts)}]" for address in several)
    return value_in_words(value, {part.key: part for part in field.parts} or parts)


# ---- what verdicts rest on

Facts = list[tuple[str, Content]]


def facts_about(scene: Any, judged: Sequence[Judged], version: str) -> Facts:
    """The facts that hold for all verdicts of a scene: the name and the content of each."""
    verdicts, rule = [result.verdict for result in judged], rule_called(scene.rules)
    facts: Facts = [("Silhouette", version), ("rules", scene.rules_as_written), ("scene file", scene.path.name)]
    facts += _facts_of_measuring(verdicts) or ([("measured", rule.unmeasured)] if verdicts else [])
    if isinstance(rule, HasDescription):
        facts += rule.basis(scene)
    readings = [
        f"{key.replace('_', ' ')}: {_yes_or_no(value) if isinstance(value, bool) else value}"
        for key, value in scene.readings
    ]
    if readings:
        facts.append(("readings", element("ul", [element("li", reading) for reading in readings], class_="plain")))
    return facts


def _facts_of_measuring(verdicts: Sequence[Verdict]) -> Facts:
    measured = [row for row in (verdict.row() for verdict in verdicts) if RENDERER.key in row and PIXEL.key in row]
    if not measured:
        return []
    pixels = dict.fromkeys(f"{row[PIXEL.key]:.3g}" for row in measured)
    facts: Facts = [
        ("renderer", ", ".join(dict.fromkeys(row[RENDERER.key] for row in measured))),
        ("fineness", f"{' and '.join(pixels)} mm per pixel at the target"),
    ]
    if any(verdict.measurement and verdict.measurement.projection == "cube" for verdict in verdicts):
        facts.append(("projection", "six faces of a cube round the eye, where a target reaches round it; else flat"))
    return facts


def pieces_table(scene: Any) -> Markup:
    """The pieces of a scene as a table; empty where there are none."""
    rule = rule_called(scene.rules)
    pieces = rule.pieces(scene) if isinstance(rule, HasDescription) else None
    if pieces is None or not pieces.rows:
        return Markup()
    rows = [
        [
            element("code", text) if heading in pieces.code else text
            for heading, text in zip(pieces.headings, row, strict=True)
        ]
        for row in pieces.rows
    ]
    return table(pieces.caption, pieces.headings, rows, class_="wide")


def listed(facts: Facts) -> Markup:
    """The facts as a definition list of names and contents."""
    return element(
        "dl", joined(*(joined(element("dt", name), element("dd", content)) for name, content in facts)), class_="facts"
    )


# ---- warnings

DECISIVE_WARNING = re.compile(
    r"\beye\b|\bfac(es|ing)\b|overlap|sink|hang|float|inside|stand|unknown|front|2 m from|mm tall|probably a mistake"
)
"""What a verdict rests on: eyes, facings, and mistakes in where pieces stand."""


def weighed(warnings: Iterable[str]) -> list[str]:
    """The warnings, each once, without trifles; what a verdict rests on comes first.

    >>> weighed([
    ...     "rock.stl: more than two faces meet at 46 edges",
    ...     "rock.stl: the mesh has 2 holes; sight passes through",
    ...     "the eye of Oswald is estimated",
    ... ])
    ['the eye of Oswald is estimated', 'rock.stl: the mesh has 2 holes; sight passes through']
    """
    weighty = [warning for warning in dict.fromkeys(warnings) if not TRIFLES.search(warning)]
    return sorted(weighty, key=lambda warning: DECISIVE_WARNING.search(warning) is None)


def told_once(warnings: Iterable[str]) -> list[str]:
    """The warnings without those that another one repeats with the name of a piece before it.

    >>> told_once(["Vex: leader.glb: units are guessed", "leader.glb: units are guessed"])
    ['Vex: leader.glb: units are guessed']
    """
    every = list(dict.fromkeys(warnings))
    return [warning for warning in every if not any(other != warning and other.endswith(warning) for other in every)]


# ---- the page

ABSOLUTE = re.compile(r"""(\b(?:mesh|model)["']?\s*[=:]\s*["'])((?:/|~|[A-Za-z]:[/\\]|\\\\)[^"'\n]*)""")
"""A key that names a file, up to the path, and the path, where that is an absolute one."""

WRITTEN = Selection()  # the checks that are written in a scene
CLOSE_WORDS, UNMET_WORDS = "too close to call: roll off", "not as expected"
LICENCE = "Licence of the 3D view's library, three.js"

REPORT_CHECKS_AT_ONCE, REPORT_GROUPS_PER_PROCESS = 16, 2
"""The most checks that are judged together; the groups for each process, so that none waits long for the last one."""


@dataclass(frozen=True)
class DrawnCheck:
    """A check of the page: its verdict, and the caption and SVG of each of its figures."""

    judged: Judged
    figures: tuple[tuple[str, str], ...]


def judged_and_drawn(
    scene: Scene,
    renderer: Renderer,
    pixel: float | None = None,
    *,
    selection: Selection = WRITTEN,
    workers: int = 1,
    writing: PageWriting | None = None,
    progress: Progress = lambda done, total: None,
) -> list[DrawnCheck]:
    """The selected checks of a scene, judged with a sample in every pixel and drawn from those very samples.

    None of a scene without checks whose game draws whole scenes: its page shows the table.

    Args:
        scene: from `silhouette.judging.load_scene`.
        workers: the number of processes that judge and draw at the same time, where that is possible.
        writing: from `on_page`; by default it keeps nothing.
        progress: called with the number of checks done, and of all checks.

    Raises:
        RequestError: where no check is selected, or a package that draws or simplifies is not installed.
    """
    only_table = selection == WRITTEN and not scene.checks and drawing_of(scene.rules).overview(scene) is not None
    checks = () if only_table else selection.checks(scene)
    drawing_of(scene.rules).check_stage(scene)
    done = list[DrawnCheck]()
    progress(0, len(checks))
    writing = on_page(NOTHING_KEPT) if writing is None else writing
    for number, check in enumerate(_drawn_checks(scene, checks, renderer, pixel, workers, writing)):
        done.append(check)
        progress(number + 1, len(checks))
    return done


def _drawn_checks(
    scene: Scene, checks: Sequence[Check], renderer: Renderer, pixel: float | None, workers: int, writing: PageWriting
) -> Iterator[DrawnCheck]:
    options = JudgingOptions(renderer, pixel=pixel, keep=True)

    def drawn(some: Sequence[Check]) -> list[DrawnCheck]:
        rulings = judge_all([(scene, check) for check in some], options)
        return [DrawnCheck(ruling, tuple(figures_for_page(scene, ruling, renderer, writing))) for ruling in rulings]

    meshes = list(rule_called(scene.rules).meshes(scene).values())
    if min(workers, len(checks)) > 1 and (not meshes or renderer.share(meshes)):
        for mesh in meshes:
            prepare(mesh)
        for piece in scene.pieces if isinstance(scene, TableScene) else ():
            standing(piece.pose, piece.model.mesh)
        with settings():
            warm_up(isinstance(scene, TableScene), writing)
        count = min(max(REPORT_GROUPS_PER_PROCESS * workers, -(-len(checks) // REPORT_CHECKS_AT_ONCE)), len(checks))
        edges = [len(checks) * number // count for number in range(count + 1)]
        groups = [checks[start:stop] for start, stop in pairwise(edges)]
        return chain.from_iterable(parallel_map(drawn, groups, workers))
    return chain.from_iterable(
        drawn(checks[start : start + REPORT_CHECKS_AT_ONCE]) for start in range(0, len(checks), REPORT_CHECKS_AT_ONCE)
    )


def stage_of(scene: Any, rulings: Sequence[Judged], cache: Cache) -> Stage | None:
    """The 3D stage of a scene; None where the scene has no pieces, or too many for a page."""
    stage = drawing_of(scene.rules).stage(scene, [(ruling.check, ruling.verdict) for ruling in rulings], cache)
    return stage if stage is not None and stage.items else None


def report_page(
    scene: Any,
    drawn: Sequence[DrawnCheck],
    source: str,
    version: str,
    writing: PageWriting,
    shown: Map | None = None,
    at: Mapping[str, Sequence[float]] = MappingProxyType({}),
) -> str:
    """The page of a scene, HTML in one text.

    Args:
        drawn: its checks, from `judged_and_drawn`.
        source: the scene file's text.
        writing: from `on_page`; its cache has meshes that were made simpler for display as well.
        at: the places that were tried, as of `silhouette.judging.load_scene`.
    """
    title = scene.title or scene.path.stem
    checks = [check.judged for check in drawn]
    stage = stage_of(scene, checks, writing.cache)
    views = {sight.check: number for number, sight in enumerate(stage.sights if stage else ())}
    figures, about = Figures(), about_checks(checks)
    system, counted = rule_called(scene.rules).title, "check" if len(drawn) == 1 else "checks"
    mapped = None if shown is None else map_section(shown, figures, writing)
    document = {"words": VIEWER_TEXTS} if stage is None else stage.document(VIEWER_TEXTS, about)
    data: dict[str, Any] = {"stage": document, "results": {"results": [check.row() for check in checks]}}
    scripts = [asset("viewer.min.js")]
    if mapped is not None:
        data["map"] = mapped[1]
        scripts.append(asset("map.js"))
    return page(
        Head(title, f"Verdicts, figures and the table in 3D: {title}", figures, asset("report.css")),
        element("h1", title),
        element("p", f"{system} · {len(drawn) or 'no'} {counted} · {scene.path.name}", class_="small"),
        _verdicts(drawn, scene.warnings),
        view_section(stage, about),
        mapped[0] if mapped else "",
        element("h2", "Check by check" if drawn else "From above"),
        [_check(number, check, figures, views.get(number)) for number, check in enumerate(drawn)]
        or _overview(scene, title, figures, writing),
        [element("h2", "What the verdicts rest on"), listed(facts_about(scene, checks, version))],
        _pieces(scene),
        _scene_file(scene, source, checks, at),
        foot=joined(
            element("p", f"Made by Silhouette {version}. This page holds all it needs and reaches no network."),
            element(
                "details", element("summary", LICENCE), element("pre", asset("three.LICENSE.txt")), class_="screen"
            ),
        ),
        skip="Skip to the verdicts",
        script="\n".join(scripts),
        data=data,
    )


def _pieces(scene: Any) -> Markup | str:
    pieces = pieces_table(scene)
    return element("details", element("summary", "Pieces"), pieces) if pieces else ""


def _overview(scene: Any, title: str, figures: Figures, writing: PageWriting) -> list[Markup]:
    """The figures of a scene without checks."""
    return [figures.add(svg, f"{caption}: {title}", caption) for caption, svg in overview_for_page(scene, writing)]


def _verdicts(drawn: Sequence[DrawnCheck], warnings: Sequence[str]) -> Markup:
    measured = any(check.judged.verdict.measurement is not None for check in drawn)
    hoped = any(check.judged.expected is not None for check in drawn)
    columns = ["check", "verdict", *["obscured", "in the way"] * measured, *["expected"] * hoped]
    rows = [_verdict_row(number, check, measured, hoped) for number, check in enumerate(drawn, 1)]
    order = "Each check, in the order of the scene file."
    verdicts = element("p", "The scene has no check: nothing is judged here.")
    if rows:
        caption = f"{order} Shares are of the target's significant parts." if measured else order
        verdicts = table(caption, columns, rows, class_="verdicts")
    every = [warning for check in drawn for warning in check.judged.verdict.warnings]
    doubts = [element("li", warning) for warning in weighed(told_once([*every, *warnings]))]
    notes = [element("p", "To know before trusting them:"), element("ul", doubts)]
    return joined(element("h2", "Verdicts"), verdicts, element("div", notes, class_="note") if doubts else "")


def _verdict_row(number: int, drawn: DrawnCheck, measured: bool, hoped: bool) -> list[Content]:
    judged, verdict = drawn.judged, drawn.judged.verdict
    who = joined(f"{number}. ", element("a", judged.check.label, href=f"#check-{number}"))
    cells: list[Content] = [who, plate(judged, CLOSE_WORDS)]
    if measured:
        share = "" if verdict.measurement is None else verdict.measurement.words
        cells += [share, "; ".join(blockers_in_words(verdict))]
    if hoped:
        outcome = {None: "", True: "held", False: UNMET_WORDS}[judged.expected]
        cells.append(element("strong", outcome) if judged.expected is False else outcome)
    return cells


def _check(number: int, drawn: DrawnCheck, figures: Figures, view: int | None) -> Markup:
    judged, verdict, mark = drawn.judged, drawn.judged.verdict, f"check-{number + 1}"
    who = judged.check.label
    heading = element("h3", f"{number + 1}. {who} ", plate(judged, CLOSE_WORDS), id=f"{mark}-title")
    unmet = [element("p", f"{UNMET_WORDS}: {sentence}", class_="note bad") for sentence in judged.unmet or ()]
    doubts = [element("li", warning) for warning in weighed(verdict.warnings)]
    warnings = element("ul", doubts, class_="note plain") if doubts else ""
    drawn_figures = [
        figures.add(svg, f"{caption}: {who}, {verdict.verdict}", caption) for caption, svg in drawn.figures
    ]
    drawings = _drawings(drawn_figures, [caption for caption, _ in drawn.figures])
    return element(
        "section",
        heading,
        element("p", sentence(judged.reason), class_="reason"),
        unmet,
        warnings,
        see_button(view, who),
        drawings,
        listed(_facts(verdict)),
        _everything(judged),
        id=mark,
        aria_labelledby=f"{mark}-title",
        class_="check",
    )


def _drawings(figures: Sequence[Markup], captions: Sequence[str]) -> Markup:
    """The figures of a check: the first is shown; on a narrow screen the others are folded away."""
    if not figures:
        return element("p", "Nothing of this check can be drawn.", class_="small")
    if len(figures) == 1:
        return element("div", figures, class_="figures")
    summary = element("summary", joined(*[part for text in captions[1:] for part in (" · ", text)][1:]))
    return element("div", figures[0], element("details", summary, figures[1:], class_="more"), class_="figures")


def _facts(verdict: Verdict) -> Facts:
    facts: Facts = [("rule", str(verdict.rule))]
    measured = verdict.measurement
    if measured is not None:
        facts.append(("share obscured", measured.words))
        share = measured.occluded_in_arc
        if OCCLUDED_IN_ARC in verdict.fields and share is not None and share != measured.occluded:
            facts.append(("of the part in the arc", fraction_in_words(share)))
    if len(verdict.could_be) > 1:
        facts.append(("could be", ", ".join(verdict.could_be)))
    return facts


def _blockers_table(verdict: Verdict) -> Markup:
    blockers = [
        (blocker.name, fraction_in_words(blocker.share), fraction_in_words(blocker.alone or 0.0))
        for blocker in verdict.blockers
        if blocker.obscures
    ]
    headings = ["piece", "nearest in the way of", "would obscure alone"]
    caption = f"In the way of {verdict.target}"
    return table(caption, headings, blockers, class_="narrow") if blockers else Markup()


def _everything(judged: Judged) -> Markup:
    """All else about a result, folded away: pixels, pieces in the way, and the remaining keys in words."""
    facts: Facts = []
    if (measured := judged.verdict.measurement) is not None:
        pixels = f"{measured.occluded_pixels:,} of {measured.target_pixels:,} obscured".replace(",", " ")
        facts.append(("pixels", pixels))
    facts += result_in_words(judged.row(), (*judged.verdict.fields, *judged.fields))
    blockers = _blockers_table(judged.verdict)
    if not facts and not blockers:
        return Markup()
    return element("details", element("summary", "Everything that was found"), blockers, listed(facts) if facts else "")


def _scene_file(scene: Any, source: str, checks: Sequence[Judged], at: Mapping[str, Sequence[float]]) -> Markup:
    """The scene's file, and the command that comes to the same verdicts."""
    shown = [ruling.check for ruling in checks]
    places = (f"{name}={','.join(f'{number:g}' for number in place)}" for name, place in at.items())
    options = "".join(f" --at {quote(place)}" for place in places)
    if shown != list(scene.checks):  # it was chosen by --from and --to, and everyone else is the default of --to
        to = f" --to {quote(shown[0].target)}" if len(shown) == 1 else ""
        options += f" --from {quote(shown[0].attacker)}{to}"
    # A page drops the first line break: one more keeps what the file begins with.
    text = joined(Markup("\n"), verbatim(without_folders(source)))
    area = element(
        "pre", text, id="scene-text", tabindex=0, role="region", aria_label=f"The scene file, {scene.path.name}"
    )
    name = quote(scene.path.name)
    result, words = "draws the same table", f"silhouette draw {name} --figure table"
    if shown:
        result, words = "comes to the same verdicts", f"silhouette check {name}{options}"
    command = element("code", words)
    return joined(
        element("h2", "The scene file"),
        element("p", f"Whoever has this file, and the meshes it names, {result} with ", command),
        element("p", element("button", "Copy the scene file", type="button", id="copy-scene", hidden=True)),
        element("p", id="copy-told", role="status", aria_live="polite", class_="small"),
        area,
    )


def without_folders(source: str) -> str:
    """A scene file whose absolute paths of models and meshes are names alone: a page does not tell where files lie.

    >>> print(without_folders('mesh = "/home/kim/minis/axe.stl"  # mine'))
    mesh = "axe.stl"  # mine
    >>> print(without_folders(r"{ 'model': 'C:\\minis\\axe.toml' }"), without_folders('mesh = "../axe.stl"'))
    { 'model': 'axe.toml' } mesh = "../axe.stl"
    """
    return ABSOLUTE.sub(lambda match: match[1] + re.split(r"[/\\]+", match[2])[-1], source)
