"""SCAN: tables of which the truth is known are understood as well as is wanted of `silhouette scan`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import silhouette
from silhouette.files.cache import Cache
from silhouette.scans.scan import ScanRequest, scan_table
from silhouette.scans.write import write_folder
from tests.support.scan_maker import EXAMPLE, table_scene, truth_of
from tests.support.scan_scores import PairScore, Score, compare_verdicts, score
from tests.support.scan_truth import Truth, read_truth, truth_from

PROJECT = Path(__file__).resolve().parents[2]
EXAMPLE_SCAN = PROJECT / "scenes" / "scans" / "gang_table.glb"


def understood(
    truth: Truth, folder: Path, figures: Path, terrain: tuple[Path, ...] = ()
) -> tuple[Score, list[PairScore]]:
    """How well a scan was understood, and the verdicts of both scenes."""
    table = scan_table(ScanRequest(truth.scan, (figures,), terrain), Cache.default())
    write_folder(table, folder)
    document = json.loads((folder / "scan.json").read_text(encoding="utf-8"))
    found = score(truth, document, np.load(folder / "labels.npy"), truth.labels(table.scan.vertices))
    rows, scanned = (silhouette.matrix(scene, pixel=0.4) for scene in (truth.scene, folder / "scene.toml"))
    unknown = [piece["name"] for piece in document["pieces"] if piece["facing"] == "unknown"]
    return found, compare_verdicts(rows, scanned, found.figures, unknown)


def check_wanted(truth: Truth, found: Score, pairs: list[PairScore]) -> None:
    assert found.tilt <= 0.1
    assert found.height <= 0.3
    assert found.scale <= (0.02 if found.scale_from == "bases" else 0.005) or found.asked
    assert [figure.name for figure in found.figures if not (figure.found or figure.flagged)] == []
    assert found.extra == ()
    assert [figure.name for figure in found.figures if figure.found and not figure.named] == []
    assert found.terrain >= 0.95
    sure = [figure for figure in found.figures if figure.sure]
    rougher = max(1.0, truth.noise / 0.5)  # 0.5 mm and 2 degrees are wanted where a depth is noisy by 0.5 mm
    assert np.percentile([figure.off for figure in sure], 90) <= 0.5 * rougher
    assert np.percentile([figure.turned or 0.0 for figure in sure], 90) <= 2.0 * rougher
    facing = [pair for pair in pairs if pair.known]
    assert sum(pair.same for pair in facing) >= 0.9 * len(facing), [pair for pair in facing if not pair.same]


@pytest.mark.long
def test_the_example_scan_becomes_its_scene_again(tmp_path: Path) -> None:
    scene = table_scene(EXAMPLE_SCAN.with_suffix(".toml"))
    truth = truth_from(truth_of(scene, EXAMPLE), EXAMPLE_SCAN.with_suffix(".truth.json"), EXAMPLE_SCAN)
    models = PROJECT / "models"
    found, pairs = understood(truth, tmp_path, models, (models,))
    check_wanted(truth, found, pairs)
    assert [pair for pair in pairs if pair.known and not pair.same] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["easy", "usual", "no_scale", "points"])
def test_a_shared_table_is_understood(shared: Path, tmp_path: Path, name: str) -> None:
    truth = read_truth(shared / "scans" / f"{name}.truth.json")
    check_wanted(truth, *understood(truth, tmp_path, shared / "meshes" / "miniatures" / "rpg.scad"))
