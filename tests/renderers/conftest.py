"""The renderers, each of which holds the whole contract; tests of what starts, or breaks what has, start their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from silhouette.renderers import registry
from silhouette.renderers.protocol import Renderer
from tests.conftest import FURTHER, started


@pytest.fixture(autouse=True)
def _no_renderer_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_started", {})


@pytest.fixture(
    scope="module", params=["embree", *(pytest.param(name, id="opengl" if name == "gl" else name) for name in FURTHER)]
)
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    """Each renderer in turn, as `started` starts it."""
    chosen = started(request.param)
    yield chosen
    if request.param == "gl":
        chosen.close()  # type: ignore[attr-defined]
