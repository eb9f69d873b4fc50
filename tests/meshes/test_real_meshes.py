"""The stated error on real figures and terrain: against a view four times as fine, and against the reference."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.benchmarks.crowded_table import crowded_document
from tests.support.rulings import ruled


@pytest.fixture(scope="module")
def table(shared: Path) -> TableScene:
    path = shared / "meshes" / "crowded table.toml"
    return NECROMUNDA.load(path, crowded_document(figures=6, pieces=12), Cache(None))


@pytest.fixture(scope="module")
def embree() -> Renderer:
    return choose()


def judged(scene: TableScene, attacker: str, target: str, renderer: Renderer, pixel: float = 0.1) -> NecromundaVerdict:
    return ruled(NECROMUNDA, scene, Check(attacker, target), renderer, pixel)


def names(scene: TableScene) -> list[str]:
    return [piece.name for piece in scene.pieces if piece.kind == "fighter"]


@pytest.mark.long
@pytest.mark.parametrize("every", [pytest.param(3), pytest.param(1)])
def test_the_error_is_true_against_a_view_four_times_as_fine(table: TableScene, embree: Renderer, every: int) -> None:
    partial = 0
    for attacker, target in list(permutations(names(table), 2))[::every]:
        coarse = judged(table, attacker, target, embree)
        fine = judged(table, attacker, target, embree, pixel=0.025)
        assert abs(coarse.occluded - fine.occluded) <= coarse.counts.error + 1e-12, (attacker, target)
        assert abs(coarse.measurement.seen / coarse.counts.total - fine.measurement.seen / fine.counts.total) <= (
            coarse.counts.error_seen + 1e-12
        )
        assert coarse.counts.error <= 0.004
        partial += 0.0 < coarse.occluded < 1.0
    assert partial >= 5, "the table must be crowded enough to try the error"


@pytest.mark.long
def test_halving_the_pixel_stays_within_the_stated_error(table: TableScene, embree: Renderer) -> None:
    for attacker, target in list(permutations(names(table), 2))[::5]:
        pixels = [0.4, 0.2, 0.1]
        steps = [judged(table, attacker, target, embree, pixel) for pixel in pixels]
        for coarse, fine in pairwise(steps):
            apart = abs(coarse.occluded - fine.occluded)
            assert apart <= coarse.counts.error + fine.counts.error + 1e-12


@pytest.mark.long
def test_the_reference_renderer_agrees(table: TableScene, embree: Renderer) -> None:
    for attacker, target in list(permutations(names(table), 2))[::13]:
        first = judged(table, attacker, target, embree)
        second = judged(table, attacker, target, ReferenceRenderer())
        assert abs(first.occluded - second.occluded) <= first.counts.error + second.counts.error + 1e-12
        assert first.counts.total == pytest.approx(second.counts.total, rel=2e-3)
        if not first.marginal:
            assert second.verdict == first.verdict


def behind(shared: Path, terrain: dict[str, Any]) -> NecromundaVerdict:
    """A figure 30 mm behind a piece of terrain, 150 mm away from the eye."""
    figure = "miniatures/rpg.scad/mini_axeman.stl"
    document = {
        "rules": "necromunda",
        "terrain": [{"name": "scan", "at": [0, 150], **terrain}],
        "fighter": [
            {"name": "Kal", "at": [0, 0], "mesh": figure},
            {"name": "Vex", "at": [0, 180], "mesh": figure},
        ],
    }
    scene = NECROMUNDA.load(shared / "meshes" / "scene.toml", document, Cache(None))
    return judged(scene, "Kal", "Vex", choose())


@pytest.mark.long
def test_nothing_is_seen_through_a_solid_scan_with_holes(shared: Path, tmp_path: Path) -> None:
    import numpy as np

    from silhouette.meshes.mesh import read_mesh

    whole = read_mesh(shared / "meshes" / "scans" / "odedstein-nefertiti" / "nefertiti-lowres.obj", Cache(None)).mesh
    random = np.random.default_rng(3)
    middles = whole.vertices[whole.faces].mean(axis=1)
    kept = np.ones(len(whole.faces), bool)
    for hole in middles[random.integers(0, len(middles), 60)]:
        kept &= np.linalg.norm(middles - hole, axis=1) > 16.0
    punched = whole.subset(kept)
    lines = [f"v {x} {y} {z}" for x, y, z in punched.vertices] + [f"f {a} {b} {c}" for a, b, c in punched.faces + 1]
    (tmp_path / "scan.obj").write_text("\n".join(lines))
    scan = {"mesh": str(tmp_path / "scan.obj"), "units": "mm", "up": "y", "scale": 0.3}
    holed, solid, intact = (
        behind(shared, {**scan, "solid": False}),
        behind(shared, {**scan, "solid": True}),
        behind(shared, {**scan, "mesh": "scans/odedstein-nefertiti/nefertiti-lowres.obj"}),
    )
    assert intact.verdict == "hidden"
    assert solid.verdict == "hidden"
    assert holed.occluded < 1.0
    assert any("closed" in warning for warning in solid.warnings)
