"""TELL: a process stops in the middle of an answer that nobody waits for any longer.

a message during an answer -> Stopped, raised by the renderer when it is next asked to look
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.views import View

STOP = "stop"
"""The message. One that comes when there is no answer under way, or no longer, means nothing."""

LOOKS = ("depths", "render_separately", "draw_ahead")
"""The methods that a renderer may have besides those of the protocol, and that look."""


class Stopped(BaseException):
    """Nobody waits for the answer any longer; no part of the measurement handles it."""


class StoppableRenderer:
    """A renderer, a measurement with which ends with `Stopped` as soon as a message comes.

    Args:
        renderer: that looks.
        pipe: brings the message. In a process that is forked from this one nothing is read from it.
    """

    def __init__(self, renderer: Renderer, pipe: Connection) -> None:
        self.name, self.device, self.sparse = renderer.name, renderer.device, renderer.sparse
        self._renderer, self._pipe, self._process = renderer, pipe, os.getpid()

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`."""
        return self._renderer.share(meshes)

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`.

        Raises:
            Stopped: where a message has come.
        """
        self._go_on()
        return self._renderer.render(view, bodies, pixels)

    def __getattr__(self, name: str) -> Any:
        """What else the renderer has; those that look raise `Stopped` as well."""
        found = getattr(self._renderer, name)
        if name not in LOOKS:
            return found

        def look(*arguments: Any) -> Any:
            self._go_on()
            return found(*arguments)

        return look

    def _go_on(self) -> None:
        if self._process == os.getpid() and self._pipe.poll():
            self._pipe.recv()
            raise Stopped
