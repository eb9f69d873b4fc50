"""What is worked out of a mesh alone, and kept in a cache folder: the same as worked out anew, and of no other mesh."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.meshes import clusters, solids
from silhouette.meshes.clusters import clusters_of
from silhouette.meshes.mesh import Mesh, keep_in
from silhouette.meshes.solids import inner_boxes
from silhouette.models.model import load_model
from tests.conftest import PROJECT
from tests.support.shapes import box, joined, moved, sphere
from tests.support.shapes import mesh as mesh_of

_OPEN = sphere(10.0, 40, 21)  # at its pole
BALLS = joined(moved(_OPEN, (0.0, 30.0, 0.0)), mesh_of(np.round(_OPEN.vertices, 9) + 0.0, _OPEN.faces))
MODEL = PROJECT / "models" / "barrel_stack.toml"


def copied(mesh: Mesh) -> Mesh:
    """The same mesh, of which nothing is known yet."""
    return replace(mesh, vertices=mesh.vertices.copy())


def kept_in(cache: Cache, mesh: Mesh) -> Mesh:
    mesh = copied(mesh)
    keep_in(cache, mesh)
    return mesh


def values(record: Any) -> list[Any]:
    found = [getattr(record, field.name) for field in fields(record)]
    return [one for value in found for one in (values(value) if is_dataclass(value) else [value])]


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where clusters or boxes are worked out anew."""

    def refuse(*_: object) -> None:
        raise AssertionError("worked out anew")

    monkeypatch.setattr(clusters, "_built", refuse)
    monkeypatch.setattr(solids, "_boxes_of", refuse)


def test_what_was_kept_is_the_same_bit_for_bit_and_laid_out_alike(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    cache = Cache(tmp_path)
    first = kept_in(cache, BALLS)
    worked_out = [*values(clusters_of(first)), *values(inner_boxes(first))]
    request.getfixturevalue("no_work")
    second = kept_in(cache, BALLS)
    read = [*values(clusters_of(second)), *values(inner_boxes(second))]
    for one, other in zip(worked_out, read, strict=True):
        assert type(one) is type(other)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            assert one.strides == other.strides
            assert one.tobytes() == other.tobytes()
        else:
            assert one == other


def test_another_mesh_has_its_own(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first, second = (kept_in(cache, box((0.0, 0.0, 0.0), (10.0, 10.0, high))) for high in (10.0, 20.0))
    assert inner_boxes(first).shells[0, 1, 2] == 10.0
    assert inner_boxes(second).shells[0, 1, 2] == 20.0
    assert clusters_of(first).reach < clusters_of(second).reach


def test_another_version_is_worked_out_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    before = inner_boxes(kept_in(cache, BALLS))
    monkeypatch.setattr(solids, "SOLIDS_VERSION", solids.SOLIDS_VERSION + 1)
    monkeypatch.setattr(solids, "_boxes_of", lambda _: replace(before, boxes=before.boxes[:0]))
    assert len(inner_boxes(kept_in(cache, BALLS)).boxes) == 0


def test_a_damaged_entry_is_worked_out_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    before = inner_boxes(kept_in(cache, BALLS))
    for entry in tmp_path.iterdir():
        entry.write_bytes(entry.read_bytes()[:-30])
    assert inner_boxes(kept_in(cache, BALLS)).boxes.tolist() == before.boxes.tolist()


def test_a_mesh_that_no_cache_keeps_is_asked_once(request: pytest.FixtureRequest) -> None:
    mesh = copied(BALLS)
    before = clusters_of(mesh), inner_boxes(mesh)
    request.getfixturevalue("no_work")
    assert clusters_of(mesh) is before[0]
    assert inner_boxes(mesh) is before[1]


def test_models_keep_theirs_from_run_to_run(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cache = Cache(tmp_path)
    for mesh in (load_model(MODEL, cache).mesh, load_model(MODEL, cache).significant):
        inner_boxes(mesh)
    request.getfixturevalue("no_work")
    model = load_model(MODEL, cache)
    for mesh in (model.mesh, model.significant):
        assert len(inner_boxes(mesh).shells) > 0
        assert clusters_of(mesh).reach > 0.0


def test_what_is_found_has_the_version_that_it_is_kept_under() -> None:
    """Where the figures of balls change, the version has to as well: else users get what an earlier one has kept."""
    found, boxes = clusters_of(copied(BALLS)), inner_boxes(copied(BALLS))
    figures = [len(found.radii), len(found.even.ends), len(found.odd.ends), found.radii.sum()]
    assert [*figures, np.abs(found.planes).sum()] == pytest.approx([50, 4760, 80, 401.8084, 38494.79], rel=1e-4)
    assert clusters.CLUSTERS_VERSION == 3
    figures = [len(boxes.boxes), np.abs(boxes.boxes).sum(), np.abs(boxes.shells).sum()]
    assert figures == pytest.approx([24, 755.340, 59.8882], rel=1e-4)
    assert solids.SOLIDS_VERSION == 2
