"""USD files: what Pixar's library writes is read as the same shapes in other formats are."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import MeshFile, read_mesh
from silhouette.meshes.stored import display_colours
from silhouette.scans.read import read_scan

pxr = pytest.importorskip("pxr")
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, Vt  # noqa: E402

BOX_M = np.array([0.03, 0.04, 0.05])
CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def stage(path: Path, unit: float | None = 0.01, up: str = "Y") -> Usd.Stage:
    made = Usd.Stage.CreateNew(str(path))
    if unit is not None:
        UsdGeom.SetStageMetersPerUnit(made, unit)
    UsdGeom.SetStageUpAxis(made, up)
    return made


def box(made: Usd.Stage, path: str = "/box", size: np.ndarray = BOX_M * 100, faces: Any = QUADS) -> UsdGeom.Mesh:
    mesh = UsdGeom.Mesh.Define(made, path)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy((CORNERS * size).astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([corner for face in faces for corner in face])
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    return mesh


def read(path: Path) -> MeshFile:
    return read_mesh(path, Cache(None))


def saved(made: Usd.Stage) -> MeshFile:
    made.GetRootLayer().Save()
    return read(Path(made.GetRootLayer().realPath))


def volume(file: MeshFile) -> float:
    return float(trimesh.Trimesh(file.mesh.vertices, file.mesh.faces, process=False).volume)


def packed(path: Path, files: dict[str, Path | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, bytes) else content.read_bytes())
    return path


@pytest.mark.parametrize("ending", ["usd", "usda", "usdc"])
def test_a_box_in_centimetres_is_the_box_of_an_stl(ending: str, tmp_path: Path) -> None:
    made = stage(tmp_path / f"box.{ending}")
    box(made)
    file = saved(made)
    trimesh.Trimesh(CORNERS * BOX_M * 1000.0, [[f[0], f[k], f[k + 1]] for f in QUADS for k in (1, 2)]).export(
        tmp_path / "box.stl"
    )
    stl = read(tmp_path / "box.stl")
    assert file.declared_units == "meter"
    assert file.watertight
    assert file.warnings == ()
    np.testing.assert_allclose(file.mesh.bounds * 1000.0, stl.mesh.bounds, atol=1e-5)
    assert volume(file) * 1e9 == pytest.approx(volume(stl), rel=1e-5)
    assert file.mesh.part_names == ("box",)
    assert len(file.mesh.faces) == len(stl.mesh.faces)


def test_z_up_becomes_y_up_and_without_a_unit_numbers_stay(tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usda", unit=None, up="Z")
    box(made)
    file = saved(made)
    assert file.declared_units is None
    np.testing.assert_allclose(file.mesh.bounds, [[0, 0, -4], [3, 5, 0]], atol=1e-6)
    assert volume(file) > 0.0


def test_transforms_of_all_above_count_and_a_mirror_keeps_the_outside_out(tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usdc", unit=1.0)
    above = UsdGeom.Xform.Define(made, "/above")
    above.AddTranslateOp().Set(Gf.Vec3d(10, 0, 0))
    above.AddRotateYOp().Set(90.0)
    mesh = box(made, "/above/box", BOX_M)
    mesh.AddScaleOp().Set(Gf.Vec3f(-2, 1, 1))
    file = saved(made)
    np.testing.assert_allclose(file.mesh.bounds, [[10, 0, 0], [10.05, 0.04, 0.06]], atol=1e-5)
    assert volume(file) == pytest.approx(2 * BOX_M.prod(), rel=1e-3)


def test_instances_count(tmp_path: Path) -> None:
    made = stage(tmp_path / "crates.usda", unit=1.0)
    made.CreateClassPrim("/crate")
    box(made, "/crate/wood", BOX_M)
    for number in range(3):
        copy = UsdGeom.Xform.Define(made, f"/copy{number}")
        copy.AddTranslateOp().Set(Gf.Vec3d(number, 0, 0))
        copy.GetPrim().GetReferences().AddInternalReference("/crate")
        copy.GetPrim().SetInstanceable(True)
    file = saved(made)
    assert len(file.mesh.faces) == 36
    np.testing.assert_allclose(file.mesh.bounds[1], [2.03, 0.04, 0.05], atol=1e-6)


def test_what_is_hidden_a_guide_or_off_is_left_out(tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usda", unit=1.0)
    box(made, "/shown", BOX_M)
    UsdGeom.Xform.Define(made, "/group").MakeInvisible()
    box(made, "/group/hidden")
    box(made, "/guide").CreatePurposeAttr(UsdGeom.Tokens.guide)
    box(made, "/proxy").CreatePurposeAttr(UsdGeom.Tokens.proxy)
    box(made, "/final", BOX_M).CreatePurposeAttr(UsdGeom.Tokens.render)
    box(made, "/off").GetPrim().SetActive(False)
    UsdGeom.Sphere.Define(made, "/ball")
    file = saved(made)
    assert file.mesh.part_names == ("shown", "final")
    assert file.warnings[:2] == ("1 shapes that are hidden were left out", "1 shapes that are no meshes were left out")


def test_left_handed_faces_are_turned(tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usda", unit=1.0)
    box(made, size=BOX_M, faces=[face[::-1] for face in QUADS]).CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    assert volume(saved(made)) == pytest.approx(BOX_M.prod(), rel=1e-5)


def test_a_polygon_with_a_notch_is_not_filled(tmp_path: Path) -> None:
    made = stage(tmp_path / "wall.usda", unit=1.0)
    mesh = UsdGeom.Mesh.Define(made, "/wall")
    outline = np.array([[0, 0], [6, 0], [6, 3], [4, 3], [4, 1], [2, 1], [2, 3], [0, 3]], dtype=float)
    mesh.CreatePointsAttr([Gf.Vec3f(x, y, 0) for x, y in outline.tolist()])
    mesh.CreateFaceVertexCountsAttr([8])
    mesh.CreateFaceVertexIndicesAttr(list(range(8)))
    file = saved(made)
    assert trimesh.Trimesh(file.mesh.vertices, file.mesh.faces, process=False).area == pytest.approx(14.0)
    assert "1 subdivision surfaces are taken as their cages" in file.warnings


@pytest.mark.parametrize("interpolation", ["vertex", "faceVarying", "uniform"])
def test_colours_of_vertices_corners_and_faces(interpolation: str, tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usdc", unit=1.0)
    count = {"vertex": 8, "faceVarying": 24, "uniform": 6}[interpolation]
    primvar = UsdGeom.PrimvarsAPI(box(made, size=BOX_M)).CreatePrimvar(
        "displayColor", Sdf.ValueTypeNames.Color3fArray, interpolation
    )
    primvar.Set([Gf.Vec3f(1, 0, 0)] * (count // 2) + [Gf.Vec3f(0, 0.2140, 0)] * (count // 2))
    saved(made)
    scan = read_scan(tmp_path / "box.usdc")
    assert scan.colours is not None
    assert {tuple(colour) for colour in scan.colours.tolist()} == {(255, 0, 0), (0, 127, 0)}
    assert (scan.up, scan.units) == ("y", "m")


def captured(folder: Path) -> Path:
    """A box with a picture, upper half red, lower half blue, as a phone's capture packs it."""
    made = stage(folder / "baked.usdc", unit=1.0)
    mesh = box(made, "/scan/mesh", BOX_M)
    places = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, "faceVarying")
    # The first three faces lie in the upper half of the picture.
    places.Set([Gf.Vec2f(0.5, 0.9 if number < 12 else 0.1) for number in range(24)])
    material = UsdShade.Material.Define(made, "/scan/material")
    surface = UsdShade.Shader.Define(made, "/scan/material/surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    texture = UsdShade.Shader.Define(made, "/scan/material/texture")
    texture.CreateIdAttr("UsdUVTexture")
    texture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set("0/skin.png")
    reader = UsdShade.Shader.Define(made, "/scan/material/places")
    reader.CreateIdAttr("UsdPrimvarReader_float2")
    reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("st")
    texture.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(reader.ConnectableAPI(), "result")
    colour = surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    colour.ConnectToSource(texture.ConnectableAPI(), "rgb")
    material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)
    made.GetRootLayer().Save()
    picture, held = Image.new("RGB", (4, 4), (0, 0, 255)), io.BytesIO()
    picture.paste((255, 0, 0), (0, 0, 4, 2))
    picture.save(held, "PNG")
    return packed(folder / "table.usdz", {"baked.usdc": folder / "baked.usdc", "0/skin.png": held.getvalue()})


