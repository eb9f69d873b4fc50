"""JUDGE: Necromunda, line of sight and cover, by the share of the target that is obscured from the attacker's eye.

The numbers R1 to R21 and A1 to A12 are those of the specification, ../shared/rules/necromunda.md; its source is the
section "Line Of Sight & Cover" of the Necromunda Core Rulebook (2023).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Literal, get_args

from silhouette.common.text import in_a_row, in_a_sentence, parts_in_words, share_in_words
from silhouette.measure.framing import may_stand_before
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import ObservationRequest
from silhouette.models.entries import ArcName
from silhouette.renderers.views import VisionArc, fighter_arc, vehicle_arc
from silhouette.rules.base import Level, MeasuredVerdict, Measurement, RuleReference, Settings, too_close
from silhouette.rules.fields import Alternative, Blocker, ResultField, alternatives, shared
from silhouette.rules.necromunda.scene import OTHERWISE, NecromundaScene, Readings
from silhouette.rules.on_table import compared, in_like_groups, measured_blockers, warnings_of
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece, TableScene, in_base_contact

NAME = "necromunda"

LEVELS: Mapping[str, Level] = {
    "open": Level.CLEAR,
    "partial cover": Level.PARTIAL,
    "full cover": Level.FULL,
    "hidden": Level.BLOCKED,
}

VERDICTS = tuple(LEVELS)  # the verdicts, from exposed to covered

# What cover does to the roll to hit: not in the section read here, but in that on shooting, to which it refers.
ROLLS: Mapping[str, str] = {"partial cover": "-1", "full cover": "-2"}

Aim = Literal["head", "weapon"]  # by which of a fighter its vision arc is told (R2)


@dataclass(frozen=True, repr=False)
class NecromundaVerdict(MeasuredVerdict):
    """A Necromunda verdict with its evidence. What could be lies within the error or the tolerance."""

    measurement: Measurement = field(kw_only=True)
    # The vision arc that the check names, or that of the crew member who sees best; None for any
    arc: ArcName | None = None
    is_facing_known: bool = True  # if not, the verdict is that of a target in the vision arc
    # Whether the share that decides is that of the target's part in the arc, by the reading (A1)
    is_share_in_arc: bool = False
    # By which of the two the vision arc is told, if head and weapon of the attacker point to different sides
    aim: Aim | None = None

    fields = (
        *shared("attacker", "target", "rules", "verdict", "roll", "line_of_sight", "in_arc"),
        *shared("occluded", "occluded_in_arc", "error", "target_pixels", "occluded_pixels", "seen_pixels", "blockers"),
        *shared("marginal", "could_be", "other_readings", "rule", "rule_number", "reason", "renderer", "pixel"),
        *shared("decided_by", "projection", "warnings", "arc"),
        ResultField("aim", str, "whose vision arc counts, if head and weapon point to different sides", optional=True),
    )
    order = VERDICTS

    @property
    def roll(self) -> str | None:
        """What the cover does to the roll to hit."""
        return ROLLS.get(self.verdict)

    @property
    def counts(self) -> OcclusionCounts:
        """The pixels and errors as measured for cover."""
        return self.measurement.counts

    @property
    def occluded(self) -> float:
        """The obscured share of the target's significant parts, from 0 to 1; 0 where they show no pixel."""
        return self.measurement.occluded

    @property
    def occluded_in_arc(self) -> float | None:
        """The obscured share of the target's part in the vision arcs, from 0 to 1; None where no part is in them."""
        return self.measurement.occluded_in_arc

    @property
    def share(self) -> tuple[float | None, float]:
        """The obscured share that decides, and its error: of the whole target, or of its part in the arc."""
        if self.is_share_in_arc:
            return self.occluded_in_arc, self.counts.error_in_arc
        return self.occluded, self.counts.error

    @property
    def in_arc(self) -> bool | None:
        """Whether some of the target lies in an arc; None if it has no area, or the attacker's facing is unknown."""
        return self.counts.in_arc > 0 if self.is_facing_known and self.counts.total else None

    @property
    def marginal(self) -> bool:
        """Whether another verdict holds within the error or the tolerance: the players should roll off (R20). Always if
        it is unknown where the attacker faces (contract, section 3).
        """
        return len(self.could_be) > 1 or not self.is_facing_known


