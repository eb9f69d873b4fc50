"""RENDER: the protocol of every renderer: bodies seen through a view become a layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Floats, Integers, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.views import View

NEAREST = 1e-4
"""What the eye only touches hides nothing, mm: a surface is not met at a depth below this, and a face is not met at all
where its plane passes nearer to the eye than this, on it or seen edge-on, since it has no area in the picture.

The float32 of a mesh file, and of Embree, spaces points 3e-5 to 6e-5 mm apart on a table of one metre: an eye that is
meant to lie on a face may be so far from it.
"""


@dataclass(frozen=True, eq=False)
class Body:
    """A mesh standing somewhere, with the number by which a layer tells it from the others.

    Attributes:
        id: above zero; of two bodies at equal depth the lower id is in front.
        mesh: in its own frame, mm.
        pose: where it stands.
        outline: mm by which its outline lies farther out than that of its mesh, below 0 farther in; renderers do not
            know of it, those who cast do.
    """

    id: int
    mesh: Mesh
    pose: Pose
    outline: float = 0.0


@dataclass(frozen=True, eq=False)
class Layer:
    """The body in front at each pixel of a view, and its depth.

    Attributes:
        ids: int32, the id of the nearest body, 0 where there is none.
        depth: float32, mm along the view's axis, inf where there is none.

    Both are (height, width) with row 0 at the top, or (n,) where n pixels were given.
    """

    ids: Integers
    depth: NDArray[np.float32]

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Layer:
        """A layer without any body."""
        return cls(np.zeros(shape, np.int32), np.full(shape, np.inf, np.float32))


class Renderer(Protocol):
    """One method, which every renderer answers alike but for pixels on the rim of a shape.

    Attributes:
        name: as the option ``--renderer`` spells it.
        device: the device that it runs on, in words, for the result and for ``silhouette doctor``.
        sparse: whether few pixels cost less than all of them, and any place between them can be looked at.
    """

    name: str
    device: str
    sparse: bool

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """Makes ready what processes forked from this one then share; False where this renderer is of no use there.

        A process with threads is not forked: those that the renderer keeps have ended when this returns True.
        """
        ...

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """The bodies in front: at every pixel, or at ``pixels`` (n, 2) as row and column, in that order.

        A pixel is sampled at its centre, once; nothing is culled, clipped or blended: both faces of every
        triangle count, at any distance in front of the eye, and only the given ids and 0 appear.
        The given pixels may lie outside the image: the view's plane goes on there. They may be fractional:
        a sparse renderer looks at that very point, another one at the middle of the nearest pixel.
        """
        ...


@runtime_checkable
class Closable(Protocol):
    """A renderer that holds what the process must give back: memory of a device."""

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        ...

    def close(self) -> None:
        """Gives it back; the renderer looks no more."""
        ...


def render_separately(renderer: Renderer, view: View, bodies: Sequence[Body], pixels: Any = None) -> Iterator[Layer]:
    """The layer that `Renderer.render` gives for each body alone, in their order; drawn in one go where possible.

    Such a renderer has a method ``render_separately(view, bodies, pixels)``. The pixels are the same for every body.

    >>> from silhouette.renderers.reference import ReferenceRenderer
    >>> view = View(np.zeros(3), np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), -0.5, 0.5, 0.5, width=2, height=2)
    >>> corners = np.array([[-9.0, 5.0, 0.0], [9.0, 5.0, 0.0], [0.0, 5.0, 9.0]])
    >>> mesh = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> bodies = [Body(number, mesh, Pose.standing()) for number in (3, 7)]
    >>> [layer.ids.tolist() for layer in render_separately(ReferenceRenderer(), view, bodies)]
    [[[3, 3], [0, 0]], [[7, 7], [0, 0]]]
    >>> list(render_separately(ReferenceRenderer(), view, []))
    []
    """
    at_once = getattr(renderer, "render_separately", None)
    if at_once is not None:
        yield from at_once(view, bodies, pixels)
        return
    for body in bodies:
        yield renderer.render(view, [body], pixels)


def draw_ahead(renderer: Renderer, view: View, bodies: Sequence[Body]) -> None:
    """Draws a picture of which some pixels will be asked for, and then others, where that spares work.

    Such a renderer has a method ``draw_ahead(view, bodies)``; others do nothing.

    >>> from silhouette.renderers.reference import ReferenceRenderer
    >>> view = View(np.zeros(3), np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), -0.5, 0.5, 0.5, width=2, height=2)
    >>> draw_ahead(ReferenceRenderer(), view, [])
    """
    ahead = getattr(renderer, "draw_ahead", None)
    if ahead is not None:
        ahead(view, bodies)


def refuse_too_large(renderer: Renderer, meshes: Mapping[str, Mesh]) -> None:
    """Refuses meshes, by the names of their pieces, for which a renderer's device has no room; before it looks.

    Such a renderer has a method ``refuse_too_large(meshes)``; others have room for all.

    Raises:
        RequestError: where they are refused.

    >>> from silhouette.renderers.reference import ReferenceRenderer
    >>> refuse_too_large(ReferenceRenderer(), {})
    """
    refuse = getattr(renderer, "refuse_too_large", None)
    if refuse is not None:
        refuse(meshes)


@dataclass(frozen=True, eq=False)
class Cast:
    """Rays through places of one picture, towards one body.

    Attributes:
        view: the picture.
        body: what the rays may meet.
        places: (n, 2) float64, row and column of each ray in the picture; the middle of a pixel lies at its index.
    """

    view: View
    body: Body
    places: Floats


def depths(renderer: Renderer, casts: Sequence[Cast]) -> NDArray[np.float32]:
    """(n,) mm along the axis of its view, the depth at which each ray of the casts meets its body; inf where none does.

    The rays are those of the first cast, then those of the second, and so on. A renderer that gains by many casts at
    once has a method ``depths(casts)``; another renders them one by one.

    >>> from silhouette.renderers.reference import ReferenceRenderer
    >>> view = View(np.zeros(3), np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), -0.5, 0.5, 0.5, width=2, height=2)
    >>> corners = np.array([[-9.0, 5.0, 0.0], [9.0, 5.0, 0.0], [0.0, 5.0, 9.0]])
    >>> body = Body(1, Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32)), Pose.standing())
    >>> depths(ReferenceRenderer(), [Cast(view, body, np.array([[0.0, 0.0], [1.0, 1.0]]))]).tolist()
    [5.0, inf]
    >>> depths(ReferenceRenderer(), []).tolist()
    []
    """
    at_once = getattr(renderer, "depths", None)
    if at_once is not None:
        found: NDArray[np.float32] = at_once(casts)
        return found
    met = [renderer.render(cast.view, [cast.body], cast.places).depth for cast in casts]
    return np.concatenate([np.empty(0, np.float32), *met])
