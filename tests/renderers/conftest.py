"""The renderers, each of which holds the whole contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from silhouette.renderers.protocol import Renderer
from tests.conftest import FURTHER, started


@pytest.fixture(
    scope="module", params=["embree", *(pytest.param(name, id="opengl" if name == "gl" else name) for name in FURTHER)]
)
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    """Each renderer in turn, as `started` starts it."""
    chosen = started(request.param)
    yield chosen
    if request.param == "gl":
        chosen.close()  # type: ignore[attr-defined]