# ---- the sight


def arcs_of(attacker: Piece, name: ArcName | None = None) -> tuple[VisionArc, ...] | None:
    """The vision arcs of a model, or only the one of that name; none where the model has no such arc: a blind spot.
    None where it has one, but nobody knows where the model faces: it is then taken to look towards its target.

    A fighter has a front arc of 90° (R1), or two where its weapon points elsewhere than its head looks, of which the
    player who controls it prefers one (R2). A vehicle has those that it has crew for, bounded by lines through its
    corners (R3 to R5). All start at the centre of the base, or of the footprint.
    """
    names = [arc for arc in attacker.arcs if name in (None, arc)]
    centre = attacker.base_centre
    facing = attacker.facing
    if facing is None:
        return None if names else ()
    if attacker.kind == "fighter":
        facings = [facing] if attacker.weapon is None else [facing, attacker.weapon]
        return tuple(fighter_arc(centre, towards) for _ in names for towards in facings)
    model = attacker.model
    return tuple(vehicle_arc(arc, centre, attacker.hull_ahead, model.body_length, model.body_width) for arc in names)


def is_friend_in_contact(scene: TableScene, attacker: Piece, piece: Piece) -> bool:
    """Whether a piece is a friendly fighter in base contact, which is disregarded (R17, A7); a vehicle blocks (R18)."""
    friendly = piece.kind == "fighter" and piece.gang is not None and piece.gang == attacker.gang
    return friendly and piece.name != attacker.name and in_base_contact(scene, attacker, piece)


def sight_between(
    scene: TableScene, pair: tuple[Piece, Piece], arc: ArcName | None, ignored_parts_block: bool, friends_block: bool
) -> Sight:
    """The sight from one model, with its eye for an arc, to another: every other piece may block (R8, R10), by readings
    also bases and insignificant parts (A6) or friends in base contact, but never the target.
    """
    attacker, target = pair
    gang = () if attacker.gang is None else [piece for piece in scene.pieces if piece.gang == attacker.gang]
    friends = [piece for piece in gang if is_friend_in_contact(scene, attacker, piece)]
    disregarded = () if friends_block else tuple(piece for piece in friends if piece is not target)
    absent = tuple(piece.index for piece in (attacker, target, *disregarded))
    return Sight(
        attacker=attacker,
        target=target,
        eye=attacker.eye,
        facing=attacker.ahead,
        arcs=arcs_of(attacker, arc),
        occluders=scene.whole_pieces if ignored_parts_block else scene.significant_parts,
        absent=absent,
        disregarded=disregarded,
    )


# ---- the verdict


def judge(requests: Sequence[tuple[NecromundaScene, Check]], settings: Settings) -> list[NecromundaVerdict]:
    """The verdicts for checks, in their order; those whose scenes agree in the tolerance and the error are measured
    together. RequestError where a check names no fitting piece.
    """
    return in_like_groups(requests, attrgetter("tolerance", "error"), lambda group: _judge(group, settings))


def _judge(requests: Sequence[tuple[NecromundaScene, Check]], settings: Settings) -> list[NecromundaVerdict]:
    any_scene = requests[0][0]
    goal = ObservationRequest(tolerance=any_scene.tolerance, error_goal=any_scene.error, windows=settings.remarks)
    measurement = _MeasuredSights(settings, goal)
    questions = [_SightQuestion(scene, check) for scene, check in requests]
    crews = [question.crew(question.scene.readings) for question in questions]
    measurement.add([sight for crew in crews for look in crew for sight in look.sights], keep=settings.keep)
    verdicts = [measurement.verdict(question.scene, crew) for question, crew in zip(questions, crews, strict=True)]
    return _with_other_readings(questions, verdicts, measurement) if settings.remarks else verdicts


