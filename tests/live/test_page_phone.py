"""A phone hands a whole scan over to a table in its network: a player allows it, and it is judged on the phone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.live.server.running import lan_address
from silhouette.scans.meshes import ply_bytes
from tests.support.browsing import DESKTOP, PHONE, Browser, Visit
from tests.support.commands import QUICK, run
from tests.support.live_pages import NO_WEBGL, SCENE
from tests.support.scanned_tables import Box, Can, Thing, figure, scanned_table
from tests.support.table_process import Started, started


def cornered(at: tuple[float, float]) -> tuple[Thing, Thing]:
    """A figure that is no pillar, on a round base."""
    return Can(at, 25.0, 3.0), Box(at, (9.0, 15.0), 38.0, 20.0)


def scan() -> bytes:
    """Two figures, a wall, and behind it something as round as a pillar."""
    things = [
        *cornered((-80.0, -40.0)),
        *cornered((80.0, 40.0)),
        *figure((-50.0, 40.0)),
        Box((-65.0, 0.0), (40.0, 14.0), 26.0),
    ]
    table = scanned_table((240.0, 160.0), things, spacing=2.5, noise=0.15)
    return ply_bytes(table.points, table.faces)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Started]:
    try:
        lan_address()
    except RequestError as error:
        pytest.skip(str(error))
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    with started(file, "--lan") as running:
        yield running


@contextmanager
def device(browser: Browser, address: str, size: tuple[int, int], **options: Any) -> Iterator[Visit]:
    """The page at an address, settled."""

    def route(page: Any) -> None:
        page.route(f"{address.partition('#')[0]}**", lambda asked: asked.continue_())

    with browser.visit(address, size, NO_WEBGL, route, **options) as visit:
        visit.until("Boolean(window.silhouette) && window.silhouette.state().pieces.length > 0")
        yield visit


def says(selector: str, words: str) -> str:
    return f"document.querySelector({selector!r}).textContent.includes({words!r})"


def names(visit: Visit) -> list[str]:
    visit.until("window.silhouette.state().settled")
    found: list[str] = visit.page.evaluate("window.silhouette.state().pieces.map(({ name }) => name)")
    return sorted(found)


@pytest.mark.long
def test_a_phones_scan_becomes_the_table_when_a_player_allows_it_and_is_judged_there(
    browser: Browser, running: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        device(browser, running.address, DESKTOP) as player,
        device(browser, running.second, PHONE, has_touch=True, is_mobile=True) as phone,
    ):
        before = names(player)
        assert names(phone) == before
        phone.page.set_input_files("#file", {"name": "garage.ply", "mimeType": "model/ply", "buffer": scan()})
        phone.until(says("#arrivals", "A player is asked"))
        player.until(says("#arrivals", "wants garage.ply to become the table"))
        assert names(phone) == before
        player.page.click("#arrivals >> text=Yes, replace")
        for visit in (phone, player):
            visit.until("!document.getElementById('questions').hidden")
            assert names(visit) == ["figure 1", "figure 2", "terrain 1", "terrain 2"]
            visit.until("document.getElementById('arrivals').hidden")
        phone.page.tap("#questions-list >> text=A figure")
        for visit in (phone, player):
            visit.until("document.getElementById('questions').hidden")
            assert names(visit) == ["figure 1", "figure 2", "figure 3", "terrain 1"]
        phone.page.tap("#list >> text=figure 1")
        seen = phone.page.locator("#list tbody tr", has_text="figure 3").locator("button.verdict").first
        phone.until("window.silhouette.state().settled && window.silhouette.state().results.length === 4")
        seen.tap()
        phone.until(says("#pair-title", "figure 1 sees figure 3"))
        phone.until("window.silhouette.state().settled")
        told = phone.page.inner_text("#verdict"), phone.page.inner_text("#share")
    scene = tmp_path / "garage" / "scene.toml"
    ran = run(capsys, "check", scene, "--from", "figure 1", "--to", "figure 3", *QUICK, "--json")
    (row,) = ran.document["scenes"][0]["results"]
    assert row["verdict"] in told[0]
    assert 0.1 < row["occluded"] < 0.9
    assert told[1].startswith(f"{100 * row['occluded']:.1f}")
