"""JUDGE: SkirmishCorps, cover: what protects a unit from an attacker, and what cover costs, stops and suffers.

The numbers R1 to R36 and A1 to A15 are those of the specification, ../shared/rules/skirmishcorps.md; its source is the
page "Cover" of the SkirmishCorps rules. A16, peeking round corners, and A17, what counts of a prone body, are further
readings of that page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from silhouette.common.geometry import Floats, Pose
from silhouette.common.text import in_a_sentence, share_in_words
from silhouette.files.schema import Location
from silhouette.measure.observation import OcclusionCounts
from silhouette.models.model import model_of_solids
from silhouette.rules.base import RuleReference, Settings
from silhouette.rules.fields import OtherReading, alternatives
from silhouette.rules.on_table import in_like_groups
from silhouette.rules.skirmishcorps import classes, contact, entries
from silhouette.rules.skirmishcorps.scene import (
    Cover,
    SkirmishCheck,
    SkirmishScene,
    Unit,
    prone_body,
    prone_size,
    raised_body,
)
from silhouette.rules.skirmishcorps.shooting import CoverSight, Lean, counts_as_raised, leans, look_at, protections
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece

# ---- dives

DIVE_PIXEL_FACTOR, MAX_DIVE_PIXEL_MM = 5.0, 1.0
"""A dive is measured first with pixels larger by this factor, up to so many mm: most are clearly safe, or not."""


Lying = tuple[float, contact.StandingSpace]  # the direction in degrees in which a body lies, and the room that it takes


@dataclass(frozen=True, eq=False)
class Dive:
    """A dive: where the unit would lie afterwards, and how much of it the attacker would see."""

    spot: Floats  # (2,) the middle of its body
    turn: float | None  # the direction of the dive in degrees; None where it drops in place
    counts: OcclusionCounts
    covers: tuple[Cover, ...]  # the pieces that hide it, the largest share first
    pixel: float  # mm per pixel at the body, in the measurement that counts

    @property
    def hidden(self) -> float:
        """The share of the body that is hidden; all of one that shows no pixel."""
        return self.counts.occluded / self.counts.total if self.counts.total else 1.0


@dataclass(frozen=True)
class Dives:
    """The first dive that is ``safe``, and the one tried that hides most; ``doubtful`` if it may be otherwise."""

    safe: Dive | None = None
    doubtful: bool = False
    best: Dive | None = None
    are_needed: bool = True

    @property
    def is_flanked(self) -> bool:
        """Whether the unit has to dive, and cannot."""
        return self.are_needed and self.safe is None


def dives(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> Dives:
    """The dives by which the target can get out of the attacker's sight.

    It drops in place, or dives a set distance in evenly spread directions, over very low and low cover, but not through
    anything higher (R35). It lies where its body has room; other units make room for it (R36). A dive is safe if its
    hidden share less the error reaches the reading ``dive_hidden``, or all of the body is hidden, without an error.
    """
    needed, tried = scene.readings.dive_hidden, list[Dive]()
    for dive in _measured_dives(scene, attacker, target, settings):
        tried.append(dive)
        is_sure = dive.hidden - max(dive.counts.error, scene.tolerance) >= needed
        if is_sure or (dive.hidden == 1.0 and not dive.counts.error):
            return Dives(dive, best=dive)
    best = max(tried, key=lambda dive: dive.hidden, default=None)
    possible = [dive for dive in tried if dive.hidden + max(dive.counts.error, scene.tolerance) >= needed]
    if not possible:
        return Dives(best=best)
    safest = max(possible, key=lambda dive: dive.hidden)
    return Dives(safest if safest.hidden >= needed else None, True, best)


def _measured_dives(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> Iterator[Dive]:
    """The dives that the target can make in which something may hide it, as the attacker sees them."""
    middle, towards, readings = target.middle, attacker.piece.eye[:2], scene.readings
    model = model_of_solids((prone_body(target.bricks),), Location(Path()), "fighter")
    eyes = _eyes(scene, attacker, target)
    for spot, turn in contact.landings(middle, towards, readings.dive_distance, readings.dive_directions):
        if _can_reach(scene, target, spot):
            for along, room in _lying(scene, target, spot, turn, towards):
                pose = Pose.standing((*spot, room.low), along - model.front)
                body = Piece("body", "fighter", model, pose, None, along, (), None, {}, 0)
                looks = [look_at(scene, attacker, body, room, lean) for lean in eyes]
                if all(look.covers for look in looks):  # else all of it is seen
                    seen = (_measured_dive(scene, look, spot, turn, settings) for look in looks)
                    yield min(seen, key=lambda dive: dive.hidden)


def _eyes(scene: SkirmishScene, attacker: Unit, target: Unit) -> list[Lean | None]:
    """From where an attacker can look at a target: its place, and where it leans out past a corner (A16)."""
    return [None, *(leans(scene, attacker, target.standing) if scene.readings.peeking else ())]


def _can_reach(scene: SkirmishScene, target: Unit, spot: Floats) -> bool:
    """Whether no cover that the target cannot dive over stands between it and the spot (R35)."""
    return not any(
        cover.class_for(target) in ("high", "corner")
        and cover.standing.low < target.standing.high
        and contact.crosses(target.middle, spot, cover.standing, target.standing.low)
        for cover in scene.covers
    )


def _lying(scene: SkirmishScene, target: Unit, spot: Floats, turn: float | None, towards: Floats) -> Iterator[Lying]:
    """The directions in which the target's body can lie at a spot without reaching into a piece, and its room there."""
    length, width, thickness = prone_size(target.bricks)
    x, y, low = float(spot[0]), float(spot[1]), target.standing.low
    standings = [cover.standing for cover in scene.covers]
    solid = [standing for standing in standings if standing.high > low and standing.low < low + thickness]
    for along in contact.lying_directions(spot, turn, towards, [piece.footprint for piece in solid], length):
        footprint = contact.Footprint.of_corners(contact.rectangle(x, y, length, width, along))
        room = contact.StandingSpace(footprint, low, low + thickness)
        if not any(contact.overlaps(room, piece, scene.readings.contact_tolerance) for piece in solid):
            yield along, room


