"""What is counted, judged by rays: an observer that has each observation confirmed by `silhouette.measure.witness`;
and random tables of real meshes for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.measure.framing import framed
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.observe import PLAIN, ObservationRequest, Observer, observe_many
from silhouette.measure.witness import RayCounts, Share, counted_by_rays
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.scenes.table import TableScene
from tests.support.random_tables import PROJECT, TERRAIN, known_figures

UNSTATED = 0.02
"""The error of the shares of each blocker, for which none is stated: where all is hidden they are counted coarsely."""

SIZE = 0.02  # the error of the number of a target's pixels, as a share; more where the rays' own is larger

SURELY = 4.5  # standard deviations: of a hundred thousand shares one lies farther off

SURE = 400  # a target of so many pixels is counted by rays to a hundredth or two

FURTHER_TERRAIN = (
    "cqterrain/crystal_wall",
    "cqterrain/barrier",
    "cqindustry/guard_rail",
    "cqindustry/can_tower",
    "cqfantasy/fence_basic_fence",
    "cqterrain/stairs_industrial_stairs",
)
"""Meshes of ``../shared/meshes/terrain``: thin, pierced and torn ones among them."""


@dataclass
class Confirmed:
    """An `Observer` that has rays judge what another one observes.

    Attributes:
        observe: what observes.
        faults: what rays contradict, in words.
        used: for each stated error above 0, how much of it and of the rays' own the difference of the shares takes.
        settled: the number of shares that were told at ± 0.
    """

    observe: Observer = observe_many
    faults: list[str] = field(default_factory=list)
    used: list[float] = field(default_factory=list)
    settled: int = 0

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        """The observations of `observe`."""
        observations = self.observe(sights, renderer, pixel, request)
        for observation in observations:
            testimony = counted_by_rays(framed(observation.sight, pixel).pictures, renderer, deviations=SURELY)
            pair = f"{observation.sight.attacker.name} looks at {observation.sight.target.name}: "
            self.faults += [pair + fault for fault in self._faults(observation, testimony, pixel)]
        return observations

    def _faults(self, observation: Observation, testimony: RayCounts, pixel: float) -> Iterator[str]:
        counts, rays = observation.counts, testimony.counts
        if not counts.total or rays.total < SURE:
            return
        finer = (pixel / observation.pixel) ** 2 if observation.pixel < pixel else 1.0
        if abs(counts.total / finer / rays.total - 1.0) > SIZE + 1.0 / math.sqrt(rays.total):
            yield f"{counts.total} pixels, by rays {rays.total}"
        pairs = [
            ("obscured", _of(counts.occluded, counts.total, counts.error), _of(rays.occluded, rays.total, rays.error)),
            ("seen", _of(counts.seen, counts.total, counts.error_seen), _of(rays.seen, rays.total, rays.error_seen)),
        ]
        if counts.in_arc and rays.in_arc:
            mine = _of(counts.occluded_in_arc, counts.in_arc, counts.error_in_arc)
            pairs.append(("obscured in the arc", mine, _of(rays.occluded_in_arc, rays.in_arc, rays.error_in_arc)))
        for what, told, by_rays in pairs:
            self.settled += told.error == 0.0
            self.used += [abs(told.value - by_rays.value) / (told.error + by_rays.error)] if told.error else []
            if _differ(told, by_rays):
                yield f"{what} {told}, by rays {by_rays}"
        for what, pixels, shares in (
            ("nearest", counts.nearest, testimony.nearest),
            ("alone", counts.alone, testimony.alone),
        ):
            for piece, some, by_rays in zip(observation.blockers, pixels, shares, strict=True):
                if _differ(told := _of(some, counts.total, UNSTATED), by_rays):
                    yield f"{piece.name} {what} {told}, by rays {by_rays}"


def _of(part: int, whole: int, error: float) -> Share:
    return Share(part / whole, error)


def _differ(told: Share, by_rays: Share) -> bool:
    """Whether a share lies outside both errors; at ± 0 no ray may show the contrary."""
    if told.error == 0.0 and told.value in (0.0, 1.0):
        return by_rays.value != told.value
    return abs(told.value - by_rays.value) > told.error + by_rays.error


# ---- random tables


def table_of_real_meshes(seed: int) -> TableScene:
    """A fighter or a vehicle that looks at another across terrain and other fighters; the checks go both ways."""
    chance = np.random.default_rng([seed, 37])
    apart = float(chance.uniform(60, 320))
    attacker = _figure(chance, (0.0, 0.0), 90.0 + float(chance.normal(0, 25)), "Kal")
    target = _figure(chance, (0.0, apart), 270.0 + float(chance.normal(0, 30)), "Vex")
    others = [
        _figure(chance, _between(chance, apart), float(chance.uniform(0, 360)), f"other {number}")
        for number in range(int(chance.integers(0, 3)))
    ]
    document: dict[str, Any] = {
        "rules": "necromunda",
        "fighter": [attacker, target, *others],
        "terrain": [_terrain(chance, apart, number) for number in range(int(chance.integers(1, 5)))],
        "check": [{"attacker": "Kal", "target": "Vex"}, {"attacker": "Vex", "target": "Kal"}],
    }
    if chance.random() < 0.2:
        hauler = {"name": "hauler", "model": str(PROJECT / "models" / "hauler.toml"), "gang": "B"}
        at = [float(chance.uniform(60, 140)) * (1 if chance.random() < 0.5 else -1), apart / 2]
        document["vehicle"] = [hauler | {"at": _rounded(at), "facing": round(float(chance.uniform(0, 360)), 1)}]
        document["check"] += [
            {"attacker": "hauler", "target": "Vex", "arc": "front"},
            {"attacker": "Kal", "target": "hauler"},
        ]
    return rule_called("necromunda").load(Path(f"table {seed}.toml"), document, Cache.default())


def _figure(chance: np.random.Generator, at: Sequence[float], facing: float, name: str) -> dict[str, Any]:
    paths = known_figures()
    path = paths[int(chance.integers(len(paths)))]
    key = {"model": str(path)} if path.suffix == ".toml" else {"mesh": str(path), "units": "mm"}
    gang = "A" if name == "Kal" or chance.random() < 0.3 else "B"
    return {"name": name, "gang": gang, "at": _rounded(at), "facing": round(facing, 1)} | key


def _terrain(chance: np.random.Generator, apart: float, number: int) -> dict[str, Any]:
    folder = PROJECT.parent / "shared" / "meshes" / "terrain"
    further = [file for name in FURTHER_TERRAIN if (file := folder / f"{name}.stl").is_file()]
    paths = [*(PROJECT / "models" / f"{name}.toml" for name in (*TERRAIN, "grating_fence")), *further]
    path = paths[int(chance.integers(len(paths)))]
    key = {"model": str(path)} if path.suffix == ".toml" else {"mesh": str(path), "units": "mm"}
    turn = round(float(chance.uniform(0, 360)), 1)
    return {"name": f"{path.stem} {number}", "at": _rounded(_between(chance, apart)), "turn": turn} | key


def _between(chance: np.random.Generator, apart: float) -> list[float]:
    """A place near the line between two who stand so far apart."""
    return [float(chance.normal(0, 45)), float(chance.uniform(0.15, 0.9)) * apart]


def _rounded(at: Sequence[float]) -> list[float]:
    return [round(value, 2) for value in at]
