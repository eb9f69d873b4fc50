"""The modules of matplotlib with which figures are drawn: each is imported when something of it is first used.

All together they take most of a second, and what Pillow draws needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "agg",
    "figure",
    "font_manager",
    "ft2font",
    "lines",
    "patches",
    "path",
    "patheffects",
    "pdf",
    "text",
    "textpath",
    "transforms",
]

if TYPE_CHECKING:
    from matplotlib import figure, font_manager, ft2font, lines, patches, path, patheffects, text, textpath, transforms
    from matplotlib.backends import backend_agg as agg
    from matplotlib.backends import backend_pdf as pdf


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    module = import_module(f"matplotlib.backends.backend_{name}" if name in ("agg", "pdf") else f"matplotlib.{name}")
    globals()[name] = module  # which is then found without a call
    return module
