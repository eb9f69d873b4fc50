"""JUDGE: Necromunda, line of sight and cover, by what is seen from the attacker's eye.

The numbers R1 to R21 and A1 to A12 are those of the specification, ../shared/rules/necromunda.md; its source is the
section "Line Of Sight & Cover" of the Necromunda Core Rulebook (2023).

    pieces -> what may block, the arcs -> pictures -> Silhouette -> the first rule of the ladder that holds
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location
from silhouette.measure.observe import Looked, arcs_of, look
from silhouette.measure.silhouette import OcclusionCounts
from silhouette.meshes.holes import encloses
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Band, Level, Pieces, Rule, RuleReference, Scale, Settings, Verdict, expectable
from silhouette.rules.table import table_basis, table_meshes, table_pieces
from silhouette.scenes.entries import TableEntry
from silhouette.scenes.motion import Mobility
from silhouette.scenes.scene import Check, between, everyone
from silhouette.scenes.table import Piece, TableScene, in_base_contact, load_table_scene
from silhouette.text import did_you_mean, in_a_sentence, share_in_words

VERDICTS = ("open", "partial cover", "full cover", "hidden")

KIND = "fighters or vehicles"

RESULTS = (
    *("attacker", "target", "rules", "verdict", "line_of_sight", "in_arc", "occluded", "occluded_in_arc", "error"),
    *("target_pixels", "occluded_pixels", "seen_pixels", "blockers", "marginal", "could_be", "rule", "rule_number"),
    *("reason", "renderer", "pixel", "warnings", "arc"),
)
"""The keys of a result, in order; those of `NecromundaVerdict.row`."""

LISTS = ("blockers", "could_be", "warnings")
"""Those of which the value is a list."""


class Readings(Entry):
    """``[readings]``: which of the possible readings of the rules is taken; defaults first."""

    share: Literal["whole target", "in arc"] = Field("whole target", description='"whole target" or "in arc"')
    """Of what the share is: of the whole target, or of its part in the vision arc (A1)."""
    friends_in_contact: Literal["disregarded", "block sight"] = Field(
        "disregarded", description='"disregarded" or "block sight"'
    )
    """Whether friendly fighters in base contact block line of sight; they never give cover (A7)."""
    ignored_parts_block: bool = Field(False, description="true or false")
    """Whether bases and insignificant parts of models in the way block (A6)."""


@dataclass(frozen=True)
class Blocker:
    """A piece in the way.

    Attributes:
        name: the piece's.
        occluded: the share of the target for which it is the nearest thing in the way.
        alone: the share that it would obscure with nothing else on the table.
    """

    name: str
    occluded: float
    alone: float


@dataclass(frozen=True)
class NecromundaVerdict(Verdict):
    """A Necromunda ruling with its evidence.

    Attributes:
        line_of_sight: some part of the target is in the vision arc and not obscured.
        silhouette: what was measured for cover.
        seen: pixels in the arc and not obscured, as line of sight counts them.
        blockers: what is in the way, the largest share first.
        could_be: every verdict within the error or the tolerance.
        renderer: the name of what measured it.
        pixel: mm per pixel at the target, as it was measured.
        warnings: what to know before trusting it.
        arc: the vision arc looked from, or None for any.
    """

    line_of_sight: bool
    silhouette: OcclusionCounts
    seen: int
    blockers: tuple[Blocker, ...]
    could_be: tuple[str, ...]
    renderer: str
    pixel: float
    warnings: tuple[str, ...]
    arc: ArcName | None = None

    @property
    def occluded(self) -> float:
        """The share of the target's significant silhouette that is obscured, from 0 to 1."""
        return self.silhouette.occluded / self.silhouette.total if self.silhouette.total else 0.0

    @property
    def occluded_in_arc(self) -> float | None:
        """The same over the part of it in the vision arc; None where none of it is."""
        return self.silhouette.occluded_in_arc / self.silhouette.in_arc if self.silhouette.in_arc else None

    @property
    def marginal(self) -> bool:
        """Whether another verdict is too near to tell: the players should roll off (R20)."""
        return len(self.could_be) > 1

    def row(self) -> dict[str, Any]:
        """The result as the contract names its keys, ready for JSON."""
        measured = self.silhouette
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "in_arc": measured.in_arc > 0,
            "occluded": self.occluded,
            "occluded_in_arc": self.occluded_in_arc,
            "error": measured.error,
            "target_pixels": measured.total,
            "occluded_pixels": measured.occluded,
            "seen_pixels": self.seen,
            "blockers": [vars(blocker) for blocker in self.blockers],
            "marginal": self.marginal,
            "could_be": list(self.could_be),
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
            "renderer": self.renderer,
            "pixel": self.pixel,
            "warnings": list(self.warnings),
            "arc": self.arc,
        }


