"""Model files that the tests of this room write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Solid, solid
from tests.support.model_files import GANGER, Written, as_obj


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes solids as ``ganger.obj``, and in the same folder a model file with the given keys."""

    def write(parts: tuple[Solid, ...] = GANGER, factor: float = 1.0, **keys: object) -> Path:
        mesh = solid(*parts)
        scaled = Mesh(mesh.vertices * factor, mesh.faces, mesh.part, mesh.part_names)
        (tmp_path / "ganger.obj").write_text(as_obj(scaled))
        path = tmp_path / "ganger.json"
        path.write_text(json.dumps({"mesh": "ganger.obj", **keys}))
        return path

    return write
