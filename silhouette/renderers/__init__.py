"""RENDER: a view and bodies go in, a layer comes out: which body is in front at each pixel, and how deep it lies.

Others use `choose`, `started`, `check_name`, `RENDERERS`, the values of `silhouette.renderers.protocol`, and what
`silhouette.renderers.probe` finds out about this machine; the modules of a renderer are for that renderer alone.
"""

from __future__ import annotations

from silhouette.renderers.protocol import Body, Capabilities, Cast, Layer, Renderer
from silhouette.renderers.registry import RENDERERS, check_name, choose, started

__all__ = ["RENDERERS", "Body", "Capabilities", "Cast", "Layer", "Renderer", "check_name", "choose", "started"]
