"""TELL, assistants: what each tool is called, what it says of itself, and what it does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_origin

from silhouette.common.arguments import ARGUMENT_NAMES
from silhouette.common.errors import RequestError
from silhouette.common.installation import document
from silhouette.common.text import coordinates, counted, did_you_mean, in_a_row, json_text, printable, sentence, strict
from silhouette.drawing.figures import OVERVIEW, FigureOptions, figure_contents, main_picture, overview_content
from silhouette.drawing.odds_chart import ODDS_FIGURE, figures_of_odds
from silhouette.files.documents import read_document
from silhouette.files.schema import Entry, Location, validated
from silhouette.judging import Judged, JudgingOptions, Selection, judge_all, judge_scene, mapped, scenes_document
from silhouette.judging.calls import stands
from silhouette.judging.maps import Map, MapRequest, checks_of_map, grid_points
from silhouette.rules import RULES, is_game_file, rule_called, rule_named
from silhouette.rules.abilities import HasMaps, HasOdds, WhatIf
from silhouette.rules.base import Rule, Verdict
from silhouette.rules.data.rule import GameRule
from silhouette.rules.data.telling import in_plain_words
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene
from silhouette.serving.arguments import (
    DrawArguments,
    GamesArguments,
    JudgeArguments,
    MapArguments,
    OddsArguments,
    PairArguments,
    SceneArguments,
    ScenesArguments,
)
from silhouette.serving.bench import Bench, ToolCall

# ---- what a tool is, and how much it does


@dataclass(frozen=True)
class ToolAnswer:
    """An answer: in plain sentences, as a document of JSON, and pictures, each a PNG file's content."""

    text: str
    content: dict[str, Any]
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class AssistantTool:
    """A tool: what it says of itself, its arguments, and what it does, on the thread that works at the bench."""

    description: str
    arguments: type[Entry]
    run: Callable[[Bench, Any, ToolCall], ToolAnswer]
    judges: bool = True  # whether it judges or draws, which may take long
    argument_names: Mapping[str, str] = field(
        default_factory=lambda: ARGUMENT_NAMES
    )  # of options that messages name, where they differ


MOST_CALL_VERDICTS = 400  # of a call: an assistant reads them all
MOST_LONG_CHECKS = 12  # of a call for odds or changes: each takes a second or more
MOST_DRAWN_CHECKS = 4
MOST_MAP_VERDICTS = 20_000  # of the places of a map together
MOST_SENTENCES = 12  # the reasons of an answer that are told; of more checks, only how often each verdict came
MOST_IN_A_ROW = 20  # pieces and warnings that are named in sentences; the JSON has all
MOST_DOCUMENT_BYTES = 100_000  # of a scene's content that is handed over


@dataclass(frozen=True)
class BoundedSelection(Selection):
    """A selection that refuses more checks than ``most``, before they are listed."""

    most: int = MOST_CALL_VERDICTS

    def checks(self, scene: Scene) -> tuple[Check, ...]:
        """See `Selection.checks`. RequestError also if they are too many."""
        pairs = len(rule_called(scene.rules).lookers(scene)) ** 2 if self.everyone else 0
        checks = () if pairs > 2 * self.most else super().checks(scene)
        if not checks or len(checks) > self.most:
            number = len(checks) or f"about {pairs}"
            raise RequestError(
                f"{scene.path}: {number} checks are more than {self.most}, the most of one call; "
                "name an attacker and a target, pair by pair"
            )
        return checks


def selection_of(given: PairArguments, most: int = MOST_CALL_VERDICTS, *, everyone: bool = False) -> BoundedSelection:
    """The checks that a call asks for. RequestError where its arguments do not go together."""
    if everyone and (given.attacker or given.target or given.arc):
        raise RequestError("everyone is against everyone; leave attacker, target and arc out")
    instead = "attacker and target, or everyone"
    return BoundedSelection(given.attacker, given.target, given.arc, everyone, instead, most)


# ---- what is in the folder


