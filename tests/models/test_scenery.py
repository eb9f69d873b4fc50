"""Scans of tables and terrain that are given for figures: told, and no figure or vehicle with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere
from silhouette.models.entries import Kind
from silhouette.models.inspection import scenery_mistake
from silhouette.models.model import load_model
from tests.support.commands import run
from tests.support.figures_with_eyes import figure_with_eye
from tests.support.model_files import GANGER, Written, as_obj, load
from tests.support.random_figures import Shell, at_height, box, circle, ellipsoid, mesh_of, rod, stacked
from tests.support.sculpted_figures import sculpted_figure

PROJECT = Path(__file__).resolve().parents[2]
MESHES = (".stl", ".glb", ".gltf", ".obj", ".ply")
UNLIKE = ("Dummy_Base", "tree", "cave")
"""Terrain of the shared meshes that is shaped as freely as a figure: a practice dummy, a tree, a cave."""


LARGE = 2_000_000
"""Bytes: larger files are looked at in long runs alone."""

PARTS = pytest.mark.parametrize(
    "part",
    [
        pytest.param("some", marks=pytest.mark.slow),
        *(pytest.param(part, marks=pytest.mark.long) for part in ("others", "large")),
    ],
)
"""Each fourth of the files, the others, and the large ones."""


def meshes_in(folder: Path, part: str) -> list[Path]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in MESHES)
    small = [file for file in files if file.stat().st_size <= LARGE]
    some = small[::4]
    return {"some": some, "others": sorted({*small} - {*some}), "large": sorted({*files} - {*small})}[part]


def said_of(file: Path, kind: Kind | None = "fighter") -> str | None:
    return scenery_mistake(load_model(file, Cache.default(), kind))


@PARTS
def test_of_no_figure_and_no_vehicle_is_anything_said(shared: Path, part: str) -> None:
    files = [file for kind in ("miniatures", "vehicles") for file in meshes_in(shared / "meshes" / kind, part)]
    assert files
    assert [(file.name, said) for file in files if (said := said_of(file)) is not None] == []


@pytest.mark.parametrize("every", [pytest.param(5, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.long)])
def test_our_own_models_are_known_for_what_they_are(every: int) -> None:
    for file in sorted((PROJECT / "models").glob("*.toml"))[::every]:
        kind = load_model(file, Cache.default()).kind
        assert said_of(file, None) is None
        said = said_of(file.with_suffix(".glb"))
        assert (said is not None) == (kind == "terrain"), file.stem
        assert said is None or "--kind terrain" in said


@pytest.mark.long
@PARTS
def test_shared_terrain_is_known(shared: Path, part: str) -> None:
    files = meshes_in(shared / "meshes" / "terrain", part)
    assert files
    unknown = {file.stem for file in files if "--kind terrain" not in (said_of(file) or "")}
    assert unknown <= set(UNLIKE)


@pytest.mark.thinned(quick=25, ci=26)
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


@pytest.mark.long
def test_the_scan_that_ships_is_known() -> None:
    for kind in ("fighter", "vehicle"):
        assert "silhouette scan gang_table.glb" in (
            said_of(PROJECT / "scenes" / "scans" / "gang_table.glb", kind) or ""
        )


def on_plinth(half: float, *shells: Shell) -> Mesh:
    """Something on a square plinth of 5 mm."""
    return mesh_of([box((-half, -half, 0.0), (half, half, 5.0)), *shells])


def column(radius: float, top: float, flutes: int = 0, ragged: float = 0.0) -> Shell:
    angle = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    outline = circle(radius, 64) * (1.0 + 0.06 * np.cos(flutes * angle))[:, None]
    upper = at_height(outline, top)
    upper[:, 2] += np.random.default_rng(1).uniform(-ragged, ragged, 64)
    return stacked([at_height(outline, 4.8), upper])


PINE = [rod((0, 0, 20.0 + 20.0 * step), (0, 0, 60.0 + 24.0 * step), 25.0 - 6.0 * step, 0.02) for step in range(3)]
TURNED = {
    "a column": on_plinth(16.0, column(9.0, 90.0)),
    "a fluted column with a capital": on_plinth(20.0, column(9.0, 86.0, 16), box((-12, -12, 85), (12, 12, 90))),
    "a broken column": on_plinth(15.0, column(10.0, 70.0, 12, 4.0)),
    "a square pillar": on_plinth(20.0, box((-9, -9, 4.8), (9, 9, 90))),
    "a wide plinth": on_plinth(30.0, column(8.0, 70.0)),
    "a tree": mesh_of([rod((0, 0, 0), (0, 0, 70), 6.0, 0.7), ellipsoid((0, 0, 78), (35.0, 35.0, 33.0), 24)]),
    "a tree on a base": on_plinth(20.0, rod((0, 0, 4), (0, 0, 70), 6.0, 0.7), ellipsoid((0, 0, 78), (33, 33, 33), 24)),
    "a pine": mesh_of([rod((0, 0, 0), (0, 0, 70), 4.0, 0.7), *PINE]),
    "a pine on a base": on_plinth(30.0, rod((0, 0, 4), (0, 0, 70), 4.0, 0.7), *PINE),
}


@pytest.mark.thinned(quick=7)
@pytest.mark.parametrize("what", TURNED)
def test_pillars_and_trees_on_plinths_are_known(tmp_path: Path, what: str) -> None:
    (tmp_path / "it.obj").write_text(as_obj(TURNED[what]))
    model = load_model(tmp_path / "it.obj", Cache.default(), "fighter", {"units": "mm"})
    assert "--kind terrain" in (scenery_mistake(model) or "")


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(0, 40, 10), marks=pytest.mark.slow), pytest.param(range(40), marks=pytest.mark.long)],
    ids=str,
)
def test_figures_of_any_size_are_neither_pillars_nor_trees(tmp_path: Path, seeds: range) -> None:
    """Three times as large as they are: small ones are not even looked at for that."""
    mistaken = []
    for make in (figure_with_eye, sculpted_figure):
        for seed in seeds:
            mesh, _, what = make(seed)
            (tmp_path / "it.obj").write_text(as_obj(replace(mesh, vertices=3.0 * mesh.vertices)))
            model = load_model(tmp_path / "it.obj", Cache.default(), "fighter", {"units": "mm"})
            if "a pillar or a tree" in (scenery_mistake(model) or ""):
                mistaken.append(f"{seed}: {what}")
    assert mistaken == []


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


@pytest.mark.long
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
