"""RENDER: what every renderer is: bodies seen through a view become a layer.

A renderer has one method of its own, `Renderer.render`. What else it can do it says in `Capabilities`, or does in a
method that it overrides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.areas import CoveredAreas, LayeredPicture
from silhouette.renderers.views import View

NEAREST_DEPTH_MM = 1e-4
"""What the eye only touches hides nothing, mm: a surface is not met at a depth below this, and a face is not met at all
where its plane passes nearer to the eye than this, on it or seen edge-on, since it has no area in the picture.

The float32 of a mesh file, and of Embree, spaces points 3e-5 to 6e-5 mm apart on a table of one metre: an eye that is
meant to lie on a face may be so far from it.
"""


@dataclass(frozen=True, eq=False)
class Body:
    """A mesh standing somewhere, with the number by which a layer tells it from the others."""

    id: int  # above zero; of two bodies at equal depth the lower id is in front
    mesh: Mesh  # in its own frame, mm
    pose: Pose  # where it stands
    # mm by which its outline lies farther out than that of its mesh, below 0 farther in; renderers do not know of it,
    # those who cast do
    outline: float = 0.0


@dataclass(frozen=True, eq=False)
class Layer:
    """The body in front at each pixel of a view, and its depth.

    Both are (height, width) with row 0 at the top, or (n,) where n pixels were given.
    """

    ids: Integers  # int32, the id of the nearest body, 0 where there is none
    depth: NDArray[np.float32]  # float32, mm along the view's axis, inf where there is none

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Layer:
        """A layer without any body."""
        return cls(np.zeros(shape, np.int32), np.full(shape, np.inf, np.float32))


@dataclass(frozen=True, eq=False)
class Cast:
    """Rays through places of one picture, towards one body."""

    view: View  # the picture
    body: Body  # what the rays may meet
    places: Floats  # (n, 2) float64, row and column of each ray in the picture; the middle of a pixel lies at its index


@dataclass(frozen=True)
class Capabilities:
    """What a renderer can do, and its device; the defaults are those of one that draws whole pictures."""

    sparse: bool = False  # whether few pixels cost less than all of them, and any place between them can be looked at
    # Whether shares are counted by its rays, as a witness of what layers count; if not, it is asked for few rays only
    is_witness: bool = True
    counts_areas: bool = False  # whether `Renderer.areas` counts by layers on its device
    hardware: bool = False  # whether a GPU draws
    driver: str = ""  # the words of OpenGL or CUDA for the driver and its version; empty without one
    memory: int = 0  # bytes, of the GPU; 0 if it is not known, and without one
    together: int = 64  # the most checks that are judged at once: of more, each takes no less time


class Renderer(ABC):
    """One method, which every renderer answers alike but for pixels on the rim of a shape; all else has a default."""

    name: str  # as the option ``--renderer`` spells it
    device: str  # the device that it runs on, in words, for the result and for ``silhouette doctor``
    capabilities: Capabilities = Capabilities()  # what it can do

    @abstractmethod
    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """The bodies in front: at every pixel, or at ``pixels`` (n, 2) as row and column, in that order.

        A pixel is sampled at its centre, once; nothing is culled, clipped or blended: both faces of every
        triangle count, at any distance in front of the eye, and only the given ids and 0 appear.
        The given pixels may lie outside the image: the view's plane goes on there. They may be fractional:
        a sparse renderer looks at that very point, another one at the middle of the nearest pixel.
        """

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """(n,) mm along the axis of its view, the depth at which each ray of the casts meets its body; inf for none.

        The rays are those of the first cast, then those of the second, and so on. By default they are rendered cast by
        cast; a renderer that gains by many casts at once is a `silhouette.renderers.rays.RayRenderer`.

        >>> from silhouette.renderers.reference import ReferenceRenderer
        >>> view = View(np.zeros(3), np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), -0.5, 0.5, 0.5, width=2, height=2)
        >>> corners = np.array([[-9.0, 5.0, 0.0], [9.0, 5.0, 0.0], [0.0, 5.0, 9.0]])
        >>> body = Body(1, Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32)), Pose.standing())
        >>> ReferenceRenderer().depths([Cast(view, body, np.array([[0.0, 0.0], [1.0, 1.0]]))]).tolist()
        [5.0, inf]
        >>> ReferenceRenderer().depths([]).tolist()
        []
        """
        met = [self.render(cast.view, [cast.body], cast.places).depth for cast in casts]
        return np.concatenate([np.empty(0, np.float32), *met])

    def areas(self, pictures: Sequence[LayeredPicture]) -> list[CoveredAreas]:
        """What bodies cover of each picture, where the renderer has the capability ``counts_areas``; most have not."""
        raise NotImplementedError(f"{self.name} counts no areas")

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """Makes ready what processes forked from this one then share; False if this renderer is of no use there.

        A process with threads is not forked: those that the renderer keeps have ended when this returns True.
        By default it is of no use there, as one that holds a device is not.
        """
        return False

    def go_on(self) -> None:  # noqa: B027 - most have nothing to do
        """Is called now and then by what works between looks, and raises where that work is to end."""

    def refuse_too_large(self, meshes: Mapping[str, Mesh]) -> None:  # noqa: B027 - most have nothing to do
        """Refuses meshes, by the names of their pieces, for which its device has no room, before it looks.

        By default there is room for all.

        Raises:
            RequestError: if they are refused.
        """

    @property
    def underlying(self) -> Renderer:
        """The renderer that looks: this one, unless it hands on to another what it is asked."""
        return self

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called, and took something away: the renderer looks no more."""
        return False

    def close(self) -> None:  # noqa: B027 - most have nothing to do
        """Gives back what the process must give back, such as memory of a device; by default there is nothing."""


class ForwardingRenderer(Renderer):
    """A renderer that hands on to another all that it is asked, after a call of `go_on`."""

    def __init__(self, renderer: Renderer) -> None:
        self.name, self.device, self.capabilities = renderer.name, renderer.device, renderer.capabilities
        self._renderer = renderer

    def go_on(self) -> None:
        """See `Renderer.go_on`."""
        self._renderer.go_on()

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`."""
        self.go_on()
        return self._renderer.render(view, bodies, pixels)

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `Renderer.depths`: one look if the renderer casts all rays at once, else one for each cast."""
        if type(self._renderer.underlying).depths is Renderer.depths:
            return super().depths(casts)
        self.go_on()
        return self._renderer.depths(casts)

    def areas(self, pictures: Sequence[LayeredPicture]) -> list[CoveredAreas]:
        """See `Renderer.areas`."""
        self.go_on()
        return self._renderer.areas(pictures)

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


class LayersRenderer(ForwardingRenderer):
    """A renderer whose rays are only asked which of two surfaces is nearer: shares are counted by layers, exactly.

    One that has the capability ``counts_areas`` counts most of them on its device.
    """

    def __init__(self, renderer: Renderer) -> None:
        super().__init__(renderer)
        self.name = f"layers ({renderer.name})"
        self.capabilities = replace(renderer.capabilities, is_witness=False)
