"""What a piece's outline encloses in the picture: windows, gaps between parts; filled, or told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Pose
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.measure.filling import Skins, filled
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.renderers import choose
from silhouette.rules.base import Settings
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from tests.benchmarks.page_judge import SKIRMISH
from tests.support.commands import run
from tests.support.page_judge import random_poses

EMBREE = choose()
WINDOW = Path(__file__).resolve().parents[3] / "shared" / "reports" / "scenes" / "ne_solid_window.toml"
HERE = Pose.standing()


def frame(
    wide: float, high: float, rim: float = 30.0, deep: float = 4.0, at: float = 0.0, low: float = 5.0
) -> list[dict[str, Any]]:
    """A wall round a window, of four boxes; the window begins ``low`` mm above the ground."""
    side = (wide + rim) / 2
    return [
        {"box": [wide + 2 * rim, deep, low], "at": [0, at, 0]},
        {"box": [wide + 2 * rim, deep, rim], "at": [0, at, low + high]},
        *({"box": [rim, deep, high], "at": [way * side, at, low]} for way in (-1, 1)),
    ]


def scene(
    parts: list[dict[str, Any]], is_solid: Any, at: tuple[float, float] = (0, 150), **more: Any
) -> dict[str, Any]:
    def figure(name: str, y: float) -> dict[str, Any]:
        body = {"box": [20, 20, 30], "at": [0, 0, 3]}
        return {"name": name, "gang": name, "at": [0, y], "facing": 90, "eye": [0, 0, 25], "parts": [body]}

    wall = {"name": "wall", "at": list(at), "parts": parts, "solid": is_solid, **more}
    check = {"attacker": "Kal", "target": "Vex"}
    return {
        "rules": "necromunda",
        "terrain": [wall],
        "fighter": [figure("Kal", 0), figure("Vex", 300)],
        "check": [check],
    }


def judged(document: dict[str, Any], **settings: Any) -> NecromundaVerdict:
    table = NECROMUNDA.load(Path("table.toml"), document, Cache(None))
    (verdict,) = NECROMUNDA.judge([(table, check) for check in table.checks], Settings(EMBREE, 0.2, **settings))
    return verdict


def is_told(verdict: NecromundaVerdict) -> bool:
    return any("through a window of its mesh, or a gap between its parts" in warning for warning in verdict.warnings)


@pytest.mark.parametrize(
    ("is_solid", "verdict", "told"), [(False, "open", False), (True, "open", True), ("filled", "hidden", False)]
)
def test_a_window_is_seen_through_but_where_it_is_filled(is_solid: Any, verdict: str, told: bool) -> None:
    found = judged(scene(frame(60, 40), is_solid))
    assert (found.verdict, is_told(found)) == (verdict, told)
    if is_solid == "filled":
        assert found.measurement.decided_by == "proof"
        assert [(blocker.name, blocker.occluded) for blocker in found.blockers] == [("wall", 1.0)]


@pytest.mark.parametrize("turn", [0.0, 20.0, 45.0, 70.0])
@pytest.mark.parametrize("deep", [0.5, 4.0, 25.0])
def test_a_filled_window_hides_all_however_it_is_turned(turn: float, deep: float) -> None:
    found = judged(scene(frame(200, 80, 40, deep), "filled", turn=turn))
    assert (found.verdict, found.counts.error, found.measurement.decided_by) == ("hidden", 0.0, "proof")


def test_what_stands_before_the_wall_is_not_hidden_and_what_leans_on_it_is_not() -> None:
    for place in (330.0, 312.1):
        assert judged(scene(frame(60, 40), "filled", at=(0, place))).verdict == "open"
    assert judged(scene(frame(60, 40), "filled", at=(0, 287.9))).verdict == "hidden"


def test_in_a_ruin_the_near_wall_hides_and_the_far_one_does_not() -> None:
    """Its two walls, with a window each, one before the target and one behind it: each window is filled in its wall."""
    ruin = [*frame(60, 40, at=-40, low=12.0), *frame(400, 90, at=40)]
    assert judged(scene(ruin, False, at=(0, 300))).verdict == "partial cover"
    assert judged(scene(ruin, "filled", at=(0, 300))).verdict == "hidden"
    only_far = frame(400, 90, at=40)
    assert judged(scene(only_far, "filled", at=(0, 300))).verdict == "open"


@pytest.mark.parametrize("is_bare", [True, False])
def test_a_far_wall_that_is_seen_through_a_window_does_not_leave_it_open(is_bare: bool) -> None:
    """In the picture of the whole ruin it fills the near window; who stands between them is hidden all the same."""
    far = frame(60, 40, at=140) if is_bare else [{"box": [400, 4, 120], "at": [0, 140, 0]}]
    ruin = [*frame(60, 40, at=-60), *far]
    assert judged(scene(ruin, "filled", at=(0, 300))).verdict == "hidden"
    found = judged(scene(ruin, True, at=(0, 300)))
    assert (found.verdict, is_told(found)) == ("open", True)
    floor = {"box": [244, 200, 2], "at": [0, 40, -2]}
    for off in (0.0, 20.0):
        assert judged(scene([*ruin, floor], "filled", at=(off, 300))).verdict == "hidden"
        assert is_told(judged(scene([*ruin, floor], True, at=(off, 300))))
    # Nor is who stands in a passage with a roof, open at both ends, hidden by where it was cut.
    sides = [{"box": [4, 200, 80], "at": [way * 60, 0, 0]} for way in (-1, 1)]
    passage = [*sides, {"box": [124, 200, 4], "at": [0, 0, 80]}, {"box": [124, 200, 1], "at": [0, 0, -1]}]
    found = judged(scene(passage, "filled", at=(0, 300)))
    assert (found.verdict, found.occluded) == ("open", 0.0)


def test_a_gap_between_parts_is_filled_only_if_it_is_closed_all_round() -> None:
    posts = [{"box": [20, 4, 80], "at": [way * 60, 0, 0]} for way in (-1, 1)]
    lintel = {"box": [140, 4, 20], "at": [0, 0, 80]}
    sill = {"box": [140, 4, 1], "at": [0, 0, -1]}
    for parts, verdict in (([*posts, lintel], "open"), ([*posts, lintel, sill], "hidden"), ([*posts, sill], "open")):
        told = judged(scene(parts, True))
        assert judged(scene(parts, "filled")).verdict == verdict
        assert (told.verdict, is_told(told)) == ("open", verdict == "hidden")


TOWERS = [{"box": [20, 20, 90], "at": [way * 35, 0, 0]} for way in (-1, 1)]
"""Two towers, 50 mm apart."""

RUIN = [{"box": [4, 90, 70], "at": [way * 30, 0, 0]} for way in (-1, 1)]
"""Two walls, along the way one looks."""

PLATE = {"box": [100, 100, 3], "at": [0, 0, 0]}


def is_told_of_a_gap(verdict: NecromundaVerdict) -> bool:
    return any("a gap between its parts, open at the top or the bottom" in warning for warning in verdict.warnings)


@pytest.mark.parametrize("parts", [TOWERS, RUIN, [*TOWERS, PLATE], [*RUIN, PLATE]])
@pytest.mark.parametrize("turn", [0.0, 8.0])
def test_a_gap_that_is_open_at_the_top_is_told(parts: list[dict[str, Any]], turn: float) -> None:
    verdict = judged(scene(parts, True, turn=turn))
    assert (verdict.verdict in ("open", "partial cover"), is_told_of_a_gap(verdict)) == (True, True)
    assert not is_told(verdict)
    for is_solid in (False, "filled"):
        assert not is_told_of_a_gap(judged(scene(parts, is_solid, turn=turn)))


@pytest.mark.parametrize(
    "parts",
    [
        TOWERS[:1],
        RUIN[:1],
        [*TOWERS, {"box": [70, 20, 20]}],  # two chimneys on a hall
        [*RUIN, {"box": [60, 4, 12], "at": [0, -40, 0]}],  # a ruin with a low wall across
        [{"box": [200, 4, 15]}, *({"box": [4, 4, 40], "at": [x, 0, 0]} for x in (-90, -45, 45, 90))],  # a fence
        [{"sphere": {"diameter": 40}, "at": [x, 0, -20]} for x in (-15, 15)],  # a hill with two tops
    ],
)
def test_what_is_looked_over_or_past_is_no_gap(parts: list[dict[str, Any]]) -> None:
    assert not is_told_of_a_gap(judged(scene(parts, True)))


@pytest.mark.parametrize(
    "beside", [{"turn": 90.0}, {"at": [200, 150]}, {"at": [0, 420]}, {"at": [0, 300]}, {"at": [0, 0]}]
)
def test_a_gap_through_which_nobody_looks_or_in_which_somebody_stands_is_not_told(beside: dict[str, Any]) -> None:
    document = scene(TOWERS, True)
    document["terrain"][0] |= beside
    assert not is_told_of_a_gap(judged(document))


def test_a_half_filled_share_is_that_of_a_wall_without_a_window() -> None:
    """A window before half of the target: filled it obscures as much as a wall as large, within both errors."""
    for off in (30.0, 38.0, 44.5):
        window = judged(scene(frame(60, 40, 5.0), "filled", at=(off, 150)))
        wall = judged(scene([{"box": [70, 4, 60]}], False, at=(off, 150)))
        apart = abs(window.occluded - wall.occluded)
        assert apart <= window.counts.error + wall.counts.error + 1e-12
        assert window.verdict == wall.verdict


@pytest.mark.parametrize("beside", [{"turn": 90.0}, {"at": [200, 150]}, {"at": [0, 420]}])
def test_a_window_through_which_nobody_looks_is_not_told(beside: dict[str, Any]) -> None:
    document = scene(frame(60, 40), True)
    document["terrain"][0] |= beside
    assert not is_told(judged(document))


def test_a_window_that_something_else_closes_is_not_told() -> None:
    document = scene(frame(60, 40), True)
    document["terrain"].append({"name": "board", "at": [0, 160], "parts": [{"box": [300, 4, 90]}]})
    assert not is_told(judged(document))


def test_what_is_rough_tells_no_windows() -> None:
    assert not is_told(judged(scene(frame(60, 40), True), remarks=False))


def test_who_stands_in_a_filled_ruin_does_not_look_out_of_its_window() -> None:
    """It reaches round the eye, and is taken as far as it lies before it."""
    around = [*frame(60, 40, at=20), *({"box": [4, 80, 90], "at": [way * 60, 0, 0]} for way in (-1, 1))]
    assert judged(scene(around, False, at=(0, 0))).verdict == "open"
    assert judged(scene(around, "filled", at=(0, 0))).verdict == "hidden"


def test_without_anything_enclosed_the_mesh_is_the_same_object() -> None:
    block = solid(Solid(Box((40.0, 20.0, 30.0))))
    assert filled(block, HERE, np.array([0.0, -90.0, 10.0]), np.zeros(3)) is block


@pytest.mark.thinned(quick=62)
@pytest.mark.parametrize("seed", range(12))
def test_random_lattices_hide_what_their_skins_and_bars_hide(seed: int) -> None:
    """Seen from anywhere, no ray through the outer outline of a lattice of bars in a frame passes it."""
    chance = np.random.default_rng(seed)
    bars = [
        Solid(Box((float(chance.uniform(1, 4)), 3.0, 60.0)), (float(x), 0.0, 0.0)) for x in chance.uniform(-38, 38, 5)
    ]
    bars += [Solid(Box((80.0, 3.0, 2.0)), (0.0, 0.0, float(z))) for z in chance.uniform(4, 55, 4)]
    rim = [Solid(Box((84.0, 3.0, 3.0)), (0.0, 0.0, z)) for z in (-3.0, 60.0)]
    rim += [Solid(Box((3.0, 3.0, 66.0)), (x, 0.0, -3.0)) for x in (-41.0, 41.0)]
    mesh = solid(*bars, *rim)
    eye = np.array([chance.uniform(-150, 150), -chance.uniform(60, 250), chance.uniform(-30, 120)])
    skins = Skins(mesh, HERE, eye, np.zeros(3))
    assert len(skins.triangles)
    within = chance.uniform([-42, 0, -2.9], [42, 0, 62.9], (400, 3))  # the middle plane of the lattice, inside its rim
    beyond = within + 2.0 * (within - eye)
    assert hidden(skins.whole, eye, beyond).all()
    nearer = eye + 0.9 * (within - eye)
    assert not hidden(skins.whole, eye, nearer[np.abs(nearer[:, 1]) > 2.0]).any()


def hidden(mesh: Any, eye: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(n,) whether a triangle of a mesh lies between the eye and points: by Möller and Trumbore."""
    a, b, c = (mesh.vertices[mesh.faces[:, corner]][None] for corner in range(3))
    way = (points - eye)[:, None]
    across = np.cross(way, c - a)
    area = ((b - a) * across).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = ((eye - a) * across).sum(axis=2) / area
        turned = np.cross(eye - a, b - a)
        v = (way * turned).sum(axis=2) / area
        t = ((c - a) * turned).sum(axis=2) / area
        met: np.ndarray = ((u > -1e-9) & (v > -1e-9) & (u + v < 1 + 1e-9) & (t > 1e-6) & (t < 1.0)).any(axis=1)
    return met


