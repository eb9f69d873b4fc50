"""OpenGL on a GPU or in software: each body drawn alone, and told apart afterwards, in numpy, by depth and id.

The only module that imports pyrender, which lends the context, on EGL or OSMesa. What is drawn with it is our own
(gl_pass.py), because pyrender's passes cannot keep the contract: its depth and segmentation modes cull back faces
whatever they are told, its framebuffer holds four samples per pixel of which none is the middle, and its 24 bits of
depth lie between planes that have to be chosen.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RendererUnavailable
from silhouette.meshes import Mesh
from silhouette.renderers.base import Body, Layer
from silhouette.renderers.devices import INSTALL, egl_devices, require_osmesa
from silhouette.renderers.gl_pass import TILE, Pass, Upload
from silhouette.views import View

PLATFORMS = ("egl", "osmesa")

# Depths that differ by less than this share are equal. OpenGL computes in float32: faces in one plane, cut differently
# and seen at 6°, came out 5e-6 apart on Mesa. It is 5 µm at 300 mm.
SAME_DEPTH = 1.0 + 2.0**-16

# By how many pixels a picture is drawn larger than it is, because pixels just beyond it are often asked for.
MARGIN = 4

# What is kept for the next call: tiles of the last view (8 MiB each at most), and triangles on the device.
TILES_KEPT = 16
TRIANGLES_KEPT = 20_000_000

Place = tuple[int, int]


class GLRenderer:
    """Draws with OpenGL 3.3; `create` one, `close` it when done.

    Attributes:
        device: the platform and what OpenGL calls its renderer, such as "EGL: llvmpipe (LLVM 15.0.6, 256 bits)".
        hardware: whether that is a GPU and not a software renderer.
    """

    name = "gl"
    sparse = False

    def __init__(self, context: _Context) -> None:
        self._context = context
        self.device = f"{context.label}: {context.renderer}"
        self.hardware = context.hardware
        self._meshes: OrderedDict[str, Upload] = OrderedDict()
        self._tiles: OrderedDict[Place, Layer] = OrderedDict()
        self._drawn: tuple[Any, ...] = ()
        with context.current():
            self._pass: Pass | None = Pass()

    @classmethod
    def create(cls, platform: str | None = None) -> GLRenderer:
        """A renderer on ``platform``, "egl" or "osmesa".

        Without one it is what the environment's PYOPENGL_PLATFORM names, else EGL where it works, else OSMesa.

        Raises:
            RendererUnavailable: where that cannot run here, with the reason and what to install.
        """
        context = _context(platform)
        try:
            return cls(context)
        except RuntimeError as error:  # what PyOpenGL raises where the shaders do not compile
            raise RendererUnavailable(f"{context.label} ({context.renderer}) lacks OpenGL 3.3: {error}") from error

    def close(self) -> None:
        """Frees what lies on the device. The process keeps its one OpenGL context, for the next renderer."""
        if self._pass is None:
            return
        with self._context.current():
            self._pass.free()
            for upload in self._meshes.values():
                upload.free()
        self._pass = None
        self._meshes.clear()
        self._tiles.clear()

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`: a context belongs to the process that made it."""
        return False

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`. The last view stays drawn: asking for some of its pixels then draws nothing.

        Raises:
            RendererUnavailable: after `close`.
        """
        with self._context.current():
            self._forget_other_than(view, bodies)
            if pixels is None:
                return self._whole(view, bodies)
            return self._some(view, bodies, np.floor(np.asarray(pixels, dtype=np.float64) + 0.5).astype(np.int64))

    def _whole(self, view: View, bodies: Sequence[Body]) -> Layer:
        tall, wide = _tile_size(view.height), _tile_size(view.width)
        layer = Layer.empty((view.height + 2 * MARGIN, view.width + 2 * MARGIN))
        for row in range(0, layer.ids.shape[0], tall):
            for column in range(0, layer.ids.shape[1], wide):
                tile = self._tile(view, bodies, (row // tall, column // wide))
                target = np.s_[row : row + tall, column : column + wide]
                kept = np.s_[: layer.ids[target].shape[0], : layer.ids[target].shape[1]]
                layer.ids[target], layer.depth[target] = tile.ids[kept], tile.depth[kept]
        inner = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN]
        return Layer(layer.ids[inner].copy(), layer.depth[inner].copy())

    def _some(self, view: View, bodies: Sequence[Body], pixels: NDArray[np.int64]) -> Layer:
        size = _tile_size(view.height), _tile_size(view.width)
        places, inverse = np.unique((pixels + MARGIN) // size, axis=0, return_inverse=True)
        layer = Layer.empty((len(pixels),))
        for index, (row, column) in enumerate(places.tolist()):
            tile = self._tile(view, bodies, (row, column))
            chosen = np.flatnonzero(inverse.reshape(-1) == index)
            within = tuple(((pixels[chosen] + MARGIN) % size).T)
            layer.ids[chosen], layer.depth[chosen] = tile.ids[within], tile.depth[within]
        return layer

    def _forget_other_than(self, view: View, bodies: Sequence[Body]) -> None:
        frame = (view.eye.tobytes(), view.axes.tobytes(), view.left, view.top, view.step, view.width, view.height)
        posed = [
            (body.id, body.mesh.digest, body.pose.rotation.tobytes(), body.pose.translation.tobytes())
            for body in bodies
        ]
        wanted = (frame, *sorted(posed))
        if wanted != self._drawn:
            self._tiles.clear()
            self._drawn = wanted

    def _tile(self, view: View, bodies: Sequence[Body], place: Place) -> Layer:
        """One tile of the view's plane; the tile (0, 0) begins MARGIN pixels left of and above the picture."""
        if place not in self._tiles:
            tall, wide = _tile_size(view.height), _tile_size(view.width)
            part = View(
                view.eye,
                view.axes,
                view.left + (place[1] * wide - MARGIN) * view.step,
                view.top - (place[0] * tall - MARGIN) * view.step,
                view.step,
                wide,
                tall,
            )
            self._tiles[place] = self._draw(part, bodies)
            if len(self._tiles) > TILES_KEPT:
                self._tiles.popitem(last=False)
        return self._tiles[place]

    def _draw(self, view: View, bodies: Sequence[Body]) -> Layer:
        if self._pass is None:
            raise RendererUnavailable("this OpenGL renderer was closed; create another")
        ascending = sorted((body for body in bodies if len(body.mesh.faces)), key=lambda body: body.id)
        drawn = [self._pass.draw(view, body, self._upload(body.mesh)) for body in ascending]
        layer = Layer.empty((view.height, view.width))
        for window, depth in drawn:
            np.minimum(layer.depth[window], depth, out=layer.depth[window])
        for body, (window, depth) in zip(reversed(ascending), reversed(drawn), strict=True):
            in_front = (depth < np.inf) & (depth <= layer.depth[window] * np.float32(SAME_DEPTH))
            layer.ids[window][in_front] = body.id
        return layer

    def _upload(self, mesh: Mesh) -> Upload:
        """The mesh on the device, put there unless it is; what was used longest ago makes room."""
        if mesh.digest not in self._meshes:
            self._meshes[mesh.digest] = Upload(mesh)
            while len(self._meshes) > 1 and sum(m.triangles for m in self._meshes.values()) > TRIANGLES_KEPT:
                self._meshes.popitem(last=False)[1].free()
        self._meshes.move_to_end(mesh.digest)
        return self._meshes[mesh.digest]


def _tile_size(pixels: int) -> int:
    """Into how large tiles a picture of so many pixels, with its margin, is cut: as few and as even as can be.

    >>> _tile_size(300), _tile_size(2000)
    (308, 1004)
    """
    whole = pixels + 2 * MARGIN
    return -(-whole // -(-whole // TILE))


@dataclass(frozen=True, eq=False)
class _Context:
    """The process's one OpenGL context. It lives to the end: PyOpenGL could not be bound to another platform anyway.

    Attributes:
        label: "EGL" or "OSMesa".
        renderer: what OpenGL calls itself.
    """

    label: str
    renderer: str
    platform: Any

    lock = threading.Lock()

    @property
    def hardware(self) -> bool:
        """Whether this is a GPU."""
        return not any(word in self.renderer.lower() for word in ("llvmpipe", "softpipe", "swrast", "software"))

    @contextmanager
    def current(self) -> Iterator[None]:
        """Holds the context for this thread, and then lets go of it, which pyrender does not, so that others can."""
        with self.lock:
            self.platform.make_current()
            try:
                yield
            finally:
                _let_go(self.platform)


_contexts: dict[str, _Context] = {}


def _context(asked: str | None) -> _Context:
    """The process's context on the platform asked for, opened on first use."""
    platform = _choose_platform(asked or os.environ.get("PYOPENGL_PLATFORM"))
    if platform not in _contexts:
        _import_pyrender(platform)
        try:
            _contexts[platform] = _open_egl() if platform == "egl" else _open_osmesa()
        except RendererUnavailable:
            raise
        except Exception as error:  # whatever a driver, PyOpenGL or pyrender's assertions come up with
            reason = str(error) or type(error).__name__
            raise RendererUnavailable(f"OpenGL on {platform} does not start ({reason}); {INSTALL}") from error
    return _contexts[platform]


def _choose_platform(asked: str | None) -> str:
    """What PyOpenGL is to be bound to, known to work; raises `RendererUnavailable` with the reason where nothing is."""
    if asked is not None and asked not in PLATFORMS:
        raise RendererUnavailable(f"OpenGL platform '{asked}' is not known here; egl or osmesa would be right")
    bound = _bound_platform()
    if bound is not None and (asked or bound) != bound:
        raise RendererUnavailable(
            f"OpenGL is bound to {bound} in this process and cannot change to {asked}; start another process"
        )
    if bound is not None and bound not in PLATFORMS:
        raise RendererUnavailable(
            f"OpenGL is bound to {bound} in this process, not to egl or osmesa; start another process"
        )
    reasons = []
    for platform in [asked or bound] if asked or bound else PLATFORMS:
        try:
            if platform == "egl":
                egl_devices()
            else:
                require_osmesa()
        except RendererUnavailable as error:
            reasons.append(str(error).replace(f"; {INSTALL}", ""))
        else:
            return str(platform)
    raise RendererUnavailable(f"{', and '.join(reasons)}; {INSTALL}")


def _bound_platform() -> str | None:
    """What PyOpenGL is bound to in this process: the last part of the name of its platform's module."""
    loaded = sys.modules.get("OpenGL.platform")
    bound = getattr(loaded, "PLATFORM", None)
    return type(bound).__module__.rpartition(".")[2] if bound is not None else None


def _import_pyrender(platform: str) -> None:
    before = os.environ.get("PYOPENGL_PLATFORM")
    os.environ["PYOPENGL_PLATFORM"] = platform
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            import pyrender  # noqa: F401
    except Exception as error:  # a missing library shows as ImportError, AttributeError or OSError
        raise RendererUnavailable(
            f"pyrender cannot be imported ({error}); pip install pyrender2, and {INSTALL}"
        ) from error
    finally:
        if before is None:
            del os.environ["PYOPENGL_PLATFORM"]
        else:
            os.environ["PYOPENGL_PLATFORM"] = before


def _open_egl() -> _Context:
    from pyrender.platforms import egl

    index = int(os.environ.get("EGL_DEVICE_ID", egl_devices()[0].index))
    return _open("EGL", egl.EGLPlatform(TILE, TILE, device=egl.get_device_by_index(index)))


def _open_osmesa() -> _Context:
    from pyrender.platforms.osmesa import OSMesaPlatform

    return _open("OSMesa", OSMesaPlatform(TILE, TILE))


def _open(label: str, platform: Any) -> _Context:
    from OpenGL import GL

    platform.init_context()
    platform.make_current()
    renderer = GL.glGetString(GL.GL_RENDERER).decode()
    _let_go(platform)
    return _Context(label, renderer, platform)


def _let_go(platform: Any) -> None:
    """Makes no context current on this thread; pyrender's own `make_uncurrent` does nothing."""
    if _bound_platform() == "egl":
        from OpenGL import EGL

        EGL.eglMakeCurrent(EGL.eglGetCurrentDisplay(), EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)
    else:
        from OpenGL import osmesa

        osmesa.OSMesaMakeCurrent(None, None, 0, 0, 0)
