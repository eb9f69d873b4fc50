"""The page as its server serves it, in a real browser: under its policy, beside a second tab and foreign pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.browsing import Browser, Visit
from tests.support.live_pages import NO_WEBGL, SCENE
from tests.support.table_process import Started, started


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    file = tmp_path_factory.mktemp("table") / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    with started(file) as running:
        yield running


@contextmanager
def tab(browser: Browser, running: Started, before: str = "") -> Iterator[Visit]:
    """The page in a window of its own, settled."""

    def route(page: object) -> None:
        page.route(f"{running.origin}/**", lambda asked: asked.continue_())  # type: ignore[attr-defined]

    with browser.visit(running.address, before=before, route=route) as visit:
        visit.until("Boolean(window.silhouette) && window.silhouette.state().pieces.length > 0")
        visit.until("window.silhouette.state().settled")
        yield visit


@pytest.mark.long
@pytest.mark.parametrize("before", ["", pytest.param(NO_WEBGL)], ids=["3d", "plan"])
def test_the_page_asks_for_nothing_else_and_breaks_no_rule_of_its_policy(
    browser: Browser, running: Started, before: str
) -> None:
    with tab(browser, running, before) as visit:
        visit.page.evaluate("void window.silhouette.select('Kal')")
        visit.until("window.silhouette.state().settled && window.silhouette.state().results.length === 4")
        assert [url for url in visit.asked if not url.startswith((running.origin, "data:", "blob:"))] == []
        assert [line for line in visit.said if "WebGL" not in line and not line.startswith("info")] == []


def test_the_judge_of_the_page_runs_under_its_policy(browser: Browser, running: Started) -> None:
    with tab(browser, running, NO_WEBGL) as visit:
        visit.page.evaluate("void window.silhouette.select('Kal')")
        visit.until("document.documentElement.dataset.judge === 'ready'")
        kal = visit.page.locator('[data-piece="Kal"] .foot').bounding_box()
        x, y = kal["x"] + kal["width"] / 2, kal["y"] + kal["height"] / 2
        visit.page.evaluate(
            "new MutationObserver(() => document.querySelector('#verdict-plate.first') && (document.title = 'first'))"
            ".observe(document.getElementById('pair'), { subtree: true, childList: true, attributes: true })"
        )
        visit.page.mouse.move(x, y)
        visit.page.mouse.down()
        for step in range(1, 30):
            visit.page.mouse.move(x + 3 * step, y)
        visit.until("document.title === 'first'")
        visit.page.mouse.up()
        visit.until("window.silhouette.state().settled")
        visit.page.evaluate("void window.silhouette.undo()")
        assert [url for url in visit.asked if not url.startswith((running.origin, "data:", "blob:"))] == []
        assert [line for line in visit.said if "WebGL" not in line and not line.startswith("info")] == []


@pytest.mark.long
def test_what_one_tab_moves_the_other_shows(browser: Browser, running: Started) -> None:
    kal = "window.silhouette.state().pieces.find(({ name }) => name === 'Kal').at"
    with tab(browser, running) as one, tab(browser, running) as two:
        for x in (-30, 30):
            one.page.evaluate(f"void window.silhouette.move('Kal', [{x}, -100], 90)")
            for visit in (one, two):
                visit.until(f"{kal}[0] === {x}")


FOREIGN = """<!doctype html><script>
window.found = {};
const tried = (name, attempt) => attempt.then((got) => (found[name] = got), () => (found[name] = "refused"));
tried("file", fetch("ORIGIN/").then((answer) => answer.text()));
tried("opaque", fetch("ORIGIN/main.js", { mode: "no-cors" }).then(() => "answered"));
tried("post", fetch("ORIGIN/", { method: "POST", body: "x" }).then(() => "answered"));
tried("socket", new Promise((done, failed) => {
  const socket = new WebSocket("ORIGIN/socket".replace("http", "ws"));
  socket.onopen = () => done("open");
  socket.onerror = failed;
}));
tried("script", new Promise((done, failed) => {
  const script = document.head.appendChild(document.createElement("script"));
  Object.assign(script, { src: "ORIGIN/viewer.min.js", onload: () => done("ran"), onerror: failed });
}));
</script><body><iframe src="ORIGIN/"></iframe></body>"""


@contextmanager
def foreign_page(origin: str) -> Iterator[str]:
    """The address of a page of another server on this machine, which tries to reach the table."""
    content = FOREIGN.replace("ORIGIN", origin).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_a_foreign_page_gets_nothing_and_cannot_show_it(browser: Browser, running: Started) -> None:
    def route(page: object) -> None:
        page.route("**/*", lambda asked: asked.continue_())  # type: ignore[attr-defined]

    with tab(browser, running) as good, foreign_page(running.origin) as address:
        with browser.visit(address, route=route) as visit:
            visit.until("Object.keys(window.found).length === 5")
            assert set(visit.page.evaluate("window.found").values()) == {"refused"}
            (frame,) = [frame for frame in visit.page.frames if frame != visit.page.main_frame]
            assert frame.evaluate("typeof window.silhouette") == "undefined"
            assert frame.url.startswith("chrome-error:")
        good.page.evaluate("void window.silhouette.select('Vex')")
        good.until("window.silhouette.state().settled && window.silhouette.state().selected === 'Vex'")


def test_an_address_without_its_token_shows_no_table(browser: Browser, running: Started, tmp_path: Path) -> None:
    def route(page: object) -> None:
        page.route(f"{running.origin}/**", lambda asked: asked.continue_())  # type: ignore[attr-defined]

    with browser.visit(f"{running.origin}/#{'x' * 22}", route=route) as visit:
        visit.until("document.body.innerText.includes('printed')")
        assert visit.page.evaluate("window.silhouette?.state()?.pieces ?? []") == []