def test_the_picture_of_a_capture_colours_it(tmp_path: Path) -> None:
    path = captured(tmp_path)
    paint = display_colours(path, Cache(None))
    assert paint is not None
    red = (paint.colours == (255, 0, 0)).all(axis=1)
    assert red.sum() == (paint.colours == (0, 0, 255)).all(axis=1).sum() == len(paint.colours) // 2
    assert paint.points[red][:, 0].min() == 0.0
    assert read_scan(path).colours is not None
    assert read(path).watertight
    zipped = packed(tmp_path / "scan.zip", {"table.usdz": path})
    assert read_scan(zipped).units == "m"


def test_layers_of_an_archive_refer_to_each_other(tmp_path: Path) -> None:
    """As the rooms of RoomPlan do."""
    part = stage(tmp_path / "wall.usda", unit=1.0)
    box(part, "/wall/mesh", BOX_M)
    part.SetDefaultPrim(part.GetPrimAtPath("/wall"))
    part.GetRootLayer().Save()
    room = stage(tmp_path / "room.usda", unit=1.0)
    for number in range(2):
        prim = UsdGeom.Xform.Define(room, f"/room/wall{number}")
        prim.AddTranslateOp().Set(Gf.Vec3d(0, 0, number))
        prim.GetPrim().GetReferences().AddReference("./assets/wall.usda")
    room.GetRootLayer().Save()
    parts = {"room.usda": tmp_path / "room.usda", "assets/wall.usda": tmp_path / "wall.usda"}
    (tmp_path / "apart").mkdir()
    file = read(packed(tmp_path / "apart" / "room.usdz", parts))
    assert len(file.mesh.faces) == 24
    assert file.warnings[1:] == () or "refers" not in str(file.warnings)


