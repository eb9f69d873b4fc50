"""TAG: which faces of a mesh an entry of a model file names: by the name of a part, or in a box or a sphere."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np

from silhouette.files.schema import Location
from silhouette.geometry import Flags
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import InsignificantEntry
from silhouette.text import did_you_mean


def tagged(mesh: Mesh, tag: InsignificantEntry, location: Location) -> Flags:
    """Which faces (m,) an ``[[insignificant]]`` names.

    Raises:
        FileError: where it names a part that is not there.
    """
    if tag.part is not None:
        return named(mesh, tag.part, location)
    centroids = mesh.vertices[mesh.faces].mean(axis=1)
    if tag.box is not None:
        low, high = np.sort(np.array(tag.box), axis=0)
        inside: Flags = ((centroids >= low) & (centroids <= high)).all(axis=1)
    else:
        assert tag.sphere is not None
        inside = np.linalg.norm(centroids - tag.sphere.centre, axis=1) <= tag.sphere.radius
    return inside


def named(mesh: Mesh, pattern: str, location: Location) -> Flags:
    """Which faces (m,) belong to parts of a name, in which ``*``, ``?`` and ``[...]`` may stand for other letters.

    Raises:
        FileError: where no part is called that.
    """
    fits = np.array([name == pattern or fnmatchcase(name, pattern) for name in mesh.part_names])
    if not fits.any():
        raise location.error(
            f"no part is called '{pattern}'; {did_you_mean(pattern, mesh.part_names, 'the parts are')}"
        )
    of_parts: Flags = fits[mesh.part]
    return of_parts


def within(location: Location, where: str) -> Location:
    """The location of a table inside another, for messages."""
    return Location(location.path, f"{location.where}, {where}" if location.where else where)