def _measured_dive(
    scene: SkirmishScene, look: CoverSight, spot: Floats, turn: float | None, settings: Settings
) -> Dive:
    """A dive to a spot as the attacker sees it."""
    threshold, fine = scene.readings.dive_hidden, replace(settings, keep=False)
    coarse = replace(fine, pixel=max(fine.pixel, min(DIVE_PIXEL_FACTOR * fine.pixel, MAX_DIVE_PIXEL_MM)))
    observed = look.observe(coarse, threshold)
    counts = observed.counts
    if abs(counts.occluded / max(counts.total, 1) - threshold) <= counts.error:
        observed = look.observe(fine, threshold)
    order = sorted(zip(observed.counts.nearest, observed.blockers, strict=True), key=lambda pair: -pair[0])
    bodies = look.sight.occluders.pieces
    hiding = tuple(look.covers[bodies.index(blocker)] for nearest, blocker in order if nearest)
    return Dive(spot, turn, observed.counts, hiding, observed.pixel)


# ---- verdicts

TO_HIT, DODGE = -1, 1  # modifiers of close combat over cover: of all rolls to hit, to dodge and to parry (R32)
FLANKED = -2  # the modifier of being flanked to a dive to prone (R34)


def close_combat(scene: SkirmishScene, attacker: Unit, target: Unit) -> entries.SkirmishCorpsVerdict:
    """The verdict on whether two units can fight across cover (R31, R32)."""
    touched = scene.touched_by(target.standing)
    both = [cover for cover in scene.touched_by(attacker.standing) if cover in touched]
    tolerance = scene.readings.contact_tolerance
    across = [cover for cover in both if contact.opposite(attacker.standing, target.standing, cover.corners, tolerance)]
    # Over a wall taller than both units they cannot fight, but by a reading (A13).
    low = [cover for cover in across if not cover.class_for(attacker) == cover.class_for(target) == "corner"]
    any_height = scene.readings.close_combat_over == "any height"
    over = across if any_height else low
    possible = bool(over)
    rule = RuleReference("Close Combat Over Cover", "R32" if possible else "R31")
    reason, others = _reason(attacker, target, both, across, over), list[OtherReading]()
    if bool(across) != bool(low):
        other: OtherReading = {
            "reading": f"close_combat_over = {'not taller than both' if any_height else 'any height'}",
            "verdict": _combat(not possible),
        }
        others.append(other)
        reason += f"; with {other['reading']}: {other['verdict']}"
    answers = {"possible": possible, "to_hit": TO_HIT if possible else None, "dodge_parry": DODGE if possible else None}
    ruled = _combat(possible), rule, reason, answers
    return entries.SkirmishCorpsVerdict.of(
        "close combat", ruled, attacker.name, target.name, other_readings=tuple(others)
    )


def _combat(possible: bool) -> str:
    return "close combat" if possible else "no close combat"


