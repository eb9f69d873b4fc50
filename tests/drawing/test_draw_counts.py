"""The eye view shows the very pixels that its verdict counted, and the verdict is that of `silhouette check`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib")


from silhouette.cli import main
from silhouette.common.text import share_in_words
from silhouette.drawing.table.sightlines import Sightline
from silhouette.measure.observation import OBSCURED, SEEN
from silhouette.rules import rule_called
from tests.support.figures import (
    SCENES,
    SVG,
    case_id,
    checks_in,
    cpu_renderer,
    document_of,
    drawn,
    loaded,
    pixel_counts,
    rasters,
    scene_at,
    texts,
    verdict_in,
)
from tests.support.rulings import ruled

LOOKS = [
    case
    for case in checks_in("necromunda", "skirmishcorps")
    if document_of(case[0])["check"][case[1] - 1].get("ask", "protection") == "protection"
]
SHOWN = [
    case
    for case in LOOKS
    if (case[0].parent.name == "necromunda" and (case[0].stem != "skirmish" or case[1] == 1))
    or case[0].stem in ("elevation", "behind_the_crates", "over_his_own_wall")
]
"""Of the crowded table one check is enough, and of plain walls a few."""


@pytest.mark.thinned(quick=0, ci=5)
@pytest.mark.parametrize("case", SHOWN, ids=case_id)
def test_the_pixels_of_the_eye_view_are_those_of_its_verdict(case: tuple[Path, int], tmp_path: Path) -> None:
    file = drawn(*case, tmp_path, pixel=0.2, only="eye")["eye"]
    row, pixels = verdict_in(file), pixel_counts(file)
    of_row = {"obscured": row["occluded_pixels"], "seen": row.get("seen_pixels", pixels["seen"])}
    for kind, count in (*of_row.items(), ("all", row["target_pixels"])):
        shown = sum(pixels.values()) if kind == "all" else pixels[kind]
        assert shown == pytest.approx(count, abs=0.002 * row["target_pixels"] + 4.0)
    words = " ".join(texts(file))
    assert f"{row['occluded_pixels']} of {row['target_pixels']} pixels" in words
    assert f"{share_in_words(row['occluded_pixels'], row['target_pixels'])}" in words


@pytest.mark.thinned(quick=10, ci=10)
@pytest.mark.parametrize("case", LOOKS, ids=case_id)
def test_a_kept_observation_changes_no_number_and_its_masks_add_up_to_them(case: tuple[Path, int]) -> None:
    scene = scene_at(case[0])
    check, rule = scene.checks[case[1] - 1], rule_called(scene.rules)
    plain = ruled(rule, scene, check, cpu_renderer())
    kept = ruled(rule, scene, check, cpu_renderer(), keep=True)
    assert plain.observation is None
    assert kept.row() == plain.row()
    counts, masks = kept.evidence.counts, kept.evidence.masks
    kinds = sum(np.bincount(mask.kinds.ravel(), minlength=4) for mask in masks)
    off = pytest.approx(0.0, abs=0.002 * counts.total + 4.0)  # the pixels whose middles lie in the polygons
    assert kinds[OBSCURED] - counts.occluded == off
    assert kinds[1:].sum() - counts.total == off
    assert kinds[SEEN] - counts.seen == off
    blockers = sum(np.bincount(mask.blocker.ravel() + 1, minlength=len(counts.nearest) + 1)[1:] for mask in masks)
    for pixels, nearest in zip(blockers, counts.nearest, strict=True):
        assert pixels / counts.total == pytest.approx(nearest / counts.total, abs=0.01)


FIGURE = [{"cylinder": {"diameter": 25, "height": 3}, "base": True}, {"box": [16, 8, 24], "at": [0, 0, 3]}]


def duel(folder: Path, **changes: object) -> Any:
    document = {
        "rules": "necromunda",
        "terrain": [{"name": "wall", "parts": [{"box": [9, 5, 40]}], "at": [2, 185]}],
        "fighter": [
            {"name": "Kal", "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27]},
            {"name": "Vex", "parts": FIGURE, "at": [0, 200], "facing": 270},
        ],
        "check": [{"attacker": "Kal", "target": "Vex"}],
    } | changes
    return loaded(document, folder)


def test_a_pixel_lies_where_the_ray_went_that_was_counted(tmp_path: Path) -> None:
    """Its middle, carried over to the picture, is of the same kind there but for the rims."""
    scene = duel(tmp_path)
    check = scene.checks[0]
    verdict = ruled(rule_called("necromunda"), scene, check, cpu_renderer(), keep=True)
    line = Sightline(scene, verdict, verdict.evidence, cpu_renderer())
    view, kinds = line.observation.masks[0].view, line.observation.masks[0].kinds
    rows, columns = np.nonzero(kinds >= 0)
    across, down, _ = line.image.view.project(view.eye + 100.0 * view.directions(rows, columns))
    at = np.floor(down).astype(int), np.floor(across).astype(int)
    inside = (at[0] >= 0) & (at[0] < line.image.kinds.shape[0])
    same = line.image.kinds[at[0][inside], at[1][inside]] == kinds[rows[inside], columns[inside]]
    assert same.mean() > 0.985


def test_the_overlay_of_the_svg_lies_on_the_target_of_its_picture(tmp_path: Path) -> None:
    """Drawn without obstacles the blue of the picture and the pixels that were counted have one middle and one size."""
    file = drawn(duel(tmp_path, terrain=[]), 1, tmp_path, only="eye")["eye"]
    images = {one.get("id"): one for one in ElementTree.parse(file).iter(f"{SVG}image")}
    raster = rasters(file)
    spots = []
    for name, image in images.items():
        numbers = [float(one) for one in re.findall(r"-?[\d.]+", (image.get("transform") or ""))]
        matrix = np.array(numbers).reshape(3, 2)
        pixels = raster["counted" if name == "counted" else "picture"]
        blue = (pixels[..., 3] > 0) & (pixels[..., 2].astype(int) > pixels[..., 0].astype(int) + 50)
        rows, columns = np.nonzero(blue)
        places = np.column_stack([columns + 0.5, rows + 0.5, np.ones(len(rows))]) @ matrix
        spots.append((places.mean(axis=0), np.linalg.det(matrix[:2]) * len(rows)))
    (one, area), (other, other_area) = spots
    assert one == pytest.approx(other, abs=0.4)
    assert abs(area) == pytest.approx(abs(other_area), rel=0.06)


def test_a_verdict_without_its_observation_cannot_be_drawn(tmp_path: Path) -> None:
    scene = duel(tmp_path)
    verdict = ruled(rule_called("necromunda"), scene, scene.checks[0], cpu_renderer())
    with pytest.raises(ValueError, match="keep=True"):
        _ = verdict.evidence


@pytest.mark.long
@pytest.mark.parametrize("command", ["check", "draw", "report"])
def test_commands_with_pictures_give_the_numbers_of_check(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = SCENES / "necromunda" / "example_2_partial_cover.toml"
    (plain,) = (result for one in printed(capsys, "check", scene, "--json")["scenes"] for result in one["results"])
    if command == "check":
        told = printed(capsys, "check", scene, "--json", "--picture", tmp_path / "eye.png")["scenes"][0]["results"][0]
        told.pop("picture")
    elif command == "draw":
        told = printed(capsys, "draw", scene, "--json", "--out", tmp_path)["checks"][0]
        told = {key: value for key, value in told.items() if key not in ("check", "figures")}
    else:
        assert main(["report", str(scene), "--out", str(tmp_path / "page.html")]) == 0
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        (data,) = re.findall(r'<script type="application/json" id="results">(.*?)</script>', page)
        (told,) = json.loads(data)["results"]
    assert told == plain


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main([str(word) for word in words]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
def test_a_target_round_the_eye_is_counted_in_six_pictures(tmp_path: Path) -> None:
    arch = [{"box": [10, 60, 60], "at": [side, 0, 0]} for side in (-40, 40)] + [{"box": [90, 60, 10], "at": [0, 0, 60]}]
    fighters = [{"name": "Kal", "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27]}]
    vehicles = [{"name": "Vex", "parts": arch, "at": [0, 0]}]
    scene = duel(tmp_path, terrain=[], fighter=fighters, vehicle=vehicles)
    files = drawn(scene, 1, tmp_path, pixel=0.5, only="eye")
    row = verdict_in(files["eye"])
    assert row["target_pixels"] > sum(pixel_counts(files["eye"]).values()) > 0
    assert "shows only the 90° ahead" in " ".join(texts(files["eye"]))


@pytest.mark.long
def test_a_slit_finer_than_a_pixel_is_counted_and_shown(tmp_path: Path) -> None:
    """Between two walls two thousandths of a mm apart: the few pixels that the verdict hangs on are in the picture."""
    sides = (("left", -30.001), ("right", 30.001))
    walls = [{"name": name, "parts": [{"box": [60, 5, 60]}], "at": [x, 185]} for name, x in sides]
    files = drawn(duel(tmp_path, terrain=walls), 1, tmp_path, only="eye")
    row, pixels = verdict_in(files["eye"]), pixel_counts(files["eye"])
    assert 0 < row["seen_pixels"] < 32
    assert (pixels["seen"], pixels["obscured"]) == (row["seen_pixels"], row["occluded_pixels"])
