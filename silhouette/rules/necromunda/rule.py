"""JUDGE: Necromunda as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

import numpy as np

from silhouette.common.geometry import INCH, Flags, Floats
from silhouette.common.text import in_a_sentence, numbered
from silhouette.files.documents import toml
from silhouette.files.reading import DOCUMENTS
from silhouette.rules.abilities import HasFirstSceneOfMeshes, HasPlay, one_way_words
from silhouette.rules.base import Band, Settings, VerdictScale
from silhouette.rules.fields import OF_ODDS
from silhouette.rules.necromunda.judge import (
    LEVELS,
    NAME,
    VERDICTS,
    NecromundaVerdict,
    arcs_of,
    is_friend_in_contact,
    judge,
)
from silhouette.rules.necromunda.playing import play_of
from silhouette.rules.necromunda.scene import NecromundaScene, Readings, load_scene
from silhouette.rules.on_table import OnTable, behind, by_bodies, by_eyes, places_of_attacker
from silhouette.scenes.entries import TableEntry
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import Displacement, moved
from silhouette.scenes.scene import Check

# ---- the first scene of given meshes

LINES_DISTANCE_INCHES = 9  # inches between the two lines of models: two more than to the wall, for a wide base
MODEL_SPACING_INCHES = 4  # inches between two models of a line
GANGS = ("Orlock", "Escher")  # the gang of the near line, and of the line opposite


def with_meshes(text: str, meshes: Sequence[str]) -> str:
    """The first scene with a fighter for each mesh in place of its two stand-ins, in two lines that look at each other;
    a single mesh has the second stand-in as its target.
    """
    blocks = text.rstrip("\n").split("\n\n")
    fighters = [number for number, block in enumerate(blocks) if block.startswith("[[fighter]]")]
    names = _names(meshes)
    made = [_fighter(number, name, mesh) for number, (name, mesh) in enumerate(zip(names, meshes, strict=True))]
    if len(meshes) == 1:
        made.append(blocks[fighters[1]])
        names.append("Vex" if names != ["Vex"] else "stand-in")
        made[1] = made[1].replace('"Vex"', toml(names[1]))
    checks = [
        f"[[check]]\nattacker = {toml(attacker)}\ntarget = {toml(target)}"
        for attacker, target in (names[:2], names[1::-1])
    ]
    return "\n\n".join([*blocks[: fighters[0]], *made, *checks]) + "\n"


def _names(meshes: Sequence[str]) -> list[str]:
    """The names of the files without their endings; of equal ones the later ones have a number."""
    names = list[str]()
    for mesh in meshes:
        stem, taken = PurePath(mesh).stem, (*names, "wall")
        names.append(numbered(stem, taken) if stem in taken else stem)
    return names


def _fighter(number: int, name: str, mesh: str) -> str:
    """One fighter's table: even numbers stand in the near line and look away, odd ones opposite; comments explain 0."""
    far, place = number % 2, number // 2
    across = MODEL_SPACING_INCHES * ((place + 1) // 2) * (1 if place % 2 else -1)
    key = "model" if mesh.lower().endswith(DOCUMENTS) else "mesh"
    lines = [
        (f"name = {toml(name)}", "every piece has a unique name"),
        (f'gang = "{GANGS[far]}"', "models of one gang are friends"),
        (f"{key} = {toml(mesh)}", "seen from this folder"),
        (f"at = [{across}, {LINES_DISTANCE_INCHES * far}]", "where the centre of its base stands"),
        (f"facing = {(90, 270)[far]}", "where it looks, degrees anticlockwise from x: 0 is right, 90 away from you"),
    ]
    return "\n".join(["[[fighter]]", *(f"{line:26}  # {what}" if number == 0 else line for line, what in lines)])


# ---- one sees, and the other does not


def one_way(scene: NecromundaScene, seeing: NecromundaVerdict, blind: NecromundaVerdict, settings: Settings) -> str:
    """The sentence: by vision arcs, by friends in base contact, by eyes or by bodies; the first that decides."""
    seer = scene.model(seeing.attacker).with_eye_for(seeing.arc)
    other = scene.model(blind.attacker).with_eye_for(blind.arc)
    blockers = [blocker.name for blocker in blind.blockers if blocker.share]

    def sees(there: NecromundaScene) -> bool:
        (verdict,) = judge([(there, Check(blind.attacker, blind.target, blind.arc))], settings)
        return bool(verdict.line_of_sight)

    why = (
        _by_arcs(seer, other, blind)
        or _by_friends(scene, seer, blind)
        or by_eyes(scene, seer, other, blockers, lambda moves: sees(moved(scene, moves)))
        or by_bodies(scene, seer, other, blockers, sees)
        or behind(seer, other, blockers)
    )
    return one_way_words(seer.name, other.name, why)


def _by_arcs(seer: Piece, other: Piece, blind: NecromundaVerdict) -> str | None:
    """Where the one that does not see has the other in no vision arc."""
    if blind.counts.in_arc or other.facing is None:
        return None
    to_seer, to_other = seer.base_centre - other.base_centre, other.base_centre - seer.base_centre
    off = min(_angle_between(to_seer, towards) for towards in _facings(other))
    if seer.facing is None:
        return f"{seer.name} lies in none of {other.name}'s vision arcs, {off:.0f}° off where that faces"
    own = min(_angle_between(to_other, towards) for towards in _facings(seer))
    has = f"{other.name} lies in {seer.name}'s vision arc, {own:.0f}° off where it faces"
    return f"{has}, and {seer.name} in none of {other.name}'s, {off:.0f}° off where that faces"


def _facings(piece: Piece) -> list[float]:
    """The directions in which a model looks: with its head, and along its weapon."""
    return [towards for towards in (piece.facing, piece.weapon) if towards is not None]


def _angle_between(step: Floats, facing: float) -> float:
    """Degrees between a step in plan and a direction, 0 to 180."""
    angle = float(np.degrees(np.arctan2(step[1], step[0])))
    return abs((angle - facing + 180.0) % 360.0 - 180.0)


def _by_friends(scene: NecromundaScene, seer: Piece, blind: NecromundaVerdict) -> str | None:
    """Where a friend of the one that sees, in base contact, is in the way of the other alone (R17)."""
    names = [
        blocker.name
        for blocker in blind.blockers
        if blocker.share and is_friend_in_contact(scene, seer, scene.piece(blocker.name))
    ]
    if not names:
        return None
    friend = in_a_sentence(names[0])
    return f"{friend}, {seer.name}'s friend in base contact, is in {blind.attacker}'s way and not in {seer.name}'s"


# ---- the rule system


class Necromunda(OnTable[NecromundaScene, NecromundaVerdict], HasFirstSceneOfMeshes, HasPlay[NecromundaScene]):
    """Necromunda's rules for line of sight and cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "Necromunda"
    example = "scenes/necromunda/example_2_partial_cover.toml"
    scene_entry = TableEntry
    readings_entry = Readings
    verdict_type = NecromundaVerdict
    levels = LEVELS
    expectable = OF_ODDS

    read = staticmethod(load_scene)

    def first_scene_of(self, meshes: Sequence[str]) -> str:
        """A fighter for each mesh, and a wall."""
        return with_meshes(self.first_scene(), meshes)

    judge = staticmethod(judge)
    play = staticmethod(play_of)

    def elsewhere(self, scene: NecromundaScene, check: Check) -> Sequence[Displacement]:
        """Where else its eye may be; see `places_of_attacker`."""
        blocks = scene.whole_pieces if scene.readings.ignored_parts_block else scene.significant_parts
        return places_of_attacker(scene.model(check.attacker).with_eye_for(check.arc), blocks)

    def certainly_out_of_arc(self, scene: NecromundaScene, attacker: str, boxes: Floats) -> Flags:
        """(q,) whether each of some boxes (q, 8, 3), mm, lies out of every vision arc of the attacker (R6)."""
        arcs = arcs_of(scene.model(attacker))
        if arcs is None:
            return np.zeros(len(boxes), np.bool_)
        reached = [arc.reaches(boxes) for arc in arcs]
        return ~np.any(reached, axis=0) if reached else np.ones(len(boxes), np.bool_)

    def margin(self, scene: NecromundaScene, verdict: NecromundaVerdict) -> tuple[float, float]:
        """How far what is obscured is from a half and, in partial cover, from nothing; or what is seen, from it."""
        share, error = verdict.share
        if verdict.verdict in (VERDICTS[0], VERDICTS[-1]) or share is None:
            return float(np.nan), 0.0
        nearest = min(abs(share - 0.5), verdict.measurement.seen / verdict.counts.total)
        return nearest if share >= 0.5 else min(nearest, share), error

    one_way = staticmethod(one_way)

    def scale(self, scene: NecromundaScene) -> VerdictScale:
        """Partial cover below a half, full cover from a half on (R14, R15)."""
        bands = ((0.0, 0.5, "partial cover"), (0.5, 1.0, "full cover"))
        return VerdictScale((0.0, 0.5, 1.0), tuple(Band(*band, self.levels[band[2]]) for band in bands))

    def facts(self, scene: NecromundaScene, verdict: NecromundaVerdict, words: Mapping[str, str]) -> dict[str, str]:
        """The distance of the bases' centres, the height of the eye, and how much of the target lies in the arc."""
        attacker, target = scene.piece(verdict.attacker).with_eye_for(verdict.arc), scene.piece(verdict.target)
        apart = float(np.hypot(*(target.base_centre - attacker.base_centre)))
        counts = verdict.counts
        arc = "arc_none" if not counts.in_arc else "arc_all" if counts.in_arc == counts.total else "arc_part"
        return {
            "distance": f'{apart / INCH:.1f}" ({apart:.0f} mm)',
            "eye_height": f"{attacker.eye[2]:.0f} mm",
            "arc_words": words[arc],
        }


NECROMUNDA = Necromunda()
