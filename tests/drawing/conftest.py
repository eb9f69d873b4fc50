"""What tests of drawing share."""

from __future__ import annotations

import pytest

from silhouette.common.errors import RendererUnavailable
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    """Embree, or what takes its place where it is not installed."""
    try:
        return choose()
    except RendererUnavailable:
        return choose("reference")
