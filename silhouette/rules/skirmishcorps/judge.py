"""JUDGE: SkirmishCorps, cover: what protects a unit from an attacker, and what cover costs, stops and suffers.

    check -> its question -> a measured silhouette, geometry in plan, or a table -> SkirmishCorpsVerdict

Classes, penalties, damage, vaulting and piling through are looked up in tables: such checks need no unit of the scene.

The numbers R1 to R36 and A1 to A15 are those of the specification, ../shared/rules/skirmishcorps.md; its source is the
page "Cover" of the SkirmishCorps rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from silhouette.rules.base import RuleReference, Settings
from silhouette.rules.readings import OtherReading
from silhouette.rules.skirmishcorps.classes import (
    FROM_PRONE,
    PENALTY,
    cover_class,
    cover_words,
    from_prone_rule,
    hit_rule,
    in_bricks,
    section_of,
)
from silhouette.rules.skirmishcorps.close import close_combat, flanked
from silhouette.rules.skirmishcorps.costs import (
    HIGH_VAULT,
    Basis,
    cover_wounds,
    is_destroyed,
    penetrating_damage,
    pile_through,
    roll_dice,
    vault_cost,
)
from silhouette.rules.skirmishcorps.entries import (
    AskEntry,
    AttackCoverEntry,
    ClassifyEntry,
    CloseCombatEntry,
    CoverWoundsEntry,
    DestroyedEntry,
    FlankedEntry,
    FromProneEntry,
    PairEntry,
    PenaltyEntry,
    PileThroughEntry,
    Readings,
    VaultEntry,
)
from silhouette.rules.skirmishcorps.results import LEVELS, NAME, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import SkirmishCheck, SkirmishScene, Unit
from silhouette.rules.skirmishcorps.shooting import protections
from silhouette.rules.table import in_like_groups
from silhouette.scenes.scene import Check

# ---- checks without a unit of the scene

Ruled = tuple[str, RuleReference, str, dict[str, Any]]
"""The verdict, the rule, the reason and the answers of a check."""


def look_up(question: AskEntry, readings: Readings, rules: str) -> SkirmishCorpsVerdict:
    """The ruling on a check that concerns no unit of the scene."""
    rule_on = cast(Callable[[AskEntry, Readings], Ruled], _RULINGS[type(question)])
    verdict, rule, reason, answers = rule_on(question, readings)
    level, others = LEVELS.get(verdict), answers.pop("other_readings", ())
    return SkirmishCorpsVerdict(
        "", "", rules, verdict, level, rule, reason, question.ask, answers, other_readings=tuple(others)
    )


def _classify(question: ClassifyEntry, readings: Readings) -> Ruled:
    kind = cover_class(question.height, question.unit_height)
    words = cover_words(kind)
    share = f"{100 * question.height / question.unit_height:.0f} %"
    unit = in_bricks(question.unit_height)
    reason = f"a height of {in_bricks(question.height)} is {share} of a unit of {unit}: {words}"
    return words, RuleReference(section_of(kind), "R4"), reason, {"cover": kind}


def _penalty(question: PenaltyEntry, readings: Readings) -> Ruled:
    kind, posture = question.cover_class, question.posture
    penalty = PENALTY[posture][kind]
    reason = f"to hit a {posture} unit protected by {cover_words(kind)}: {_signed(penalty)}"
    return _signed(penalty), hit_rule(kind, posture), reason, {"penalty": penalty}


def _from_prone(question: FromProneEntry, readings: Readings) -> Ruled:
    kind = question.cover_class
    penalty = FROM_PRONE[kind]
    rule = from_prone_rule(kind)
    if penalty is None:
        reason = "a prone unit in high cover cannot draw a line of sight over it"
        return "no line of sight", rule, reason, {"penalty": None}
    reason = f"to hit while prone in {cover_words(kind)}: {_signed(penalty)}"
    return _signed(penalty), rule, reason, {"penalty": penalty}


def _signed(penalty: int) -> str:
    return str(penalty) if penalty else "no penalty"


def _attack_cover(question: AttackCoverEntry, readings: Readings) -> Ruled:
    damage, defence, unit = question.damage, question.defence, question.unit_defence
    through = penetrating_damage(damage, defence)
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


def _cover_wounds(question: CoverWoundsEntry, readings: Readings) -> Ruled:
    damage, defence = question.damage, question.defence
    basis: Basis = question.basis or readings.basis
    other_basis: Basis = "total" if basis == "penetrating" else "penetrating"
    wounds, otherwise = (cover_wounds(damage, defence, damage_basis) for damage_basis in (basis, other_basis))
    if basis == "penetrating":
        reason = (
            f"{penetrating_damage(damage, defence)} of {damage} damage penetrates a DE of {defence}: {_counted(wounds)}"
        )
    else:
        reason = f"{damage} damage, all of it, against a DE of {defence}: {_counted(wounds)}"
    others = list[OtherReading]()
    if otherwise != wounds:
        others.append({"reading": f"basis = {other_basis}", "verdict": _counted(otherwise), "wounds": otherwise})
        reason += f"; with basis = {other_basis}: {_counted(otherwise)}"
    answers = {"wounds": wounds, "other_readings": others}
    return _counted(wounds), RuleReference("Destroying Cover", "R22"), reason, answers


def _counted(wounds: int) -> str:
    return {0: "no wounds", 1: "1 wound"}.get(wounds, f"{wounds} wounds")


def _destroyed(question: DestroyedEntry, readings: Readings) -> Ruled:
    dice = question.dice
    if dice is None:
        dice = roll_dice(question.wounds or 0, question.seed or 0)
    gone = is_destroyed(dice)
    dice_words = ", ".join(map(str, dice[:12])) + (" ..." if len(dice) > 12 else "")
    if gone:
        reason = f"a 6 among {dice_words}: the section is destroyed"
    else:
        reason = f"no 6 among {dice_words}: the section stands" if dice else "no wounds, no dice: the section stands"
    answers = {"destroyed": gone, "dice": list(dice)}
    return "destroyed" if gone else "stands", RuleReference("Destroying Cover", "R23"), reason, answers


def _vault(question: VaultEntry, readings: Readings) -> Ruled:
    unit_type, kind, left = question.unit_type, question.cover_class, question.move_left
    cost = vault_cost(unit_type, kind, left)
    words = cover_words(kind)
    who = f"a {unit_type}" if unit_type != "foot" else "a foot-unit"
    if cost is not None:
        price = f"for {cost} inches of its move" if cost else "at no cost in distance"
        reason = f"{who} vaults {words} {price}"
    elif unit_type == "vehicle":
        reason = f"only foot-units and mechs vault: a vehicle does not vault {words}"
    elif kind == "corner":
        reason = "nobody vaults a wall taller than itself"
    else:
        reason = f"{who} needs {HIGH_VAULT} inches to vault {words} and has {left:g} left"
    number = "R25" if kind == "high" else "R24"
    answers = {"possible": cost is not None, "cost": cost}
    return "no vault" if cost is None else "vaults", RuleReference("Vaulting Cover", number), reason, answers


def _pile_through(question: PileThroughEntry, readings: Readings) -> Ruled:
    die = roll_dice(1, question.seed or 0)[0] if question.d6 is None else question.d6
    unit_type, strength, defence = question.unit_type, question.strength, question.defence
    outcome = pile_through(unit_type, die, strength, defence, question.pace)
    answers = {
        "through": outcome.through,
        "cover_destroyed": outcome.through,
        "consequence": outcome.consequence,
        "d6": die,
    }
    total = f"a {die} and ST {strength} make {die + strength}"
    if outcome.through:
        reason = f"{total}, more than the DE of {defence}: through at no cost, and the section is destroyed"
        return "through", RuleReference("Piling Through Cover", "R26"), reason, answers
    reason = f"{total}, no more than the DE of {defence}: {outcome.consequence}"
    if outcome.consequence == "halted":
        return "halted", RuleReference("Piling Through Cover", "R27"), reason, answers
    who, number = {"foot": ("Foot-units", "R28"), "mech": ("Mechs", "R29"), "vehicle": ("Vehicles", "R30")}[unit_type]
    return "halted", RuleReference(f"{who} Failing To Pile Through Cover", number), reason, answers


# ---- all checks

_RULINGS: dict[type[AskEntry], Callable[..., Ruled]] = {
    ClassifyEntry: _classify,
    PenaltyEntry: _penalty,
    FromProneEntry: _from_prone,
    AttackCoverEntry: _attack_cover,
    CoverWoundsEntry: _cover_wounds,
    DestroyedEntry: _destroyed,
    VaultEntry: _vault,
    PileThroughEntry: _pile_through,
}


def judge(requests: Sequence[tuple[SkirmishScene, Check]], settings: Settings) -> list[SkirmishCorpsVerdict]:
    """The ruling on the question of each check; a plain check is about protection, and these are measured together.

    Args:
        requests: each a check and its scene; of scenes that differ in the error or in what share hides practically
            all, each is measured with those that do not.
        settings: of the measurement.

    Raises:
        RequestError: where a check names a unit that the scene does not have.
    """
    return in_like_groups(
        requests,
        lambda scene: (scene.error, scene.readings.share_practically_all),
        lambda group: _judge(group, settings),
    )


def _judge(requests: Sequence[tuple[SkirmishScene, Check]], settings: Settings) -> list[SkirmishCorpsVerdict]:
    rulings, shots = dict[int, SkirmishCorpsVerdict](), dict[int, tuple[SkirmishScene, Unit, Unit]]()
    for number, (scene, check) in enumerate(requests):
        found = _ruling_on(scene, check, settings)
        if isinstance(found, SkirmishCorpsVerdict):
            rulings[number] = found
        else:
            shots[number] = found
    rulings |= zip(shots, protections(list(shots.values()), settings), strict=True)
    return [rulings[number] for number in range(len(requests))]


def _ruling_on(
    scene: SkirmishScene, check: Check, settings: Settings
) -> SkirmishCorpsVerdict | tuple[SkirmishScene, Unit, Unit]:
    """The ruling on a check; or, where it is about protection, what is to be measured."""
    question = check.question if isinstance(check, SkirmishCheck) else None
    if question is not None and not isinstance(question, PairEntry):
        return look_up(question, scene.readings, NAME)
    attacker, target = scene.unit(check.attacker), scene.unit(check.target)
    if isinstance(question, CloseCombatEntry):
        return close_combat(scene, attacker, target)
    if isinstance(question, FlankedEntry):
        return flanked(scene, attacker, target, settings)
    return scene, attacker, target
