"""The browser in which the live table's page is tested."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browsing import IN_SOFTWARE, Browser, tested


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of a module, faster for pages that move."""
    yield from tested(IN_SOFTWARE)
