"""JUDGE, games by data: the primitives of conditions are asked of a scene; each question at most once.

What is seen from one eye is measured for many checks together: `Unmeasured` says what is missing, and the condition is
asked again afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.observation import Observation, Sight
from silhouette.relations import distances, lines_in_plan, lines_in_space
from silhouette.relations import outlines_in_plan as attributes
from silhouette.relations.arcs import arcs_of
from silhouette.relations.beams import BEAM_TOUCH_MM
from silhouette.relations.corners import Corners, clear_lines
from silhouette.relations.distances import Straight
from silhouette.relations.lines import has_quick_beam, widest_line
from silhouette.relations.lines_in_space import CountedPart, region_of
from silhouette.relations.outlines_in_plan import measured_by
from silhouette.relations.points import ErrorBound, Points, eyes_in, point_set
from silhouette.relations.visible import has_quick_patch, share_beside, share_visible, widest_patch
from silhouette.rules.data.game import Game
from silhouette.rules.data.nodes import Binary, Call, Literal, Node
from silhouette.rules.data.quantities import compared, with_interval
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.values import Evaluation, Key, Unmeasured, Use, question_of
from silhouette.rules.data.worlds import World
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import CONTACT_GAP_MM, TableScene, in_base_contact

BY_SIZE = ("<", "<=", ">", ">=")  # the signs that ask which of two quantities is larger
QUICK_LINE_MM = 1.0  # the thickness of a line that is looked for first, where one without thickness is enough
PATCH_PIXEL = 0.2  # mm per pixel of the pictures in which patches are looked for at first


class SceneTable:
    """A scene, of which conditions are asked. ``observations`` are those of the sights that have been measured, by
    their keys; ``looks`` has for each use of a primitive the one on which the answer rests, where there is one. Of a
    ``brief`` table nobody needs values and reasons: of a quantity the answers say only on which side it lies of all
    that the game compares it with.
    """

    def __init__(self, scene: DataScene, *, brief: bool = False) -> None:
        self.scene, self._brief = scene, brief
        self.observations: dict[Key, Observation] = {}
        self.looks: dict[Use, Observation] = {}
        self._answers: dict[Key, Evaluation] = {}
        self._eyes_of: dict[Key, Floats] = {}
        self._bounds = {name: _bounds(scene.game, name) for name in ("patch", "visible")}

    def pieces(self, name: str, attacker: Piece, target: Piece) -> tuple[Piece, ...]:
        """Terrain, models, or all pieces but the attacker and the target."""
        if name == "others":
            return tuple(piece for piece in self.scene.pieces if piece.name not in (attacker.name, target.name))
        return tuple(piece for piece in self.scene.pieces if (piece.kind == "terrain") == (name == "terrain"))

    def key(self, piece: Piece, name: str) -> Any:
        """What a piece says under a key of the game; lengths in mm."""
        return self.scene.says[piece.name][name]

    def reading(self, name: str) -> Any:
        """A reading of the scene, or the side of its squares."""
        return self.scene.square if name == "square" else self.scene.reading(name)

    def attribute(self, piece: Piece, name: str) -> Any:
        """What every piece has: words, and lengths in mm."""
        if name in ("name", "kind", "gang"):
            return getattr(piece, name) or ""
        return getattr(attributes, name)(piece)

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        """The answer to a primitive. Unmeasured where it rests on a sight that has not been measured."""
        key = question_of(primitive, given)
        if key not in self._answers:
            answer: Callable[..., Evaluation] = getattr(self, f"_{primitive}")
            self._answers[key] = answer(**given)
        return self._answers[key]

    # ---- sight

    def _observed(self, start: Points, end: Points, past: tuple[Piece, ...], arc: float) -> Observation:
        names = frozenset(piece.name for piece in past)
        key = ("sight", start.key, end.key, names, arc)
        if key not in self.observations:
            raise Unmeasured({key: sight_of(self.scene, start, end, names, arc)})
        return self.observations[key]

    def _obscured(self, a: Points, b: Points, past: Any, arc: float) -> Evaluation:
        observed = self._observed(a, b, _several(past), arc)
        return self._share("obscured", observed, observed.counts.occluded, observed.counts.error, (a, b))

    def _seen(self, a: Points, b: Points, past: Any, arc: float) -> Evaluation:
        observed = self._observed(a, b, _several(past), arc)
        return self._share("seen", observed, observed.counts.seen, observed.counts.error_seen, (a, b))

    def _share(
        self, name: str, observed: Observation, part: float, error: float, points: tuple[Points, Points]
    ) -> Evaluation:
        """A part of all pixels as a share, too close to call within the scene's tolerance if it is not exactly 0."""
        counts = observed.counts
        share = part / counts.total if counts.total else 0.0
        pairs = zip(counts.alone, observed.blockers, strict=True)
        hiding = [(alone, piece.name) for alone, piece in pairs if alone]
        hiding.sort(key=lambda pair: (-pair[0], pair[1]))
        band = max(error, self.scene.tolerance) if share else error
        measured = ErrorBound(share, error, by=tuple(blocker for _, blocker in hiding))
        hidden = tuple(alone / counts.total for alone, _ in hiding)
        use = Use(name, measured, unit="share", of=_names(*points), hidden=hidden)
        self.looks[use] = observed
        return Evaluation(share, error=band, uses=(use,))

    def _line(self, a: Points, b: Points, thick: float, past: Any) -> Evaluation:
        if thick == 0.0 and a.part == "eye" and b.part in ("body", "whole", "cylinder"):
            given = {"a": a, "b": b, "past": past, "arc": 360.0}
            seen = with_interval(self.ask("seen", given), question_of("seen", given), most=1.0)
            (share,) = seen.uses
            truth = compared(seen, Evaluation(0.0), ">", World())
            use = replace(share, name="line", holds=truth.value)
            self.looks[use] = self.looks[share]
            return Evaluation(truth.value, truth.sure, of=seen.of, uses=(use,))

        blockers = self._blockers(a, b, past)
        if self._brief and has_quick_beam(a.set, b.set, blockers, thick or QUICK_LINE_MM):
            return Evaluation(value=True)
        widest = widest_line(a.set, b.set, blockers, least=thick)
        holds = widest.value >= thick - BEAM_TOUCH_MM if thick else widest.value > 0.0
        sure = holds or (widest.value + widest.error < thick if thick else not widest.error)
        return Evaluation(holds, sure, uses=(Use("line", widest, holds, of=_names(a, b)),))

    def _patch(self, a: Points, b: Points, past: Any) -> Evaluation:
        eyes, surface, past = self._eyes(a, b), b.set, self._blockers(a, b, past)
        enough = max(self._bounds["patch"], default=np.inf)
        if self._brief and enough < np.inf and has_quick_patch(eyes, surface, past, enough):
            return Evaluation(2.0 * enough)
        patch = widest_patch(eyes, surface, past, least=enough, pixel=PATCH_PIXEL)
        return _quantity("patch", patch, _names(a, b))

    def _visible(self, a: Points, b: Points, past: Any) -> Evaluation:
        eyes, surface, past = self._eyes(a, b), b.set, self._blockers(a, b, past)
        if self._brief and self._bounds["visible"]:
            return Evaluation(share_beside(eyes, surface, past, self._bounds["visible"]))
        return _quantity("visible", share_visible(eyes, surface, past), _names(a, b), "share")

    def _eyes(self, a: Points, b: Points) -> Floats:
        """(n, 3) where somebody looks from who may look from any point of a at b."""
        if (a.key, b.key) not in self._eyes_of:
            self._eyes_of[a.key, b.key] = eyes_in(a.set, b.set.box)
        return self._eyes_of[a.key, b.key]

    def _blockers(self, a: Points, b: Points, past: Any) -> list[tuple[Piece, Any]]:
        ends = _names(a, b)
        return [(piece, piece.model.significant) for piece in _several(past) if piece.name not in ends]

    def _cylinder(self, a: Piece, height: float, width: float) -> Evaluation:
        return Evaluation(Points(a, "cylinder", height, width))

    # ---- in plan

    def _parts(self, what: Any, **counts: float) -> Evaluation:
        return Evaluation(tuple(CountedPart(piece, **counts) for piece in _several(what)))

    def _corners(self, a: Piece, square: float, cell: float) -> Evaluation:
        return Evaluation(Corners(a, square, cell))

    def _clear_lines(self, a: Corners, b: Corners, past: Any, by: str, touching: str) -> Evaluation:
        ends = a.piece, b.piece
        regions = [region_of(part, ends, rim=touching == "blocked") for part in self._counted(past, ends)]
        return _quantity("clear_lines", clear_lines(a, b, regions, every=by == "all"), _names(*ends), "number")

    @staticmethod
    def _counted(what: Any, ends: tuple[Piece, Piece]) -> list[CountedPart]:
        """What counts of some pieces or parts; the pieces at the ends never do."""
        parts = (part if isinstance(part, CountedPart) else CountedPart(part) for part in _several(what))
        return [part for part in parts if part.piece.name not in _names(*ends)]

    def _crossed(self, a: Any, b: Any, what: Any, by: str, measured: str, touching: str, of: Any) -> Evaluation:
        here, there = (some.piece if isinstance(some, Points) else measured_by(some, of) for some in (a, b))
        parts = self._counted(what, (here, there))
        in_space = {"any": lines_in_space.any_line_crosses, "centre": lines_in_space.centre_line_crosses}
        in_plan: dict[str, Callable[..., ErrorBound]] = {
            "any": lines_in_plan.any_line_crosses,
            "all": lines_in_plan.all_lines_cross,
            "centre": lines_in_plan.centre_line_crosses,
            "facing": lines_in_plan.facing_lines_cross,
        }
        if measured == "in plan":
            regions = [region_of(some, (here, there), rim=touching == "blocked") for some in parts]
            crossing = in_plan[by](here, there, regions)
        elif by == "facing":
            crossing = lines_in_space.facing_lines_cross(here, there, parts)
        else:
            ends = [some.set if isinstance(some, Points) else some for some in (a, b)]
            crossing = in_space[by]((ends[0], ends[1]), (here, there), parts)
        return _truth("crossed", replace(crossing, by=tuple(dict.fromkeys(crossing.by))), (here, there))

    def _straight(self, a: Piece, b: Piece) -> Evaluation:
        return Evaluation(Straight((a, b)))

    def _distance(self, a: Any, b: Any, of: Any, measured: str) -> Evaluation:
        if isinstance(a, Straight):
            distance = distances.distance_of_line(*a.ends, _several(b), of=of, in_space=measured == "in space")
            return _quantity("distance", distance, (*a.key, *_names(*_several(b))))
        distance = distances.least_distance(a, _several(b), of=of, in_space=measured == "in space")
        return _quantity("distance", distance, _names(a, *_several(b)))

    def _contact(self, a: Piece, b: Any, gap: float) -> Evaluation:
        others = _several(b)
        if gap == CONTACT_GAP_MM and "terrain" not in (a.kind, *(piece.kind for piece in others)):
            by = tuple(piece.name for piece in others if in_base_contact(self.scene, a, piece))
            return _truth("contact", ErrorBound(float(len(by)), by=by), (a,))
        return _truth("contact", distances.contact(a, others, gap=gap), (a, *others))

    def _wholly_within(self, a: Piece, b: Any, by: float, of: Any) -> Evaluation:
        return _truth("wholly_within", distances.wholly_within(a, _several(b), by=by, of=of), (a, *_several(b)))

    def _over(self, a: Piece, b: Any, of: Any) -> Evaluation:
        return _quantity("over", distances.share_over(a, _several(b), of=of), _names(a, *_several(b)), "share")

    def _in_arc(self, a: Piece, b: Piece, degrees: float, of: Any) -> Evaluation:
        arcs, plan = arcs_of(a, degrees), measured_by(b, of).base_outline
        outline = np.column_stack([plan, np.zeros(len(plan))])
        holds = arcs is None or any(not arc.misses(outline) for arc in arcs)
        return Evaluation(holds, sure=a.facing is not None, uses=(Use("in_arc", None, holds, "truth", _names(a, b)),))

    # ---- who

    def _unit(self, a: Piece) -> Evaluation:
        units = self.scene.units
        same = (piece for piece in self.scene.pieces if piece.kind != "terrain" and units[piece.name] == units[a.name])
        return Evaluation(tuple(same))

    def _friends(self, a: Piece) -> Evaluation:
        return Evaluation(tuple(model for model in self._models(a) if model.gang is not None and model.gang == a.gang))

    def _enemies(self, a: Piece) -> Evaluation:
        return Evaluation(tuple(model for model in self._models(a) if model.gang is None or model.gang != a.gang))

    def _models(self, but: Piece) -> list[Piece]:
        return [piece for piece in self.scene.pieces if piece.kind != "terrain" and piece.name != but.name]

    def _number(self, a: tuple[Piece, ...]) -> Evaluation:
        return Evaluation(float(len(a)))


