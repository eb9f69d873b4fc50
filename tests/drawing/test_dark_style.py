"""The dark style: no figure has a large light area, the picture from the eye included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from silhouette.drawing.styles import DARK, PRINT
from tests.support.figures import SCENES, drawn, rasters


@pytest.mark.long
@pytest.mark.parametrize("place", ["necromunda/two_blockers", "skirmishcorps/elevation"])
def test_sky_and_table_follow_the_style(place: str, tmp_path: Path) -> None:
    light, dark = (
        rasters(drawn(SCENES / f"{place}.toml", 1, tmp_path, pixel=0.5, only="eye", style=style)["eye"])["picture"]
        for style in (PRINT, DARK)
    )
    assert light.shape == dark.shape
    assert np.median(light[:40, :, :3]) > 200
    assert np.median(dark[:40, :, :3]) < 90
    assert (dark[..., :3].mean(axis=2) > 200).mean() < 0.05
