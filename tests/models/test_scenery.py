"""Scans of tables and terrain that are given for figures: told, and no figure or vehicle with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere
from silhouette.models.entries import Kind
from silhouette.models.inspection import scenery_mistake
from silhouette.models.model import load_model
from tests.support.commands import run
from tests.support.model_files import GANGER, Written, load

PROJECT = Path(__file__).resolve().parents[2]
MESHES = (".stl", ".glb", ".gltf", ".obj", ".ply")
UNLIKE = ("Dummy_Base", "tree", "cave")
"""Terrain of the shared meshes that is shaped as freely as a figure: a practice dummy, a tree, a cave."""


LARGE = 2_000_000
"""Bytes: larger files are looked at in long runs alone."""

SIZES = pytest.mark.parametrize("is_large", [False, pytest.param(True, marks=pytest.mark.long)])


def meshes_in(folder: Path, is_large: bool) -> list[Path]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in MESHES)
    return [file for file in files if (file.stat().st_size > LARGE) == is_large]


def said_of(file: Path, kind: Kind | None = "fighter") -> str | None:
    return scenery_mistake(load_model(file, Cache.default(), kind))


@pytest.mark.slow
@SIZES
def test_of_no_figure_and_no_vehicle_is_anything_said(shared: Path, is_large: bool) -> None:
    files = [file for kind in ("miniatures", "vehicles") for file in meshes_in(shared / "meshes" / kind, is_large)]
    assert files
    assert [(file.name, said) for file in files if (said := said_of(file)) is not None] == []


@pytest.mark.slow
def test_our_own_models_are_known_for_what_they_are() -> None:
    for file in sorted((PROJECT / "models").glob("*.toml")):
        kind = load_model(file, Cache.default()).kind
        assert said_of(file, None) is None
        said = said_of(file.with_suffix(".glb"))
        assert (said is not None) == (kind == "terrain"), file.stem
        assert said is None or "--kind terrain" in said


@pytest.mark.slow
@SIZES
def test_shared_terrain_is_known(shared: Path, is_large: bool) -> None:
    files = meshes_in(shared / "meshes" / "terrain", is_large)
    assert files
    unknown = {file.stem for file in files if "--kind terrain" not in (said_of(file) or "")}
    assert unknown <= set(UNLIKE)


@pytest.mark.thinned(quick=25)
@pytest.mark.parametrize(
    "name",
    [
        *("scans/easy.glb", "reports/scans/control.glb", "reports/scans/floor_2x2m.glb", "reports/scans/bumps_1mm.glb"),
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in (
                *("scans/no_scale.obj", "scans/usual.ply", "reports/scans/board_on_dining_table.glb"),
                *("reports/scans/floor_3x3m.glb", "reports/scans/no_scale_37.glb", "reports/scans/scenic_bases.glb"),
            )
        ),
    ],
)
def test_scans_are_known(shared: Path, name: str) -> None:
    said = said_of(shared / name)
    assert said is not None
    assert f"silhouette scan {Path(name).name} --out FOLDER" in said


@pytest.mark.slow
def test_the_scan_that_ships_is_known() -> None:
    for kind in ("fighter", "vehicle"):
        assert "silhouette scan gang_table.glb" in (
            said_of(PROJECT / "scenes" / "scans" / "gang_table.glb", kind) or ""
        )


BLOCK = Solid(Box((60.0, 50.0, 40.0)))


@pytest.mark.thinned(quick=71)
@pytest.mark.parametrize(
    "parts",
    [
        (BLOCK,),
        (Solid(Box((120.0, 4.0, 40.0))),),
        (Solid(Box((150.0, 150.0, 3.0))),),
        (Solid(Box((80.0, 6.0, 50.0))), Solid(Box((6.0, 80.0, 50.0)), at=(37.0, 37.0, 0.0))),
    ],
)
def test_plain_terrain_in_any_turn_about_the_upright(written: Written, parts: tuple[Solid, ...]) -> None:
    for turn in (0.0, 27.0):
        angle = np.radians(turn)
        turned = tuple(
            Solid(
                part.shape,
                (
                    float(part.at[0] * np.cos(angle) - part.at[1] * np.sin(angle)),
                    float(part.at[0] * np.sin(angle) + part.at[1] * np.cos(angle)),
                    part.at[2],
                ),
                turn,
            )
            for part in parts
        )
        assert "looks like terrain" in (scenery_mistake(load(written(turned))) or "")
        assert scenery_mistake(load(written(turned, kind="terrain"))) is None


@pytest.mark.thinned(quick=65)
@pytest.mark.parametrize(
    "parts",
    [
        GANGER,
        (Solid(Cylinder(25.0, 3.0)), Solid(Box((12.0, 8.0, 28.0)), at=(0.0, 0.0, 3.0))),
        (Solid(Box((25.0, 25.0, 3.0))), Solid(Box((12.0, 8.0, 28.0)), at=(0.0, 0.0, 3.0))),
        (Solid(Cylinder(25.0, 3.0)),),
        (Solid(Sphere(30.0)),),
    ],
)
def test_plain_figures_and_bases_are_none(written: Written, parts: tuple[Solid, ...]) -> None:
    assert scenery_mistake(load(written(parts))) is None


@pytest.mark.slow
def test_inspect_and_new_point_the_way(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wall = PROJECT / "models" / "ruined_wall.glb"
    ran = run(capsys, "inspect", str(wall), "--json")
    first = ran.document["warnings"][0]
    assert ran.status == 0
    assert first.startswith("ruined_wall.glb: 120 x 22.5 x 79.3 mm, and looks like terrain")
    assert not any("its eye" in line for line in ran.document["warnings"])
    ran = run(capsys, "inspect", str(wall), "--json", "--kind", "terrain")
    assert not any("looks like" in line for line in ran.document["warnings"])
    ran = run(capsys, "new", str(tmp_path / "duel"), str(wall))
    assert ran.status == 0
    assert f"warning: {first}" in ran.out
