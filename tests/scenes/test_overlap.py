"""What lies inside a body: kept in the cache folder with the rest of what is worked out of its mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.models.model import load_model
from silhouette.scenes import standing as overlap
from silhouette.scenes.standing import Inside, Interior
from silhouette.scenes.surfaces import solid_part
from tests.conftest import PROJECT

FIGURE = PROJECT / "models" / "brute.toml"


def test_what_lies_inside_a_body_is_kept_from_run_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    first = load_model(FIGURE, cache)
    assert solid_part(first) is not first.mesh  # a part of it is insignificant, and what is left is kept beside it
    before = Interior.of_body(first)
    monkeypatch.setattr(Inside, "of_all", None)
    after = Interior.of_body(load_model(FIGURE, cache))
    for name in ("points", "column", "low", "high"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    assert len(after.low) > 0


def test_what_is_found_has_the_version_that_it_is_kept_under() -> None:
    """Where the lines inside a body change, the version has to as well: else users get what an earlier one has kept."""
    inside = Inside.of_all(load_model(FIGURE, Cache(None)))
    figures = [len(inside.points), len(inside.low), inside.low.sum(), inside.high.sum()]
    assert figures == pytest.approx([1295, 2036, 18061.0, 26273.0], rel=1e-4)
    assert overlap.INTERIOR_VERSION == 1
