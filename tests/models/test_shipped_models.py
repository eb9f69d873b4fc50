"""The models that ship: rebuilt alike by their script, closed, outward, on their bases, found out by `inspect`."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from silhouette.common.geometry import cosine_and_sine
from silhouette.files.cache import Cache
from silhouette.meshes.holes import encloses
from silhouette.meshes.mesh import Mesh
from silhouette.models.inspection import inspection, model_at, suggestions
from silhouette.models.model import INSIGNIFICANT, Model, load_model

MODELS = Path(__file__).resolve().parents[2] / "models"
FILES = sorted(MODELS.glob("*.toml"))
NAMES = [file.stem for file in FILES]
FIGURES = {"ganger_rifle": 25, "ganger_blade": 25, "scout": 25, "leader": 32, "heavy": 40, "brute": 40}
"""And the diameters of their bases, mm."""

PROTRUDING = {
    "ganger_rifle": ["long rifle barrel", "topknot"],
    "ganger_blade": ["chain blade", "pistol barrel", "mohawk"],
    "scout": ["carbine silencer", "antenna"],
    "leader": ["power sword blade", "banner pole"],
    "heavy": ["heavy stubber barrels", "antenna"],
    "brute": ["shoulder spikes"],
    "hauler": ["gun barrels", "exhausts", "aerial"],
}
"""The tagged parts that are thin and protrude: cloth and rubble are tagged too, and are neither."""

SCANS = {"rock_outcrop"}
LIMIT = 6_000_000
SAME = 0.01


@cache
def loaded(name: str) -> Model:
    return load_model(MODELS / f"{name}.toml", Cache.default())


def test_every_piece_has_a_mesh_a_model_file_and_a_sculptor() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 17
    assert {file.stem for file in MODELS.glob("*.glb")} == set(NAMES)
    assert set(FIGURES) < set(NAMES)
    pytest.importorskip("manifold3d")
    catalogue = pytest.importorskip("models.source.catalogue", reason="only a checkout has the source of the models")
    assert set(catalogue.pieces()) == set(NAMES)


def test_all_meshes_together_are_small() -> None:
    assert sum(file.stat().st_size for file in MODELS.glob("*.glb")) < LIMIT


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_script_sculpts_the_same_mesh_again(name: str, tmp_path: Path) -> None:
    for package in ("manifold3d", "skimage", "fast_simplification"):
        pytest.importorskip(package, reason="needs the extra 'sculpt'")
    catalogue = pytest.importorskip("models.source.catalogue", reason="only a checkout has the source of the models")
    from models.source.writing import glb

    again = glb(catalogue.sculptor(name)())
    shipped = (MODELS / f"{name}.glb").read_bytes()
    if again == shipped:
        return
    (tmp_path / f"{name}.glb").write_bytes(again)
    (tmp_path / f"{name}.toml").write_bytes((MODELS / f"{name}.toml").read_bytes())
    one, other = loaded(name).mesh, load_model(tmp_path / f"{name}.toml", Cache(None)).mesh
    assert one.part_names == other.part_names
    assert max(farthest(one, other), farthest(other, one)) <= SAME


def farthest(one: Mesh, other: Mesh) -> float:
    """How far, mm, a vertex of one mesh lies from the other's surface at most."""
    from scipy.spatial import KDTree
    from trimesh.triangles import closest_point

    gaps, _ = KDTree(other.vertices).query(one.vertices)
    corners = other.vertices[other.faces]
    for number in np.flatnonzero(gaps > SAME):
        points = np.broadcast_to(one.vertices[number], (len(corners), 3))
        gaps[number] = np.linalg.norm(closest_point(corners, points) - points, axis=1).min()
    return float(gaps.max())


@pytest.mark.parametrize("name", NAMES)
def test_parts_have_names_of_their_own_and_solids_are_closed_and_outward(name: str) -> None:
    parts = trimesh.load_scene(MODELS / f"{name}.glb", process=False).geometry
    assert set(parts) <= set(loaded(name).mesh.part_names)
    assert all(part.strip() for part in parts)
    for part, mesh in parts.items():
        assert name in SCANS or is_closed(mesh.faces), f"{part} is open"
        assert name in SCANS or volume(mesh.vertices[mesh.faces]) > 0.0, f"{part} is inside out"