@lru_cache(maxsize=64)
def _bounds(game: Game, primitive: str) -> tuple[float, ...]:
    """What all conditions compare a primitive with, if that is always a number or a length; else nothing."""
    nodes = [node for clause in game.clauses.values() for node in clause.when.everything()]
    sides = [(node.left, node.right) for node in nodes if isinstance(node, Binary) and node.sign in BY_SIZE]
    sides += [(right, left) for left, right in sides]
    bounds = [float(other.value) for side, other in sides if _asks(side, primitive) and isinstance(other, Literal)]
    return tuple(bounds) if len(bounds) == sum(_asks(node, primitive) for node in nodes) else ()


def _asks(node: Node, primitive: str) -> bool:
    return isinstance(node, Call) and node.name == primitive


def _quantity(name: str, measured: ErrorBound, of: tuple[str, ...], unit: str = "mm") -> Evaluation:
    return Evaluation(measured.value, error=measured.error, uses=(Use(name, measured, unit=unit, of=of),))


def _truth(name: str, measured: ErrorBound, of: Sequence[Piece]) -> Evaluation:
    holds = measured.value > 0.0
    return Evaluation(holds, uses=(Use(name, measured, holds, "truth", _names(*of)),))


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _names(*values: Points | Piece) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.piece.name if isinstance(value, Points) else value.name for value in values))


def sight_of(scene: TableScene, start: Points, end: Points, past: Collection[str], arc: float) -> Sight:
    """The sight from an eye, or from the middle of a head, to the body, the whole or a cylinder of another piece, in a
    front arc of these degrees, past the pieces of these names; models without their bases and insignificant parts.
    """
    attacker, target = start.piece, end.measured
    eye = attacker.eye if start.part == "eye" else point_set(attacker, "head").single[-1]
    ends = (attacker.name, target.name)
    disregarded = [piece for piece in scene.pieces if piece.name not in (*past, *ends)]
    absent = [piece.index for piece in scene.pieces if piece.name in ends or piece in disregarded]
    return Sight(
        attacker=attacker,
        target=target,
        eye=eye,
        facing=attacker.ahead,
        arcs=arcs_of(attacker, arc),
        occluders=scene.significant_parts,
        absent=tuple(absent),
        disregarded=tuple(disregarded),
    )
