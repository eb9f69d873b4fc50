"""What is told of a model file's mistakes: tags, bases, the axis that is up; each just outside and just inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from silhouette.files.cache import Cache
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere, solid
from silhouette.models.bases import find_base
from silhouette.models.entries import FigureEntry
from silhouette.models.inspection import doubts
from silhouette.models.model import load_model
from silhouette.models.stand_ins import stand_in
from tests.support.commands import run
from tests.support.model_files import Written, load
from tests.support.random_tables import FIGURES, PROJECT

RPG = "meshes/miniatures/rpg.scad"


def on_discs(*discs: tuple[float, float]) -> tuple[Solid, ...]:
    """A figure of 28 mm on discs, each a diameter and a height."""
    parts, ground = [], 0.0
    for diameter, height in discs:
        parts.append(Solid(Cylinder(diameter, height), at=(0.0, 0.0, ground)))
        ground += height
    legs = [Solid(Cylinder(5.0, 12.0), at=(x, 0.0, ground)) for x in (-4.0, 4.0)]
    trunk = Solid(Box((16.0, 9.0, 14.0)), at=(0.0, 0.0, ground + 12.0))
    return (*parts, *legs, trunk, Solid(Sphere(8.0), at=(0.0, 0.0, ground + 25.0)))


# ---- tags


@pytest.mark.thinned(quick=9, ci=9)
@pytest.mark.parametrize(
    ("tag", "fires"),
    [
        ({"box": [[-50, -50, 20], [50, 50, 90]]}, False),
        ({"box": [[50, 50, 90], [-50, -50, 20]]}, False),
        ({"box": [[-2, -2, 100], [2, 2, 120]]}, True),
        ({"box": [[-0.1, -0.1, 0.8], [0.1, 0.1, 0.9]]}, True),
        ({"sphere": {"centre": [0, 0, 20], "radius": 9}}, False),
        ({"sphere": {"centre": [0, 0, 20], "radius": 0.01}}, True),
        ({"part": "*lasgun*"}, False),
    ],
)
@pytest.mark.parametrize("kind", ["fighter", "vehicle", "terrain"])
def test_a_tag_that_tags_nothing(written: Written, tag: dict[str, Any], kind: str, fires: bool) -> None:
    warnings = load(written(kind=kind, insignificant=[tag])).warnings
    lines = [line for line in warnings if "tags nothing" in line]
    assert len(lines) == fires
    if fires:
        assert lines[0].startswith("ganger.obj: insignificant 1, ")
        assert "the mesh reaches from [" in lines[0]


def test_each_tag_that_tags_nothing_is_told_by_its_number(written: Written) -> None:
    empty = {"sphere": {"centre": [0, 0, 900], "radius": 5}}
    lines = [
        line for line in load(written(insignificant=[{"part": "lasgun*"}, empty, empty])).warnings if "tags" in line
    ]
    assert [line[: line.index(", sphere")] for line in lines] == [f"ganger.obj: insignificant {n}" for n in (2, 3)]


# ---- bases


@pytest.mark.parametrize(("diameter", "fires"), [(4.99, True), (5.0, False), (1.26, True), (25.0, False)])
def test_a_base_that_is_none(written: Written, diameter: float, fires: bool) -> None:
    stands = stand_in(FigureEntry(base=diameter, height=34.0), "fighter")
    given = load(written(base={"height": 3, "diameter": diameter}))
    for model in (stands, given):
        assert any("no base is below 5 mm" in line for line in model.warnings) == fires


def test_a_base_in_inches_says_what_to_write() -> None:
    (line,) = [line for line in stand_in(FigureEntry(base=1.25, height=34.0), "fighter").warnings if "base is" in line]
    assert line.endswith("bases are mm; if these are inches, write 31.75")


@pytest.mark.thinned(quick=13, ci=13)
@pytest.mark.parametrize(
    ("discs", "step"),
    [
        *(([(32, 3)], None), ([(32, 3), (28, 3)], None), ([(32, 3), (25, 3)], None), ([(40, 4), (32, 2)], None)),
        *(([(32, 3), (20, 3)], 6.0), ([(40, 3), (25, 1)], 4.0), ([(50, 3), (25, 3)], 6.0), ([(60, 4), (32, 4)], 8.0)),
    ],
)
def test_a_base_with_two_steps_that_is_cut_at_the_first(
    written: Written, discs: list[tuple[float, float]], step: float | None
) -> None:
    model = load(written(on_discs(*discs)))
    assert model.base is not None
    assert model.base.step == (None if step is None else pytest.approx(step, abs=0.02))
    lines = [line for line in model.warnings if "two steps" in line]
    assert len(lines) == (step is not None)
    if step is not None:
        assert f"say base = {{ height = {step:g} }}" in lines[0]
        settled = load(written(on_discs(*discs), base={"height": step}))
        assert not any("two steps" in line for line in settled.warnings)


def test_scenery_to_one_side_of_a_figure_is_no_step(written: Written) -> None:
    rock = Solid(Box((16.0, 16.0, 3.0)), at=(9.0, 0.0, 3.0))
    parts = (*on_discs((50.0, 3.0)), rock)
    base = find_base(solid(*parts))
    assert base is not None
    assert base.height == pytest.approx(3.0, abs=0.1)
    assert not any("two steps" in line for line in load(written(parts)).warnings)


@pytest.mark.long
def test_shared_and_shipped_figures_have_no_such_base(shared: Path) -> None:
    files = [*sorted((shared / RPG).glob("*.stl")), *(PROJECT / "models" / f"{name}.toml" for name in FIGURES)]
    assert len(files) > 12
    for file in files:
        assert not [line for line in doubts(load_model(file, Cache.default())) if "steps" in line or "base is" in line]


# ---- up


@pytest.mark.thinned(quick=0, ci=20)
@pytest.mark.parametrize("name", ["mini_oswald", "mini_axeman", "king_troll", "wyrmling", "mini_giant_boar_0"])
def test_an_up_that_makes_a_figure_with_a_base_lie_down(shared: Path, name: str) -> None:
    file = shared / RPG / f"{name}.stl"
    (line,) = [line for line in load(file, up="y").warnings if 'up = "y" makes it lie down' in line]
    assert line.endswith('say up = "z"')
    assert not any("up =" in line for line in load(file, up="z").warnings + load(file).warnings)


def test_an_up_that_makes_a_figure_without_a_base_lie_down(shared: Path) -> None:
    """Given against the format it is a mistake; given as the format has it, it is an answer to the warning of auto."""
    swat = shared / "meshes/miniatures/quaternius-showcase/Swat.glb"
    assert any('up = "z" makes it lie down' in line for line in load(swat, up="z").warnings)
    assert not any("up =" in line for line in load(swat, up="y").warnings + load(swat).warnings)
    human = shared / "meshes/miniatures/odedstein-human/human_man.obj"
    assert not any("up =" in line for line in load(human, up="z").warnings + load(human, up="y").warnings)


def test_a_relief_whose_up_is_given_stands(written: Written) -> None:
    legs = [Solid(Box((3.0, 3.0, 14.0)), at=(x, 0.0, 0.0)) for x in (-6.0, 6.0)]
    relief = (*legs, Solid(Box((20.0, 8.0, 22.0)), at=(0.0, 1.0, 14.0)))
    assert any("it would stand flat" in line for line in load(written(relief)).warnings)
    assert not any("up =" in line for line in load(written(relief, up="z")).warnings)


def test_what_lies_in_a_table_of_another_program_is_to_lie_there(written: Written, shared: Path) -> None:
    file = shared / RPG / "mini_oswald.stl"
    assert not any("up =" in line for line in load(file, up="y", origin="keep").warnings)
    assert not any("up =" in line for line in load(file, up="y", kind="terrain").warnings)


# ---- eyes, as inspect has them


@pytest.mark.long
def test_inspect_and_new_tell_what_is_wrong_with_a_model(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(eye=[0, 0.1, 1.2], base={"part": "base"}, insignificant=[{"box": [[0, 0, 99], [1, 1, 100]]}])
    ran = run(capsys, "inspect", str(path), "--json", "--no-cache")
    assert ran.status == 0
    warnings = ran.document["warnings"]
    assert any("its eye [0, 0.1, 1.2] lies in or below its base" in line for line in warnings)
    assert any("tags nothing" in line for line in warnings)
    ran = run(capsys, "new", str(tmp_path / "duel"), str(path), "--json")
    assert ran.status == 0
    assert ran.document["warnings"] == warnings
    ran = run(capsys, "new", str(tmp_path / "other"), str(path))
    assert all(f"warning: {line}" in ran.out for line in warnings)


def test_eyes_of_a_crew_are_looked_at_too(written: Written) -> None:
    eyes = {"front": [0, 0, 20], "left": [-200, 0, 20]}
    lines = [line for line in doubts(load(written(kind="vehicle", eye=[0, 0, 15], eyes=eyes))) if "its eye" in line]
    assert len(lines) == 1
    assert "[-200, 0, 20]" in lines[0]


def test_a_mesh_that_is_only_a_sheet_gets_no_traceback(tmp_path: Path) -> None:
    trimesh.Trimesh(np.eye(3) * 30.0, [[0, 1, 2]]).export(tmp_path / "sheet.stl")
    assert load_model(tmp_path / "sheet.stl", Cache(None)).base is None


def test_the_base_of_a_low_stand_in_is_a_tenth_of_its_height() -> None:
    for height, thickness in ((20.0, 2.0), (34.0, 3.0)):
        model = stand_in(FigureEntry(base=25.0, height=height), "fighter")
        assert model.base is not None
        assert model.base.height == thickness
        assert model.significant.bounds[:, 2].tolist() == pytest.approx([thickness, height])
