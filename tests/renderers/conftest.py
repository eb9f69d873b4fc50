"""For the tests of this room: each starts its own renderers, since many look at what starts, or break what has."""

from __future__ import annotations

import pytest

from silhouette.renderers import registry


@pytest.fixture(autouse=True)
def _no_renderer_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_started", {})