def list_scenes(bench: Bench, given: ScenesArguments, call: ToolCall) -> ToolAnswer:
    """The scenes of the folder."""
    rows, is_cut = bench.folder.scenes(given.folder)
    named = [f"{row['scene']}{' (' + row['title'] + ')' if row.get('title') else ''}" for row in rows]
    text = f"{counted(len(rows), 'scene')}: {in_a_row(named, MOST_IN_A_ROW)}." if rows else "There is no scene in it."
    more = " There may be more: name a folder below." if is_cut else ""
    return ToolAnswer(f"{text}{more}", document({"scenes": rows, "all": not is_cut}))


def read_scene(bench: Bench, given: SceneArguments, call: ToolCall) -> ToolAnswer:
    """What is in a scene, and where it stands."""
    scene = bench.scene(given.scene)
    rule = rule_called(scene.rules)
    pieces = [piece.row() for piece in scene.pieces] if isinstance(scene, TableScene) else []
    whole = strict(read_document(scene.path))
    content = {
        "scene": given.scene,
        "title": scene.title,
        "rules": scene.rules_as_written,
        "pieces": pieces,
        "lookers": list(rule.lookers(scene)),
        "checks": [_check_row(check) for check in scene.checks],
        "readings": strict(dict(scene.readings)),
        "source": strict(scene.source),
        "warnings": list(scene.warnings),
        "document": whole if len(json_text(whole)) <= MOST_DOCUMENT_BYTES else None,
    }
    checks = [check.label for check in scene.checks if check.attacker]
    parts = [
        f"{scene.title or given.scene}: {rule.title}; {in_a_row(_places(scene, rule), MOST_IN_A_ROW)}",
        f"its own checks: {in_a_row(checks, MOST_IN_A_ROW)}" if checks else "it lists no checks of two pieces",
    ]
    return ToolAnswer(f"{'; '.join(parts)}.{_mind(scene.warnings)}", document(content))


def _places(scene: Scene, rule: Rule[Any, Verdict]) -> list[str]:
    """The pieces in words: with places where these are mm on a table, else those that look alone."""
    if not isinstance(scene, TableScene):
        return list(rule.lookers(scene))
    words = []
    for piece in scene.pieces:
        faces = "" if piece.kind == "terrain" or piece.facing is None else f" facing {piece.facing % 360.0:g}°"
        gang = f" of {piece.gang}" if piece.gang else ""
        words.append(f"{piece.name}{gang} ({piece.kind}) at {coordinates(piece.pose.translation)} mm{faces}")
    return words


def _check_row(check: Check) -> dict[str, Any]:
    return {"attacker": check.attacker, "target": check.target, "arc": check.arc, "expect": strict(check.expect)}


def _mind(warnings: Sequence[str]) -> str:
    """Warnings as sentences."""
    more = f" And {len(warnings) - MOST_IN_A_ROW} more warnings." if len(warnings) > MOST_IN_A_ROW else ""
    return "".join(f" Mind: {sentence(warning)}" for warning in warnings[:MOST_IN_A_ROW]) + more


# ---- verdicts


def judge(bench: Bench, given: JudgeArguments, call: ToolCall) -> ToolAnswer:
    """The verdicts on some checks."""
    return _verdicts(bench, given, call, selection_of(given, everyone=given.everyone), bench.options(call))


def odds(bench: Bench, given: OddsArguments, call: ToolCall) -> ToolAnswer:
    """The verdicts with their odds."""
    return _verdicts(bench, given, call, selection_of(given, MOST_LONG_CHECKS), bench.options(call, seed=given.seed))


def what_would_change(bench: Bench, given: PairArguments, call: ToolCall) -> ToolAnswer:
    """The verdicts with what would change them."""
    return _verdicts(bench, given, call, selection_of(given, MOST_LONG_CHECKS), bench.options(call, what_if=True))


def _verdicts(
    bench: Bench, given: PairArguments, call: ToolCall, selection: Selection, options: JudgingOptions
) -> ToolAnswer:
    result = judge_scene(bench.folder.scene(given.scene), selection, options, at=given.at, step=call.step)
    if result.error is not None:
        raise RequestError(result.error)
    content = scenes_document([result])
    content["scenes"][0]["scene"] = given.scene
    warnings = dict.fromkeys(
        [*result.warnings, *(text for judged in result.judged for text in judged.verdict.warnings)]
    )
    return ToolAnswer(f"{' '.join(_in_words(result.judged))}{_mind(list(warnings))}", document(content))


