"""Reports in a real browser: made for a test, and what is on the canvas of their 3D table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from silhouette.cli.app import main
from tests.support.browsing import Visit


def made(scene: Path, folder: Path) -> Path:
    """The report of a scene, made in this process alone: the browser's driver runs in it as well."""
    page = folder / "report.html"
    assert main(["report", str(scene), "--out", str(page), "--pixel", "0.5", "--workers", "1", "--quiet"]) == 0
    return page


def quiet(visit: Visit) -> None:
    """Nothing was asked of any network, nothing went wrong, no name ran as a script, nothing is wider than the page."""
    assert all(url.startswith(("file:", "data:")) for url in visit.asked)
    assert not [line for line in visit.said if line.startswith(("error", "warning"))]
    assert visit.page.evaluate("window.harmed") is None
    assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def canvas(visit: Visit) -> NDArray[np.int64]:
    visit.settled()
    return visit.picture("#view-canvas")


def like(picture: NDArray[np.int64], *, blue: bool) -> NDArray[np.bool_]:
    """Where a picture has the colour of what is seen of a target, or of what is obscured."""
    red, green, other = np.moveaxis(picture, -1, 0)
    if blue:
        return (other > red + 60) & (other > green + 20)
    return (red > green + 45) & (green > other) & (red > 2.2 * other)
