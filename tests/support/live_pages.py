"""The page of the live table in a real browser, before a session of ``silhouette serve --stdio``.

The requests and the WebSocket of the browser are answered here: nothing listens on a port, and a test can hold messages
back, add its own, or cut the connection.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT
from tests.support.browsing import DESKTOP, PATIENCE, Browser, Visit
from tests.support.warm_processes import Process

ADDRESS = "http://table.test/"
TOKEN = "0123456789abcdef0123456789abcdef"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
FILES = PROJECT / "silhouette/live/page"
ASSETS = PROJECT / "silhouette/pages/html/assets"
SHARED = ("viewer.min.js", "judge.min.js", "signs.css")

NO_WEBGL = "HTMLCanvasElement.prototype.getContext = () => null"

SCENE = """# Two gangs and a wall between them.
title = "Behind the wall"
rules = "necromunda"
table = [400, 400]

[[terrain]]
name = "wall"
parts = [{ box = [120, 6, 22] }]
at = [0, 0]

[[terrain]]
name = "tower"
parts = [{ box = [60, 60, 60] }]
at = [130, 130]

[[fighter]]
name = "Kal" # the one with the rifle
gang = "Orlock"
figure = { base = 32, height = 38 }
at = [0, -100]
facing = 90

[[fighter]]
name = "Vex"
gang = "Escher"
figure = { base = 32, height = 38 }
at = [0, 100]
facing = 270

[[fighter]]
name = "Zil"
gang = "Escher"
figure = { base = 25, height = 32 }
at = [-120, 90]
facing = 300
"""
"""A table of few triangles, so that pictures in software are quick."""


QUESTIONS = [
    {"key": "odd at 3,4", "text": "Is this one figure or two?", "answers": ["one", "several"], "about": ["Vex"]},
    {"key": "scale", "text": "How large is it?", "answers": ["bases of 25 mm", "bases of 32 mm"]},
]
"""What a scan may ask: of a piece, and how large all of it is."""


class Served:
    """A session, and the page before it.

    Attributes:
        asked: the requests of the page, in order.
        holds: which messages to the page are held back.
        held: those that are.
        answers: in place of the session's, by what is asked.
        pieces: what the page has handed over.
        token: what the page sent first.
    """

    def __init__(self, scene: Path, role: str = "player") -> None:
        options = ["--stdio", "--workers", "1", "--no-cache"]
        self._command = [sys.executable, "-m", "silhouette", "serve", str(scene), *options]
        self._socket: Any = None
        self.asked = list[dict[str, Any]]()
        self.held = list[dict[str, Any]]()
        self.holds: Callable[[dict[str, Any]], bool] = lambda _: False
        self.answers = dict[str, dict[str, Any]]()
        self.pieces = list[bytes]()
        self.role, self.token = role, ""
        self.welcomes = True
        self._start()

    def _start(self) -> None:
        self._process = Process(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=PROJECT)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def restart(self) -> None:
        """Ends the session, cuts the connection, and begins with the file anew."""
        self.close()
        self._start()
        self.cut()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)

    def close(self) -> None:
        self._process.kill()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()
        self._process.wait()

    def route(self, page: Any) -> None:
        page.route(f"{ADDRESS}**", self._file)
        page.route_web_socket(ADDRESS.replace("http", "ws") + "socket", self._connected)

    def _file(self, route: Any) -> None:
        name = route.request.url.removeprefix(ADDRESS).partition("#")[0] or "index.html"
        file = (ASSETS if name in SHARED else FILES) / name
        if file.is_file() and file.suffix in TYPES:
            route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
        else:
            route.fulfill(status=404, body="")

    def _connected(self, socket: Any) -> None:
        if not self.welcomes:
            socket.close(code=1013, reason="Not now.")
            return
        self._socket = socket
        socket.on_message(self._heard)

    def _heard(self, text: str | bytes) -> None:
        if isinstance(text, bytes):
            self.pieces.append(text)
            return
        message = json.loads(text)
        if "token" in message:
            self.token = message["token"]
            self.say({"event": "welcome", "version": "0", "role": self.role})
            return
        self.asked.append(message)
        if message["do"] in self.answers:
            self.say({"id": message["id"], **self.answers[message["do"]]})
        else:
            self.ask(message)

    def ask(self, request: dict[str, Any]) -> None:
        """Asks the session."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def say(self, message: dict[str, Any]) -> None:
        """Sends a message to the page."""
        self._socket.send(json.dumps(message))

    def cut(self) -> None:
        """Cuts the connection."""
        self._socket.close(code=1001)

    def carry(self) -> None:
        """Hands on what the session has said, but for what is held back."""
        while not self._lines.empty():
            message = json.loads(self._lines.get())
            if self.holds(message):
                self.held.append(message)
            else:
                self.say(message)

    def release(self) -> None:
        """Sends what was held back, in its order, and holds nothing back any longer."""
        self.holds = lambda _: False
        for message in self.held:
            self.say(message)
        self.held.clear()


