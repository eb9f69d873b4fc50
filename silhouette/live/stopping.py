"""TELL: a process stops in the middle of an answer that nobody waits for any longer.

a message during an answer -> Stopped, raised by the renderer when it is next asked to look
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Cast, Layer, Renderer
from silhouette.renderers.rays import RayRenderer
from silhouette.views import View
from silhouette.workers.process import Stopped


class StoppableRenderer(Renderer):
    """A renderer, a measurement with which ends with `Stopped` at the first look after a message has come.

    Args:
        renderer: that looks.
        pipe: brings the message. In a process that is forked from this one nothing is read from it.
    """

    def __init__(self, renderer: Renderer, pipe: Connection) -> None:
        self.name, self.device, self.capabilities = renderer.name, renderer.device, renderer.capabilities
        self._renderer, self._pipe, self._process = renderer, pipe, os.getpid()

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`.

        Raises:
            Stopped: if a message has come.
        """
        self._go_on()
        return self._renderer.render(view, bodies, pixels)

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `Renderer.depths`: one look if the renderer casts all rays at once, else one for each cast.

        Raises:
            Stopped: if a message has come.
        """
        if not isinstance(self._renderer, RayRenderer):
            return super().depths(casts)
        self._go_on()
        return self._renderer.depths(casts)

    def render_separately(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Iterable[Layer]:
        """See `Renderer.render_separately`: one look if the renderer draws whole pictures, else one for each body.

        Raises:
            Stopped: if a message has come.
        """
        if self.capabilities.sparse:
            return super().render_separately(view, bodies, pixels)
        self._go_on()
        return self._renderer.render_separately(view, bodies, pixels)

    def draw_ahead(self, view: View, bodies: Sequence[Body]) -> None:
        """See `Renderer.draw_ahead`.

        Raises:
            Stopped: if a message has come.
        """
        self._go_on()
        self._renderer.draw_ahead(view, bodies)

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`."""
        return self._renderer.share(meshes)

    def refuse_too_large(self, meshes: Mapping[str, Mesh]) -> None:
        """See `Renderer.refuse_too_large`."""
        self._renderer.refuse_too_large(meshes)

    @property
    def underlying(self) -> Renderer:
        """See `Renderer.underlying`."""
        return self._renderer.underlying

    @property
    def is_closed(self) -> bool:
        """See `Renderer.is_closed`."""
        return self._renderer.is_closed

    def close(self) -> None:
        """See `Renderer.close`."""
        self._renderer.close()

    def _go_on(self) -> None:
        if self._process == os.getpid() and self._pipe.poll():
            self._pipe.recv()
            raise Stopped
