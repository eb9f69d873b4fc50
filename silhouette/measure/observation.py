"""COUNT: what goes in, a Sight, which the rules describe, and what comes out, an Observation: counts, errors, masks.

Sight                      View                    Mask                       Observation
who looks at whom,         a picture fitted to     the kind of each pixel     the evidence of a verdict
from where, past what      the target
                           +-----------+           . . . . . .  NOTHING       sight     the Sight itself
   eye                     |    ___    |           . . S S . .  SEEN          blockers  (crate, wall)
    o---> wall -> target   |   |   |   |           . . S S . .                counts    total 8, occluded 4, ...
                           |  =|===|=  |           . . b b . .  OBSCURED,     pixel     0.1 mm
                           |  =|===|=  |           . . b b . .  by blocker b  masks     (Mask,), or six of them
                           +-----------+           . . . . . .                          round the eye, or none
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.common.lazy import cached_property
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.views import Projection, View, VisionArc
from silhouette.scenes.table import BlockingPieces, Piece

NOTHING, SEEN, OBSCURED, OUTSIDE = 0, 1, 2, 3
"""Kinds of pixel in a `Mask`: no target; target that is seen; obscured; not obscured, but outside the vision arcs."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Who looks at whom, and past what: everything that the rules decide before the measurement.

    The measurement reads ``target``, ``eye``, ``facing``, ``arcs``, ``occluders`` and ``absent``. The other attributes
    say how the figures show the pieces that are not measured.
    """

    attacker: Piece  # the piece that looks
    target: Piece  # the piece that is looked at; its significant parts are measured
    eye: Floats  # (3,) mm, world: where the attacker looks from
    # Degrees anticlockwise from +x: the upward direction of the picture where the target is straight above or below the
    # eye, and the viewing direction where the middle of the target is at the eye
    facing: float
    # The vision arcs, of which one at least must contain a point for it to be seen; none where the attacker looks into
    # a blind spot; None where no arc limits its sight
    arcs: tuple[VisionArc, ...] | None
    occluders: BlockingPieces  # the pieces that may block, each with the part of it that blocks
    # Positions in ``occluders`` of the pieces that do not block after all: the attacker, the target, and those that the
    # rules disregard. All others block where they stand before the target.
    absent: tuple[int, ...] = ()
    disregarded: tuple[Piece, ...] = ()  # pieces that the rules disregard; figures show them as veils
    # Pieces that the rules disregard and that figures from the eye leave out, since they are so near to the eye that
    # they would hide everything else
    left_out: tuple[Piece, ...] = ()

    def past(self, numbers: Sequence[int]) -> Sight:
        """The sight with these occluders only.

        Args:
            numbers: positions in ``occluders``; each of them blocks, even if it is ``absent`` from this sight.
        """
        pieces = tuple(self.occluders.pieces[number] for number in numbers)
        meshes = tuple(self.occluders.meshes[number] for number in numbers)
        return replace(self, occluders=BlockingPieces(pieces, meshes, self.occluders.boxes[list(numbers)]), absent=())

    @cached_property
    def present(self) -> list[tuple[Piece, Mesh]]:
        """The occluders that are not absent, each with the part of it that blocks."""
        absent = set(self.absent)
        pairs = zip(self.occluders.pieces, self.occluders.meshes, strict=True)
        return [pair for number, pair in enumerate(pairs) if number not in absent]

    @cached_property
    def uncounted(self) -> list[tuple[Piece, Mesh]]:
        """The parts of the present occluders that do not block, such as bases, each with its piece."""
        return [(piece, piece.model.ignored) for piece, mesh in self.present if mesh is not piece.model.mesh]


@dataclass(frozen=True, eq=False)
class Mask:
    """The pixels of one picture, as they were counted; all images are (height, width), row 0 at the top."""

    view: View  # the picture: its eye, axes and pixels
    kinds: NDArray[np.uint8]  # uint8, NOTHING, SEEN, OBSCURED or OUTSIDE
    # Int32, where OBSCURED the position in `Observation.blockers` of the nearest blocker; else -1
    blocker: NDArray[np.int32]


@dataclass(frozen=True)
class OcclusionCounts:
    """Areas of a target, in pixels, of what is occluded of it and by what, and the errors of the shares.

    Areas are multiples of 2^-20 pixels, so that exactly half, nothing and all compare as such.
    """

    # Pixels of the target alone; within a hundredth or two of its true area, where it is no thinner than one
    total: float
    occluded: float  # pixels of the target with a blocker before them
    in_arc: float  # pixels of the target in a vision arc
    occluded_in_arc: float  # pixels of the target in a vision arc with a blocker before them
    # For each blocker of the request, the pixels at which it is the nearest one before the target
    nearest: tuple[float, ...]
    # For each blocker of the request, the pixels that it would occlude with nothing else on the table
    alone: tuple[float, ...]
    error: float  # the true share occluded lies within ``occluded / total`` ± this
    error_in_arc: float  # the same for ``occluded_in_arc / in_arc``
    error_seen: float  # the same for ``seen / total``

    @property
    def seen(self) -> float:
        """Those of the target in a vision arc without a blocker before them."""
        return self.in_arc - self.occluded_in_arc


DecidedBy = Literal["count", "proof"]
"""What an answer rests on: counted samples and their error, or a proof that nothing is seen or nothing is obscured."""


@dataclass(frozen=True, eq=False)
class Observation:
    """The result of a measurement, and the evidence of a verdict."""

    sight: Sight  # what was measured
    # The occluders that may stand before the target in the picture, in the order of the sight; whether one obscures any
    # of it, ``counts.alone`` says
    blockers: tuple[Piece, ...]
    # Numbers of pixels and the errors of their shares; ``counts.nearest`` and ``counts.alone`` have an entry for each
    # of ``blockers``
    counts: OcclusionCounts
    pixel: float  # mm per pixel at the target, as measured
    decided_by: DecidedBy  # "proof" where it is proven that nothing is seen, or that nothing is obscured; else "count"
    projection: Projection  # "flat" where one picture was taken, "cube" where the target reaches round the eye
    # The pixels that were counted: one picture, or the six faces of a cube round the eye; the pixels of all of them
    # together are those of ``counts``. Empty where they were not kept.
    masks: tuple[Mask, ...] = ()
    # The pictures, as framed before any was taken finer: one, or six; none where no picture was needed
    views: tuple[View, ...] = ()
    # The blockers that close the holes of their meshes (``solid = true``), and through whose outline the target is seen
    # all the same: through windows that the mesh has, or gaps between its parts
    looked_through: tuple[Piece, ...] = ()
    looked_between: tuple[Piece, ...] = ()  # those of them with gaps, open at the top or the bottom, where it is seen
