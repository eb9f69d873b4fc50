"""Model files: origin, base, tagged parts, footprint, and what is said where they make no sense."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.errors import FileError
from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.meshes.cutting import cut_at
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Solid, Sphere, solid
from silhouette.models.model import BASE, BODY, INSIGNIFICANT, Model, load_model
from tests.support.model_files import GANGER, NO_CACHE, Written, load


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


@settings(max_examples=50)
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


@pytest.mark.long
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

    monkeypatch.setattr("silhouette.models.basing.footing", never)
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


@pytest.mark.long
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


@pytest.mark.parametrize("kind", ["vehicle", "terrain"])
def test_a_car_on_its_bumper_gets_a_warning_and_a_car_on_its_wheels_none(written: Written, kind: str) -> None:
    """The body, the bumper and the wheels of a car, 60 by 125 mm and 30 mm high; y and z are exchanged for y up."""
    boxes = [((60, 120, 22), (0, 0, 8)), ((50, 10, 4), (0, -60, 12))]
    boxes += [((8, 16, 16), (x, y, 0)) for x in (-26, 26) for y in (-40, 40)]
    stands = tuple(Solid(Box((float(x), float(y), float(z))), at=(*at[:2], float(at[2]))) for (x, y, z), at in boxes)
    on_end = tuple(
        Solid(Box((float(x), float(z), float(y))), at=(float(at[0]), at[2] + z / 2.0, at[1] - y / 2.0))
        for (x, y, z), at in boxes
    )
    (line,) = [line for line in load(written(on_end, kind=kind)).warnings if "up =" in line]
    assert 'with y up it would not stand on an edge; say up = "y", or up = "z" if it is right' in line
    for model in (load(written(stands, kind=kind)), load(written(on_end, kind=kind, up="y"))):
        assert not any("up =" in line for line in model.warnings)


@pytest.mark.long
def test_scan_is_kept(written: Written) -> None:
    assert [load(written(**keys)).scan for keys in ({}, {"scan": False}, {"scan": True})] == [False, False, True]
