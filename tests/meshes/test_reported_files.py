"""Files of ../shared/reports that were read wrongly, each with the value that is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.exchange.folder import read_table
from silhouette.files.cache import Cache
from silhouette.meshes.formats.gltf_tree import open_container
from silhouette.meshes.mesh import read_mesh
from silhouette.notebook.questions import check
from tests.support.gltf_scenes import glb

FIGURE = 140
"""Triangles of the figure in all of them."""


@pytest.fixture
def reports(shared: Path) -> Path:
    return shared / "reports/files"


@pytest.mark.parametrize(
    "name, height, says",
    [
        ("prusa_ParameterModifier.3mf", 30.0, "modifier 'box' (12 triangles)"),
        ("prusa_SupportEnforcer.3mf", 30.0, "support enforcer 'box' (12 triangles)"),
        ("bambu_mod_model.3mf", 30.0, "modifier 'Cube' (12 triangles)"),
        ("unprintable.3mf", 30.0, "item that is not printed 'object 2' (12 triangles)"),
        ("hidden_opt.glb", 0.030, "'helper wall' is hidden (KHR_node_visibility)"),
        ("morph_mesh.glb", 0.060, ""),
        ("skin_posed.glb", 0.060, ""),
        ("solidhdr_trail.stl", 30.0, ""),
        ("figure.stl", 30.0, ""),
    ],
)
def test_what_is_body(reports: Path, name: str, height: float, says: str) -> None:
    file = read_mesh(reports / name, Cache(None))
    assert len(file.mesh.faces) == FIGURE
    size = file.mesh.bounds[1] - file.mesh.bounds[0]
    assert size[1 if name.endswith(".glb") else 2] == pytest.approx(height, abs=1e-6)
    assert sorted(size)[:2] == pytest.approx([height / 30.0 * 25.0] * 2, abs=1e-6) if height in (30.0, 0.03) else True
    assert (says in " ".join(file.warnings)) if says else file.warnings == ()


@pytest.mark.parametrize(
    "name, plain, verdict, share",
    [
        ("v_prusa_mod20.toml", "v_plain20.toml", "full cover", 0.550),
        ("m24.toml", "t24.toml", "partial cover", 0.355),
    ],
)
def test_scenes_are_judged_as_those_with_the_plain_figure(
    reports: Path, name: str, plain: str, verdict: str, share: float
) -> None:
    one, other = (check(reports / scene, "A", "B") for scene in (name, plain))
    assert (one.verdict, one.occluded) == (other.verdict, pytest.approx(other.occluded, abs=1e-6))
    assert (one.verdict, round(one.occluded, 3)) == (verdict, share)


def test_an_import_poses_a_skeleton_as_a_mesh_does(reports: Path, tmp_path: Path) -> None:
    """The file has no piece that says so: it gets one."""
    tree, blob = open_container((reports / "skin_posed.glb").read_bytes())
    tree["nodes"][1]["extras"] = {"silhouette": "fighter"}
    (tmp_path / "a.glb").write_bytes(glb({**tree, "blob": blob}))
    (piece,) = read_table(tmp_path / "a.glb", None, Cache(None)).pieces
    assert piece.mesh is not None
    assert len(piece.mesh.faces) == FIGURE
    size = np.ptp(piece.mesh.vertices, axis=0) * float(piece.keys.get("scale", 1.0))
    assert size == pytest.approx([25.0, 25.0, 60.0], abs=1e-4)


def test_a_wall_that_is_invisible_in_the_game_is_left_out(reports: Path) -> None:
    table = read_table(reports / "tts_alpha0.json", reports / "ttsm", Cache(None))
    assert [piece.name for piece in table.pieces] == ["fighter Kal", "fighter Vex"]
    (row,) = table.left_out
    assert (row.name, "invisible in the game" in row.why) == ("range helper", True)
