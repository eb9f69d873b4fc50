"""A real browser for tests of pages: the system's Chromium, headless, with WebGL in software, driven by Playwright."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first that is installed is taken; the shell, which cannot show a window, works a third less than the whole."""
ARGUMENTS = (
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-rasterization",  # SwiftShader takes many times as long as a processor for text
    "--force-color-profile=srgb",
)
IN_SOFTWARE = "--disable-gpu-compositing"
"""The window is put together without SwiftShader: pages that move are a quarter faster, and Chromium warns of it."""

DESKTOP, PHONE = (1280, 800), (390, 844)
PATIENCE = 60_000  # ms: software WebGL on a busy machine


@dataclass
class Visit:
    """A page that is open, and all that it said and asked for since."""

    page: Any
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def picture(self, selector: str) -> NDArray[np.int64]:
        """(height, width, 3) what is seen of an element."""
        data = self.page.locator(selector).screenshot()
        with Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGB")).astype(np.int64)

    def until(self, condition: str) -> None:
        """Waits until a JavaScript expression is true; asked from outside, since the page itself may evaluate none."""
        end = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"never came true: {condition}; {self.said}"
            self.page.wait_for_timeout(30)

    def settled(self) -> None:
        """Waits until the 3D view stands, and all that was to be drawn is."""
        self.until("window.silhouette !== undefined && !window.silhouette.viewer.waiting")
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


class Browser:
    """Opens pages from files, and lets them reach nothing."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium
        self._contexts: dict[str, Any] = {}

    @contextmanager
    def visit(
        self,
        file: Path | str,
        size: tuple[int, int] = DESKTOP,
        before: str = "",
        route: Callable[[Any], None] | None = None,
        guarded: bool = True,
        shares: bool | None = None,
        **options: Any,
    ) -> Iterator[Visit]:
        """A page, open in a window of its own.

        Args:
            file: the page; an address where ``route`` answers for it.
            size: of the window, in CSS pixels.
            before: JavaScript that runs before anything of the page.
            route: is called with Playwright's page, to answer requests that would else be refused.
            guarded: whether requests that leave this machine are refused; each then takes some 10 ms.
            shares: whether the page may have cookies and the browser's cache in common with those before it, which
                takes half as long; by default pages from files do.
            options: of the browser's context, as Playwright names them.
        """
        width, height = size
        how = {"reduced_motion": "reduce", "viewport": {"width": width, "height": height}, **options}
        with self._context(how, isinstance(file, Path) if shares is None else shares) as context:
            page = context.new_page()
            visit = Visit(page)
            page.on("request", lambda request: visit.asked.append(request.url))
            page.on("console", lambda message: visit.said.append(f"{message.type}: {message.text}"))
            page.on("pageerror", lambda error: visit.said.append(f"error: {error}"))
            if guarded:
                page.route("**/*", lambda route: route.continue_() if _local(route.request.url) else route.abort())
            if route is not None:
                route(page)
            page.set_default_timeout(PATIENCE)
            if before:
                page.add_init_script(before)
            page.goto(file if isinstance(file, str) else file.resolve().as_uri())
            yield visit
            page.close()

    @contextmanager
    def _context(self, how: dict[str, Any], shares: bool) -> Iterator[Any]:
        """A context of the browser: one for all pages that share it, until a test fails in it."""
        if not shares:
            with self._chromium.new_context(**how) as context:
                yield context
            return
        key = repr(how)
        context = self._contexts.pop(key, None) or self._chromium.new_context(**how)
        try:
            yield context
        except BaseException:
            context.close()
            raise
        self._contexts[key] = context


def _local(url: str) -> bool:
    return url.startswith(("file:", "data:", "blob:"))


def chromium() -> str | None:
    """The path of the system's Chromium; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched(*further: str) -> Iterator[Browser]:
    """Chromium, without a window, with further arguments of its command line."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium(), args=[*ARGUMENTS, *further], timeout=PATIENCE)
        yield Browser(running)
        running.close()


def tested(*further: str) -> Iterator[Browser]:
    """Chromium. Where there is none the test is skipped; where SILHOUETTE_REQUIRE_BROWSER says it must be, it fails."""
    if chromium() is None:
        if os.environ.get("SILHOUETTE_REQUIRE_BROWSER"):
            pytest.fail("a browser must be here, but there is no Chromium")
        pytest.skip("needs Chromium, which is not installed")
    pytest.importorskip("playwright.sync_api")
    with launched(*further) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of a module."""
    yield from tested()
