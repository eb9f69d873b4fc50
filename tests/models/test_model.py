from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.errors import FileError
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.geometry import Floats
from silhouette.meshes.cutting import cut_at
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere, solid
from silhouette.models.entries import SolidEntry
from silhouette.models.eyes import estimate_eye
from silhouette.models.inspection import inspection
from silhouette.models.model import BASE, BODY, INSIGNIFICANT, Model, load_model, model_of_solids
from silhouette.models.units import units_of

NO_CACHE = Cache(None)
GANGER = (
    Solid(Cylinder(25.0, 3.0), name="base"),
    Solid(Cylinder(12.0, 20.0), at=(0.0, 0.0, 3.0), name="torso"),
    Solid(Sphere(8.0), at=(0.0, 1.0, 23.0), name="head"),
    Solid(Box((2.0, 18.0, 2.0)), at=(5.0, 10.0, 14.0), name="lasgun barrel"),
    Solid(Box((1.0, 1.0, 9.0)), at=(0.0, 0.0, 31.0), name="plume"),
)

Written = Callable[..., Path]


def as_obj(mesh: Mesh) -> str:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    for index, name in enumerate(mesh.part_names):
        lines.append(f"o {name}")
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces[mesh.part == index].tolist()]
    return "\n".join(lines) + "\n"


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes solids as ``ganger.obj``, and beside it a model file with the given keys."""

    def write(parts: tuple[Solid, ...] = GANGER, factor: float = 1.0, **keys: object) -> Path:
        mesh = solid(*parts)
        scaled = Mesh(mesh.vertices * factor, mesh.faces, mesh.part, mesh.part_names)
        (tmp_path / "ganger.obj").write_text(as_obj(scaled))
        path = tmp_path / "ganger.json"
        path.write_text(json.dumps({"mesh": "ganger.obj", **keys}))
        return path

    return write


def load(path: Path, **overrides: object) -> Model:
    return load_model(path, NO_CACHE, overrides=overrides)


def roles_by_part(model: Model) -> dict[str, set[int]]:
    return {
        name: set(model.role[model.mesh.part == index].tolist()) for index, name in enumerate(model.mesh.part_names)
    }


def test_a_model_stands_with_its_base_centre_at_the_origin_on_the_ground(written: Written) -> None:
    moved = tuple(
        Solid(part.shape, (part.at[0] + 40, part.at[1] - 7, part.at[2] - 50), 0, part.name) for part in GANGER
    )
    model = load(written(moved, base={"part": "base"}))
    assert model.mesh.bounds[0, 2] == pytest.approx(0.0, abs=1e-4)
    assert model.mesh.subset(model.role == BASE).bounds[:, :2].mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-4)
    assert model.base_centre == pytest.approx([0.0, 0.0])
    assert model.base is not None
    assert model.base.height == pytest.approx(3.0, abs=1e-4)
    assert model.base.diameter == pytest.approx(25.0, abs=0.01)
    assert model.base_span == pytest.approx((0.0, 3.0), abs=1e-4)


def test_without_a_base_the_box_round_it_all_is_centred(written: Written) -> None:
    model = load(written(base="none"))
    assert model.base is None
    assert model.mesh.bounds[:, :2].mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-6)
    assert not (model.role == BASE).any()


def test_a_model_that_keeps_its_origin_is_not_moved(written: Written) -> None:
    lifted = tuple(Solid(part.shape, (part.at[0] + 4, part.at[1], part.at[2] - 3), 0, part.name) for part in GANGER)
    model = load(written(lifted, base={"height": 3}, origin="keep"))
    assert model.mesh.bounds[0, 2] == pytest.approx(-3.0, abs=1e-4)
    assert model.base_centre == pytest.approx([4.0, 0.0], abs=1e-3)
    assert model.body_box[0, 2] == pytest.approx(0.0, abs=1e-4)


def test_parts_are_tagged_by_name_with_wildcards_and_letters_of_the_right_case(written: Written) -> None:
    path = written(base={"part": "base"}, insignificant=[{"part": "lasgun*"}, {"part": "plum?"}])
    assert roles_by_part(load(path)) == {
        "base": {BASE},
        "torso": {BODY},
        "head": {BODY},
        "lasgun barrel": {INSIGNIFICANT},
        "plume": {INSIGNIFICANT},
    }
    with pytest.raises(FileError, match=r"insignificant 1: no part is called 'Plume'; did you mean 'plume'\?"):
        load(written(base={"part": "base"}, insignificant=[{"part": "Plume"}]))


def test_boxes_and_spheres_tag_the_triangles_whose_centroid_lies_in_them(written: Written) -> None:
    model = load(
        written(
            base={"part": "base"},
            insignificant=[{"box": [[7, 20, 18], [3, 0, 13]]}, {"sphere": {"centre": [0, 1, 27], "radius": 4.05}}],
        )
    )
    roles = roles_by_part(model)
    assert roles["lasgun barrel"] == {INSIGNIFICANT}
    assert roles["head"] == {INSIGNIFICANT}
    assert roles["plume"] == {BODY}


def test_what_is_significant_and_what_is_ignored_make_up_the_whole(written: Written) -> None:
    model = load(written(base={"part": "base"}, insignificant=[{"part": "plume"}]))
    assert len(model.significant.faces) + len(model.ignored.faces) == len(model.mesh.faces)
    assert model.body_box[1, 2] == pytest.approx(31.0, abs=0.01)


def test_a_base_given_by_height_is_cut_off_and_nothing_crosses(written: Written) -> None:
    model = load(written((Solid(Box((20.0, 20.0, 30.0))),), base={"height": 3.5}))
    heights = model.mesh.vertices[:, 2][model.mesh.faces]
    assert heights[model.role == BASE].max() == pytest.approx(3.5)
    assert heights[model.role == BODY].min() == pytest.approx(3.5)
    assert model.body_box[:, 2] == pytest.approx([3.5, 30.0])
    assert model.base is not None
    assert (model.base.source, model.base.height) == ("height", 3.5)


def test_a_base_is_found_and_the_origin_is_its_middle(written: Written) -> None:
    model = load(written(tuple(Solid(part.shape, (part.at[0] + 9, *part.at[1:]), 0, part.name) for part in GANGER)))
    assert model.base is not None
    assert model.base.source == "auto"
    assert model.base.height == pytest.approx(3.0, abs=0.05)
    assert model.base_outline.mean(axis=0) == pytest.approx([0.0, 0.0], abs=0.2)
    assert roles_by_part(model)["base"] == {BASE}


@pytest.mark.parametrize("kind", ["vehicle", "terrain"])
def test_vehicles_and_terrain_have_no_base_unless_it_is_tagged(written: Written, kind: str) -> None:
    assert load(written(kind=kind)).base is None
    assert load(written(kind=kind, base={"part": "base"})).base is not None


def test_terrain_blocks_whole_whatever_is_tagged(written: Written) -> None:
    model = load(written(kind="terrain", insignificant=[{"part": "plume"}]))
    assert len(model.significant.faces) == len(model.mesh.faces)
    assert len(model.ignored.faces) == 0
    assert any("blocks whole" in warning for warning in model.warnings)


def test_a_model_with_nothing_significant_left_is_refused(written: Written) -> None:
    with pytest.raises(FileError, match=r"all \d+ triangles .* \d+ as base and \d+ as insignificant; .* tag less"):
        load(written(base={"part": "base"}, insignificant=[{"part": "*"}]))


def test_keys_are_applied_in_the_order_units_up_scale_origin(written: Written) -> None:
    model = load(
        written((Solid(Box((1.0, 2.0, 3.0)), at=(0.0, 0.0, 7.0)),), units="cm", up="y", scale=2.0, base="none")
    )
    # 2 cm high, as y was up, and 3 cm deep
    assert model.mesh.bounds == pytest.approx(np.array([[-10.0, -30.0, 0.0], [10.0, 30.0, 40.0]]))
    assert (model.units, model.units_from, model.up) == ("cm", "given", "y")


def test_y_up_turns_about_x_as_modelling_programs_do(written: Written) -> None:
    tip = (Solid(Box((2.0, 30.0, 2.0))), Solid(Box((1.0, 1.0, 5.0)), at=(0.0, 14.0, 2.0), name="nose"))
    model = load(written(tip, up="y", base="none", origin="keep"))
    nose = model.mesh.subset(model.mesh.part == model.mesh.part_names.index("nose")).bounds
    assert nose[0] == pytest.approx([-0.5, -7.0, 13.5])


@pytest.mark.parametrize("factor, units", [(1.0, "mm"), (0.1, "cm"), (0.001, "m"), (1 / 25.4, "inch")])
def test_units_are_guessed_from_the_size_of_a_figure(written: Written, factor: float, units: str) -> None:
    model = load(written(factor=factor))
    assert (model.units, model.units_from) == (units, "guessed")
    assert model.mesh.bounds[1, 2] == pytest.approx(40.0, abs=0.1)
    said = [warning for warning in model.warnings if "taken to be in" in warning]
    assert len(said) == (units != "mm")


@pytest.mark.parametrize(
    "extents, kind, declared, units, source",
    [
        ((0.3, 0.4, 1.8), "fighter", None, "inch", "guessed"),
        ((25.0, 25.0, 3.0), "fighter", None, "mm", "guessed"),
        ((60.0, 60.0, 70.0), "fighter", None, "mm", "guessed"),
        ((1.0, 1.0, 1.5), "fighter", "inch", "inch", "declared"),
        ((30.0, 30.0, 30.0), "fighter", "meter", "mm", "guessed"),
        ((100.0, 100.0, 100.0), "fighter", "millimeter", "mm", "declared"),
        ((0.15, 0.15, 0.1), "vehicle", None, "m", "guessed"),
        ((4.0, 1.0, 4.0), "terrain", None, "inch", "guessed"),
        ((150.0, 150.0, 4.0), "terrain", None, "mm", "guessed"),
        ((0.0, 0.0, 0.0), "terrain", None, "mm", "guessed"),
    ],
)
def test_units_fit_what_is_on_a_table(
    extents: tuple[float, ...], kind: str, declared: str | None, units: str, source: str
) -> None:
    taken = units_of(np.array(extents), kind, declared)  # type: ignore[arg-type]
    assert (taken.units, taken.source) == (units, source)


def test_a_scale_that_makes_a_life_size_figure_fit_is_understood() -> None:
    assert units_of(np.array([0.5, 0.5, 1.8]), "fighter", scale=1000 / 56).units == "mm"


def test_life_size_figures_are_guessed_and_the_guess_is_said() -> None:
    taken = units_of(np.array([500.0, 400.0, 1800.0]), "fighter")
    assert taken.warning is not None
    assert "unusual for a fighter (25 to 60 mm); give units or scale" in taken.warning


def test_a_size_that_is_of_no_table_is_refused(written: Written) -> None:
    with pytest.raises(FileError, match=r"comes out 4e\+07 mm across; give units or scale"):
        load(written(units="m", scale=1000.0))


def test_an_eye_given_is_taken_and_one_not_given_is_estimated_and_said_to_be(written: Written) -> None:
    given = load(written(eye=[0, 3, 27]))
    assert (given.eye.tolist(), given.eye_from) == ([0.0, 3.0, 27.0], "given")
    estimated = load(written(base={"part": "base"}, insignificant=[{"part": "plume"}, {"part": "lasgun barrel"}]))
    assert estimated.eye_from == "estimated"
    # nine tenths of 3 .. 31, on the front of the ball of radius 4 round (0, 1, 27)
    assert estimated.eye == pytest.approx([0.0, 1.0 + np.sqrt(16.0 - 1.2**2), 28.2], abs=0.25)


@pytest.mark.parametrize("front", [0.0, 90.0, 180.0, 217.0, 270.0])
def test_the_eye_lies_on_the_front_of_the_head_wherever_the_front_is(front: float) -> None:
    head = solid(Solid(Cylinder(12.0, 20.0)), Solid(Sphere(8.0), at=(2.0, 1.0, 20.0)))
    eye = estimate_eye(head, front)
    radius = np.sqrt(16.0 - (eye[2] - 24.0) ** 2)
    ahead = np.array([np.cos(np.radians(front)), np.sin(np.radians(front))])
    assert eye[:2] == pytest.approx(np.array([2.0, 1.0]) + radius * ahead, abs=0.35)
    assert eye[2] == pytest.approx(0.9 * 28.0, abs=0.01)


def test_a_gun_held_before_the_face_does_not_carry_the_eye_away() -> None:
    body = Solid(Cylinder(12.0, 20.0)), Solid(Sphere(8.0), at=(0.0, 0.0, 20.0))
    gun = Solid(Box((1.5, 26.0, 1.5)), at=(0.0, 13.0, 24.0))
    eye = estimate_eye(solid(*body, gun))
    assert 3.0 < eye[1] < 8.0


def test_the_eye_of_a_plain_block_is_on_its_front_and_never_outside_it() -> None:
    assert estimate_eye(solid(Solid(Box((20.0, 20.0, 30.0))))).tolist() == [0.0, 10.0, 27.0]
    assert estimate_eye(solid(Solid(Box((60.0, 120.0, 36.0))))).tolist() == pytest.approx([0.0, 0.0, 32.4])


def test_a_vehicles_footprint_lies_along_its_own_axes(written: Written) -> None:
    hull = (Solid(Box((60.0, 120.0, 40.0))), Solid(Box((4.0, 60.0, 4.0)), at=(0.0, 90.0, 20.0), name="gun"))
    model = load(written(hull, kind="vehicle", origin="keep", insignificant=[{"part": "gun"}]))
    assert (model.body_length, model.body_width) == (120.0, 60.0)
    assert model.footprint.tolist() == [[-30.0, 60.0], [-30.0, -60.0], [30.0, -60.0], [30.0, 60.0]]
    assert model.base_outline.tolist() == model.footprint.tolist()
    assert model.base_centre.tolist() == [0.0, 0.0]
    sideways = load(written(hull, kind="vehicle", front=0, origin="keep", insignificant=[{"part": "gun"}]))
    assert (sideways.body_length, sideways.body_width) == (60.0, 120.0)
    assert sideways.footprint[0].tolist() == [30.0, 60.0]
    slanting = load(written((Solid(Box((60.0, 120.0, 40.0)), turn=-60.0),), kind="vehicle", front=30, origin="keep"))
    assert (slanting.body_length, slanting.body_width) == pytest.approx((120.0, 60.0))


def test_a_round_base_has_a_round_outline(written: Written) -> None:
    outline = load(written(base={"part": "base"})).base_outline
    assert np.hypot(*outline.T) == pytest.approx(12.5, abs=0.01)
    after = np.roll(outline, -1, axis=0)
    assert (outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0] > 0).all()


@settings(max_examples=50, deadline=None)
@given(height=st.floats(0.001, 29.999), tilt=st.floats(-1.0, 1.0))
def test_cutting_keeps_the_surface_and_its_area(height: float, tilt: float) -> None:
    block = solid(Solid(Box((20.0, 20.0, 30.0))), Solid(Sphere(9.0)))
    leaning = Mesh(block.vertices + tilt * block.vertices[:, [2, 0, 1]] * [1, 1, 0], block.faces, block.part)
    cut, below = cut_at(leaning, height)
    assert areas(cut).sum() == pytest.approx(areas(leaning).sum(), rel=1e-9)
    heights = cut.vertices[:, 2][cut.faces]
    assert heights[below].max() <= height + 1e-6
    assert heights[~below].min() >= height - 1e-6
    assert cut.bounds == pytest.approx(leaning.bounds, abs=1e-12)


def test_a_cut_through_corners_leaves_no_triangle_without_area() -> None:
    corners = np.array([[0.0, 0, 0], [2, 0, 1], [0, 0, 2], [5, 0, 1], [5, 0, 2]])
    mesh = Mesh(corners, np.array([[0, 1, 2], [1, 3, 4]], np.int32), np.array([0, 1], np.int32), ("a", "b"))
    cut, below = cut_at(mesh, 1.0)
    assert (areas(cut) > 0).all()
    assert len(cut.faces) == 3
    assert sorted(zip(cut.part.tolist(), below.tolist(), strict=True)) == [(0, False), (0, True), (1, False)]


def areas(mesh: Mesh) -> Floats:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def test_real_figures_stand_on_the_bases_they_were_given(shared: Path) -> None:
    folder = shared / "meshes/miniatures/rpg.scad"
    for name, diameter in {"mini_axeman": 25.0, "mini_oswald": 25.0, "king_troll": 50.0}.items():
        model = load(folder / f"{name}.stl")
        assert model.base is not None
        assert model.base.height == pytest.approx(3.0, abs=0.3)
        assert model.base.diameter == pytest.approx(diameter, abs=0.3)
        assert model.units == "mm"
        low, high = model.body_box
        assert low[2] < model.eye[2] < high[2]
        assert (low[:2] <= model.eye[:2]).all()
        assert (model.eye[:2] <= high[:2]).all()


def test_one_object_in_two_formats_is_one_model(shared: Path) -> None:
    folder = shared / "meshes/terrain/kenney-platformer-kit"
    for name in ("tree", "fenceBroken", "ladder"):
        glb, stl = (load_model(folder / ending / f"{name}.{ending}", NO_CACHE, "terrain") for ending in ("glb", "stl"))
        assert glb.up == "y"
        assert sorted(np.ptp(glb.mesh.bounds, axis=0)) == pytest.approx(
            sorted(np.ptp(stl.mesh.bounds, axis=0)), rel=1e-4
        )
        assert glb.mesh.bounds[1, 2] == pytest.approx(stl.mesh.bounds[1, 2], rel=1e-4)


def test_solid_terrain_with_holes_is_closed_and_says_so(written: Written, tmp_path: Path) -> None:
    path = written((Solid(Box((60.0, 60.0, 60.0))),), kind="terrain", solid=True)
    scan = tmp_path / "ganger.obj"
    scan.write_text("\n".join(scan.read_text().splitlines()[:-1]))
    model = load(path)
    assert (model.watertight, model.holes) == (False, 1)
    assert len(model.mesh.faces) >= 12
    assert len(model.warnings) == 1


def test_finding_a_base_is_done_once_per_content(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = written(), Cache(tmp_path / "cache")
    first = load_model(path, cache)

    def never(mesh: Mesh) -> None:
        raise AssertionError("looked for a base again")

    monkeypatch.setattr("silhouette.models.basing.find_base", never)
    again = load_model(path, cache)
    assert again.base == first.base
    assert again.mesh.digest == first.mesh.digest


def test_a_model_file_may_be_toml(written: Written, tmp_path: Path) -> None:
    written()
    path = tmp_path / "ganger.toml"
    path.write_text('mesh = "ganger.obj"\nbase = { part = "base" }\n[[insignificant]]\npart = "plume"\n')
    assert roles_by_part(load(path))["plume"] == {INSIGNIFICANT}


def test_keys_given_beside_a_model_replace_those_of_its_file(written: Written) -> None:
    path = written(eye=[0, 3, 27], front=90)
    overrides: Mapping[str, object] = {"front": 45.0}
    model = load_model(path, NO_CACHE, "fighter", overrides)
    assert (model.front, model.eye.tolist()) == (45.0, [0.0, 3.0, 27.0])


def test_the_default_front_is_that_of_gltf_wherever_y_is_up(written: Written, shared: Path) -> None:
    assert [load(written(**keys)).front for keys in ({}, {"up": "auto"}, {"up": "z"}, {"up": "y"})] == [90, 90, 90, 270]
    assert load(written(up="y", front=90)).front == 90
    path = shared / "meshes/miniatures/quaternius-showcase/Swat.glb"
    assert [load(path, up=up).front for up in ("auto", "y", "z")] == [270, 270, 90]
    assert load(path).eye[1] < 0.0 < load(path, front=90.0).eye[1]


def test_what_closing_did_is_said_alike_from_the_cache(tmp_path: Path) -> None:
    corners = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], dtype=float)
    trimesh.Trimesh(corners, [[0, 1, 3], [1, 2, 3], [2, 0, 3]], process=False).export(tmp_path / "rock.stl")
    (tmp_path / "rock.toml").write_text('mesh = "rock.stl"\nkind = "terrain"\nunits = "mm"\nsolid = true\n')
    told = [load_model(tmp_path / "rock.toml", Cache(tmp_path / "cache")).warnings for _ in range(2)]
    assert told[0] == told[1] == load_model(tmp_path / "rock.toml", Cache(None)).warnings
    assert any(": closed 1 hole" in line for line in told[0])


FEET = (Solid(Box((10.0, 6.0, 28.0)), name="body"),)
"""A figure without a base."""


@pytest.mark.parametrize(
    ("parts", "base", "source", "height"),
    [
        (GANGER, {"part": "base", "diameter": 32}, "part", 3.0),
        (GANGER, {"height": 3, "diameter": 32}, "height", 3.0),
        (GANGER, {"diameter": 32}, "auto", 3.0),
        (FEET, {"diameter": 32}, "given", 0.0),
    ],
)
def test_a_diameter_makes_the_base_a_circle_of_that_size(
    written: Written, parts: tuple[Solid, ...], base: object, source: str, height: float
) -> None:
    model = load(written(parts, base=base))
    assert model.base is not None
    assert (model.base.source, model.base.height, model.base.diameter) == (source, pytest.approx(height, abs=0.1), 32.0)
    assert np.hypot(*(model.base_outline - model.base_centre).T) == pytest.approx(16.0)
    assert model.base_span == (0.0, pytest.approx(height, abs=0.1))
    assert model.base_centre.tolist() == pytest.approx([0.0, 0.0], abs=0.01)
    assert (model.role == BASE).any() == (source != "given")


@pytest.mark.parametrize(
    "base",
    [
        *({"diameter": 0}, {"diameter": True}, {"diameter": None}, {"part": "base", "height": 3}, {}),
        *(
            {"height": 3, "wide": 4},
            {"part": "base", "diameter": "32"},
            {"height": "3"},
            {"height": None, "diameter": 3},
        ),
    ],
)
def test_a_base_that_makes_no_sense_is_refused(written: Written, base: object) -> None:
    with pytest.raises(FileError, match=r'it must be "auto", "none", \{ part'):
        load(written(base=base))


def test_a_mesh_that_plainly_stands_on_another_axis_gets_a_warning_that_says_what_to_write(shared: Path) -> None:
    human = shared / "meshes/miniatures/odedstein-human/human_man.obj"
    on_its_back, upright = load(human), load(human, up="y")
    assert (on_its_back.up, upright.up) == ("z", "y")
    (line,) = [line for line in on_its_back.warnings if "up =" in line]
    assert line.startswith(
        'human_man.obj: taken to have z up, but with y up it would not lie on its back; say up = "y"'
    )
    for model in (upright, load(human, up="z")):
        assert not any("up =" in line for line in model.warnings)


def test_a_base_under_a_figure_says_which_axis_is_up(written: Written) -> None:
    # The file has y up: a base of 25 by 25 mm and 3 mm high, and on it a figure of 30 mm.
    lying = (Solid(Box((25.0, 3.0, 25.0)), at=(0.0, 1.5, 0.0)), Solid(Box((8.0, 30.0, 8.0)), at=(0.0, 18.0, 8.0)))
    assert any('say up = "y"' in line for line in load(written(lying)).warnings)
    assert not any("up =" in line for line in load(written(GANGER)).warnings)
    assert not any("up =" in line for line in load(written(FEET, kind="terrain")).warnings)


def test_scan_is_kept(written: Written) -> None:
    assert [load(written(**keys)).scan for keys in ({}, {"scan": False}, {"scan": True})] == [False, False, True]


@pytest.mark.parametrize(
    ("name", "least", "most", "doubt"),
    [
        ("rpg.scad/wyrmling.stl", [-3.0, 12.0, 40.0], [3.0, 22.0, 52.0], "stands up 13.4 mm above"),  # raised wings
        ("rpg.scad/mini_spearman.stl", [-2.0, 1.0, 31.0], [2.0, 4.0, 35.0], "stands up 1.7 mm above"),
        ("rpg.scad/mini_giant_boar_0.stl", [-3.0, 10.0, 20.0], [3.0, 22.0, 27.0], "longer than it is high"),
        ("rpg.scad/mini_oswald.stl", [-2.0, 1.0, 32.0], [2.0, 4.0, 37.0], None),
        ("rpg.scad/king_troll.stl", [-2.0, 7.0, 42.0], [2.0, 12.0, 47.0], None),
        ("kaykit-adventurers/Knight.glb", [-2.0, 1.0, 19.0], [2.0, 5.0, 24.0], None),
    ],
)
def test_the_eyes_of_real_figures_lie_on_their_heads_or_are_said_to_be_doubtful(
    shared: Path, name: str, least: list[float], most: list[float], doubt: str | None
) -> None:
    model = load_model(shared / "meshes/miniatures" / name, Cache.default())  # the boxes were drawn round the heads
    assert (model.eye >= least).all(), model.eye
    assert (model.eye <= most).all(), model.eye
    found = model.eye_estimate.doubt
    assert found is None if doubt is None else doubt in str(found) and str(found).endswith("and give eye")
    assert any("doubtful" in line for line in inspection(Path(name), model, ())["warnings"]) == (doubt is not None)


def test_solids_have_no_doubtful_eye_and_a_given_eye_is_none(written: Written, shared: Path) -> None:
    solids = model_of_solids([SolidEntry(box=(4.0, 40.0, 10.0))], Location(Path()), "fighter")
    assert solids.eye_estimate.doubt is None
    path = shared / "meshes/miniatures/rpg.scad/wyrmling.stl"
    given = load_model(path, Cache.default(), overrides={"eye": (0.0, 14.0, 50.0)})
    assert (given.eye_from, given.thick) == ("given", None)