def test_skirmishcorps_takes_it_too() -> None:
    units = [{"name": name, "type": "foot", "at": [0, y, 0]} for name, y in (("A", 0), ("B", 300))]
    verdicts = []
    for is_solid in (True, "filled"):
        wall = {"name": "wall", "at": [0, 150], "parts": frame(60, 40), "solid": is_solid}
        document = {
            "rules": "skirmishcorps",
            "unit": units,
            "terrain": [wall],
            "check": [{"attacker": "A", "target": "B"}],
        }
        table = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
        (verdict,) = SKIRMISHCORPS.judge([(table, check) for check in table.checks], Settings(EMBREE, 0.4))
        verdicts.append(verdict.row())
    assert [row["line_of_sight"] for row in verdicts] == [True, False]
    assert [any("window" in warning for warning in row["warnings"]) for row in verdicts] == [True, False]


@pytest.mark.skipif(not WINDOW.is_file(), reason="needs ../shared (reports), which is not here")
def test_the_reported_window(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", WINDOW).status == 0
    mesh = WINDOW.with_name("window.stl")
    text = WINDOW.read_text().replace('"filled"', "true").replace('"window.stl"', json.dumps(str(mesh)))
    open_ = tmp_path / "open.toml"
    open_.write_text(text.replace('"hidden"', '"open"'))
    told = run(capsys, "check", open_)
    assert told.status == 0
    assert 'say solid = "filled"' in " ".join(told.out.split())
    inspected = json.loads(run(capsys, "inspect", mesh, "--json").out)
    assert inspected["solid"] is False


def test_an_eye_within_terrain_has_faces_next_to_it_that_reach_far_out_in_its_picture() -> None:
    """Kal stands in the foot of the rock, whose next faces had places that polygons have no numbers for."""
    table = load_scene(SKIRMISH)
    assert isinstance(table, NecromundaScene)
    (*_, posed) = random_poses(table, 59, seed=0)
    assert posed.check.attacker == "Kal"
    assert posed.ruling(table).verdict in NECROMUNDA.levels
