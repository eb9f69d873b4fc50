"""JUDGE: Necromunda, line of sight and cover, by the share of the target that is obscured from the attacker's eye.

    pieces -> Sight: vision arcs, friends in base contact, the pieces that may block -> Observation
           -> the first rule of the ladder that holds -> verdict

The numbers R1 to R21 and A1 to A12 are those of the specification, ../shared/rules/necromunda.md; its source is the
section "Line Of Sight & Cover" of the Necromunda Core Rulebook (2023).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter

from silhouette.measure.framing import may_stand_before
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import Wanted
from silhouette.meshes.holes import encloses
from silhouette.models.entries import ArcName
from silhouette.rules.base import Measurement, RuleReference, Settings
from silhouette.rules.fields import Blocker, largest_first
from silhouette.rules.necromunda.results import LEVELS, NAME, VERDICTS, NecromundaVerdict
from silhouette.rules.necromunda.scene import OTHERWISE, NecromundaScene, Readings
from silhouette.rules.readings import Alternative, OtherReading, alternatives
from silhouette.rules.table import in_like_groups, windows_seen_through
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece, TableScene, in_base_contact
from silhouette.scenes.warnings import eye_inside
from silhouette.text import fraction_in_words, in_a_row, in_a_sentence, share_in_words
from silhouette.views import VisionArc, fighter_arc, vehicle_arc

# ---- the sight


def arcs_of(attacker: Piece, name: ArcName | None = None) -> tuple[VisionArc, ...] | None:
    """The vision arcs of a model, or only the one of that name; none where the model has no such arc: a blind spot.

    None where it has one, but nobody knows where the model faces: it is then taken to look towards its target.

    A fighter has a front arc of 90° (R1, R2). A vehicle has those that it has crew for, bounded by lines through its
    corners (R3 to R5). All start at the centre of the base, or of the footprint.
    """
    names = [arc for arc in attacker.arcs if name in (None, arc)]
    centre = attacker.base_centre
    facing = attacker.facing
    if facing is None:
        return None if names else ()
    if attacker.kind == "fighter":
        return tuple(fighter_arc(centre, facing) for _ in names)
    model = attacker.model
    return tuple(vehicle_arc(arc, centre, attacker.hull_ahead, model.body_length, model.body_width) for arc in names)


def is_friend_in_contact(scene: TableScene, attacker: Piece, piece: Piece) -> bool:
    """Whether a piece is a friendly fighter in base contact, which is disregarded (R17, A7); a vehicle blocks (R18)."""
    friendly = piece.kind == "fighter" and piece.gang is not None and piece.gang == attacker.gang
    return friendly and piece.name != attacker.name and in_base_contact(scene, attacker, piece)


def sight_between(
    scene: TableScene,
    attacker: Piece,
    target: Piece,
    arc: ArcName | None,
    *,
    ignored_parts_block: bool,
    friends_block: bool,
) -> Sight:
    """The sight from one model to another: every other piece may block (R8, R10).

    Args:
        scene: the scene of both.
        attacker: the piece that looks, with its eye for the arc.
        target: the piece that is looked at; it is never disregarded, even as a friend in base contact.
        arc: the vision arc to look from; None for any that the attacker has.
        ignored_parts_block: whether the bases and insignificant parts of other models block as well (A6).
        friends_block: whether friends in base contact block.
    """
    friends = [piece for piece in scene.pieces if is_friend_in_contact(scene, attacker, piece)]
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
    """The verdicts on line of sight and cover for checks, in their order; all are measured together.

    Args:
        requests: each a check and its scene; of scenes that differ in the tolerance or the error, each is measured
            with those that do not.
        settings: of the measurement.

    Raises:
        RequestError: where a check names a piece that is not there, or that cannot look or be looked at.
    """
    asked = attrgetter("tolerance", "error")
    return in_like_groups(requests, asked, lambda group: _judge(group, settings))


def _judge(requests: Sequence[tuple[NecromundaScene, Check]], settings: Settings) -> list[NecromundaVerdict]:
    any_scene = requests[0][0]
    wanted = Wanted(tolerance=any_scene.tolerance, error_goal=any_scene.error, windows=settings.remarks)
    measurement = _Measurement(settings, wanted)
    asked = [_Question(scene, check) for scene, check in requests]
    crews = [one.crew(one.scene.readings) for one in asked]
    measurement.add([sight for crew in crews for look in crew for sight in look.sights], keep=settings.keep)
    verdicts = [measurement.verdict(one.scene, crew) for one, crew in zip(asked, crews, strict=True)]
    return _with_other_readings(asked, verdicts, measurement) if settings.remarks else verdicts


@dataclass(frozen=True, eq=False)
class _Look:
    """One look from an attacker at a target.

    Attributes:
        arc: the vision arc that the check names, or the crew member's; None for any.
        sights: the sight that is measured for cover, and, where friends in base contact block sight but give no cover
            (A7), the one that is measured for line of sight.
    """

    arc: ArcName | None
    sights: tuple[Sight, ...]


@dataclass(frozen=True, eq=False)
class _Question:
    """A check, and its sights: one that several readings ask for is one object, and is measured once."""

    scene: NecromundaScene
    check: Check
    sights: dict[tuple[ArcName | None, bool, bool], Sight] = field(default_factory=dict)
    """By the arc, whether ignored parts block, and whether friends in base contact do."""

    def crew(self, readings: Readings) -> list[_Look]:
        """The looks that it takes: one, or one for each of a crew who have an eye each for their vision arcs."""
        attacker = self.scene.model(self.check.attacker)
        arcs: Sequence[ArcName | None] = [self.check.arc]
        if self.check.arc is None and attacker.eyes and len(attacker.arcs) > 1:
            arcs = attacker.arcs
        return [self._look(attacker.with_eye_for(arc), arc, readings) for arc in arcs]

    def _look(self, attacker: Piece, arc: ArcName | None, readings: Readings) -> _Look:
        between = partial(self._sight, attacker, arc, readings.ignored_parts_block)
        cover = between(False)
        apart = cover.disregarded and readings.friends_in_contact == "block sight"
        return _Look(arc, (cover, between(True)) if apart else (cover,))

    def _sight(self, attacker: Piece, arc: ArcName | None, ignored_parts_block: bool, friends_block: bool) -> Sight:
        key = (arc, ignored_parts_block, friends_block)
        if key not in self.sights:
            self.sights[key] = sight_between(
                self.scene,
                attacker,
                self.scene.model(self.check.target),
                arc,
                ignored_parts_block=ignored_parts_block,
                friends_block=friends_block,
            )
        return self.sights[key]


@dataclass(frozen=True, eq=False)
class _Measurement:
    """What was observed of sights, and the verdicts that follow."""

    settings: Settings
    wanted: Wanted
    observed: dict[Sight, Observation] = field(default_factory=dict)

    def add(self, sights: Sequence[Sight], *, keep: bool) -> None:
        """Measures sights, all together; ``keep`` says whether the observations keep their masks."""
        settings = self.settings
        found = settings.observe(sights, settings.renderer, settings.pixel, replace(self.wanted, keep=keep))
        self.observed.update(zip(sights, found, strict=True))

    def verdict(self, scene: NecromundaScene, crew: Sequence[_Look]) -> NecromundaVerdict:
        """The verdict under the readings of a scene, of looks that were measured."""
        seen = [[self.observed[sight] for sight in look.sights] for look in crew]
        return _best_of([_verdict(scene, look.arc, each, self.settings) for look, each in zip(crew, seen, strict=True)])


def _with_other_readings(
    asked: Sequence[_Question], verdicts: Sequence[NecromundaVerdict], measurement: _Measurement
) -> list[NecromundaVerdict]:
    """The verdicts, with who is disregarded and each single other reading that gives another one, as judged with it.

    A reading that cannot matter is not judged. The sights of the others, if new, are measured together.
    """
    others = [
        [
            (other, one.crew(other.taken(one.scene.readings)))
            for other in _that_matter(one, verdict, measurement.observed)
        ]
        for one, verdict in zip(asked, verdicts, strict=True)
    ]
    sights = [sight for one in others for _, crew in one for look in crew for sight in look.sights]
    new = list(dict.fromkeys(sight for sight in sights if sight not in measurement.observed))
    if new:
        measurement.add(new, keep=False)
    return [
        _with_those_that_differ(one.scene, _with_disregarded(one, verdict, measurement), mine, measurement)
        for one, verdict, mine in zip(asked, verdicts, others, strict=True)
    ]


def _that_matter(
    question: _Question, verdict: NecromundaVerdict, observed: Mapping[Sight, Observation]
) -> Iterator[Alternative]:
    """The other readings under which the verdict may be another one.

    What blocks in addition changes nothing that is hidden, and what no longer blocks nothing that is in the open.
    """
    scene, crew = question.scene, question.crew(question.scene.readings)
    covers = [observed[look.sights[0]] for look in crew]
    for other in alternatives(scene.readings):
        match other.key, other.value:
            case "share", _:
                matters = any(0 < cover.counts.in_arc < cover.counts.total for cover in covers)
            case "friends_in_contact", "disregarded":
                matters = verdict.verdict == "hidden" and any(len(look.sights) > 1 for look in crew)
            case "friends_in_contact", _:
                matters = verdict.verdict != "hidden" and any(map(_has_friend_before, covers))
            case _, blocks:
                settled = "hidden" if blocks else "open"
                matters = verdict.verdict != settled and any(_has_ignored_before(scene, cover) for cover in covers)
        if matters:
            yield other


def _has_friend_before(cover: Observation) -> bool:
    """Whether a friend in base contact, which is disregarded, may stand before the target."""
    friends = [piece.index for piece in cover.sight.disregarded]
    return bool(friends) and may_stand_before(cover, cover.sight.past(friends).occluders)


def _has_ignored_before(scene: NecromundaScene, cover: Observation) -> bool:
    """Whether a base or an insignificant part of another model may stand before the target."""
    absent = frozenset(cover.sight.absent)
    ignored = scene.ignored_parts
    return may_stand_before(cover, ignored, [n for n, piece in enumerate(ignored.pieces) if piece.index in absent])


def _with_those_that_differ(
    scene: NecromundaScene,
    verdict: NecromundaVerdict,
    others: Sequence[tuple[Alternative, Sequence[_Look]]],
    measurement: _Measurement,
) -> NecromundaVerdict:
    """A verdict with those of its other readings that give another one, each with the looks that it takes."""
    different, reason = list[OtherReading](), verdict.reason
    for other, crew in others:
        otherwise = measurement.verdict(replace(scene, readings=other.taken(scene.readings)), crew)
        if otherwise.verdict == verdict.verdict:
            continue
        row: OtherReading = {"reading": str(other), "verdict": otherwise.verdict}
        clause = f"{OTHERWISE[str(other)].format(target=verdict.target)} ({other}): {otherwise.verdict}"
        if len(otherwise.could_be) > 1:
            row["could_be"] = list(otherwise.could_be)
            clause += ", too close to call itself"
        different.append(row)
        reason += f"; {clause}"
    return replace(verdict, other_readings=tuple(different), reason=reason) if different else verdict


def _with_disregarded(question: _Question, verdict: NecromundaVerdict, measurement: _Measurement) -> NecromundaVerdict:
    """The verdict, whose reason names the friends in base contact that would obscure more of the target (R17, A7)."""
    readings, names, how = question.scene.readings, dict[str, None](), "disregarded"
    for look in question.crew(readings) if verdict.line_of_sight else ():
        with_friends = question.sights.get((look.arc, readings.ignored_parts_block, True))
        blocked = None if with_friends is None else measurement.observed.get(with_friends)
        cover = measurement.observed[look.sights[0]]
        if look.arc == verdict.arc and blocked is not None and blocked.counts.occluded > cover.counts.occluded:
            friends = {piece.name for piece in cover.sight.disregarded}
            names |= dict.fromkeys(blocker.name for blocker in _blockers(blocked) if blocker.name in friends)
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


def _best_of(crew: Sequence[NecromundaVerdict]) -> NecromundaVerdict:
    """The verdict of the crew member who sees best; if nobody sees the target, of one whose arc it lies in.

    Args:
        crew: a verdict for each of the vehicle's vision arcs; of other attackers, the one verdict.
    """
    best = min(crew, key=lambda ruling: (VERDICTS.index(ruling.verdict), not ruling.counts.in_arc, ruling.occluded))
    if len(crew) == 1 or best.counts.in_arc:
        return best
    arcs = [ruling.arc for ruling in crew if ruling.arc]
    return replace(best, arc=None, reason=_in_no_arc(best.target, best.attacker, arcs))


def _in_no_arc(target: str, attacker: str, arcs: Sequence[str]) -> str:
    """The reason where no part of the target lies in the arcs (R6)."""
    return f"no part of {target} lies in {attacker}'s {' or '.join(arcs)} vision arc: hidden"


def _verdict(
    scene: NecromundaScene,
    arc: ArcName | None,
    observed: Sequence[Observation],
    settings: Settings,
) -> NecromundaVerdict:
    """The verdict of the ladder, with everything that explains it; what was observed is in the order of `_Look`."""
    cover, sight = observed[0], observed[-1]
    attacker, target, counts = cover.sight.attacker, cover.sight.target, cover.counts
    in_arc = scene.readings.share == "in arc"
    part, whole = (counts.occluded_in_arc, counts.in_arc) if in_arc else (counts.occluded, counts.total)
    arcs = cover.sight.arcs
    names: list[str] = list(attacker.arcs) if arcs is None else [vision.name for vision in arcs]
    words = _ReasonWords(attacker.name, target.name, arc, names, _blockers(sight), share_in_words(part, whole))
    verdict, rule, reason = _ladder(words, sight.counts, part, whole)
    could_be = _could_be(cover.counts, sight.counts, part, whole, in_arc, scene.tolerance)
    if len(could_be) > 1:
        others = " or ".join(word for word in could_be if word != verdict)
        reason += f"; too close to call, it could be {others}: roll off (R20)"
    if attacker.facing is None:
        could_be = tuple(word for word in VERDICTS if word in could_be or word == "hidden")
        if verdict != "hidden":
            reason += (
                f"; where {attacker.name} faces is unknown: if {target.name} is not in its vision arc, it is hidden"
            )
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
        blockers=_blockers(cover),
        could_be=could_be,
        warnings=tuple(dict.fromkeys([*_doubts(scene, cover), *_warnings(cover, settings.pixel)])),
        arc=arc,
        is_facing_known=attacker.facing is not None,
        is_share_in_arc=in_arc,
        observation=cover if settings.keep else None,
    )


@dataclass(frozen=True)
class _ReasonWords:
    """The words of a reason: names, the arc that the check names, the attacker's arcs, the blockers, the share."""

    attacker: str
    target: str
    arc: str | None
    arcs: list[str]
    blockers: tuple[Blocker, ...]
    share: str

    @property
    def by(self) -> str:
        """The blockers, as " by the wall"; with shares where there are several, three of them named; "" for none."""
        if not self.blockers:
            return ""
        if len(self.blockers) == 1:
            return f" by {in_a_sentence(self.blockers[0].name)}"
        named = [
            f"{in_a_sentence(blocker.name)} ({fraction_in_words(blocker.share)})"
            for blocker in self.blockers[:3]
            if blocker.share
        ]
        more = sum(blocker.share != 0.0 for blocker in self.blockers) - len(named)
        return " by " + (" and ".join(named) if not more else ", ".join(named) + f" and {more} more")


