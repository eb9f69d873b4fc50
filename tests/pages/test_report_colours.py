"""The colours of the 3D table in a report: those of the verdict, and those that meshes have themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, judge_all, load_scene
from silhouette.renderers import choose
from silhouette.scans.meshes import ply_bytes
from tests.conftest import PROJECT
from tests.support.browsing import Browser
from tests.support.report_pages import canvas, like, made, quiet

ALONE = """() => {
    const { stage, viewer } = window.silhouette;
    for (const [index, piece] of stage.pieces.entries()) {
        piece.group.visible = index === stage.view.target;
        if (piece.ghost) piece.ghost.visible = false;
        if (piece.behind) piece.behind.visible = false;
    }
    const colour = (words) => stage.target.uniforms.seenColour.value.clone().set(words);
    stage.target.coloured(colour("#0000ff"), colour("#ff0000"), colour("#00ff00"));
    stage.scene.background = colour("#000000");
    for (const one of stage.scene.children) if (one.isMesh || one.isLineSegments) one.visible = false;
    viewer.camera.zoom = 1.4;
    viewer.draw();
}"""


@pytest.mark.long
def test_the_colours_of_the_target_tell_the_share_of_the_verdict(browser: Browser, tmp_path: Path) -> None:
    """The target alone, from the eye: of its pixels those in the colour of what is obscured are the verdict's share."""
    page = made(PROJECT / "scenes/necromunda/two_blockers.toml", tmp_path)
    scene = load_scene(PROJECT / "scenes/necromunda/two_blockers.toml", cache=Cache(None))
    (check,) = scene.checks
    (found,) = judge_all([(scene, check)], JudgingOptions(choose()))
    share = found.row()["occluded"]
    with browser.visit(page) as visit:
        visit.settled()
        visit.page.click("#view-eye")
        visit.settled()
        visit.page.evaluate(ALONE)
        picture = canvas(visit)
    seen = (picture[..., 2] > 20) & (picture[..., 2] > 2 * picture[..., 0])
    obscured = (picture[..., 0] > 20) & (picture[..., 0] > 2 * picture[..., 2])
    assert obscured.sum() / (seen.sum() + obscured.sum()) == pytest.approx(share, abs=0.03)


def painted(vertices: NDArray[np.float64], colour: tuple[int, int, int]) -> bytes:
    """A box between two corners (2, 3), of one colour, as a scan's piece is written."""
    corners = np.array(
        [[vertices[a, 0], vertices[b, 1], vertices[c, 2]] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    )
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([triangle for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))])
    return ply_bytes(corners, faces, np.tile(np.array(colour, np.uint8), (8, 1)))


OWN = """
rules = "necromunda"
[[terrain]]
name = "green hut"
mesh = "green.ply"
at = [80, 100]
[[terrain]]
name = "red wall"
mesh = "red.ply"
at = [0, 160]
[[fighter]]
name = "Kal"
at = [0, 0]
eye = [0, 6, 26]
parts = [{ box = [14, 14, 30] }]
[[fighter]]
name = "Vex"
at = [0, 200]
facing = 270
parts = [{ box = [16, 16, 30] }]
[[check]]
attacker = "Kal"
target = "Vex"
"""


@pytest.mark.long
def test_pieces_have_their_own_colours_until_they_are_taken_away(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "green.ply").write_bytes(painted(np.array([[0.0, 0, 0], [60, 60, 50]]), (0, 200, 0)))
    (tmp_path / "red.ply").write_bytes(painted(np.array([[0.0, 0, 0], [90, 5, 16]]), (230, 0, 0)))
    (tmp_path / "scene.toml").write_text(OWN, encoding="utf-8")

    def shares(picture: NDArray[np.int64]) -> tuple[float, float, float]:
        """Of a picture what is green, what is red, and what has the colours of a target."""
        red, green, blue = np.moveaxis(picture, -1, 0)
        target = like(picture, blue=True) | like(picture, blue=False) & (green > 40)
        return (
            float(((green > 2 * red) & (green > 2 * blue)).mean()),
            float(((red > 60) & (red > 3 * green) & (red > 3 * blue)).mean()),
            float(target.mean()),
        )

    with browser.visit(made(tmp_path / "scene.toml", tmp_path)) as visit:
        own = shares(canvas(visit))
        assert own[0] > 0.01
        assert own[1] > 0.001
        assert own[2] > 0.0005
        visit.page.click("#view-own")
        assert visit.page.locator("#view-own").get_attribute("aria-pressed") == "false"
        assert "colours of their parts" in visit.page.locator("#view-told").inner_text()
        plain = shares(canvas(visit))
        assert plain[:2] == (0.0, 0.0)
        assert plain[2] == pytest.approx(own[2], rel=0.2)  # the target keeps the colours of its verdict
        visit.page.click("#view-own")
        assert shares(canvas(visit)) == pytest.approx(own, rel=0.05)
        visit.page.click("#view-eye")
        assert shares(canvas(visit))[1] > 0.01  # the wall, from the eye
        quiet(visit)