@dataclass(frozen=True, eq=False)
class _ArcLook:
    """One look from an attacker at a target, by a vision arc, or by any: the sight that is measured for cover, and,
    where friends in base contact block sight but give no cover (A7), the one that is measured for line of sight.
    """

    arc: ArcName | None
    sights: tuple[Sight, ...]
    aim: Aim | None = None


def aimed(attacker: Piece, aim: Aim | None) -> Piece:
    """A fighter that looks with its head, or along its weapon, alone; both where it has one facing."""
    towards = attacker.weapon if aim == "weapon" else attacker.facing
    return attacker if aim is None else replace(attacker, facing=towards, weapon=None)


@dataclass(frozen=True, eq=False)
class _SightQuestion:
    """A check, and its sights: one that several readings ask for is one object, and is measured once."""

    scene: NecromundaScene
    check: Check
    sights: dict[tuple[ArcName | Aim | None, bool, bool], Sight] = field(default_factory=dict)
    """By the arc or the aim, whether ignored parts block, and whether friends in base contact do."""

    def crew(self, readings: Readings) -> list[_ArcLook]:
        """The looks that it takes: one, or one for each of a crew who have an eye each for their vision arcs, or by the
        head and by the weapon of a fighter.
        """
        attacker = self.scene.model(self.check.attacker)
        if attacker.weapon is not None:
            aims: tuple[Aim, ...] = get_args(Aim)
            return [self._look(aimed(attacker, aim), self.check.arc, readings, aim) for aim in aims]
        has_crew = self.check.arc is None and attacker.eyes and len(attacker.arcs) > 1
        arcs: Sequence[ArcName | None] = attacker.arcs if has_crew else [self.check.arc]
        return [self._look(attacker.with_eye_for(arc), arc, readings) for arc in arcs]

    def _look(self, attacker: Piece, arc: ArcName | None, readings: Readings, aim: Aim | None = None) -> _ArcLook:
        def sight(friends_block: bool) -> Sight:
            key = (aim or arc, readings.ignored_parts_block, friends_block)
            if key not in self.sights:
                pair = (attacker, self.scene.model(self.check.target))
                self.sights[key] = sight_between(self.scene, pair, arc, *key[1:])
            return self.sights[key]

        cover = sight(False)
        if not cover.disregarded or readings.friends_in_contact == "disregarded":
            return _ArcLook(arc, (cover,), aim)
        return _ArcLook(arc, (cover, sight(True)), aim)


@dataclass(frozen=True, eq=False)
class _MeasuredSights:
    """What was observed of sights, and the verdicts that follow."""

    settings: Settings
    goal: ObservationRequest
    observed: dict[Sight, Observation] = field(default_factory=dict)

    def add(self, sights: Sequence[Sight], *, keep: bool) -> None:
        """Measures sights, all together; ``keep`` says whether the observations keep their masks."""
        settings = self.settings
        observations = settings.observe(sights, settings.renderer, settings.pixel, replace(self.goal, keep=keep))
        self.observed.update(zip(sights, observations, strict=True))

    def verdict(self, scene: NecromundaScene, crew: Sequence[_ArcLook]) -> NecromundaVerdict:
        """The verdict under the readings of a scene, of looks that were measured: of the crew member who sees best; if
        nobody sees the target, of one whose arc it lies in.
        """
        each = [_verdict(scene, look, [self.observed[sight] for sight in look.sights], self.settings) for look in crew]
        best = min(each, key=lambda ruling: (VERDICTS.index(ruling.verdict), not ruling.counts.in_arc, ruling.occluded))
        if best.aim is not None:
            return _of_the_better_arc(best, each, crew)
        if len(each) == 1 or best.counts.in_arc:
            return best
        arcs = [ruling.arc for ruling in each if ruling.arc]
        return replace(best, arc=None, reason=_in_no_arc(best.target, best.attacker, arcs))


