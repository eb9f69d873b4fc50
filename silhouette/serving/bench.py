"""TELL, assistants: what tools work with: the folder, a renderer that stays warm, a call that can be stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, content_with, load_scene
from silhouette.renderers import choose
from silhouette.renderers.protocol import ForwardingRenderer, Renderer
from silhouette.scenes.scene import Scene
from silhouette.serving.folder import ServedFolder
from silhouette.workers.process import Stopped


class ToolCall:
    """A call of a tool: how far it has come, and whether anybody still waits for it. Threads may share it."""

    def __init__(self) -> None:
        self.done = 0.0
        self.total: int | None = None
        self._stopped = Event()

    def step(self, done: float, total: int) -> None:
        """Notes how many steps are done, with a part of the next one, and of how many; `Stopped` as by `go_on`."""
        self.go_on()
        self.done, self.total = done, total

    def stop(self) -> None:
        """Has what is being worked out end soon, with `Stopped`."""
        self._stopped.set()

    def go_on(self) -> None:
        """Raises `Stopped` if nobody waits any longer."""
        if self._stopped.is_set():
            raise Stopped


class CallRenderer(ForwardingRenderer):
    """A renderer for one call, a measurement with which ends when the call is stopped."""

    def __init__(self, renderer: Renderer, call: ToolCall) -> None:
        super().__init__(renderer)
        self._call = call

    def go_on(self) -> None:
        """See `Renderer.go_on`."""
        self._call.go_on()


class Bench:
    """What all calls share; one thread at a time works at it.

    Args:
        folder: in which scenes are found.
        cache: of meshes; what was loaded once stays in memory.
        renderer, device: as of `silhouette.renderers.choose`; started when it is first needed.
        pixel, error: as of `silhouette.judging.check`.
    """

    def __init__(
        self,
        folder: ServedFolder,
        cache: Cache,
        renderer: str = "auto",
        device: str | None = None,
        pixel: float | None = None,
        error: float | None = None,
    ) -> None:
        self.folder = folder
        self._cache = cache.remembering()
        self._choice = renderer, device
        self._started: Renderer | None = None
        self._pixel, self._error = pixel, error

    def options(self, call: ToolCall, **more: Any) -> JudgingOptions:
        """How a call judges, and what it wants ``more``, as of `JudgingOptions`. RendererUnavailable as of `choose`."""
        self._started = self._started or choose(*self._choice)
        return JudgingOptions(CallRenderer(self._started, call), self._cache, self._pixel, self._error, **more)

    def scene(self, name: str, at: Mapping[str, Sequence[float]] | None = None) -> Scene:
        """A scene of the folder, with pieces at other places if ``at`` says so. Errors as of `load_scene`."""
        return content_with(load_scene(self.folder.scene(name), cache=self._cache, at=at), self._error)