def _reason(attacker: Unit, target: Unit, both: list[Cover], across: list[Cover], over: list[Cover]) -> str:
    """The reason, by the cover that both touch, at which of it they are opposite, and over which of that they reach."""
    pair = f"{attacker.name} and {target.name}"
    if over:
        at = in_a_sentence(over[0].name)
        return f"{pair} stand opposite each other at {at}: {TO_HIT} to hit, +{DODGE} to dodge or parry"
    if across:
        at = in_a_sentence(across[0].name)
        return f"{pair} stand opposite each other at {at}, which is taller than both: no close combat"
    if both:
        at = in_a_sentence(both[0].name)
        return f"{pair} are both in contact with {at}, but not opposite each other: no close combat"
    return f"no cover is in contact with both {pair}: no close combat over cover"


def flanked(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> entries.SkirmishCorpsVerdict:
    """The verdict on whether the target is flanked: in cover, seen, and without a dive out of sight (R33 to R36); and
    each other reading that gives another one.
    """
    verdict = _flanked(scene, attacker, target, settings)
    others = list[OtherReading]()
    for other in alternatives(scene.readings) if settings.remarks else ():
        if other.key == "peeking":
            matters = bool(leans(scene, attacker, target.standing))
        else:
            matters = other.key == "prone_body" and target.posture == "prone"
        if matters:
            read = replace(scene, readings=other.taken(scene.readings))
            otherwise = _flanked(read, attacker, target, replace(settings, keep=False))
            if otherwise.verdict != verdict.verdict:
                others.append({"reading": str(other), "verdict": otherwise.verdict})
    words = "".join(f"; with {other['reading']}: {other['verdict']}" for other in others)
    return replace(verdict, reason=verdict.reason + words, other_readings=tuple(others))


def _flanked(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> entries.SkirmishCorpsVerdict:
    """The verdict under the readings of a scene."""
    in_cover = [cover for cover in scene.touched_by(target.standing) if cover.class_for(target) != "none"]
    tried = Dives(are_needed=False)
    if not in_cover:
        grounds = "R33", f"{target.name} is not in contact with any cover, and only a unit in cover can be flanked"
    elif not _sees(scene, attacker, target, settings):
        grounds = "R33", f"{attacker.name} does not see {target.name}, so cannot attack it"
    else:
        tried = dives(scene, attacker, target, settings)
        grounds = _flank_grounds(attacker, target, tried)
    number, reason = grounds
    dive = tried.safe or tried.best
    verdict = "flanked" if tried.is_flanked else "not flanked"
    answers = {
        "flanked": tried.is_flanked,
        "dive_penalty": FLANKED if tried.is_flanked else 0,
        "landing": None if tried.safe is None else [round(float(coordinate), 3) for coordinate in tried.safe.spot],
        "renderer": settings.renderer.name,
        "pixel": settings.pixel if dive is None else dive.pixel,
    }
    doubts = scene.doubts(attacker.name, [target.name])
    return entries.SkirmishCorpsVerdict.of(
        "flanked",
        (verdict, RuleReference("Flanking", number), reason, answers),
        attacker.name,
        target.name,
        could_be=("flanked", "not flanked") if tried.doubtful else (verdict,),
        warnings=(*doubts, *attacker.piece.all_warnings, *target.piece.all_warnings),
    )


def _sees(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> bool:
    """Whether an attacker sees anything of a target."""
    body = raised_body(target) if counts_as_raised(target, scene.readings) else target.piece
    looks = (look_at(scene, attacker, body, target.standing, lean) for lean in _eyes(scene, attacker, target))
    return any(look.observe(replace(settings, keep=False)).counts.seen for look in looks)


def _flank_grounds(attacker: Unit, target: Unit, tried: Dives) -> tuple[str, str]:
    if tried.safe is not None:
        x, y = tried.safe.spot
        number, dive = (
            ("R33", "drop to prone where it stands")
            if tried.safe.turn is None
            else ("R35", f"dive to ({x:.0f}, {y:.0f})")
        )
        return number, f"{target.name} can {dive}, where {_hidden(tried.safe)}: not flanked"
    most = f"; at best {_hidden(tried.best)}" if tried.best is not None and tried.best.hidden else ""
    reason = f"{target.name} can dive nowhere out of the sight of {attacker.name}{most}: flanked, {FLANKED} to dive"
    return "R34", reason


def _hidden(dive: Dive) -> str:
    share = share_in_words(dive.counts.occluded, dive.counts.total)
    names = " and ".join(in_a_sentence(cover.name) for cover in dive.covers[:2])
    return f"{share} of it lies hidden behind {names}"


# ---- checks without a unit of the scene


def _classify(question: entries.ClassifyEntry, readings: entries.Readings) -> entries.Ruled:
    kind = classes.cover_class(question.height, question.unit_height)
    words = classes.cover_words(kind)
    share = f"{100 * question.height / question.unit_height:.0f} %"
    unit = classes.in_bricks(question.unit_height)
    reason = f"a height of {classes.in_bricks(question.height)} is {share} of a unit of {unit}: {words}"
    return words, RuleReference(classes.section_of(kind), "R4"), reason, {"cover": kind}


def _penalty(question: entries.PenaltyEntry, readings: entries.Readings) -> entries.Ruled:
    kind, posture = question.cover_class, question.posture
    penalty = classes.PENALTIES[posture][kind]
    reason = f"to hit a {posture} unit protected by {classes.cover_words(kind)}: {_signed(penalty)}"
    return _signed(penalty), classes.hit_rule(kind, posture), reason, {"penalty": penalty}


def _from_prone(question: entries.FromProneEntry, readings: entries.Readings) -> entries.Ruled:
    kind = question.cover_class
    penalty, rule = classes.FROM_PRONE[kind], classes.from_prone_rule(kind)
    if penalty is None:
        reason = "a prone unit in high cover cannot draw a line of sight over it"
        return "no line of sight", rule, reason, {"penalty": None}
    reason = f"to hit while prone in {classes.cover_words(kind)}: {_signed(penalty)}"
    return _signed(penalty), rule, reason, {"penalty": penalty}


def _signed(penalty: int) -> str:
    return str(penalty) if penalty else "no penalty"


def _attack_cover(question: entries.AttackCoverEntry, readings: entries.Readings) -> entries.Ruled:
    damage, defence, unit = question.damage, question.defence, question.unit_defence
    through = classes.penetrating_damage(damage, defence)
    wounded = None if unit is None else through > unit
    answers = {"effective": bool(through), "passed_on": through, "unit_wounded": wounded}
    if not through:
        reason = f"{damage} damage does not exceed the cover's DE of {defence}: ineffective"
        return "ineffective", RuleReference("Attacking Cover", "R20"), reason, answers
    reason = f"{damage} damage exceeds the cover's DE of {defence}: {through} is passed on to the unit behind"
    if unit is not None:
        reason += f", which is {'more' if wounded else 'no more'} than its DE of {unit}"
        reason += ": it is wounded" if wounded else ": it is not wounded"
    return "penetrated", RuleReference("Attacking Cover", "R21"), reason, answers


def _cover_wounds(question: entries.CoverWoundsEntry, readings: entries.Readings) -> entries.Ruled:
    damage, defence = question.damage, question.defence
    basis: classes.Basis = question.basis or readings.basis
    other_basis: classes.Basis = "total" if basis == "penetrating" else "penetrating"
    wounds, otherwise = (classes.cover_wounds(damage, defence, damage_basis) for damage_basis in (basis, other_basis))
    reason = f"{damage} damage, all of it, against a DE of {defence}: {_counted(wounds)}"
    if basis == "penetrating":
        through = classes.penetrating_damage(damage, defence)
        reason = f"{through} of {damage} damage penetrates a DE of {defence}: {_counted(wounds)}"
    others = list[OtherReading]()
    if otherwise != wounds:
        others.append({"reading": f"basis = {other_basis}", "verdict": _counted(otherwise), "wounds": otherwise})
        reason += f"; with basis = {other_basis}: {_counted(otherwise)}"
    answers = {"wounds": wounds, "other_readings": others}
    return _counted(wounds), RuleReference("Destroying Cover", "R22"), reason, answers


def _counted(wounds: int) -> str:
    return {0: "no wounds", 1: "1 wound"}.get(wounds, f"{wounds} wounds")


def _destroyed(question: entries.DestroyedEntry, readings: entries.Readings) -> entries.Ruled:
    dice = classes.roll_dice(question.wounds or 0, question.seed or 0) if question.dice is None else question.dice
    gone = classes.is_destroyed(dice)
    dice_words = ", ".join(map(str, dice[:12])) + (" ..." if len(dice) > 12 else "")
    if gone:
        reason = f"a 6 among {dice_words}: the section is destroyed"
    else:
        reason = f"no 6 among {dice_words}: the section stands" if dice else "no wounds, no dice: the section stands"
    answers = {"destroyed": gone, "dice": list(dice)}
    return "destroyed" if gone else "stands", RuleReference("Destroying Cover", "R23"), reason, answers


def _vault(question: entries.VaultEntry, readings: entries.Readings) -> entries.Ruled:
    unit_type, kind, left = question.unit_type, question.cover_class, question.move_left
    cost = classes.vault_cost(unit_type, kind, left)
    words = classes.cover_words(kind)
    who = f"a {unit_type}" if unit_type != "foot" else "a foot-unit"
    if cost is not None:
        price = f"for {cost} inches of its move" if cost else "at no cost in distance"
        reason = f"{who} vaults {words} {price}"
    elif unit_type == "vehicle":
        reason = f"only foot-units and mechs vault: a vehicle does not vault {words}"
    elif kind == "corner":
        reason = "nobody vaults a wall taller than itself"
    else:
        reason = f"{who} needs {classes.HIGH_VAULT} inches to vault {words} and has {left:g} left"
    number = "R25" if kind == "high" else "R24"
    answers = {"possible": cost is not None, "cost": cost}
    return "no vault" if cost is None else "vaults", RuleReference("Vaulting Cover", number), reason, answers


def _pile_through(question: entries.PileThroughEntry, readings: entries.Readings) -> entries.Ruled:
    die = classes.roll_dice(1, question.seed or 0)[0] if question.d6 is None else question.d6
    unit_type, strength, defence = question.unit_type, question.strength, question.defence
    outcome = classes.pile_through(unit_type, die, strength, defence, question.pace)
    through = outcome.through
    answers = {"through": through, "cover_destroyed": through, "consequence": outcome.consequence, "d6": die}
    total = f"a {die} and ST {strength} make {die + strength}"
    if through:
        reason = f"{total}, more than the DE of {defence}: through at no cost, and the section is destroyed"
        return "through", RuleReference("Piling Through Cover", "R26"), reason, answers
    reason = f"{total}, no more than the DE of {defence}: {outcome.consequence}"
    if outcome.consequence == "halted":
        return "halted", RuleReference("Piling Through Cover", "R27"), reason, answers
    who, number = {"foot": ("Foot-units", "R28"), "mech": ("Mechs", "R29"), "vehicle": ("Vehicles", "R30")}[unit_type]
    return "halted", RuleReference(f"{who} Failing To Pile Through Cover", number), reason, answers


# ---- all checks

_RULINGS: dict[type[entries.AskEntry], Callable[..., entries.Ruled]] = {
    entries.ClassifyEntry: _classify,
    entries.PenaltyEntry: _penalty,
    entries.FromProneEntry: _from_prone,
    entries.AttackCoverEntry: _attack_cover,
    entries.CoverWoundsEntry: _cover_wounds,
    entries.DestroyedEntry: _destroyed,
    entries.VaultEntry: _vault,
    entries.PileThroughEntry: _pile_through,
}


def judge(requests: Sequence[tuple[SkirmishScene, Check]], settings: Settings) -> list[entries.SkirmishCorpsVerdict]:
    """The ruling on the question of each check; those about protection are measured together, as far as their scenes
    agree in the error and in what share hides practically all. RequestError for an unknown unit.
    """
    return in_like_groups(
        requests,
        lambda scene: (scene.error, scene.readings.share_practically_all),
        lambda group: _judge(group, settings),
    )


def _judge(requests: Sequence[tuple[SkirmishScene, Check]], settings: Settings) -> list[entries.SkirmishCorpsVerdict]:
    rulings, shots = dict[int, entries.SkirmishCorpsVerdict](), dict[int, tuple[SkirmishScene, Unit, Unit]]()
    for number, (scene, check) in enumerate(requests):
        ruling = _ruling_on(scene, check, settings)
        if isinstance(ruling, entries.SkirmishCorpsVerdict):
            rulings[number] = ruling
        else:
            shots[number] = ruling
    rulings |= zip(shots, protections(list(shots.values()), settings), strict=True)
    return [rulings[number] for number in range(len(requests))]


def _ruling_on(
    scene: SkirmishScene, check: Check, settings: Settings
) -> entries.SkirmishCorpsVerdict | tuple[SkirmishScene, Unit, Unit]:
    """The ruling on a check; or, where it is about protection, what is to be measured."""
    question = check.question if isinstance(check, SkirmishCheck) else None
    if question is not None and not isinstance(question, entries.PairEntry):
        ruled = _RULINGS[type(question)](question, scene.readings)
        others = tuple(ruled[3].pop("other_readings", ()))
        return entries.SkirmishCorpsVerdict.of(question.ask, ruled, other_readings=others)
    attacker, target = scene.unit(check.attacker), scene.unit(check.target)
    if isinstance(question, entries.CloseCombatEntry):
        return close_combat(scene, attacker, target)
    if isinstance(question, entries.FlankedEntry):
        return flanked(scene, attacker, target, settings)
    return scene, attacker, target