def _in_words(results: Sequence[Judged]) -> list[str]:
    """Each verdict and why; of many, how often each came."""
    if len(results) > MOST_SENTENCES:
        often = Counter(result.verdict.words for result in results)
        return [f"{counted(len(results), 'check')}: {in_a_row([f'{n} {word}' for word, n in often.most_common()])}."]
    return [words for result in results for words in _of_result(result)]


def _of_result(result: Judged) -> Iterable[str]:
    verdict = ", ".join(words for words in stands(result.verdict, result.call) if words)
    yield f"{result.check.label}: {verdict}. {sentence(result.reason)}"
    if result.changes is not None:
        yield f"What would change it: {result.changes.words}."
    if result.one_way is not None:
        yield sentence(result.one_way)
    if result.unmet:
        yield f"The scene expects otherwise: {'; '.join(result.unmet)}."


# ---- maps


def map_(bench: Bench, given: MapArguments, call: ToolCall) -> ToolAnswer:
    """The verdict at each place where a model could stand."""
    scene = bench.scene(given.scene, given.at)
    request = MapRequest(given.move, given.attackers, given.targets, given.grid, given.within, given.under)
    check_map_size(scene, request)
    options = bench.options(call)
    drawn = mapped(scene, request, options.renderer, options.pixel, step=call.step)
    content = {**drawn.document(), "scene": given.scene}
    if not given.cells:
        del content["cells"]
    return ToolAnswer(_map_in_words(drawn), content)


def check_map_size(scene: Scene, request: MapRequest) -> None:
    """Refuses a map of more verdicts than a call may ask for, before any is judged: RequestError."""
    rule = rule_called(scene.rules)
    if not isinstance(rule, HasMaps):
        return  # `mapped` says so
    places, checks = rule.places(scene, request.move), len(checks_of_map(rule, scene, request))
    _, points = grid_points(scene.path, places.table, places.start, request.grid, request.within)
    if len(points) * checks > MOST_MAP_VERDICTS:
        raise RequestError(
            f"{scene.path}: {len(points)} places with {counted(checks, 'check')} at each are more than "
            f"{MOST_MAP_VERDICTS} verdicts, the most of one call; give a larger grid, a smaller within or fewer names"
        )


def _map_in_words(drawn: Map) -> str:
    way = "looking at" if drawn.request.role == "attacker" else "seen by"
    here = {word: int((drawn.verdict == number).sum()) for number, word in enumerate(drawn.verdicts)}
    counts = in_a_row([f"{count} {word}" for word, count in here.items() if count]) or "none"
    near = [
        f"{word} {mm:.1f} mm away at {coordinates(drawn.cells.at[place])}"
        for word, (place, mm) in drawn.nearest.items()
    ]
    nearest = f" Nearest places at least so well covered from all: {'; '.join(near)}." if near else ""
    others = in_a_row(list(drawn.others), MOST_IN_A_ROW)
    stands = int(drawn.cells.stands.sum())
    return f"{drawn.request.move}, {way} {others}, could stand at {stands} places: {counts}.{nearest}"


# ---- pictures


def draw(bench: Bench, given: DrawArguments, call: ToolCall) -> ToolAnswer:
    """Pictures of checks, or of the whole scene."""
    scene = bench.scene(given.scene, given.at)
    selection = selection_of(given, MOST_DRAWN_CHECKS)
    is_whole = given.figure == OVERVIEW or (given.figure is None and given.attacker is None and not scene.checks)
    figure_options = FigureOptions("png", figure=given.figure)
    head = {"scene": given.scene, "title": scene.title}
    if is_whole:
        name, picture = overview_content(scene, figure_options)
        text = f"{scene.title or given.scene}, all of it, from above."
        return ToolAnswer(text, document({**head, "checks": [], "figures": [name]}), (picture,))
    options = bench.options(call, keep=True, seed=0 if given.figure == ODDS_FIGURE else None)
    rows, pictures, results = list[dict[str, Any]](), list[bytes](), list[Judged]()
    for number, check in enumerate(selection.checks(scene), 1):
        (result,) = judge_all([(scene, check)], options)
        pictures.append(_picture(scene, result, options, figure_options))
        rows.append({"check": number, **result.row(), "figures": [given.figure or "main"]})
        results.append(result)
    return ToolAnswer(" ".join(_in_words(results)), document({**head, "checks": rows}), tuple(pictures))


