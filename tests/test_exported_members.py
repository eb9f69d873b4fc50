"""The public surface: these names, sorted, imported only when they are used."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types

import pytest

import silhouette

EXPORTED = [
    "Cache",
    "Check",
    "CrisisProtocolVerdict",
    "DataVerdict",
    "FileError",
    "IkosaVerdict",
    "Level",
    "Matrix",
    "MeshError",
    "Model",
    "NecromundaVerdict",
    "NotebookChanges",
    "NotebookMap",
    "NotebookOdds",
    "NotebookVerdict",
    "Piece",
    "Renderer",
    "RendererUnavailable",
    "RequestError",
    "RuleReference",
    "Scene",
    "SilhouetteError",
    "SkirmishCorpsVerdict",
    "TideOfIronVerdict",
    "Verdict",
    "batch",
    "bundle",
    "changes",
    "check",
    "choose",
    "draw",
    "export_scene",
    "import_table",
    "load_model",
    "load_scene",
    "map_of",
    "matrix",
    "odds",
    "report",
    "scan_table",
]


def test_the_public_names_are_these_and_sorted() -> None:
    assert silhouette.__all__ == EXPORTED
    assert sorted(silhouette.__all__) == silhouette.__all__
    assert dir(silhouette) == EXPORTED


@pytest.mark.parametrize("name", EXPORTED)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    member = getattr(silhouette, name)
    assert not isinstance(member, types.ModuleType)
    assert member.__doc__
    assert member.__name__ == name
    assert getattr(importlib.import_module(member.__module__), name) is member


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="chekc"):
        _ = silhouette.chekc


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = "import sys, silhouette; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    for heavy in ("trimesh", "pyrender", "PIL", "numpy", "pydantic", "rich", "typer", "embreex", "shapely"):
        assert f"'{heavy}'" not in done.stdout


def test_the_package_is_typed_for_its_users() -> None:
    assert (importlib.resources.files("silhouette") / "py.typed").is_file()