ARCS: dict[str, Callable[[Usd.Stage, str], object]] = {
    "reference": lambda made, to: made.DefinePrim("/more").GetReferences().AddReference(to, "/secret"),
    "payload": lambda made, to: made.DefinePrim("/more").GetPayloads().AddPayload(to, "/secret"),
    "sublayer": lambda made, to: made.GetRootLayer().subLayerPaths.append(to),
}


def variant(made: Usd.Stage, to: str) -> None:
    variants = made.DefinePrim("/more").GetVariantSets().AddVariantSet("kind")
    variants.AddVariant("other")
    variants.SetVariantSelection("other")
    with variants.GetVariantEditContext():
        made.GetPrimAtPath("/more").GetReferences().AddReference(to, "/secret")


@pytest.mark.parametrize("how", ["absolute", "relative", "up"])
@pytest.mark.parametrize("arc", [*ARCS, "variant"])
def test_a_reference_to_another_file_is_not_followed(arc: str, how: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    other = tmp_path / ("secret.usda" if how == "up" else "in/secret.usda")
    secret = stage(other, unit=1.0)
    box(secret, "/secret", BOX_M)
    secret.GetRootLayer().Save()
    made = stage(tmp_path / "in" / "box.usda", unit=1.0)
    box(made, "/shown", BOX_M)
    to = {"absolute": str(other), "relative": "./secret.usda", "up": "../secret.usda"}[how]
    (ARCS | {"variant": variant})[arc](made, to)
    file = saved(made)
    assert file.mesh.part_names == ("shown",)
    assert "secret.usda" in file.warnings[0]
    assert file.warnings[0].endswith("which is not in it; what is there is left out")
    inside = read(packed(tmp_path / "in" / "box.usdz", {"box.usda": tmp_path / "in" / "box.usda"}))
    assert inside.mesh.part_names == ("shown",)


def test_values_at_other_times_are_not_looked_for(tmp_path: Path) -> None:
    clip = stage(tmp_path / "clip.usda", unit=1.0)
    box(clip, "/box", BOX_M).GetPointsAttr().Set([Gf.Vec3f(9, 9, 9)] * 8, 1.0)
    clip.GetRootLayer().Save()
    made = stage(tmp_path / "box.usda", unit=1.0)
    clips = Usd.ClipsAPI(box(made, "/box", BOX_M).GetPrim())
    clips.SetClipAssetPaths([Sdf.AssetPath("./clip.usda")])
    clips.SetClipPrimPath("/box")
    clips.SetClipActive([(0.0, 0.0)])
    del clip
    file = saved(made)
    np.testing.assert_allclose(file.mesh.bounds[1], BOX_M, atol=1e-6)
    assert file.warnings == ()


def test_what_moves_stands_as_at_the_default_time(tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usda", unit=1.0)
    move = box(made, size=BOX_M).AddTranslateOp()
    move.Set(Gf.Vec3d(1, 0, 0))
    for time in (1.0, 2.0):
        move.Set(Gf.Vec3d(0, time, 0), time)
    file = saved(made)
    assert file.mesh.bounds[0].tolist() == [1.0, 0.0, 0.0]
    assert file.warnings == ("1 things that move stand as they do at the default time",)


def test_copies_of_a_point_instancer_and_what_they_copy_are_left_out(tmp_path: Path) -> None:
    made = stage(tmp_path / "trees.usda", unit=1.0)
    box(made, "/shown", BOX_M)
    copies = UsdGeom.PointInstancer.Define(made, "/trees")
    box(made, "/trees/tree")
    copies.CreatePositionsAttr([Gf.Vec3f(1, 0, 0)])
    copies.CreateProtoIndicesAttr([0])
    copies.CreatePrototypesRel().AddTarget("/trees/tree")
    file = saved(made)
    assert file.mesh.part_names == ("shown",)
    assert file.warnings == ("1 sets of copies (point instancers) were left out",)
    made.GetPrimAtPath("/shown").SetActive(False)
    with pytest.raises(MeshError, match=r"holds no triangles, only sets of copies \(point instancers\); a mesh"):
        saved(made)


def doubling(levels: int) -> str:
    text = '#usda 1.0\ndef "n0" {\ndef Mesh "m" {\n}\n}\n'
    for level in range(1, levels):
        twice = "".join(f'def "{side}" (references = </n{level - 1}>) {{\n}}\n' for side in "ab")
        text += f'def "n{level}" {{\n{twice}}}\n'
    return text


BROKEN = {
    "cut.usdc": (lambda path: stage_bytes(path)[:-40], "truncated or no USD file"),
    "noise.usdc": (lambda path: b"PXR-USDC" + bytes(range(256)), "truncated or no USD file"),
    "noise.usda": (lambda path: b"#usda 1.0\n def {{ nothing", "truncated or no USD file"),
    "page.usda": (lambda path: b"<!DOCTYPE html><html>", "is a web page"),
    "none.usda": (lambda path: b'#usda 1.0\ndef Xform "a" {}\n', "holds no triangles"),
    "deep.usda": (lambda path: b"#usda 1.0\n" + b'def "a" {' * 100_000, "brackets in each other"),
    "levels.usda": (lambda path: b"#usda 1.0\n" + b'def "a" {\n' * 300 + b"}\n" * 300, "levels of prims"),
    "bomb.usda": (lambda path: doubling(40).encode(), "more than 100000 prims"),
    "circle.usda": (lambda path: b'#usda 1.0\ndef "a" {\ndef "b" (references = </a>) {\n}\n}\n', "in a circle"),
    "zip.usdz": (lambda path: b"PK\x03\x04 and nothing", "truncated or no zip archive"),
}  # fmt: skip


def stage_bytes(path: Path) -> bytes:
    made = stage(path / "whole.usdc")
    box(made)
    made.GetRootLayer().Save()
    return (path / "whole.usdc").read_bytes()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_line(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make, problem = BROKEN[name]
    (tmp_path / name).write_bytes(make(tmp_path))
    capfd.readouterr()
    with pytest.raises(MeshError, match=problem) as refused:
        read(tmp_path / name)
    assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "counts, corners, problem",
    [([4, 4], [0, 1, 2], "other numbers of corners"), ([3], [0, 1, 9], "points to vertex 9 of 8")],
)
def test_faces_that_cannot_be_are_refused(counts: list[int], corners: list[int], problem: str, tmp_path: Path) -> None:
    made = stage(tmp_path / "box.usda")
    mesh = box(made)
    mesh.GetFaceVertexCountsAttr().Set(counts)
    mesh.GetFaceVertexIndicesAttr().Set(corners)
    with pytest.raises(MeshError, match=problem):
        saved(made)


def test_without_the_extra_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pxr", None)
    (tmp_path / "table.usdz").write_bytes(b"PK\x03\x04")
    for reader in (read, read_scan):
        with pytest.raises(MeshError, match=r"is USD, which is not read; export it as GLB: .*; or install: .*usd"):
            reader(tmp_path / "table.usdz")


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = captured(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    read(path)
    assert os.listdir(tmp_path / "temporary") == []


def test_a_mesh_of_another_format_loads_no_library_of_usd(tmp_path: Path) -> None:
    trimesh.creation.box().export(tmp_path / "box.stl")
    code = (
        "import sys; from pathlib import Path; from silhouette.files.cache import Cache\n"
        "from silhouette.meshes.mesh import read_mesh\n"
        f"read_mesh(Path({str(tmp_path / 'box.stl')!r}), Cache(None))\n"
        "assert 'pxr' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_would_end_the_process_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an invalid spec in a binary file does, which Pixar's library takes for a fatal error."""
    made = stage(tmp_path / "box.usdc")
    box(made)
    aborted = subprocess.CompletedProcess([], -6)
    monkeypatch.setattr("silhouette.meshes.formats.usd.subprocess.run", lambda *_, **__: aborted)
    with pytest.raises(MeshError, match="truncated or no USD file"):
        saved(made)
