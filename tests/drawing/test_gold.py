"""Figures are as they were accepted; ``python -m tests.gold.accept`` accepts new ones."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("matplotlib")

from tests.gold.accept import MOST
from tests.gold.cases import CASES, FOLDER, Case
from tests.gold.comparing import differences


@pytest.mark.thinned(quick=7, ci=40)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_figure_is_as_it_was_accepted(case: Case, tmp_path: Path) -> None:
    for file in case.draw(tmp_path):
        kept = FOLDER / file.name
        assert kept.is_file(), f"{kept.name} is not there: python -m tests.gold.accept"
        found = differences(kept, file)
        assert not found, f"{file.name}: {found[:3]}; if that is right: python -m tests.gold.accept"


def test_accepted_are_the_figures_of_the_cases_and_no_others_and_they_are_small() -> None:
    wanted = {file.name for case in CASES for file in case.files(FOLDER)}
    kept = {file.name: file.stat().st_size for file in FOLDER.iterdir() if file.suffix in (".svg", ".png")}
    assert set(kept) == wanted
    assert sum(kept.values()) < MOST


def test_every_system_and_every_kind_of_figure_is_among_them() -> None:
    systems = {case.scene.split("/")[0] for case in CASES}
    assert systems == {"necromunda", "skirmishcorps", "crisis_protocol", "tide_of_iron", "ikosa", "dnd_5e"}
    assert {one for case in CASES for one in case.figures} >= {"eye", "plan", "side", "board", "map", "cells"}


CHANGES = [
    (r"Kal → Vex", "Vex → Kal", "is not"),
    (r'"occluded_pixels": \d+', '"occluded_pixels": 3', "not"),
    (r"<text (?:(?!</text>).)*>Brak</text>", "", "texts"),
    (r"stroke-dasharray: [\d.,]+", "stroke-dasharray: 99,1", "is not"),
    (r'(<g id="sight-line">\s*<path d="M )([\d.]+)', r"\g<1>9", "is not"),
    (r'(<g id="edge-1">\s*)<path[^>]*/>', r"\1", "shapes"),
]


@pytest.mark.parametrize(("pattern", "instead", "word"), CHANGES, ids=[one[0][:16] for one in CHANGES])
def test_what_a_reader_would_see_is_seen(pattern: str, instead: str, word: str, tmp_path: Path) -> None:
    kept = FOLDER / "necromunda-two_blockers-1-plan.svg"
    text = kept.read_text(encoding="utf-8")
    changed, count = re.subn(pattern, instead, text, count=1, flags=re.DOTALL)
    assert count == 1
    other = tmp_path / "other.svg"
    other.write_text(changed, encoding="utf-8")
    assert word in " ".join(differences(kept, other))
    assert differences(kept, kept) == []


def test_how_a_file_is_written_is_not_compared(tmp_path: Path) -> None:
    """Another release of matplotlib names what it writes otherwise, and rounds otherwise; type is not compared."""
    kept = FOLDER / "crisis_protocol-in_cover-1-plan.svg"
    text = kept.read_text(encoding="utf-8")
    text = re.sub(r'id="patch_(\d+)"', r'id="thing\1"', text)
    text = re.sub(r"@font-face\{[^}]*\}", "", text)
    text = re.sub(r"(\d+\.\d\d)\d+", r"\1", text)
    other = tmp_path / "other.svg"
    other.write_text(text, encoding="utf-8")
    assert differences(kept, other) == []


def test_a_picture_may_differ_by_noise_and_not_by_a_patch(tmp_path: Path) -> None:
    kept = FOLDER / "necromunda-two_blockers-1-picture.png"
    with Image.open(kept) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    noise = np.random.default_rng(0).integers(-3, 4, pixels.shape)
    for change, alike in ((noise, True), (np.where(np.indices(pixels.shape[:2])[0] < 30, -90, 0)[..., None], False)):
        other = tmp_path / "other.png"
        Image.fromarray(np.clip(pixels + change, 0, 255).astype(np.uint8)).save(other)
        assert (differences(kept, other) == []) is alike
