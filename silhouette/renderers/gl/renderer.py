"""OpenGL on a GPU or in software: each body drawn alone, the pictures merged afterwards, in numpy, by depth and id.

If two bodies come close to each other (exact.py), one of them is drawn again, for the number of the face in front at
some pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import RendererUnavailable
from silhouette.common.lazy import LRU
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.gl.context import Context, context_on
from silhouette.renderers.gl.exact import (
    MAX_TEXTURE_SIDE,
    Depths,
    Faces,
    Patch,
    close_pixels,
    close_places,
    exact_depth,
    with_exact_depths,
)
from silhouette.renderers.protocol import Body, Capabilities, Layer, Renderer
from silhouette.renderers.views import View

if TYPE_CHECKING:
    from silhouette.renderers.gl.depth_pass import DepthPass, FacePass, MeshBuffer

TRIANGLES_KEPT = 20_000_000  # on the device, for the next calls

# The most pixels of the device's texture, counted for each body, that are drawn before anything is read back.
DEPTHS_AT_ONCE = 16_000_000

Place = tuple[int, int]


class GLRenderer(Renderer):
    """Draws with OpenGL 3.3; `create` one, `close` it when done.

    Attributes:
        device: the platform and what OpenGL calls its renderer, such as "EGL: llvmpipe (LLVM 15.0.6, 256 bits)".
        capabilities: whether that is a GPU and not a software renderer; the versions of OpenGL and of the driver, and
            the driver's maker.
        number: the number of the EGL device; None on OSMesa.
    """

    name = "gl"

    def __init__(self, context: Context) -> None:
        self._context = context
        self.device = f"{context.label}: {context.renderer}"
        driver = f"{context.vendor}, OpenGL {context.version}"
        self.capabilities = Capabilities(hardware=context.hardware, driver=driver)
        self.number = context.device
        self._meshes: LRU[MeshBuffer] = LRU(TRIANGLES_KEPT)
        self._latest = ""  # the digest of the mesh that was used last
        with context.current():
            from silhouette.renderers.gl import depth_pass  # binds PyOpenGL to the platform of the context

            self._drawing = depth_pass
            self._pass: DepthPass | None = depth_pass.DepthPass()
        self._face_pass: FacePass | None = None

    @classmethod
    def create(cls, platform: str | None = None, device: int | None = None) -> GLRenderer:
        """A renderer on ``platform``, "egl" or "osmesa", and on the EGL device with that number.

        Without a platform: the one that the variable PYOPENGL_PLATFORM names, else EGL where it works, else OSMesa.
        Without a number see `silhouette.renderers.gl.context.chosen_device`.

        Raises:
            RendererUnavailable: where that cannot run here, with the reason and what to install, or there is no such
                device.
            RequestError: where a device is given for OSMesa, which has none.
        """
        context = context_on(platform, device)
        try:
            return cls(context)
        except RuntimeError as error:  # PyOpenGL raises it where the shaders do not compile
            raise RendererUnavailable(f"{context.label} ({context.renderer}) lacks OpenGL 3.3: {error}") from error

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._pass is None

    def close(self) -> None:
        """Frees what lies on the device. The process keeps its OpenGL context, for the next renderer."""
        if self._pass is None:
            return
        if self._context.is_here:
            with self._context.current():
                self._pass.free()
                if self._face_pass is not None:
                    self._face_pass.free()
                for _, buffer in self._meshes.items():
                    buffer.free()
        self._pass = self._face_pass = None
        self._meshes.clear()

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`.

        Raises:
            RendererUnavailable: after `close`.
        """
        self._check_open()
        ascending = sorted((body for body in bodies if len(body.mesh.faces)), key=lambda body: body.id)
        if pixels is not None:
            return _front(ascending, self._depths(view, ascending, _middles(pixels)), (len(pixels),))
        layer = Layer.empty((view.height, view.width))
        drawn = self._settled(view, ascending)
        for patches in drawn:
            for target, depth in _within(layer.depth, patches):
                np.minimum(target, depth, out=target)
        for body, patches in zip(reversed(ascending), reversed(drawn), strict=True):
            for (ids, depth), (front, _) in zip(
                _within(layer.ids, patches), _within(layer.depth, patches), strict=True
            ):
                ids[(depth < np.inf) & (depth <= front)] = body.id
        return layer

    def _check_open(self) -> None:
        if self._pass is None:
            raise RendererUnavailable("this OpenGL renderer was closed; create another")

    def _settled(self, view: View, bodies: Sequence[Body]) -> list[list[Patch]]:
        """The patches of each body, with exact depths where two bodies are close to each other.

        As many bodies as fit are drawn at once.
        """
        groups = _groups(bodies, view.height * view.width)
        pictures = [patches for group in groups for patches in self._drawn_whole(view, group)]
        return [
            with_exact_depths(view, body, patches, close, self._faces(view, body, close)) if len(close) else patches
            for body, patches, close in zip(bodies, pictures, close_pixels(pictures), strict=True)
        ]

    def _drawn_whole(self, view: View, bodies: Sequence[Body]) -> list[list[Patch]]:
        """The patches of each body, tile by tile."""
        assert self._pass is not None
        patches: list[list[Patch]] = [[] for _ in bodies]
        tall, wide = _tile_size(view.height), _tile_size(view.width)
        with self._context.current():
            buffers = self._buffers(bodies)
            for row in range(0, view.height, tall):
                for column in range(0, view.width, wide):
                    tile = _tile(view, (row // tall, column // wide))
                    windows = self._pass.windows(tile, list(zip(bodies, buffers, strict=True)))
                    for own, ((rows, columns), depth) in zip(patches, windows, strict=True):
                        if depth.size:
                            own.append(Patch(row + rows.start, column + columns.start, depth))
            self._make_room()
        return patches

    def _depths(self, view: View, bodies: Sequence[Body], pixels: NDArray[np.int64]) -> Depths:
        """(k, n) the depth of each body alone at pixels (n, 2), inf where it is not; exact where two are close."""
        assert self._pass is not None
        depths = np.full((len(bodies), len(pixels)), np.inf, np.float32)
        if len(bodies) == 0 or len(pixels) == 0:
            return depths
        self._draw_at(view, bodies, pixels, depths)
        for body, depth, close in zip(bodies, depths, close_places(depths), strict=True):
            if close.any():
                faces = self._faces(view, body, pixels[close])
                depth[close] = exact_depth(view, body, pixels[close], faces, depth[close])
        return depths

    def _draw_at(self, view: View, bodies: Sequence[Body], pixels: NDArray[np.int64], depths: Depths) -> None:
        """Enters the ``depths`` (k, n) of bodies at pixels (n, 2)."""
        assert self._pass is not None
        tiles = list(_by_tile(view, pixels))
        done = 0
        for group in _groups(bodies, len(pixels)):
            these = slice(done, done + len(group))
            done += len(group)
            with self._context.current():
                drawn = list(zip(group, self._buffers(group), strict=True))
                for tile, chosen, places in tiles:
                    depths[these, chosen] = self._pass.depths(tile, drawn, places)
                self._make_room()

    def _faces(self, view: View, body: Body, pixels: NDArray[np.int64]) -> Faces:
        """(n,) the number of the body's face in front at pixels (n, 2), at all of which it is."""
        faces = np.zeros(len(pixels), np.uint32)
        with self._context.current():
            if self._face_pass is None:
                self._face_pass = self._drawing.FacePass()
            (buffer,) = self._buffers([body])
            for tile, chosen, places in _by_tile(view, pixels):
                faces[chosen] = self._face_pass.faces(tile, body, buffer, places)
            self._make_room()
        return faces

    def _buffers(self, bodies: Sequence[Body]) -> list[MeshBuffer]:
        """The meshes on the device; those that are not there yet are put there."""
        return [self._buffer(body.mesh) for body in bodies]

    def _buffer(self, mesh: Mesh) -> MeshBuffer:
        buffer = self._meshes.get(mesh.digest)
        if buffer is None:
            buffer = self._drawing.MeshBuffer(mesh)
            self._meshes.put(mesh.digest, buffer, buffer.triangles)
        self._latest = mesh.digest
        return buffer

    def _make_room(self) -> None:
        """Frees the meshes that were used longest ago, but the last one, where too much lies on the device."""
        for dropped in self._meshes.trim(keep=(self._latest,)).values():
            dropped.free()


def _front(ascending: Sequence[Body], depths: Depths, shape: tuple[int, ...]) -> Layer:
    """The layer of bodies in the order of their ids, whose depths (k, n) are given."""
    layer = Layer.empty(shape)
    if len(ascending):
        np.min(depths, axis=0, out=layer.depth)
    for body, depth in zip(reversed(ascending), depths[::-1], strict=True):
        layer.ids[(depth < np.inf) & (depth <= layer.depth)] = body.id
    return layer


def _middles(pixels: Any) -> NDArray[np.int64]:
    """The nearest pixels, (n, 2), to places that may be fractional."""
    return np.floor(np.asarray(pixels, dtype=np.float64).reshape(-1, 2) + 0.5).astype(np.int64)


def _groups(bodies: Sequence[Body], depths_per_body: int) -> Iterator[list[Body]]:
    """The bodies in their order, in groups that fit onto the device, where each takes ``depths_per_body`` depths.

    >>> from silhouette.common.geometry import Pose
    >>> from silhouette.meshes.mesh import Mesh
    >>> mesh = Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> bodies = [Body(number, mesh, Pose.standing()) for number in (1, 2, 3)]
    >>> [[body.id for body in group] for group in _groups(bodies, DEPTHS_AT_ONCE // 2)]
    [[1, 2], [3]]
    """
    group: list[Body] = []
    triangles = 0
    for body in bodies:
        triangles += len(body.mesh.faces)
        if group and ((len(group) + 1) * depths_per_body > DEPTHS_AT_ONCE or triangles > TRIANGLES_KEPT):
            yield group
            group, triangles = [], len(body.mesh.faces)
        group.append(body)
    if group:
        yield group


def _tile_size(pixels: int) -> int:
    """The side of the tiles into which ``pixels`` pixels are cut: as few and as even as can be.

    >>> _tile_size(300), _tile_size(4000)
    (300, 2000)
    """
    return -(-pixels // -(-pixels // MAX_TEXTURE_SIDE))


def _tile(view: View, place: Place) -> View:
    """One tile of the view's plane; the tile (0, 0) begins where the picture does."""
    tall, wide = _tile_size(view.height), _tile_size(view.width)
    return View(
        view.eye,
        view.axes,
        view.left + place[1] * wide * view.step,
        view.top - place[0] * tall * view.step,
        view.step,
        wide,
        tall,
    )


def _by_tile(view: View, pixels: NDArray[np.int64]) -> Iterator[tuple[View, Any, NDArray[np.int64]]]:
    """Each tile in which any of the pixels (n, 2) lie: which of them do, and their rows and columns in it."""
    size = np.array([_tile_size(view.height), _tile_size(view.width)])
    places, within = np.divmod(pixels, size)
    (top, left), (bottom, right) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    if (top, left) == (bottom, right):
        yield _tile(view, (top, left)), slice(None), within
        return
    for row, column in np.unique(places, axis=0).tolist():
        chosen = np.flatnonzero((places == [row, column]).all(axis=1))
        yield _tile(view, (row, column)), chosen, within[chosen]


def _within(picture: Any, patches: Sequence[Patch]) -> Iterator[tuple[Any, Depths]]:
    """For each patch the part of the picture that it covers, and the depths there."""
    height, width = picture.shape
    for patch in patches:
        part = patch.within(0, 0, height, width)
        if part.depth.size:
            rows, columns = part.depth.shape
            yield picture[part.row : part.row + rows, part.column : part.column + columns], part.depth
