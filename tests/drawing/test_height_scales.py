"""SkirmishCorps' eye view: the scale at each piece shows the class that the verdict gives it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from silhouette.drawing.games.skirmishcorps import draw_height_bands
from silhouette.drawing.saving import FigureDescription, save
from silhouette.drawing.sheet import Sheet, settings
from silhouette.drawing.table.eye_image import FIRST_PIECE_ID
from silhouette.drawing.table.eye_view import draw_eye_frame
from silhouette.drawing.table.sightlines import Sightline
from silhouette.rules import rule_called
from silhouette.rules.skirmishcorps.classes import BRICK, CLASSES
from tests.support.figures import (
    SCENES,
    SVG,
    case_id,
    checks_in,
    cpu_renderer,
    document_of,
    drawn,
    loaded,
    scene_at,
    texts,
)
from tests.support.rulings import ruled

PIXEL = 0.4
CHECKS = checks_in("skirmishcorps")
LOOKS = [case for case in CHECKS if document_of(case[0])["check"][case[1] - 1].get("ask", "protection") == "protection"]

WITHOUT = {
    *(("over_his_own_wall", 1), ("prone_behind_walls", 4), ("gangers_at_the_barricade", 3)),
    *(("prone_behind_walls", 3), ("prone_behind_walls", 5), ("round_the_corner", 2)),
}
"""Checks without a scale: nothing is in the way, or the top of the wall is higher than the picture."""


def looked(path: Path, number: int, folder: Path) -> tuple[Sightline, Path]:
    """What the eye view of a check is drawn from, and the file of the figure."""
    scene = scene_at(path)
    verdict = ruled(rule_called("skirmishcorps"), scene, scene.checks[number - 1], cpu_renderer(), PIXEL, keep=True)
    line, file = Sightline(scene, verdict, verdict.evidence, cpu_renderer()), folder / "eye.svg"
    with settings():
        sheet = Sheet()
        draw_eye_frame(sheet, line, draw_height_bands)
        save(sheet.finish(), file, FigureDescription("eye"))
    return line, file


def scales(file: Path) -> list[tuple[list[float], float]]:
    """For each scale, in rows of the picture from the top: its five cuts from the lowest up, and the mark of the top.

    The picture is 740 high, on 84 mm of paper 1180 wide.
    """
    marks: dict[str, float] = {}
    for group in ElementTree.parse(file).iter(f"{SVG}g"):
        if re.match("band-|top", group.get("id") or ""):
            points = re.findall(r"-?[\d.]+", next(group.iter(f"{SVG}path")).get("d") or "")
            # Of what lies above the picture nothing is drawn.
            marks[group.get("id") or ""] = float(points[1]) if points else -np.inf
    rows = {mark: (y * 25.4 / 72.0 - 0.5) * 1180 / 84.0 for mark, y in marks.items()}
    found = []
    for top in sorted(mark for mark in rows if mark.startswith("top")):
        cuts = [rows[f"band-{number}{top.removeprefix('top')}"] for number in range(5)]
        found.append((cuts, rows[top]))
    return found


@pytest.mark.thinned(quick=3, ci=3)
@pytest.mark.parametrize("case", LOOKS, ids=case_id)
def test_the_top_of_each_wall_lies_in_the_band_of_its_class(case: tuple[Path, int], tmp_path: Path) -> None:
    """Where the wall ends in the picture is read from the pixels of the wall, and not from the mark at the scale."""
    line, file = looked(*case, tmp_path)
    found, said, row = scales(file), texts(file), line.verdict.row()
    modifier = {None: "", 0: ", ±0 to hit"}.get(row["modifier"], f", \N{MINUS SIGN}{-(row['modifier'] or 0)} to hit")
    title = f"{row['attacker']} → {row['target']}: {row['verdict']}{modifier}"
    assert any(one.startswith(title) for one in said)
    assert ("Scale at a piece" in " ".join(said)) == bool(found)
    if (case[0].stem, case[1]) in WITHOUT:
        assert found == []
        return
    names = sorted(line.shares, key=lambda name: name != row["protected_by"])
    assert len(found) == len(names)
    covers = {cover.name: cover for cover in line.scene.covers}
    for (cuts, marked), name in zip(found, names, strict=True):
        number = FIRST_PIECE_ID + next(place for place, piece in enumerate(line.scene.pieces) if piece.name == name)
        rows, columns = np.nonzero(line.image.front.ids == number)
        tops = {int(column): int(rows[columns == column].min()) for column in np.unique(columns)}
        assert min(abs(top - marked) for top in tops.values()) <= 2.0
        kind = CLASSES.index(covers[name].class_for(line.scene.unit(row["target"])))
        limits = [*cuts, -np.inf]
        assert limits[kind + 1] - 1.5 <= marked <= limits[kind] + 1.5
    assert row["cover"] in said or row["cover"] == "none"


def test_the_cuts_lie_at_the_heights_at_which_the_rules_cut(tmp_path: Path) -> None:
    """Where the wall stands, and not where the target does: the far edge of a wall that is seen from above."""
    case = SCENES / "skirmishcorps" / "elevation.toml", 1
    line, file = looked(*case, tmp_path)
    ((cuts, marked),) = scales(file)
    for number, bricks in enumerate((0.0, 1.0, 2.0, 3.0, 4.0)):
        _, row, _ = line.image.view.project(np.array([[208.0, 0.0, bricks * BRICK]]))
        assert cuts[number] == pytest.approx(float(row[0]), abs=0.5)
    assert marked == pytest.approx(cuts[2], abs=0.5)


def test_each_of_several_walls_has_its_scale(tmp_path: Path) -> None:
    document = document_of(SCENES / "skirmishcorps" / "elevation.toml")
    document["cover"].append({"name": "hedge", "at": [120, -30], "size": [8, 60], "height": 2, "defence": 10})
    scene = loaded(document, tmp_path)
    (cuts, marked), (near_cuts, near_marked) = scales(drawn(scene, 1, tmp_path, pixel=PIXEL, only="eye")["eye"])
    assert near_cuts[2] > cuts[2] + 5.0
    assert near_marked == pytest.approx(near_cuts[2], abs=0.5)
    assert marked == pytest.approx(cuts[2], abs=0.5)


@pytest.mark.parametrize("case", [case for case in CHECKS if case not in LOOKS], ids=case_id)
def test_other_questions_have_no_figures(case: tuple[Path, int], tmp_path: Path) -> None:
    assert drawn(*case, tmp_path, pixel=PIXEL, only="eye") == {}


def test_no_scale_where_the_share_gives_the_class(tmp_path: Path) -> None:
    document = document_of(SCENES / "skirmishcorps" / "elevation.toml")
    document["readings"] = {"cover_class": "obscured share"}
    document["check"] = [{"attacker": "Guardian A", "target": "Acolyte"}]
    file = drawn(loaded(document, tmp_path), 1, tmp_path, pixel=PIXEL, only="eye")["eye"]
    assert scales(file) == []
    assert "very low" not in texts(file)