def _of_the_better_arc(
    best: NecromundaVerdict, each: Sequence[NecromundaVerdict], crew: Sequence[_ArcLook]
) -> NecromundaVerdict:
    """The verdict of a fighter whose head and weapon point to different sides, with a word on whose arc counts (R2)."""
    degrees = {look.aim: f"{look.sights[0].facing:g}°" for look in crew}
    both = " and ".join(f"{aim} at {towards}" for aim, towards in degrees.items())
    (other,) = (ruling for ruling in each if ruling is not best)
    if (other.verdict, other.occluded_in_arc) == (best.verdict, best.occluded_in_arc):
        return replace(best, reason=f"{best.reason}; by the vision arcs of {both} alike")
    whose = f"in the vision arc of the {best.aim}, at {degrees[best.aim]}"
    return replace(best, reason=f"{best.reason}; {whose}; by that of the {other.aim}: {other.verdict}")


def _with_other_readings(
    questions: Sequence[_SightQuestion], verdicts: Sequence[NecromundaVerdict], measurement: _MeasuredSights
) -> list[NecromundaVerdict]:
    """The verdicts, with who is disregarded and each single other reading that gives another one, as judged with it."""
    others = [
        [
            (other, question.crew(other.taken(question.scene.readings)))
            for other in _that_matter(question, verdict, measurement.observed)
        ]
        for question, verdict in zip(questions, verdicts, strict=True)
    ]
    sights = (sight for of_check in others for _, crew in of_check for look in crew for sight in look.sights)
    new = [sight for sight in dict.fromkeys(sights) if sight not in measurement.observed]
    if new:
        measurement.add(new, keep=False)
    widened = []
    for question, verdict, mine in zip(questions, verdicts, others, strict=True):
        scene, explained = question.scene, _with_disregarded(question, verdict, measurement)
        judged = (
            (other, measurement.verdict(replace(scene, readings=other.taken(scene.readings)), crew))
            for other, crew in mine
        )
        widened.append(compared(explained, judged, partial(_condition, verdict.target)))
    return widened


def _condition(target: str, other: Alternative) -> str:
    """Under what another verdict on a target holds."""
    return f"{OTHERWISE[str(other)].format(target=target)} ({other})"


def _that_matter(
    question: _SightQuestion, verdict: NecromundaVerdict, observed: Mapping[Sight, Observation]
) -> Iterator[Alternative]:
    """The other readings that may change the verdict: not such as block more of what is hidden, or less of the open."""
    scene, crew = question.scene, question.crew(question.scene.readings)
    covers = [observed[look.sights[0]] for look in crew]

    def matters(other: Alternative) -> bool:
        is_hidden = verdict.verdict == "hidden"
        match other.key, other.value:
            case "share", _:
                return any(0 < cover.counts.in_arc < cover.counts.total for cover in covers)
            case "friends_in_contact", "disregarded":
                return is_hidden and any(len(look.sights) > 1 for look in crew)
            case "friends_in_contact", _:
                return not is_hidden and any(map(_has_friend_before, covers))
        unchanged = "hidden" if other.value else "open"
        return verdict.verdict != unchanged and any(_has_ignored_before(scene, cover) for cover in covers)

    return filter(matters, alternatives(scene.readings))


def _has_friend_before(cover: Observation) -> bool:
    """Whether a friend in base contact, which is disregarded, may stand before the target."""
    friends = [piece.index for piece in cover.sight.disregarded]
    return bool(friends) and may_stand_before(cover, cover.sight.past(friends).occluders)


def _has_ignored_before(scene: NecromundaScene, cover: Observation) -> bool:
    """Whether a base or an insignificant part of another model may stand before the target."""
    absent = frozenset(cover.sight.absent)
    ignored = scene.ignored_parts
    return may_stand_before(cover, ignored, [n for n, piece in enumerate(ignored.pieces) if piece.index in absent])


