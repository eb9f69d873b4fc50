"""What is spent where while checks are judged: measured round the steps of a renderer, which is left as it is."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = {"gl": ("submit", "draw", "readback", "layers"), "cuda": ("upload", "kernels", "download", "launching")}
"""What is measured of each renderer; the rest of the time is Python's."""


class Clock:
    """What is spent where; a step within another counts for itself alone.

    Attributes:
        spent: seconds, by step; beside them what was counted.
    """

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._inner = [0.0]
        self._is_whole = False

    def step(self, name: str, function: Callable[..., Any], whole: bool = False) -> Callable[..., Any]:
        """The same function, measured; ``whole`` with all the steps that it takes itself."""

        def measured(*arguments: Any, **named: Any) -> Any:
            if self._is_whole:
                return function(*arguments, **named)
            start = time.perf_counter()
            self._inner.append(0.0)
            self._is_whole = whole
            try:
                return function(*arguments, **named)
            finally:
                self._is_whole = False
                passed = time.perf_counter() - start
                self.spent[name] += passed - self._inner.pop()
                self._inner[-1] += passed

        return measured

    def watch(self, renderer: Any) -> None:
        """Measures the renderer's steps from now on, each of which then waits until the device has taken it.

        Args:
            renderer: of those in `STEPS`.
        """
        (self._watch_cuda if renderer.underlying.name == "cuda" else self._watch_gl)()

    def _watch_gl(self) -> None:
        from OpenGL import GL

        from silhouette.renderers.gl.depth_pass import DepthPass
        from silhouette.renderers.gl.renderer import GLRenderer

        fetched = self.step("readback", DepthPass._fetched)
        finish = self.step("draw", GL.glFinish)

        def waited(one: DepthPass, *arguments: Any) -> Any:
            finish()
            self.spent["pixels"] += arguments[1]
            return fetched(one, *arguments)

        def drawn_bodies(function: Callable[..., Any]) -> Callable[..., Any]:
            def counted(one: DepthPass, view: Any, bodies: Any, *rest: Any) -> Any:
                self.spent["bodies"] += len(bodies)
                return function(one, view, bodies, *rest)

            return counted

        replaced: dict[str, Callable[..., Any]] = {"_fetched": waited}
        replaced |= {
            name: drawn_bodies(self.step("submit", getattr(DepthPass, name))) for name in ("windows", "depths")
        }
        for name, replacement in replaced.items():
            setattr(DepthPass, name, replacement)
        GLRenderer.render = self.step("layers", GLRenderer.render)  # type: ignore[method-assign]

    def _watch_cuda(self) -> None:
        """Round warp's own functions: whatever kernels there are, they are launched, fed and read by these."""
        import warp

        from silhouette.renderers.cuda.renderer import CudaRenderer

        CudaRenderer.cast = self.step("launching", CudaRenderer.cast)  # type: ignore[method-assign]
        CudaRenderer.areas = self.step("launching", CudaRenderer.areas)  # type: ignore[method-assign]
        wait = self.step("kernels", warp.synchronize, whole=True)
        launch, array = warp.launch, warp.array
        made, read = array.__init__, array.numpy

        def launched(kernel: Any, dim: Any, *rest: Any, **named: Any) -> Any:
            self.spent["launches"] += 1
            self.spent["threads"] += int(np.prod(dim))
            found = launch(kernel, dim, *rest, **named)
            warp.synchronize()
            return found

        def uploaded(one: Any, data: Any = None, *rest: Any, **named: Any) -> None:
            made(one, data, *rest, **named)
            if data is not None:
                self.spent["bytes up"] += one.size * warp.types.type_size_in_bytes(one.dtype)
                warp.synchronize()

        def downloaded(one: Any, **named: Any) -> Any:
            found = read(one, **named)
            self.spent["bytes down"] += found.nbytes
            return found

        warp.launch = self.step("kernels", launched, whole=True)
        warp.zeros = self.step("kernels", warp.zeros, whole=True)
        array.__init__ = self.step("upload", uploaded, whole=True)
        download = self.step("download", downloaded, whole=True)

        def waited(one: Any, **named: Any) -> Any:
            wait()
            return download(one, **named)

        array.numpy = waited