class Necromunda(Rule[TableScene, NecromundaVerdict]):
    """Necromunda's rules for line of sight and cover; see `silhouette.rules.base.Rule`."""

    name = "necromunda"
    title = "Necromunda"
    reads = ("terrain", "fighter", "vehicle", "check")
    example = "scenes/necromunda/example_2_partial_cover.toml"
    scene_entry = TableEntry
    readings_entry = Readings
    levels: ClassVar[Mapping[str, Level]] = {
        "open": Level.CLEAR,
        "partial cover": Level.PARTIAL,
        "full cover": Level.FULL,
        "hidden": Level.BLOCKED,
    }
    mobility = Mobility(walkers=("fighter", "vehicle"), turns=True)

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> TableScene:
        """The table scene that a document describes.

        Raises:
            FileError: where it does not describe one, or expects a result that there is not.
        """
        scene = load_table_scene(path, document, Readings, cache)
        for number, check in enumerate(scene.checks, 1):
            _expectable(Location(path, f"check {number}"), check.expect or {})
        return scene

    def everyone(self, scene: TableScene) -> tuple[Check, ...]:
        """Every fighter and vehicle against every other."""
        return everyone(scene.path, _models(scene), KIND)

    def between(self, scene: TableScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """One against one, or, without a target, against every other fighter and vehicle."""
        for name in (attacker, target):
            if name is not None:
                _model(scene, name)
        return between(scene.path, _models(scene), KIND, attacker, target, arc)

    def judge(self, scene: TableScene, checks: Sequence[Check], settings: Settings) -> list[NecromundaVerdict]:
        """The rulings on checks of the scene, in their order; see `silhouette.rules.base.Rule`."""
        return [self._judge(scene, check, settings.renderer, settings.pixel) for check in checks]

    def _judge(self, scene: TableScene, check: Check, renderer: Renderer, pixel: float) -> NecromundaVerdict:
        """Looks from the attacker's eye and rules on line of sight and cover.

        Where a vehicle's crew have an eye each for their vision arcs, the one who sees best decides; the verdict says
        which arc that is.

        Raises:
            RequestError: where the check names a piece that is not there, or that cannot look or be looked at.
        """
        attacker, target = _model(scene, check.attacker), _model(scene, check.target)
        if check.arc is None and attacker.eyes and len(attacker.arcs) > 1:
            crew = [self._judge(scene, replace(check, arc=arc), renderer, pixel) for arc in attacker.arcs]
            return _best_of(crew, attacker)
        attacker = attacker.looking(check.arc)
        readings = _readings(scene)
        arcs = arcs_of(attacker, check.arc)
        friends = [piece for piece in scene.pieces if is_friend_in_contact(scene, attacker, piece)]
        how = {"ignored_parts_block": readings.ignored_parts_block}
        cover = look(scene, attacker, target, friends, arcs, renderer, pixel, **how)
        sight = cover
        if friends and readings.friends_in_contact == "block sight":
            sight = look(scene, attacker, target, (), arcs, renderer, pixel, **how)
        return _ruling(scene, attacker, target, check.arc, cover, sight, readings, renderer, pixel)

    def meshes(self, scene: TableScene) -> dict[str, Mesh]:
        """The significant parts of every piece."""
        return table_meshes(scene)

    def basis(self, scene: TableScene) -> list[tuple[str, str]]:
        """How near to a threshold a verdict is too close to call."""
        return table_basis(scene)

    def pieces(self, scene: TableScene) -> Pieces:
        """Every piece: where it stands, where it looks from, and what its mesh is."""
        return table_pieces(scene)

    def scale(self, scene: TableScene) -> Scale:
        """Partial cover below half, full cover from half (R14, R15)."""
        bands = ((0.0, 0.5, "partial cover"), (0.5, 1.0, "full cover"))
        return Scale((0.0, 0.5, 1.0), tuple(Band(*band, self.levels[band[2]]) for band in bands))

    def share(self, scene: TableScene, verdict: NecromundaVerdict) -> tuple[float | None, float]:
        """Of the whole target or of the part in the arc, as the reading says."""
        if _readings(scene).share == "in arc":
            return verdict.occluded_in_arc, verdict.silhouette.error_in_arc
        return verdict.occluded, verdict.silhouette.error


NECROMUNDA = Necromunda()


def _readings(scene: TableScene) -> Readings:
    """The readings chosen, as `Necromunda.load` validated them."""
    assert isinstance(scene.readings, Readings)
    return scene.readings


def _expectable(location: Location, expect: Mapping[str, Any]) -> None:
    """Refuses an expectation of a result, or of a verdict, that no check can give."""
    expectable(location, expect, RESULTS, LISTS)
    for key in ("verdict", "could_be"):
        wanted = expect.get(key, [])
        for word in wanted if isinstance(wanted, list) else [wanted]:
            if word not in VERDICTS:
                raise location.error(f"expect: no {key} is '{word}'; {did_you_mean(str(word), VERDICTS)}")


def _models(scene: TableScene) -> list[str]:
    return [piece.name for piece in scene.pieces if piece.kind != "terrain"]


def _model(scene: TableScene, name: str) -> Piece:
    piece = scene.piece(name)
    if piece.kind == "terrain":
        raise RequestError(f"{scene.path}: '{name}' is terrain; name a fighter or vehicle")
    return piece


def is_friend_in_contact(scene: TableScene, attacker: Piece, piece: Piece) -> bool:
    """Friendly fighters in base contact are disregarded (R17, A7); vehicles in base contact still block (R18)."""
    friendly = piece.kind == "fighter" and piece.gang is not None and piece.gang == attacker.gang
    return friendly and piece.name != attacker.name and in_base_contact(scene, attacker, piece)


def _best_of(crew: Sequence[NecromundaVerdict], attacker: Piece) -> NecromundaVerdict:
    """What the one of the crew says who sees best; one whose arc the target lies in, if nobody sees it."""
    best = min(crew, key=lambda one: (VERDICTS.index(one.verdict), one.silhouette.in_arc == 0, one.occluded))
    if best.silhouette.in_arc:
        return best
    return replace(best, arc=None, reason=_in_no_arc(best.target, attacker.name, attacker.arcs))


def _in_no_arc(target: str, attacker: str, arcs: Sequence[str]) -> str:
    return f"no part of {target} lies in {attacker}'s {' or '.join(arcs)} vision arc: hidden"


def _ruling(
    scene: TableScene,
    attacker: Piece,
    target: Piece,
    asked: ArcName | None,
    cover: Looked,
    sight: Looked,
    readings: Readings,
    renderer: Renderer,
    pixel: float,
) -> NecromundaVerdict:
    """The verdict of the ladder, with everything that explains it."""
    in_arc = readings.share == "in arc"
    measured = cover.silhouette
    part, whole = (measured.occluded_in_arc, measured.in_arc) if in_arc else (measured.occluded, measured.total)
    blockers = _blockers(cover)
    names = [arc.name for arc in arcs_of(attacker, asked)]
    words = _Words(attacker.name, target.name, asked, names, _blockers(sight), share_in_words(part, whole))
    verdict, rule, reason = _ladder(words, sight.silhouette, part, whole)
    could_be = _could_be(cover, sight, part, whole, in_arc, scene.tolerance)
    if len(could_be) > 1:
        others = " or ".join(word for word in could_be if word != verdict)
        reason += f"; too close to call, it could be {others}: roll off (R20)"
    return NecromundaVerdict(
        attacker=attacker.name,
        target=target.name,
        rules=NECROMUNDA.name,
        verdict=verdict,
        level=NECROMUNDA.levels[verdict],
        rule=rule,
        reason=reason,
        line_of_sight=verdict != "hidden",
        silhouette=measured,
        seen=sight.silhouette.seen,
        blockers=blockers,
        could_be=could_be,
        renderer=renderer.name,
        pixel=cover.pixel,
        warnings=_warnings(attacker, target, cover, pixel),
        arc=asked,
    )


@dataclass(frozen=True)
class _Words:
    """What the sentences are made of: names, the arc asked for and those there are, who blocks, the share."""

    attacker: str
    target: str
    asked: str | None
    arcs: list[str]
    blockers: tuple[Blocker, ...]
    share: str

    @property
    def by(self) -> str:
        """Who is in the way, with shares where there are several."""
        if not self.blockers:
            return ""
        if len(self.blockers) == 1:
            return f" by {in_a_sentence(self.blockers[0].name)}"
        told = [
            f"{in_a_sentence(one.name)} ({share_in_words(round(one.occluded * 1e6), 10**6)})"
            for one in self.blockers[:3]
            if one.occluded > 0.0
        ]
        rest = sum(one.occluded > 0.0 for one in self.blockers) - len(told)
        return " by " + (" and ".join(told) if not rest else ", ".join(told) + f" and {rest} more")


def _ladder(words: _Words, sight: OcclusionCounts, part: int, whole: int) -> tuple[str, RuleReference, str]:
    """Verdict, rule and reason: the first test that holds (R6 to R8, R13 to R15). Shares are compared as integers."""
    attacker, target = words.attacker, words.target
    if not words.arcs:
        reason = f"{attacker} has no {words.asked} vision arc: a blind spot, so {target} is hidden"
        return "hidden", RuleReference("Vehicle Vision Arcs", "R4"), reason
    if sight.total == 0:
        reason = f"from there {target} is edge-on, nothing of it can be seen: hidden"
        return "hidden", RuleReference("Line Of Sight", "R6"), reason
    if sight.in_arc == 0:
        return "hidden", RuleReference("Line Of Sight", "R6"), _in_no_arc(target, attacker, words.arcs)
    if sight.seen == 0:
        beyond = "" if sight.in_arc == sight.total else " that lies in the vision arc"
        reason = f"every part of {target}{beyond} is obscured{words.by}: hidden"
        return "hidden", RuleReference("Line Of Sight", "R8"), reason
    if part == 0:
        return "open", RuleReference("Cover", "R13"), f"nothing obscures {target}: in the open"
    obscured = f"{words.share} of {target} is obscured{words.by}"
    if 2 * part < whole:
        return "partial cover", RuleReference("Cover", "R14"), f"{obscured}; less than half: partial cover"
    return "full cover", RuleReference("Cover", "R15"), f"{obscured}; at least half: full cover"


def _blockers(looked: Looked) -> tuple[Blocker, ...]:
    """What is in the way of a look, the largest share first."""
    measured = looked.silhouette
    found = [
        Blocker(piece.name, nearest / measured.total, alone / measured.total)
        for piece, nearest, alone in zip(looked.blockers, measured.nearest, measured.alone, strict=True)
        if alone
    ]
    return tuple(sorted(found, key=lambda one: (-one.occluded, -one.alone, one.name)))


def _could_be(cover: Looked, sight: Looked, part: int, whole: int, in_arc: bool, tolerance: float) -> tuple[str, ...]:
    """Every verdict within the error or the tolerance of the share obscured or of the share seen.

    A share of exactly nothing is uncertain by its error only.
    """
    seen, total = sight.silhouette.seen, sight.silhouette.total
    error_seen = sight.silhouette.error_seen
    if total == 0:
        return ("hidden",)
    band_seen = max(error_seen, tolerance) if seen else error_seen
    possible = set()
    if seen / total <= band_seen:
        possible.add("hidden")
    if seen / total + band_seen > 0.0 and whole:
        share = part / whole
        error = cover.silhouette.error_in_arc if in_arc else cover.silhouette.error
        band = max(error, tolerance) if part else error
        if share <= band:
            possible.add("open")
        if share + band > 0.0 and share - band < 0.5:
            possible.add("partial cover")
        if share + band >= 0.5:
            possible.add("full cover")
    return tuple(verdict for verdict in VERDICTS if verdict in possible)


def _warnings(attacker: Piece, target: Piece, cover: Looked, pixel: float) -> tuple[str, ...]:
    """What to know before trusting the verdict: estimates, an eye inside something, faults of the meshes."""
    found = []
    if abs(cover.pixel - pixel) > 0.01 * pixel:
        found.append(f"measured at {cover.pixel:.2g} mm per pixel instead of {pixel:g}")
    if attacker.eye_from == "estimated":
        found.append(f"the eye of {attacker.name} is estimated")
    for piece in cover.blockers:
        low, high = piece.model.significant.bounds
        local = piece.pose.localise(attacker.eye[None])[0]
        if (local > low).all() and (local < high).all() and encloses(piece.model.significant, local):
            found.append(
                f"the eye of {attacker.name} lies inside {in_a_sentence(piece.name)}: probably a mistake in the pose"
            )
    for piece in (attacker, target, *cover.blockers):
        found += [f"{piece.name}: {warning}" for warning in piece.model.warnings]
    return tuple(dict.fromkeys(found))