def _ladder(words: _ReasonWords, sight: OcclusionCounts, part: int, whole: int) -> tuple[str, RuleReference, str]:
    """Verdict, rule and reason: the first test that holds (R6 to R8, R13 to R15). Shares are compared as integers.

    Args:
        words: for the reason.
        sight: the counts for line of sight.
        part: pixels of the target that are obscured, as counted for cover.
        whole: pixels of the target, or of its part in the arc (A1); the share is ``part / whole``.
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


def _blockers(observation: Observation) -> tuple[Blocker, ...]:
    """The pieces that obscure some of the target, alone or behind others, the largest share first."""
    counts = observation.counts
    return largest_first(
        Blocker(piece.name, nearest / counts.total, alone / counts.total)
        for piece, nearest, alone in zip(observation.blockers, counts.nearest, counts.alone, strict=True)
        if alone
    )


def _could_be(
    cover: OcclusionCounts, sight: OcclusionCounts, part: int, whole: int, in_arc: bool, tolerance: float
) -> tuple[str, ...]:
    """The verdicts that hold within the error, or the tolerance, of the obscured share and of the seen share (R20).

    A share of exactly nothing is uncertain by its error only. The arguments are as of `_ladder`, with the counts for
    cover, whether the share is of the part in the arc, and the scene's tolerance.
    """
    seen, total = sight.seen, sight.total
    error_seen = sight.error_seen
    if not total:
        return ("hidden",)
    band_seen = max(error_seen, tolerance) if seen else error_seen
    possible = set()
    if seen / total <= band_seen:
        possible.add("hidden")
    if seen / total + band_seen > 0.0 and whole:
        share = part / whole
        error = cover.error_in_arc if in_arc else cover.error
        band = max(error, tolerance) if part else error
        if share <= band:
            possible.add("open")
        if share + band > 0.0 and share - band < 0.5:
            possible.add("partial cover")
        if share + band >= 0.5:
            possible.add("full cover")
    return tuple(verdict for verdict in VERDICTS if verdict in possible)


def _doubts(scene: NecromundaScene, cover: Observation) -> list[str]:
    """The mistakes in where the pieces stand that the verdict may rest on."""
    return scene.doubts(cover.sight.attacker.name, (piece.name for piece in (cover.sight.target, *cover.blockers)))


def _warnings(cover: Observation, pixel: float) -> tuple[str, ...]:
    """Warnings, each once: a coarser or finer pixel, an estimated eye, an eye inside a piece, faults of meshes."""
    attacker, target, warnings = cover.sight.attacker, cover.sight.target, list[str]()
    if abs(cover.pixel - pixel) > 0.01 * pixel:
        warnings.append(f"measured at {cover.pixel:.2g} mm per pixel instead of {pixel:g}")
    warnings += attacker.eye_warnings
    for piece in cover.blockers:
        if encloses(piece.model.significant, piece.pose.localise(attacker.eye[None])[0]):
            warnings.append(eye_inside(attacker, piece))
    warnings += windows_seen_through(cover)
    for piece in (attacker, target, *cover.blockers):
        warnings += piece.all_warnings
    return tuple(dict.fromkeys(warnings))