class TableVisit:
    """The page of a table, open in a browser."""

    def __init__(self, visit: Visit, served: Served) -> None:
        self.page, self.served, self.said, self.picture = visit.page, served, visit.said, visit.picture

    def until(self, condition: str) -> None:
        """Waits until a JavaScript expression is true, and carries messages meanwhile."""
        end = time.monotonic() + PATIENCE / 1000
        while True:
            self.served.carry()
            if self.page.evaluate(condition):
                return
            assert time.monotonic() < end, f"never came true: {condition}; {self.said}"
            self.page.wait_for_timeout(15)

    def settled(self) -> dict[str, Any]:
        """The state once it is settled, and shown."""
        self.until("Boolean(window.silhouette) && window.silhouette.state().settled")
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        state: dict[str, Any] = self.page.evaluate("window.silhouette.state()")
        return state

    def do(self, call: str) -> dict[str, Any]:
        """Calls a function of the page's own, such as ``select('Kal')``, and waits until all is settled."""
        self.page.evaluate(f"void window.silhouette.{call}")
        return self.settled()

    def piece(self, name: str) -> dict[str, Any]:
        pieces = {piece["name"]: piece for piece in self.settled()["pieces"]}
        found: dict[str, Any] = pieces[name]
        return found

    def label(self, name: str) -> tuple[float, float]:
        """Where a piece's name stands in the window: its middle, CSS pixels."""
        box = self.page.locator(f'.labels [data-name="{name}"]').bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def foot(self, name: str) -> tuple[float, float]:
        """Where the middle of a model's base is in the window, where a plan is shown: CSS pixels."""
        selector = f'[data-piece="{name}"] .foot'
        self.until(f"document.querySelector('{selector}') !== null")
        box = self.page.locator(selector).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def press(self, *keys: str) -> None:
        """Keys for the table."""
        self.page.focus("#table")
        for key in keys:
            self.page.keyboard.press(key)


@contextmanager
def table_page(
    browser: Browser,
    scene: Path,
    size: tuple[int, int] = DESKTOP,
    before: str = "",
    role: str = "player",
    **options: Any,
) -> Iterator[TableVisit]:
    """The page of a scene's table, settled."""
    served = Served(scene, role)
    try:
        with browser.visit(f"{ADDRESS}#{TOKEN}", size, before, served.route, shares=True, **options) as visit:
            table = TableVisit(visit, served)
            table.until("Boolean(window.silhouette) && window.silhouette.state().pieces.length > 0")
            table.until("document.querySelectorAll('.labels [data-name]').length > 0")
            table.until("document.getElementById('table').getAttribute('aria-busy') === 'false'")
            table.settled()
            yield table
    finally:
        served.close()


def asking(table: TableVisit) -> None:
    """Has the scan ask."""
    state = told(table)
    table.served.say({"event": "edited", **state, "pose": state["pose"] + 1, "questions": QUESTIONS})
    table.until("!document.getElementById('questions').hidden")


def told(table: TableVisit) -> dict[str, Any]:
    """The state of the table, from the session."""
    kept: list[dict[str, Any]] = []
    table.served.holds = lambda message: message.get("id") == "state" and not kept.append(message)
    table.served.ask({"id": "state", "do": "state"})
    while not kept:
        table.until("true")
    table.served.holds = lambda _: False
    table.served.held.clear()
    return {key: value for key, value in kept[0].items() if key != "id"}