def _with_disregarded(
    question: _SightQuestion, verdict: NecromundaVerdict, measurement: _MeasuredSights
) -> NecromundaVerdict:
    """The verdict, whose reason names the friends in base contact that would obscure more of the target (R17, A7)."""
    readings, names, how = question.scene.readings, dict[str, None](), "disregarded"
    for look in question.crew(readings) if verdict.line_of_sight else ():
        with_friends = question.sights.get((look.aim or look.arc, readings.ignored_parts_block, True))
        blocked = None if with_friends is None else measurement.observed.get(with_friends)
        cover = measurement.observed[look.sights[0]]
        is_its_look = (look.arc, look.aim) == (verdict.arc, verdict.aim)
        if is_its_look and blocked is not None and blocked.counts.occluded > cover.counts.occluded:
            friends = {piece.name for piece in cover.sight.disregarded}
            names |= dict.fromkeys(blocker.name for blocker in measured_blockers(blocked) if blocker.name in friends)
            how = "disregarded for cover" if len(look.sights) > 1 else "disregarded"
    if not names:
        return verdict
    return replace(verdict, reason=f"{verdict.reason}; {_disregarded(list(names), verdict.attacker, how)}")


def _disregarded(friends: Sequence[str], attacker: str, how: str) -> str:
    """Whom a reason disregards, why, and how.

    >>> _disregarded(["Jax"], "Kal", "disregarded")
    'Jax, a friend in base contact with Kal, is disregarded'
    >>> _disregarded(["Jax", "Mo", "Ty"], "Kal", "disregarded for cover")
    'Jax, Mo and Ty, friends in base contact with Kal, are disregarded for cover'
    """
    if len(friends) == 1:
        return f"{friends[0]}, a friend in base contact with {attacker}, is {how}"
    return f"{in_a_row(friends)}, friends in base contact with {attacker}, are {how}"


def _in_no_arc(target: str, attacker: str, arcs: Sequence[str]) -> str:
    """The reason where no part of the target lies in the arcs (R6)."""
    return f"no part of {target} lies in {attacker}'s {' or '.join(arcs)} vision arc: hidden"


def _verdict(
    scene: NecromundaScene, look: _ArcLook, observed: Sequence[Observation], settings: Settings
) -> NecromundaVerdict:
    """The verdict of the ladder, with everything that explains it; what was observed is in the order of `_ArcLook`."""
    cover, sight, arc = observed[0], observed[-1], look.arc
    attacker, target, counts = cover.sight.attacker, cover.sight.target, cover.counts
    in_arc = scene.readings.share == "in arc"
    part, whole = (counts.occluded_in_arc, counts.in_arc) if in_arc else (counts.occluded, counts.total)
    arcs = cover.sight.arcs
    names: list[str] = list(attacker.arcs) if arcs is None else [vision.name for vision in arcs]
    share, obscured = share_in_words(part, whole), part / whole if whole else 0.0
    words = _ReasonWords(attacker.name, target.name, arc, names, measured_blockers(sight), share, obscured)
    verdict, rule, reason = _ladder(words, sight.counts, part, whole)
    doubts = scene.doubts(attacker.name, (piece.name for piece in (target, *cover.blockers)))
    could_be = _could_be(cover.counts, sight.counts, part, whole, in_arc, scene.tolerance)
    if len(could_be) > 1:
        reason += f"{too_close(verdict, could_be)}: roll off (R20)"
    if attacker.facing is None and verdict != "hidden":
        reason += f"; where {attacker.name} faces is unknown: if {target.name} is not in its vision arc, it is hidden"
    if attacker.facing is None and "hidden" not in could_be:
        could_be = (*could_be, "hidden")
    return NecromundaVerdict(
        attacker=attacker.name,
        target=target.name,
        rules=NAME,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=rule,
        reason=reason,
        line_of_sight=verdict != "hidden",
        measurement=Measurement.of(cover, settings.renderer, sight.counts.seen),
        blockers=measured_blockers(cover),
        could_be=could_be,
        warnings=tuple(dict.fromkeys([*doubts, *_warnings(cover, settings.pixel, scene.error)])),
        arc=arc,
        aim=look.aim,
        is_facing_known=attacker.facing is not None,
        is_share_in_arc=in_arc,
        observation=cover if settings.keep else None,
    )