def _picture(scene: Scene, result: Judged, options: JudgingOptions, figures: FigureOptions) -> bytes:
    """The picture of a check: the figure of that name, or the main one. RequestError where there is none."""
    check, verdict, renderer = result.check, result.verdict, options.renderer
    if figures.figure is None:
        picture = main_picture(scene, check, verdict, renderer)
    else:
        more = figures_of_odds(scene, result)
        picture = next(iter(figure_contents(scene, check, verdict, renderer, figures, more).values()), None)
    if picture is None:
        raise RequestError(f"{scene.path}: {check.label} has no picture")
    return picture


# ---- games


def games(bench: Bench, given: GamesArguments, call: ToolCall) -> ToolAnswer:
    """The games, or one of them with its readings and, if it is a file, its clauses."""
    if given.name is None:
        rows = [_game_row(rule_called(name)) for name in RULES]
        lines = [f"{row['name']} ({row['title']}): {', '.join(row['verdicts'])}" for row in rows]
        return ToolAnswer(
            f"{counted(len(rows), 'game')}, each with its verdicts: {'; '.join(lines)}.", document({"rules": rows})
        )
    name = str(bench.folder.file(given.name)) if is_game_file(given.name) else given.name
    rule = rule_named(name, given.name)
    readings = {} if rule.readings_entry is None else rule.readings_entry.model_json_schema()["properties"]
    row = {**_game_row(rule), "readings": readings}
    clauses = in_plain_words(rule.game) if isinstance(rule, GameRule) else {}
    choice = f"readings: {in_a_row(list(readings))}" if readings else "its rules leave no choice of readings"
    text = f"{rule.title}: its verdicts, from exposed to covered, are {in_a_row(list(rule.levels))}; {choice}."
    return ToolAnswer(
        text, document({"rules": [{**row, **{key: clauses[key] for key in ("source", "clauses") if clauses}}]})
    )


def _game_row(rule: Rule[Any, Verdict]) -> dict[str, Any]:
    entry = rule.readings_entry
    abilities = (("map", HasMaps), ("odds", HasOdds), ("what_would_change", WhatIf))
    return {
        "name": rule.name,
        "title": rule.title,
        "reads": list(rule.reads),
        "verdicts": {word: str(level) for word, level in rule.levels.items()},
        "readings": [] if entry is None else list(entry.model_fields),
        "tools": [name for name, ability in abilities if isinstance(rule, ability)],
    }


# ---- the list of tools

INSTRUCTIONS = """\
Settles disputes about line of sight and cover in miniature wargames: can this model see that one, and how much of it is
hidden? Verdicts are measured on the 3D models of a scene by the rules of its game; do not work them out yourself.
To settle one: list_scenes finds the scene, read_scene says who is in it and where, judge gives the verdict on a pair.
Where players dispute a place, judge again with `at` for each of their places. Where a verdict is close, `marginal` is
true and `could_be` lists the others: odds says how likely each is, what_would_change by how little it changes. Where
they read the rules differently, `other_readings` has the verdict of each reading, and games says what each means.
Answers quote what was found: repeat their reason, do not embellish it. Scenes are files; no tool writes any."""
"""What the server says of itself."""

