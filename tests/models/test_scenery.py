"""Scans of tables and terrain that are given for figures: told, and no figure or vehicle with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere
from silhouette.models.entries import Kind
from silhouette.models.model import load_model
from silhouette.models.scenery import scenery_mistake
from tests.support.commands import run
from tests.support.model_files import GANGER, Written, load

PROJECT = Path(__file__).resolve().parents[2]
MESHES = (".stl", ".glb", ".gltf", ".obj", ".ply")
UNLIKE = ("Dummy_Base", "tree", "cave")
"""Terrain of the shared meshes that is shaped as freely as a figure: a practice dummy, a tree, a cave."""


def meshes_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in MESHES)


def said_of(file: Path, kind: Kind | None = "fighter") -> str | None:
    return scenery_mistake(load_model(file, Cache.default(), kind))


def test_of_no_figure_and_no_vehicle_is_anything_said(shared: Path) -> None:
    files = meshes_in(shared / "meshes" / "miniatures") + meshes_in(shared / "meshes" / "vehicles")
    assert len(files) > 20
    assert [(file.name, said) for file in files if (said := said_of(file)) is not None] == []


def test_our_own_models_are_known_for_what_they_are() -> None:
    for file in sorted((PROJECT / "models").glob("*.toml")):
        kind = load_model(file, Cache.default()).kind
        assert said_of(file, None) is None
        said = said_of(file.with_suffix(".glb"))
        assert (said is not None) == (kind == "terrain"), file.stem
        assert said is None or "--kind terrain" in said


def test_shared_terrain_is_known(shared: Path) -> None:
    files = meshes_in(shared / "meshes" / "terrain")
    assert len(files) > 30
    unknown = {file.stem for file in files if "--kind terrain" not in (said_of(file) or "")}
    assert unknown <= set(UNLIKE)
    assert [said_of(file, "terrain") for file in files if file.suffix == ".stl"] == [None] * len(
        [file for file in files if file.suffix == ".stl"]
    )


def test_scans_are_known(shared: Path) -> None:
    files = [shared / "scans" / "easy.glb", shared / "scans" / "no_scale.obj", shared / "scans" / "usual.ply"]
    files += sorted((shared / "reports" / "scans").glob("*.glb"))
    files.append(PROJECT / "scenes" / "scans" / "gang_table.glb")
    assert len(files) > 5
    for file in files:
        for kind in ("fighter", "vehicle"):
            said = said_of(file, kind)
            assert said is not None, file
            assert f"silhouette scan {file.name} --out FOLDER" in said


BLOCK = Solid(Box((60.0, 50.0, 40.0)))


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
