"""EXCHANGE: the mesh files of a table are read by several processes, before they are wanted one by one.

files -> the cache has what is in them, and the size of each is known here; items -> what a function makes of each
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from silhouette.errors import FileError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh, read_mesh
from silhouette.workers import cores, parallel_map

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH_IT = 4 * 1024**2
"""Bytes of files together from which on further processes save time."""

MAX_BYTES_AHEAD = 2 * 1024**3
"""Bytes of files together that are read ahead; a file that follows on them is read when it is wanted."""


@dataclass(frozen=True, eq=False)
class Size:
    """How large a mesh is, which is all that most pieces need to know of it.

    Attributes:
        bounds: (2, 3) the least and greatest coordinates in its file.
        triangles: how many it has.
    """

    bounds: Floats
    triangles: int

    @classmethod
    def of(cls, mesh: Mesh) -> Size:
        """That of a mesh."""
        return cls(mesh.bounds, len(mesh.faces))


def read_ahead(files: Iterable[Path], cache: Cache) -> dict[Path, Size | FileError]:
    """Reads mesh files side by side, so that the cache has them when they are wanted; nothing without a folder of it.

    Args:
        files: each once.
        cache: of meshes.

    Returns:
        For each file that was read its size, or why it cannot be used.
    """
    chosen: list[Path] = []
    together = 0
    for file in files:
        with suppress(OSError):
            size = file.stat().st_size
            if together + size > MAX_BYTES_AHEAD:
                break
            together += size
            chosen.append(file)
    if cache.directory is None or together < WORTH_IT:
        return {}

    def read(file: Path) -> Size | FileError:
        try:
            return Size.of(read_mesh(file, cache).mesh)
        except FileError as error:
            return error

    return dict(zip(chosen, side_by_side(read, chosen, together), strict=True))


def side_by_side(function: Callable[[Item], Result], items: Sequence[Item], together: int) -> list[Result]:
    """What a function makes of each item, by several processes where that is worth it.

    Args:
        function: its results can be pickled.
        items: in the order of the results.
        together: bytes of the files that they are about.

    >>> side_by_side(str, [5, 6], WORTH_IT), side_by_side(str, [], 0)
    (['5', '6'], [])
    """
    results: list[Result] = []
    with suppress(SilhouetteError):  # a process was lost: what is missing is made here
        results.extend(parallel_map(function, items, cores() if together >= WORTH_IT else 1))
    results += map(function, items[len(results) :])
    return results