def is_closed(faces: NDArray[np.int32]) -> bool:
    """Whether every edge is run along as often one way as the other."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    there, back = edges[:, 0] << 32 | edges[:, 1], edges[:, 1] << 32 | edges[:, 0]
    return bool(np.array_equal(np.sort(there), np.sort(back)))


def volume(corners: NDArray[np.float64]) -> float:
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)


@pytest.mark.parametrize("name", NAMES)
def test_a_piece_stands_on_the_ground_on_its_middle_in_millimetres(name: str) -> None:
    model = loaded(name)
    low, high = model.mesh.bounds
    assert low[2] == pytest.approx(0.0, abs=1e-6)
    assert 14.0 < (high - low).max() < 140.0
    assert not model.warnings or name in SCANS
    if name in FIGURES:
        assert model.kind == "fighter"
        base = model.mesh.subset(model.mesh.part == model.mesh.part_names.index("base"))
        assert (base.bounds[0] + base.bounds[1])[:2] == pytest.approx([0.0, 0.0], abs=0.02)
        assert 2 * base.bounds[1][0] == pytest.approx(FIGURES[name], abs=0.1)


@pytest.mark.thinned(quick=20)
@pytest.mark.parametrize("name", NAMES)
def test_a_mesh_without_its_model_file_faces_the_same_way(name: str) -> None:
    alone, described = load_model(MODELS / f"{name}.glb", Cache.default(), loaded(name).kind), loaded(name)
    assert (alone.front, alone.front_from, described.front_from) == (described.front, "default", "given")
    low, high = alone.mesh.bounds - described.mesh.bounds
    assert np.abs([low, high]).max() < 0.5  # nothing but the middle of the base may be found elsewhere


@pytest.mark.parametrize("name", FIGURES)
def test_a_figures_face_is_at_its_front(name: str) -> None:
    model = loaded(name)
    ahead = np.array([*cosine_and_sine(model.front), 0.0])
    steps = model.significant.vertices - model.eye
    head = steps[(np.abs(steps[:, 2]) < 2.0) & (np.hypot(steps[:, 0], steps[:, 1]) < 5.0)]
    assert (head @ ahead).mean() < -0.5  # the eye was given where the sculptor put it: the head lies behind it


def bare(name: str, tmp_path: Path, *, keep: tuple[str, ...]) -> Path:
    """The model file with these keys of its own alone, as JSON."""
    document = tomllib.loads((MODELS / f"{name}.toml").read_text(encoding="utf-8"))
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps({key: value for key, value in document.items() if key in keep}), encoding="utf-8")
    (tmp_path / document["mesh"]).write_bytes((MODELS / document["mesh"]).read_bytes())
    return path


def inspected(path: Path, *, suggests: bool) -> dict[str, Any]:
    """What is found out of a model; the search for thin parts, which may be suggested, takes most of the time."""
    model = model_at(path, {}, Cache.default())
    return inspection(path, model, suggestions(model) if suggests else ())


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
def test_inspect_finds_base_and_eye_of_a_figure_by_itself(name: str, tmp_path: Path) -> None:
    path = bare(name, tmp_path, keep=("mesh", "kind", "units", "front", "insignificant"))
    found = inspected(path, suggests=False)
    assert found["base"]["from"] == "auto"
    assert found["base"]["diameter"] == pytest.approx(FIGURES[name], abs=0.3)
    assert found["base"]["height"] == pytest.approx(3.0, abs=0.3)
    assert found["watertight"]
    assert loaded(name).eye_from == "given"
    assert np.linalg.norm(np.array(found["eye"]) - loaded(name).eye) < 2.0


@pytest.mark.thinned(quick=14, ci=14)
@pytest.mark.parametrize("name", FIGURES)
def test_the_eye_is_found_below_raised_weapons_and_banners(name: str) -> None:
    assert load_model(MODELS / f"{name}.toml", Cache.default(), overrides={"eye": None}).eye_estimate.doubt is None
    alone = load_model(MODELS / f"{name}.glb", Cache.default())
    assert np.linalg.norm(alone.eye - loaded(name).eye) < 1.5


@pytest.mark.long
@pytest.mark.parametrize("name", PROTRUDING)
def test_inspect_suggests_the_barrels_and_spikes_that_are_tagged(name: str, tmp_path: Path) -> None:
    path = bare(name, tmp_path, keep=("mesh", "kind", "units", "front"))
    boxes = np.array([one["box"] for one in inspected(path, suggests=True)["suggested"]])
    model = loaded(name)
    assert len(boxes)
    for part in PROTRUDING[name]:
        of_part = model.mesh.part == model.mesh.part_names.index(part)
        assert (model.role[of_part] == INSIGNIFICANT).all(), f"{part} is not tagged"
        corners = model.mesh.vertices[model.mesh.faces[of_part]].reshape(-1, 3)
        inside = ((corners[:, None] >= boxes[:, 0]) & (corners[:, None] <= boxes[:, 1])).all(axis=2).any(axis=1)
        assert inside.mean() > 0.1, f"{part} is not suggested"


def test_nothing_is_seen_through_the_scan_of_a_rock_though_it_has_holes() -> None:
    rock = loaded("rock_outcrop")
    assert any("hole" in warning or "closed" in warning for warning in rock.warnings)
    low, high = rock.mesh.bounds
    assert encloses(rock.significant, np.append((low + high)[:2] / 2, 10.0))
