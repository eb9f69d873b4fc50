"""TELL: the report of a scene, one page that needs nothing else: verdicts, figures and reasons, the table in 3D."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from shlex import quote
from types import MappingProxyType
from typing import Any

from silhouette.common.text import Progress, sentence
from silhouette.drawing.figures import warm_up
from silhouette.drawing.games import drawing_of
from silhouette.drawing.in_3d.stage import Stage, judged_in_page
from silhouette.drawing.saving import NOTHING_KEPT
from silhouette.drawing.sheet import settings
from silhouette.drawing.table.tracing import standing
from silhouette.drawing.words.words import why
from silhouette.files.cache import Cache
from silhouette.judging import Judged, JudgingOptions, Selection, judge_all
from silhouette.judging.calls import CALL_WORDS
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
    table,
    verbatim,
    verdict_mark,
)
from silhouette.pages.report.playing import played_document
from silhouette.pages.report.sections import (
    PageWriting,
    about_checks,
    figures_for_page,
    map_section,
    on_page,
    overview_for_page,
    see_button,
    view_section,
    viewer_texts,
)
from silhouette.pages.report.words import VOCABULARY, PageWords
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasDescription
from silhouette.rules.base import Verdict, blocker_shares
from silhouette.rules.fields import OCCLUDED_IN_ARC, PIXEL, RENDERER, ResultField
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene
from silhouette.workers import parallel_map

ENGLISH = PageWords()

# ---- results in words


def result_in_words(
    row: Mapping[str, Any], fields: Sequence[ResultField], words: PageWords = ENGLISH
) -> list[tuple[str, str]]:
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
    details = [(field, _value_of(field, row[key], by_key, words)) for key, field in by_key.items() if key in row]
    order = list(row)
    details.sort(key=lambda detail: order.index(detail[0].key))
    return [(words.of_game(field.name), value) for field, value in details if value and field.is_detail]


def value_in_words(value: Any, parts: Mapping[str, ResultField], words: PageWords = ENGLISH) -> str:
    """A value of JSON, with the fields of the tables in it by their keys; empty if there is none.

    >>> [value_in_words(value, {}) for value in (False, None, [], -2, 1 / 3)]
    ['no', '', '', '-2', '0.3333']
    >>> from silhouette.rules.fields import OCCLUDED_FIELD
    >>> value_in_words([{"reading": "hills = solid", "occluded": 0.25, "cover": None}], {"occluded": OCCLUDED_FIELD})
    'reading: hills = solid, occluded: 25.0 %'
    """
    if isinstance(value, Mapping):
        fields = [parts.get(key, ResultField(key, Any, "")) for key in value]
        pairs = [(field, _value_of(field, value[field.key], parts, words)) for field in fields]
        return ", ".join(f"{words.of_game(field.name)}: {text}" for field, text in pairs if text)
    if isinstance(value, list | tuple):
        return _list_in_words(value, parts, words)
    if isinstance(value, bool):
        return words.phrase("yes") if value else words.phrase("no")
    if isinstance(value, float):
        return words.number(f"{value:.4g}")
    return "" if value is None else str(value)


def _list_in_words(values: Sequence[Any], parts: Mapping[str, ResultField], words: PageWords) -> str:
    numbers = all(isinstance(value, int | float) for value in values)  # a comma parts them: it is no decimal sign
    texts = [value_in_words(value, parts, ENGLISH if numbers else words) for value in values]
    if values and all(isinstance(value, list | tuple) for value in values):
        return ", ".join(f"({place})" for place in texts)
    return ("; " if any(isinstance(value, Mapping) for value in values) else ", ").join(texts)


def _value_of(field: ResultField, value: Any, parts: Mapping[str, ResultField], words: PageWords) -> str:
    """The value of a key: codes of the program in words, addresses of hexes as reasons write them."""
    if field.form == "share" and isinstance(value, float):
        return words.fraction(value)
    if field.form == "code" and isinstance(value, str):
        return words.of_game(value.replace("_", " "))
    if field.form == "address" and value:
        several = value if isinstance(value[0], list | tuple) else [value]
        return ", ".join(f"[{value_in_words(address, parts, words)}]" for address in several)
    return value_in_words(value, {part.key: part for part in field.parts} or parts, words)


def _is_said_in_english(value: Any) -> bool:
    """Whether a value of JSON has texts of a game in it, which are in English."""
    if isinstance(value, Mapping):
        return any(map(_is_said_in_english, value.values()))
    return any(map(_is_said_in_english, value)) if isinstance(value, list | tuple) else isinstance(value, str)


# ---- what verdicts rest on

Facts = list[tuple[str, Content]]


def facts_about(scene: Any, judged: Sequence[Judged], version: str, words: PageWords) -> Facts:
    """The facts that hold for all verdicts of a scene: the name and the content of each."""
    verdicts, rule = [result.verdict for result in judged], rule_called(scene.rules)
    facts: Facts = [
        ("Silhouette", version),
        (words.phrase("rules"), scene.rules_as_written),
        (words.phrase("scene file"), scene.path.name),
    ]
    measured = _facts_of_measuring(verdicts, words)
    facts += measured or ([(words.phrase("measured"), words.of_game(rule.unmeasured))] if verdicts else [])
    if isinstance(rule, HasDescription):
        basis = [(name, text, words.of_game(text)) for name, text in rule.basis(scene)]
        facts += [
            (words.of_game(name), _in_english(text, words) if text == shown else shown) for name, text, shown in basis
        ]
    readings = [
        f"{key.replace('_', ' ')}: {('yes' if value else 'no') if isinstance(value, bool) else value}"
        for key, value in scene.readings
    ]
    if readings:
        items = element("ul", [element("li", reading) for reading in readings], class_="plain", lang=words.foreign)
        facts.append((words.phrase("readings"), items))
    return facts


def _facts_of_measuring(verdicts: Sequence[Verdict], words: PageWords) -> Facts:
    measured = [row for row in (verdict.row() for verdict in verdicts) if RENDERER.key in row and PIXEL.key in row]
    if not measured:
        return []
    joint = words.phrase("and")
    pixels = f" {joint} ".join(dict.fromkeys(words.number(f"{row[PIXEL.key]:.3g}") for row in measured))
    facts: Facts = [
        (words.phrase("renderer"), ", ".join(dict.fromkeys(row[RENDERER.key] for row in measured))),
        (words.phrase("fineness"), words.phrase("{pixels} mm per pixel at the target", pixels=pixels)),
    ]
    if any(verdict.measurement and verdict.measurement.projection == "cube" for verdict in verdicts):
        cube = words.phrase("six faces of a cube round the eye, where a target reaches round it; else flat")
        facts.append((words.phrase("projection"), cube))
    return facts


NAME_COLUMNS = frozenset({"name", "mesh", "hash"})
"""The columns of pieces that hold names of users and files, which are in no language."""


def pieces_table(scene: Any, words: PageWords) -> Markup:
    """The pieces of a scene as a table; empty where there are none."""
    rule = rule_called(scene.rules)
    pieces = rule.pieces(scene) if isinstance(rule, HasDescription) else None
    if pieces is None or not pieces.rows:
        return Markup()

    def cell(heading: str, text: str) -> str:
        if heading in pieces.code:
            return element("code", text)
        return text if heading in NAME_COLUMNS and text not in VOCABULARY else words.of_game(text)

    rows = [[cell(heading, text) for heading, text in zip(pieces.headings, row, strict=True)] for row in pieces.rows]
    headings = [words.of_game(heading) for heading in pieces.headings]
    return table(words.of_game(pieces.caption), headings, rows, class_="wide")


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


def stage_of(scene: Any, rulings: Sequence[Judged], cache: Cache, playable: bool = False) -> Stage | None:
    """The 3D stage of a scene, with whole meshes if it is ``playable``; None without pieces, or with too many."""
    stage = drawing_of(scene.rules).stage(scene, [(ruling.check, ruling.verdict) for ruling in rulings], cache)
    if stage is None or not stage.items:
        return None
    return judged_in_page(stage, scene) if playable else stage


def report_page(
    scene: Any,
    drawn: Sequence[DrawnCheck],
    source: str,
    version: str,
    writing: PageWriting,
    shown: Map | None = None,
    at: Mapping[str, Sequence[float]] = MappingProxyType({}),
    playable: bool = False,
) -> str:
    """The page of a scene, HTML in one text.

    Args:
        drawn: its checks, from `judged_and_drawn`.
        source: the scene file's text.
        writing: from `on_page`; its cache has meshes that were made simpler for display as well.
        at: the places that were tried, as of `silhouette.judging.load_scene`.
        playable: whether pieces can be moved in it, and it judges; see `silhouette.pages.report.playing`.
    """
    title, words = scene.title or scene.path.stem, writing.words
    checks = [check.judged for check in drawn]
    stage = stage_of(scene, checks, writing.cache, playable)
    is_played = playable and stage is not None
    views = {sight.check: number for number, sight in enumerate(stage.sights if stage else ())}
    figures, about = Figures(), about_checks(checks, words)
    counted = words.counted(len(drawn), "{count} check", "{count} checks") if drawn else words.phrase("no checks")
    about_scene = f"{rule_called(scene.rules).title} · {counted} · {scene.path.name}"
    mapped = None if shown is None else map_section(shown, figures, writing)
    texts = viewer_texts(words)
    document = {"words": texts}
    if stage is not None:
        document = played_document(scene, stage, about, words) if playable else stage.document(texts, about)
    data: dict[str, Any] = {"stage": document, "results": {"results": [check.row() for check in checks]}}
    if is_played:
        data["judge"] = asset("judge.min.js")
    scripts = [asset("viewer.min.js")]
    if mapped is not None:
        data["map"] = mapped[1]
        scripts.append(asset("map.js"))
    description = words.phrase("Verdicts, figures and the table in 3D: {title}", title=title)
    return page(
        Head(title, description, figures, asset("report.css"), words.language),
        element("div", element("h1", title, title=title), element("p", about_scene, class_="small"), class_="head"),
        _verdicts(drawn, scene.warnings, words),
        view_section(stage, about, words, is_played),
        mapped[0] if mapped else "",
        element("h2", words.phrase("Check by check") if drawn else words.phrase("From above")),
        [_check(number, check, figures, views.get(number), words) for number, check in enumerate(drawn)]
        or _overview(scene, title, figures, writing),
        element("h2", words.phrase("What the verdicts rest on")),
        listed(facts_about(scene, checks, version, words)),
        _pieces(scene, words),
        scene_file_section(scene, source, checks, at, words),
        foot=_foot(version, words),
        skip=words.phrase("Skip to the verdicts"),
        script="\n".join(scripts),
        data=data,
    )


def _foot(version: str, words: PageWords) -> Markup:
    made = words.phrase(
        "Made by Silhouette {version}. This page holds all it needs and reaches no network.", version=version
    )
    licence = element("pre", asset("three.LICENSE.txt"), lang=words.foreign)
    summary = element("summary", words.phrase("Licence of the 3D view's library, three.js"))
    return joined(element("p", made), element("details", summary, licence, class_="screen"))


def _pieces(scene: Any, words: PageWords) -> Markup | str:
    pieces = pieces_table(scene, words)
    return element("details", element("summary", words.phrase("Pieces")), pieces) if pieces else ""


def _overview(scene: Any, title: str, figures: Figures, writing: PageWriting) -> list[Markup]:
    """The figures of a scene without checks."""
    drawn = overview_for_page(scene, writing)
    return [figures.add(svg, f"{caption}: {title}", caption, class_="whole") for caption, svg in drawn]


def _verdicts(drawn: Sequence[DrawnCheck], warnings: Sequence[str], words: PageWords) -> Markup:
    measured = any(check.judged.verdict.measurement is not None for check in drawn)
    hoped = any(check.judged.expected is not None for check in drawn)
    columns = [words.phrase("check"), words.phrase("verdict")]
    columns += [words.phrase("obscured"), words.phrase("in the way")] * measured
    columns += [words.phrase("expected")] * hoped
    rows = [_verdict_row(number, check, measured, hoped, words) for number, check in enumerate(drawn, 1)]
    caption = words.phrase("Each check, in the order of the scene file.")
    verdicts = element("p", words.phrase("The scene has no check: nothing is judged here."))
    if rows:
        caption += " " + words.phrase("Shares are of the target's significant parts.") if measured else ""
        verdicts = table(caption, columns, rows, class_="verdicts")
    every = [warning for check in drawn for warning in check.judged.verdict.warnings]
    doubts = [element("li", warning) for warning in weighed(told_once([*every, *warnings]))]
    notes = [element("p", words.phrase("To know before trusting them:")), element("ul", doubts, lang=words.foreign)]
    heading = element("h2", words.phrase("Verdicts"))
    return joined(heading, verdicts, element("div", notes, class_="note") if doubts else "")


def _in_english(text: str, words: PageWords) -> str:
    """English text on a page of another language, marked so for screen readers."""
    return element("span", text, lang=words.foreign) if words.foreign else text


def verdict_plate(judged: Judged, words: PageWords) -> Markup:
    """The mark of a verdict; beside it that it is too close to call, and what the players agreed on."""
    mark = verdict_mark(words.ruling(judged.verdict), judged.level)
    agreed = judged.verdict.agreed
    beside = [words.phrase(CALL_WORDS["call"])] if judged.verdict.marginal else []
    beside += [] if agreed is None else [words.phrase("the players agreed: {agreed}", agreed=agreed)]
    return joined(mark, *(joined(" ", element("span", note, class_="close")) for note in beside))


def _in_the_way(verdict: Verdict, words: PageWords) -> str:
    return "; ".join(
        blocker.name if blocker.occluded is None else f"{blocker.name} {words.rounded(share)}"
        for blocker, share in blocker_shares(verdict)
        if blocker.occluded != 0.0
    )


def _verdict_row(number: int, drawn: DrawnCheck, measured: bool, hoped: bool, words: PageWords) -> list[Content]:
    judged, verdict = drawn.judged, drawn.judged.verdict
    who = joined(f"{number}. ", element("a", words.pair(judged.check), href=f"#check-{number}"))
    cells: list[Content] = [who, verdict_plate(judged, words)]
    if measured:
        cells += [words.measured(verdict), _in_the_way(verdict, words)]
    if hoped:
        outcome = {None: "", True: words.phrase("held"), False: words.phrase("not as expected")}[judged.expected]
        cells.append(element("strong", outcome) if judged.expected is False else outcome)
    return cells


def _check(number: int, drawn: DrawnCheck, figures: Figures, view: int | None, words: PageWords) -> Markup:
    judged, verdict, mark = drawn.judged, drawn.judged.verdict, f"check-{number + 1}"
    who = words.pair(judged.check)
    heading = element("h3", f"{number + 1}. {who} ", verdict_plate(judged, words), id=f"{mark}-title")
    unmet = [
        element("p", words.phrase("not as expected"), ": ", _in_english(sentence, words), class_="note bad")
        for sentence in judged.unmet or ()
    ]
    doubts = [element("li", warning) for warning in weighed(verdict.warnings)]
    drawn_figures = [
        figures.add(svg, f"{caption}: {who}, {words.ruling(verdict)}", caption) for caption, svg in drawn.figures
    ]
    drawings = _drawings(drawn_figures, [caption for caption, _ in drawn.figures], words)
    return element(
        "section",
        heading,
        reason_for(judged, words),
        unmet,
        element("ul", doubts, class_="note plain", lang=words.foreign) if doubts else "",
        see_button(view, who, words),
        drawings,
        listed(_facts(verdict, words)),
        _everything(judged, words),
        id=mark,
        aria_labelledby=f"{mark}-title",
        class_="check",
    )


def reason_for(judged: Judged, words: PageWords, kind: str = "p") -> Markup:
    """The reason in the language of the page, as below a figure; in English, marked so, if the game has none in it."""
    reason = "" if words.language == "en" else why(words, judged.verdict)
    english = sentence(judged.reason)
    own = reason not in ("", english)
    return element(kind, reason if own else english, class_="reason", lang=None if own else words.foreign)


def _drawings(figures: Sequence[Markup], captions: Sequence[str], words: PageWords) -> Markup:
    """The figures of a check: the first is shown; on a narrow screen the others are folded away."""
    if not figures:
        return element("p", words.phrase("Nothing of this check can be drawn."), class_="small")
    if len(figures) == 1:
        return element("div", figures, class_="figures")
    summary = element("summary", joined(*[part for text in captions[1:] for part in (" · ", text)][1:]))
    return element("div", figures[0], element("details", summary, figures[1:], class_="more"), class_="figures")


def _facts(verdict: Verdict, words: PageWords) -> Facts:
    facts: Facts = [(words.phrase("rule"), _in_english(str(verdict.rule), words))]
    measured = verdict.measurement
    if measured is not None:
        facts.append((words.phrase("share obscured"), words.measured(verdict)))
        share = measured.occluded_in_arc
        if OCCLUDED_IN_ARC in verdict.fields and share is not None and share != measured.occluded:
            facts.append((words.phrase("of the part in the arc"), words.fraction(share)))
    if len(verdict.could_be) > 1:
        game = words.of(verdict.rules)
        facts.append((words.phrase("could be"), ", ".join(map(game.verdict, verdict.could_be))))
    return facts


def _blockers_table(verdict: Verdict, words: PageWords) -> Markup:
    blockers = [
        (blocker.name, words.rounded(share), words.fraction(blocker.alone or 0.0))
        for blocker, share in blocker_shares(verdict)
        if blocker.obscures
    ]
    headings = [words.phrase("piece"), words.phrase("nearest in the way of"), words.phrase("would obscure alone")]
    caption = words.phrase("In the way of {name}", name=verdict.target)
    return table(caption, headings, blockers, class_="narrow") if blockers else Markup()


def _everything(judged: Judged, words: PageWords) -> Markup:
    """All else about a result, folded away: pixels, pieces in the way, and the remaining keys in words."""
    facts: Facts = []
    if (measured := judged.verdict.measurement) is not None:
        part, whole = (f"{count:,}".replace(",", " ") for count in (measured.occluded_pixels, measured.target_pixels))
        facts.append((words.phrase("pixels"), words.phrase("{part} of {whole} obscured", part=part, whole=whole)))
    row, fields = judged.row(), (*judged.verdict.fields, *judged.fields)
    texts = [field for field in fields if field.form != "code" and _is_said_in_english(row.get(field.key))]
    english = {words.of_game(field.name) for field in texts}
    facts += [
        (name, _in_english(value, words) if name in english else value)
        for name, value in result_in_words(row, fields, words)
    ]
    blockers = _blockers_table(judged.verdict, words)
    if not facts and not blockers:
        return Markup()
    summary = element("summary", words.phrase("Everything that was found"))
    return element("details", summary, blockers, listed(facts) if facts else "")


def scene_file_section(
    scene: Any, source: str, checks: Sequence[Judged], at: Mapping[str, Sequence[float]], words: PageWords
) -> Markup:
    """The scene's file, and the command that comes to the same verdicts."""
    shown = [ruling.check for ruling in checks]
    places = (f"{name}={','.join(f'{number:g}' for number in place)}" for name, place in at.items())
    options = "".join(f" --at {quote(place)}" for place in places)
    if shown != list(scene.checks):  # it was chosen by --from and --to, and everyone else is the default of --to
        to = f" --to {quote(shown[0].target)}" if len(shown) == 1 else ""
        options += f" --from {quote(shown[0].attacker)}{to}"
    # A page drops the first line break: one more keeps what the file begins with.
    text = joined(Markup("\n"), verbatim(without_folders(source)))
    label = words.phrase("The scene file, {name}", name=scene.path.name)
    area = element("pre", text, id="scene-text", tabindex=0, role="region", aria_label=label)
    name = quote(scene.path.name)
    result = words.phrase("Whoever has this file, and the meshes it names, draws the same table with")
    command = f"silhouette draw {name} --figure table"
    if shown:
        result = words.phrase("Whoever has this file, and the meshes it names, comes to the same verdicts with")
        command = f"silhouette check {name}{options}"
    copy = element("button", words.phrase("Copy the scene file"), type="button", id="copy-scene", hidden=True)
    return joined(
        element("h2", words.phrase("The scene file")),
        element("p", result, " ", element("code", command)),
        element("p", copy),
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
