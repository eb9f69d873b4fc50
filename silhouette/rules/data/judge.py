"""JUDGE, games by data: the first verdict whose condition holds, with the clauses that decided it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from silhouette.common.errors import OutOfTime, RequestError, time_limit
from silhouette.common.text import in_a_row
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.observe import ObservationRequest
from silhouette.rules.base import Level, Measurement, RuleReference, Settings
from silhouette.rules.data.asking import SceneTable
from silhouette.rules.data.entries import ReadingEntry
from silhouette.rules.data.evaluating import MAX_CPU_SECONDS
from silhouette.rules.data.game import Game
from silhouette.rules.data.nodes import Binary, Call, Literal, Lookup, Name, Node
from silhouette.rules.data.results import AskedClause, DataVerdict, blockers_of
from silhouette.rules.data.ruling import Ruled, ruled
from silhouette.rules.data.scene import DataScene, value_of
from silhouette.rules.data.values import Evaluation, Key, Unmeasured, Use
from silhouette.rules.data.words import clause_text, reason_of
from silhouette.rules.fields import Alternative
from silhouette.rules.on_table import compared, in_like_groups, warnings_of
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check


def judge(requests: Sequence[tuple[DataScene, Check]], settings: Settings) -> list[DataVerdict]:
    """The verdicts on checks, in their order; what is seen from one eye is measured for all of them together.
    RequestError where a check names a piece that is not there, or terrain; or where a clause takes too long.
    """
    group_key = attrgetter("game", "tolerance", "error")
    verdicts = in_like_groups(requests, group_key, lambda group: _judge(group, settings))
    return _with_other_readings(requests, verdicts, settings) if settings.remarks else verdicts


def _with_other_readings(
    requests: Sequence[tuple[DataScene, Check]], verdicts: Sequence[DataVerdict], settings: Settings
) -> list[DataVerdict]:
    """The verdicts, with each single other reading that gives another one: judged with it, where it may matter."""
    others = [_that_matter(scene, verdict) for (scene, _), verdict in zip(requests, verdicts, strict=True)]
    scenes: dict[tuple[int, Alternative], DataScene] = {}
    trials = list[tuple[DataScene, Check]]()
    for (scene, check), of_check in zip(requests, others, strict=True):
        for other in of_check:
            readings = tuple((name, other.value if name == other.key else value) for name, value in scene.readings)
            otherwise = scenes.setdefault((id(scene), other), replace(scene, readings=readings))
            trials.append((otherwise, check))
    judged = iter(judge(trials, replace(settings, keep=False, remarks=False)) if trials else ())
    return [
        compared(verdict, [(other, next(judged)) for other in of_check], "with {}".format)
        for verdict, of_check in zip(verdicts, others, strict=True)
    ]


def _that_matter(scene: DataScene, verdict: DataVerdict) -> list[Alternative]:
    """The other values of readings that the clauses of a verdict, or the conditions of verdicts, name."""
    game, numbers = scene.game, {clause.number for clause in verdict.clauses}
    conditions = [ruling.when for ruling in game.rulings if ruling.when is not None]
    conditions += [clause.when for clause in game.clauses.values() if clause.number in numbers]
    named = {node.name for when in conditions for node in when.everything() if isinstance(node, Name)}
    chosen = dict(scene.readings)
    return [
        Alternative(name, value)
        for name, entry in game.readings.items()
        if name in named
        for value in _values(entry, chosen[name])
        if value != chosen[name]
    ]


def _values(entry: ReadingEntry, chosen: object) -> Sequence[bool | str]:
    """All values of a reading that is true or false, or one text of several."""
    if isinstance(chosen, bool):
        return True, False
    return entry.choices or () if entry.type == "text" else ()


def _judge(requests: Sequence[tuple[DataScene, Check]], settings: Settings) -> list[DataVerdict]:
    scenes = {id(scene): scene for scene, _ in requests}
    tables = {number: SceneTable(scene) for number, scene in scenes.items()}
    any_scene = requests[0][0]
    request = ObservationRequest(
        thresholds_of(any_scene.game), any_scene.tolerance, any_scene.error, settings.keep, windows=settings.remarks
    )
    verdicts: dict[int, DataVerdict] = {}
    while len(verdicts) < len(requests):
        unmeasured: dict[tuple[int, Key], Sight] = {}
        for number, (scene, check) in enumerate(requests):
            if number not in verdicts:
                try:
                    verdicts[number] = _verdict(scene, tables[id(scene)], check, settings)
                except Unmeasured as missing:
                    unmeasured |= {(id(scene), key): sight for key, sight in missing.sights.items()}
        sights = list(unmeasured.values())
        observed: list[Observation] = (
            settings.observe(sights, settings.renderer, settings.pixel, request) if sights else []
        )
        for (scene_id, key), observation in zip(unmeasured, observed, strict=True):
            tables[scene_id].observations[key] = observation
    return [verdicts[number] for number in range(len(requests))]


def thresholds_of(game: Game) -> tuple[float, ...]:
    """The obscured shares at which a clause changes: by any row of a table, and the default of a reading."""
    thresholds = {0.5}
    for clause in game.clauses.values():
        for node in clause.when.everything():
            if isinstance(node, Binary):
                for side, other in ((node.left, node.right), (node.right, node.left)):
                    if isinstance(side, Call) and side.name in ("obscured", "seen"):
                        shares = _shares_of(other, game)
                        thresholds |= {share if side.name == "obscured" else 1.0 - share for share in shares}
    return tuple(sorted(share for share in thresholds if 0.0 < share < 1.0)) or (0.5,)


def _shares_of(node: Node, game: Game) -> list[float]:
    """What a share is compared with, as far as the game says."""
    match node:
        case Literal():
            return [float(node.value)]
        case Lookup():
            return list(game.tables[node.table].values())
        case Name() if node.name in game.readings:
            return [value_of(game.readings[node.name], None)]
    return []


def _verdict(scene: DataScene, table: SceneTable, check: Check, settings: Settings) -> DataVerdict:
    """The verdict on a check. Unmeasured where it rests on an unmeasured sight; RequestError if it takes too long."""
    game = scene.game
    attacker, target = scene.model(check.attacker), scene.model(check.target)
    try:
        with time_limit(MAX_CPU_SECONDS):
            outcome = ruled(game, table, attacker, target)
            seen = outcome.evaluator.clause(game.line_of_sight)
            rolls = _rolls(game, outcome)
    except RequestError as wrong:
        raise RequestError(f"{scene.path}: {check.label}: {wrong}") from None
    except OutOfTime:
        raise RequestError(
            f"{scene.path}: {check.label}: takes more than {MAX_CPU_SECONDS:g} s of CPU time; leave out what is not "
            "between them"
        ) from None
    ruling, by_name = outcome.ruling, _clauses(scene, outcome, check)
    first, clauses = game.clauses[next(iter(by_name))], tuple(by_name.values())
    deciding = [clause for clause in clauses if clause.decides]
    parts = [(clause.text, clause.number) for clause in deciding]
    parts += [(f"{clause.text}: {rolls[clause.number]}", clause.number) for clause in clauses if clause.number in rolls]
    chooser = "" if ruling.chooses is None else getattr(check, ruling.chooses)
    choice = f"{chooser}'s player chooses between {in_a_row(ruling.between)}" if chooser else ""
    observed = _observation(table, attacker, target, deciding)
    deciding_pieces = _blockers(deciding, check)
    return DataVerdict(
        attacker=attacker.name,
        target=target.name,
        rules=scene.rules,
        verdict=ruling.name,
        level=ruling.level,
        rule=RuleReference(first.source, first.number),
        reason=reason_of(ruling.name, parts, choice),
        written=scene.written,
        line_of_sight=seen.value,
        could_be=outcome.could_be,
        blockers=blockers_of(observed, deciding_pieces),
        deciding=deciding_pieces,
        chooser=chooser,
        between=ruling.between,
        roll=", ".join(filter(None, (ruling.roll, *rolls.values()))) or None,
        clauses=clauses,
        warnings=_warnings(scene, (attacker, target), deciding_pieces, observed, settings.pixel),
        measurement=None if observed is None else Measurement.of(observed, settings.renderer),
        observation=observed if settings.keep else None,
        looks=_looks(table, deciding) if settings.keep else {},
    )


def _rolls(game: Game, outcome: Ruled) -> dict[str, str]:
    """What clauses do to a roll beside the verdict, by their numbers: of those that hold, where anything can be hit."""
    with_roll = [
        clause for clause in game.clauses.values() if clause.roll and outcome.ruling.level is not Level.BLOCKED
    ]
    return {clause.number: clause.roll or "" for clause in with_roll if outcome.evaluator.clause(clause.name).value}


def _clauses(scene: DataScene, outcome: Ruled, check: Check) -> dict[str, AskedClause]:
    """The clauses that were asked, by their names, first those that decided."""
    game, answers = scene.game, outcome.evaluator.clauses
    deciding = _clauses_in(outcome.evaluation, answers)
    readings = {name: scene.reading(name) for name in game.readings}
    clauses = dict[str, AskedClause]()
    for name in dict.fromkeys((*deciding, *answers)):
        answer, number = answers[name], game.clauses[name].number
        text, named = clause_text(game, game.clauses[name], answer, check.attacker, check.target, readings)
        rests_on = answer.uses, named, answer.tallies
        clauses[name] = AskedClause(number, text, answer.value, answer.sure, name in deciding, *rests_on)
    return clauses


def _clauses_in(evaluation: Evaluation, answers: Mapping[str, Evaluation]) -> list[str]:
    """The names of the clauses on which something rests, and of those on which these do."""
    names: dict[str, None] = {}
    todo = [use.name for use in evaluation.uses if use.unit == "clause"]
    while todo:
        name = todo.pop(0)
        if name not in names:
            names[name] = None
            todo += [use.name for use in answers[name].uses if use.unit == "clause"]
    return list(names)


def _blockers(deciding: Sequence[AskedClause], check: Check) -> tuple[str, ...]:
    """The pieces to which the answers are due that decided, but for the two that look at each other."""
    names = (name for clause in deciding for use in clause.uses if use.measured is not None for name in use.measured.by)
    return tuple(name for name in dict.fromkeys(names) if name not in (check.attacker, check.target))


def _observation(
    table: SceneTable, attacker: Piece, target: Piece, deciding: Sequence[AskedClause]
) -> Observation | None:
    """The measurement to show: one on which the verdict rests, if possible of how much is obscured; else the first."""
    ends, uses = (attacker.name, target.name), (use for clause in deciding for use in clause.uses)
    looks = [table.looks[use] for use in sorted(uses, key=lambda use: use.name != "obscured") if use in table.looks]
    every = (*looks, *table.observations.values())
    return next((look for look in every if (look.sight.attacker.name, look.sight.target.name) == ends), None)


def _looks(table: SceneTable, deciding: Sequence[AskedClause]) -> dict[Use, Observation]:
    """The observations of what the deciding clauses counted, by what rests on them."""
    tallies = (tally for clause in deciding for tally in clause.tallies)
    return {use: table.looks[use] for tally in tallies for use in tally.every_use() if use in table.looks}


def _warnings(
    scene: DataScene, pair: tuple[Piece, Piece], blockers: Sequence[str], observed: Observation | None, pixel: float
) -> tuple[str, ...]:
    """Doubts about the poses, the meshes and the measurement on which a verdict rests, each once."""
    attacker, target = pair
    warnings = list(attacker.eye_warnings if observed is None else warnings_of(observed, pixel, scene.error))
    for piece in (attacker, target, *(scene.piece(name) for name in blockers)):
        warnings += piece.all_warnings
    return tuple(dict.fromkeys([*warnings, *scene.doubts(attacker.name, [target.name, *blockers])]))
