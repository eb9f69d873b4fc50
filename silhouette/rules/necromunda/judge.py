"""JUDGE: Necromunda, line of sight and cover, by the share of the target that is obscured from the attacker's eye.

The numbers R1 to R21 and A1 to A12 are those of the specification, ../shared/rules/necromunda.md; its source is the
section "Line Of Sight & Cover" of the Necromunda Core Rulebook (2023).

    pieces -> Sight: occluders and vision arcs -> Observation -> the first rule of the ladder that holds -> verdict
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import Wanted, observe_many
from silhouette.meshes.holes import encloses
from silhouette.models.entries import ArcName
from silhouette.rules.base import RuleReference, Settings
from silhouette.rules.necromunda.results import LEVELS, NAME, VERDICTS, Blocker, NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.rules.necromunda.sight import sight_between
from silhouette.rules.table import in_like_groups, sights_beside_surfaces
from silhouette.scenes.placement_warnings import eye_inside
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece
from silhouette.text import fraction_in_words, in_a_sentence, share_in_words


def judge(questions: Sequence[tuple[NecromundaScene, Check]], settings: Settings) -> list[NecromundaVerdict]:
    """The verdicts on line of sight and cover for checks, in their order; all are measured together.

    Args:
        questions: each a check and its scene; of scenes that differ in the tolerance or the error, each is measured
            with those that do not.
        settings: of the measurement.

    Raises:
        RequestError: where a check names a piece that is not there, or that cannot look or be looked at.
    """
    asked = attrgetter("tolerance", "error")
    return in_like_groups(questions, asked, lambda group: _judge(group, settings))


def _judge(questions: Sequence[tuple[NecromundaScene, Check]], settings: Settings) -> list[NecromundaVerdict]:
    any_scene = questions[0][0]
    crews = [_question(scene, check) for scene, check in questions]
    looks = [(scene, look) for (scene, _), crew in zip(questions, crews, strict=True) for look in crew]
    sights = [sight for _, look in looks for sight in look.sights]
    wanted = Wanted(tolerance=any_scene.tolerance, error_goal=any_scene.error, keep=settings.keep)
    observed = iter(settings.observe(sights, settings.renderer, settings.pixel, wanted))
    of_looks = [[next(observed) for _ in look.sights] for _, look in looks]
    verdicts = [
        _verdict(scene, look.arc, of_look, settings) for (scene, look), of_look in zip(looks, of_looks, strict=True)
    ]
    if settings.observe is observe_many:  # of the verdicts of trials nobody reads more than the word
        verdicts = _with_disregarded(verdicts, of_looks, settings, wanted)
        verdicts = [
            _with_eye_on_a_surface(verdict, scene, look, settings, wanted)
            for verdict, (scene, look) in zip(verdicts, looks, strict=True)
        ]
    each = iter(verdicts)
    return [_best_of([next(each) for _ in crew]) for crew in crews]


def _with_disregarded(
    verdicts: Sequence[NecromundaVerdict],
    of_looks: Sequence[Sequence[Observation]],
    settings: Settings,
    wanted: Wanted,
) -> list[NecromundaVerdict]:
    """The verdicts, whose reasons name the friends in base contact that would obscure more of the target (R17, A7).

    Args:
        verdicts: as judged.
        of_looks: what was observed for each of them, in the order of `_Look`; where that has no sight with the friends
            in the way, it is measured.
        settings, wanted: of the measurement.
    """
    near = [
        number
        for number, (cover, *_) in enumerate(of_looks)
        if cover.sight.disregarded and verdicts[number].line_of_sight
    ]
    sights = [_with_friends(of_looks[number][0].sight) for number in near if len(of_looks[number]) == 1]
    measured = iter(observe_many(sights, settings.renderer, settings.pixel, replace(wanted, keep=False)))
    explained = list(verdicts)
    for number in near:
        cover, *others = of_looks[number]
        blocked = others[0] if others else next(measured)
        friends = {piece.name for piece in cover.sight.disregarded}
        names = [blocker.name for blocker in _blockers(blocked) if blocker.name in friends]
        if names and blocked.counts.occluded > cover.counts.occluded:
            verdict = verdicts[number]
            words = _disregarded(names, verdict.attacker, "disregarded for cover" if others else "disregarded")
            explained[number] = replace(verdict, reason=f"{verdict.reason}; {words}")
    return explained


def _with_eye_on_a_surface(
    verdict: NecromundaVerdict, scene: NecromundaScene, look: _Look, settings: Settings, wanted: Wanted
) -> NecromundaVerdict:
    """The verdict; if the eye lies on a surface, it could be what it is from either side of it, or without the piece.

    Args:
        verdict: as judged.
        scene, look: of the verdict.
        settings, wanted: of the measurement.
    """
    (pieces, _), *_ = beside = [sights_beside_surfaces(sight) for sight in look.sights]
    others = list(zip(*(sights for _, sights in beside), strict=True))
    if not others:
        return verdict
    plain = replace(wanted, keep=False)
    observed = iter(
        observe_many([sight for each in others for sight in each], settings.renderer, settings.pixel, plain)
    )
    judged = [_verdict(scene, look.arc, [next(observed) for _ in each], settings) for each in others]
    could_be = {word for one in (verdict, *judged) for word in one.could_be}
    if could_be == set(verdict.could_be):
        return verdict
    words = [word for word in VERDICTS if word in could_be]
    more = " or ".join(word for word in words if word != verdict.verdict)
    on = " and ".join(in_a_sentence(name) for name in pieces)
    reason = (
        f"{verdict.reason}; the eye of {verdict.attacker} lies on the surface of {on}: it could be {more}, roll off"
    )
    return replace(verdict, could_be=tuple(words), reason=reason)


def _with_friends(sight: Sight) -> Sight:
    """The sight with those in the way that are disregarded."""
    back = {piece.index for piece in sight.disregarded}
    return replace(sight, absent=tuple(number for number in sight.absent if number not in back), disregarded=())


def _disregarded(friends: Sequence[str], attacker: str, how: str) -> str:
    """Whom a reason disregards, why, and how.

    >>> _disregarded(["Jax"], "Kal", "disregarded")
    'Jax, a friend in base contact with Kal, is disregarded'
    >>> _disregarded(["Jax", "Mo", "Ty"], "Kal", "disregarded for cover")
    'Jax, Mo and Ty, friends in base contact with Kal, are disregarded for cover'
    """
    if len(friends) == 1:
        return f"{friends[0]}, a friend in base contact with {attacker}, is {how}"
    return f"{', '.join(friends[:-1])} and {friends[-1]}, friends in base contact with {attacker}, are {how}"


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


def _question(scene: NecromundaScene, check: Check) -> list[_Look]:
    """The looks that a check takes: one, or one for each of a crew who have an eye each for their vision arcs."""
    attacker, target = scene.model(check.attacker), scene.model(check.target)
    arcs: Sequence[ArcName | None] = [check.arc]
    if check.arc is None and attacker.eyes and len(attacker.arcs) > 1:
        arcs = attacker.arcs
    return [_look(scene, attacker.with_eye_for(arc), target, arc) for arc in arcs]


def _look(scene: NecromundaScene, attacker: Piece, target: Piece, arc: ArcName | None) -> _Look:
    """The look from an attacker, with its eye for the arc, at a target, under the scene's readings."""
    readings = scene.readings
    between = partial(sight_between, scene, attacker, target, arc, ignored_parts_block=readings.ignored_parts_block)
    cover = between(friends_block=False)
    apart = cover.disregarded and readings.friends_in_contact == "block sight"
    return _Look(arc, (cover, between(friends_block=True)) if apart else (cover,))


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
        counts=counts,
        seen=sight.counts.seen,
        blockers=_blockers(cover),
        could_be=could_be,
        renderer=settings.renderer.name,
        pixel=cover.pixel,
        decided_by=cover.decided_by,
        projection=cover.projection,
        warnings=tuple(dict.fromkeys([*_doubts(scene, cover), *_warnings(cover, settings.pixel)])),
        arc=arc,
        is_facing_known=attacker.facing is not None,
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
            f"{in_a_sentence(blocker.name)} ({fraction_in_words(blocker.occluded)})"
            for blocker in self.blockers[:3]
            if blocker.occluded
        ]
        more = sum(blocker.occluded != 0.0 for blocker in self.blockers) - len(named)
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
    blockers = [
        Blocker(piece.name, nearest / counts.total, alone / counts.total)
        for piece, nearest, alone in zip(observation.blockers, counts.nearest, counts.alone, strict=True)
        if alone
    ]
    return tuple(sorted(blockers, key=lambda blocker: (-blocker.occluded, -blocker.alone, blocker.name)))


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
    for piece in (attacker, target, *cover.blockers):
        warnings += piece.all_warnings
    return tuple(dict.fromkeys(warnings))
