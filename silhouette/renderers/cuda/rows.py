"""RENDER: views and bodies as arrays: so a device takes them, and so they are sent to the process that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.views import View


@dataclass(frozen=True, eq=False)
class BodyRows:
    """Bodies in an order of their own.

    Attributes:
        turn: (n, 3, 3) the rotations of their poses.
        at: (n, 3) mm, the translations.
        mesh: (n,) the number of each one's mesh in ``digests``.
        digests: of the meshes, each once.
    """

    turn: Floats
    at: Floats
    mesh: Integers
    digests: tuple[str, ...]

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> BodyRows:
        """The rows of bodies.

        >>> BodyRows.of([]).turn.shape
        (0, 3, 3)
        """
        numbers = dict[str, int]()
        mesh = np.array([numbers.setdefault(body.mesh.digest, len(numbers)) for body in bodies], np.int32)
        turn = np.array([body.pose.rotation for body in bodies], np.float64).reshape(-1, 3, 3)
        at = np.array([body.pose.translation for body in bodies], np.float64).reshape(-1, 3)
        return cls(turn, at, mesh, tuple(numbers))


def meshes_of(bodies: Sequence[Body]) -> dict[str, Mesh]:
    """The meshes of bodies by their digests, in the order of `BodyRows.digests`."""
    return {body.mesh.digest: body.mesh for body in bodies}


def view_rows(views: Sequence[View]) -> Floats:
    """(k, 5, 3) views as a device reads them: see `silhouette.renderers.cuda.kernels.DeviceView`."""
    rows = np.empty((len(views), 5, 3))
    rows[:, 0] = [view.eye for view in views]
    rows[:, 1:4] = [view.axes for view in views]
    rows[:, 4] = [(view.left, view.top, view.step) for view in views]
    return rows
