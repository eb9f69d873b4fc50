"""Scans of ../shared/reports: with floors, boards, bumps and no scale all their figures are found, none named wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from silhouette.files.cache import Cache
from silhouette.scans.scan import ScanRequest, scan_table
from silhouette.scans.write import record_of
from tests.benchmarks.scan_losses import compared

NAMED = {
    "control": 3,
    "floor_2x2m": 3,
    "floor_3x3m": 3,
    "board_on_dining_table": 3,
    "bumps_1mm": 2,
    "no_scale_37": 2,
    "scenic_bases": 4,
}
"""The scans, with how many of their five figures are beyond doubt at least."""


@pytest.mark.thinned(quick=0, ci=15)
@pytest.mark.parametrize("name", NAMED)
def test_all_figures_of_a_reported_scan_are_found(shared: Path, name: str) -> None:
    file = shared / "reports" / "scans" / f"{name}.glb"
    request = ScanRequest(file, figures=(shared / "meshes" / "miniatures" / "rpg.scad",))
    record = json.loads(json.dumps(record_of(scan_table(request, Cache.default()))))
    found = compared(name, json.loads(file.with_suffix(".truth.json").read_text()), record, (), {})
    assert (found.found, found.wrong, found.extra) == (5, 0, 0)
    assert found.named >= NAMED[name]
    assert abs(found.scale) < 0.01