@dataclass(frozen=True)
class _ReasonWords:
    """The words of a reason: names, the arc that the check names, the attacker's arcs, the blockers, the share, and
    it as a number.
    """

    attacker: str
    target: str
    arc: str | None
    arcs: list[str]
    blockers: tuple[Blocker, ...]
    share: str
    obscured: float = 0.0

    @property
    def by(self) -> str:
        """The blockers, as " by the wall"; with shares where there are several, three of them named; "" for none."""
        if not self.blockers:
            return ""
        if len(self.blockers) == 1:
            return f" by {in_a_sentence(self.blockers[0].name)}"
        parts = parts_in_words([blocker.share for blocker in self.blockers], self.obscured)
        named = [
            f"{in_a_sentence(blocker.name)} ({share})"
            for blocker, share in zip(self.blockers[:3], parts, strict=False)
            if blocker.share
        ]
        more = sum(blocker.share != 0.0 for blocker in self.blockers) - len(named)
        return " by " + (" and ".join(named) if not more else ", ".join(named) + f" and {more} more")


def _ladder(words: _ReasonWords, sight: OcclusionCounts, part: float, whole: float) -> tuple[str, RuleReference, str]:
    """Verdict, rule and reason: the first test that holds (R6 to R8, R13 to R15), by the counts for line of sight, and
    the obscured share ``part / whole`` of the target, or of its part in the arc (A1).
    """
    attacker, target = words.attacker, words.target
    if not words.arcs:
        reason = f"{attacker} has no {words.arc} vision arc: a blind spot, so {target} is hidden"
        return "hidden", RuleReference("Vehicle Vision Arcs", "R4"), reason
    if not sight.total:
        reason = f"from there {target} is edge-on, nothing of it can be seen: hidden"
        return "hidden", RuleReference("Line Of Sight", "R6"), reason
    if not sight.in_arc:
        return "hidden", RuleReference("Line Of Sight", "R6"), _in_no_arc(target, attacker, words.arcs)
    if not sight.seen:
        beyond = "" if sight.in_arc == sight.total else " that lies in the vision arc"
        reason = f"every part of {target}{beyond} is obscured{words.by}: hidden"
        return "hidden", RuleReference("Line Of Sight", "R8"), reason
    if not part:
        return "open", RuleReference("Cover", "R13"), f"nothing obscures {target}: in the open"
    obscured = f"{words.share} of {target} is obscured{words.by}"
    if 2 * part < whole:
        return "partial cover", RuleReference("Cover", "R14"), f"{obscured}; less than half: partial cover"
    return "full cover", RuleReference("Cover", "R15"), f"{obscured}; at least half: full cover"


def _could_be(
    cover: OcclusionCounts, sight: OcclusionCounts, part: float, whole: float, in_arc: bool, tolerance: float
) -> tuple[str, ...]:
    """The verdicts that hold within the error, or the tolerance, of the obscured share and of the seen share (R20). A
    share of exactly nothing is uncertain by its error only. The counts are those for cover and for line of sight.
    """
    seen, total = sight.seen, sight.total
    if not total:
        return ("hidden",)
    band_seen = max(sight.error_seen, tolerance) if seen else sight.error_seen
    possible = {"hidden"} if seen / total <= band_seen else set()
    if seen / total + band_seen > 0.0 and whole:
        error = cover.error_in_arc if in_arc else cover.error
        share, band = part / whole, max(error, tolerance) if part else error
        possible |= {"open"} if share <= band else set()
        possible |= {"partial cover"} if share + band > 0.0 and share - band < 0.5 else set()
        possible |= {"full cover"} if share + band >= 0.5 else set()
    return tuple(verdict for verdict in VERDICTS if verdict in possible)


def _warnings(cover: Observation, pixel: float, error_goal: float | None) -> tuple[str, ...]:
    blocking = ((piece, piece.model.significant) for piece in cover.blockers)
    warnings = warnings_of(cover, pixel, error_goal, blocking)
    for piece in (cover.sight.attacker, cover.sight.target, *cover.blockers):
        warnings += piece.all_warnings
    return tuple(dict.fromkeys(warnings))
