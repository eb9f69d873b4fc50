"""The maker of scans: what it makes lies where the truth says, and is what a scanning app would export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import silhouette
from silhouette.files.cache import Cache
from silhouette.scenes.table import TableScene
from tests.support.scan_maker import EXAMPLE, Plan, Surface, scan_of, table_scene, truth_of, write_scan

pytest.importorskip("skimage", reason="scikit-image is not installed; it comes with the extra sculpt")

SCANS = Path(__file__).resolve().parents[2] / "scenes" / "scans"
SCENE = """
rules = "necromunda"
table = [120, 100]
[[terrain]]
name = "block"
parts = [{ box = [40, 20, 30] }]
at = [-20, 15]
turn = 30
[[fighter]]
name = "figure"
figure = { base = 32, height = 36 }
at = [30, -20]
facing = 120
"""
ROUGH = Plan(views=12, picture=(160, 120), voxel=2.0, depth_noise=0.3, turn=25.0, shift=(10.0, -20.0, 30.0))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> TableScene:
    file = tmp_path_factory.mktemp("scan") / "two.toml"
    file.write_text(SCENE, encoding="utf-8")
    return table_scene(file)


@pytest.fixture(scope="module")
def surface(scene: TableScene) -> Surface:
    return scan_of(scene, ROUGH)


def test_the_surface_lies_on_the_pieces_and_faces_outwards(surface: Surface) -> None:
    points, corners = surface.vertices, surface.vertices[surface.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middle = corners.mean(axis=1)
    on_table = (np.abs(middle[:, 2]) < 1) & (np.abs(middle[:, :2]).max(axis=1) < 45)
    assert np.abs(np.median(middle[on_table, 2])) < 0.2
    assert (normals[on_table, 2] > 0).mean() > 0.95
    block = np.hypot(*(points[:, :2] - (-20, 15)).T) < 8
    assert np.median(points[block, 2]) == pytest.approx(30, abs=0.5)
    figure = np.hypot(*(points[:, :2] - (30, -20)).T) < 16
    assert points[figure, 2].max() == pytest.approx(36, abs=2)


def test_table_and_pieces_have_grown_together_and_have_no_underside(surface: Surface) -> None:
    mesh = trimesh.Trimesh(surface.vertices, surface.faces, process=False)
    largest = max(mesh.split(only_watertight=False), key=lambda part: len(part.faces))
    assert len(largest.faces) > 0.9 * len(mesh.faces)
    assert surface.vertices[:, 2].min() > -12.5
    assert not mesh.is_watertight


def test_the_same_seed_makes_the_same_scan_and_another_seed_another(scene: TableScene, surface: Surface) -> None:
    again = scan_of(scene, ROUGH)
    assert np.array_equal(again.vertices, surface.vertices)
    assert np.array_equal(again.colours, surface.colours)
    other = scan_of(scene, Plan(**(vars(ROUGH) | {"seed": 2})))
    assert not np.array_equal(other.vertices, surface.vertices)


@pytest.mark.parametrize(
    ("ending", "unit", "up"), [("glb", 1000.0, "y"), ("obj", 37.31, "z"), ("points.ply", 1.0, "y")]
)
def test_the_truth_takes_a_written_scan_to_the_table(
    scene: TableScene, tmp_path: Path, ending: str, unit: float, up: str
) -> None:
    plan = Plan(**(vars(ROUGH) | {"unit": unit, "up": up, "views": 6}))
    file = tmp_path / f"two.{ending}"
    surface = write_scan(scene, plan, file)
    truth = truth_of(scene, plan)
    stored = trimesh.load(file, process=False)
    points = np.asarray((stored.to_geometry() if isinstance(stored, trimesh.Scene) else stored).vertices)
    matrix = np.array(truth["to_table"]).reshape(4, 4)
    assert np.allclose(points @ matrix[:3, :3].T + matrix[:3, 3], surface.vertices, atol=0.01)
    figure = truth["pieces"][1]
    assert figure["base_at"] == [30.0, -20.0, 0.0]
    assert figure["turn"] == pytest.approx(30.0)
    assert figure["base"] == 32.0


def test_a_table_without_a_size_cannot_be_scanned(tmp_path: Path) -> None:
    file = tmp_path / "no_size.toml"
    file.write_text(SCENE.replace("table = [120, 100]", ""), encoding="utf-8")
    with pytest.raises(ValueError, match="needs its size"):
        scan_of(table_scene(file), ROUGH)


def test_the_example_scan_is_small_and_lies_on_its_scene() -> None:
    file = SCANS / "gang_table.glb"
    assert file.stat().st_size < 1_500_000
    mesh = trimesh.load(file, process=False).to_geometry()
    matrix = EXAMPLE.to_table
    points = np.asarray(mesh.vertices) @ matrix[:3, :3].T + matrix[:3, 3]
    scene = silhouette.load_scene(SCANS / "gang_table.toml", cache=Cache(None))
    assert isinstance(scene, TableScene)
    assert np.allclose(np.abs(points[:, :2]).max(axis=0), np.array(scene.table) / 2, atol=3)
    leader = scene.piece("leader")
    near = np.hypot(*(points[:, :2] - leader.pose.translation[:2]).T) < 12
    assert points[near, 2].max() == pytest.approx(leader.whole_box[:, 2].max(), abs=3)