TOOLS: Mapping[str, AssistantTool] = {
    "list_scenes": AssistantTool(
        "Lists the scenes of the folder that is served: path, title, game (`rules`) and number of checks of each. "
        "Call it first to find the path that the other tools take as `scene`. A scene that cannot be read has "
        "`problem` instead.",
        ScenesArguments,
        list_scenes,
        judges=False,
    ),
    "read_scene": AssistantTool(
        "Reads one scene: its game, its pieces with their places (mm; `facing` in degrees anticlockwise from +x, seen "
        "from above), who can look and be looked at (`lookers`), the checks that it lists, the readings of the rules "
        "that it takes, warnings about how it stands, and the file's content as `document`. Call it before judge, to "
        "know the names of the pieces; a warning may already settle the dispute.",
        SceneArguments,
        read_scene,
        judges=False,
    ),
    "judge": AssistantTool(
        "Gives the verdict: does the attacker see the target, and is the target in cover? For one pair (`attacker` and "
        "`target`), one attacker against all, the scene's own checks, or `everyone` against everyone. With `at` it is "
        "judged as if pieces stood or faced elsewhere. Each result has `verdict` (a word of the game), `reason` (one "
        "sentence to quote), `rule` (the clause of the rule book that decides), `line_of_sight`, and where the game "
        "measures it `occluded` (the share of the target that is hidden, 0 to 1, true within ± `error`) and `blockers` "
        "(what hides it, largest first). `marginal`: too close to call, `could_be` lists what it may be. "
        "`other_readings`: readings of the rules by which it would be another. Seeing is not always mutual: ask both "
        "ways if both matter.",
        JudgeArguments,
        judge,
    ),
    "what_would_change": AssistantTool(
        "Judges a pair, and says what would change the verdict: the least move of the target and of the attacker (mm "
        "in plan, up to 50), the least turn of the attacker, and the pieces without which it would be another. Use it "
        'for "how far must I move to be in cover" and "what is in the way". `changes` lists them, `one_way` says why '
        "the target sees the attacker where this one does not see it. Takes seconds.",
        PairArguments,
        what_would_change,
    ),
    "odds": AssistantTool(
        "Judges a pair many times with each piece a little elsewhere, as far as the players may have misplaced it (the "
        "scene's [doubt], else 1 mm and 2 degrees), and says how likely each verdict is (`odds`, summing to 1), which "
        "one stands or that they roll off (`call`), and what matters most (`doubt_from`). Use it where the players "
        "disagree by a hair, or the table was measured by hand. Takes seconds.",
        OddsArguments,
        odds,
    ),
    "map": AssistantTool(
        "Puts one model on each place of a grid over the table, and gives the verdict on it there: where could it "
        "stand and be in cover from `attackers`, or, with `targets`, from where does it see them? `nearest` has the "
        "nearest place for each degree of cover, `cells` every place. A finer grid takes longer and answers more; say "
        "false to `cells` if the nearest place is all you need. May take a minute.",
        MapArguments,
        map_,
        argument_names={"from": "attackers", "to": "targets"},
    ),
    "draw": AssistantTool(
        "Draws a picture (PNG) to show to the players, with the verdict that it belongs to: without `figure` what the "
        "attacker sees, else the figure of that name: `plan` from above with the line of sight, `eye`, `side`, `table` "
        "(the whole scene). Board games have a picture of the board.",
        DrawArguments,
        draw,
    ),
    "games": AssistantTool(
        "Lists the games whose rules can judge, each with its verdicts from exposed to covered, what its scenes have, "
        "its readings, and which of map, odds and what_would_change it has. With `name`, one game: what each reading "
        "means and which is the default, and, where its rules are a file, its clauses in plain words and their source.",
        GamesArguments,
        games,
        judges=False,
    ),
}
"""The tools, in the order in which a dispute needs them."""


def answered(bench: Bench, name: str, arguments: object, call: ToolCall) -> ToolAnswer:
    """The answer of a tool to a call with arguments as they came. SilhouetteError where there is none."""
    if name not in TOOLS:
        raise RequestError(f"no tool '{name}'; {did_you_mean(name, TOOLS, 'the tools are')}")
    tool = TOOLS[name]
    answer = tool.run(bench, validated(tool.arguments, unpacked(tool.arguments, arguments), Location(Path(name))), call)
    folder = bench.folder
    return ToolAnswer(printable(folder.plain(answer.text)), folder.plain_json(answer.content), answer.pictures)


def unpacked(schema: type[Entry], arguments: object) -> object:
    """Arguments with lists and tables in place of texts that spell them in JSON, as some hosts send them.

    >>> unpacked(JudgeArguments, {"scene": "[1].toml", "at": '{"Kal": [0, 40]}', "attacker": "[Kal]"})
    {'scene': '[1].toml', 'at': {'Kal': [0, 40]}, 'attacker': '[Kal]'}
    """
    if not isinstance(arguments, dict):
        return arguments
    whole = dict(arguments)
    for key, field_info in schema.model_fields.items():
        text = whole.get(key)
        if isinstance(text, str) and get_origin(field_info.annotation) in (dict, tuple):
            with suppress(ValueError, RecursionError):
                whole[key] = json.loads(text)
    return whole
