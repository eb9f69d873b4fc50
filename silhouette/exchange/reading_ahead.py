"""EXCHANGE: the mesh files of a table are read by several processes, before they are wanted one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from silhouette.errors import SilhouetteError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.workers import cores, parallel_map

WORTH_IT = 4 * 1024**2
"""Bytes of files together from which on further processes save time."""

MOST = 2 * 1024**3
"""Bytes of files together that are read ahead; a file that follows on them is read when it is wanted."""


def read_ahead(files: Iterable[Path], cache: Cache) -> None:
    """Reads mesh files side by side, so that the cache has them when they are wanted; nothing without a folder of it.

    A file that cannot be read is passed over: who wants it learns why.

    Args:
        files: each once.
        cache: of meshes.
    """
    chosen: list[Path] = []
    together = 0
    for file in files:
        with suppress(OSError):
            together += file.stat().st_size
            if together > MOST:
                break
            chosen.append(file)
    if cache.directory is None or together < WORTH_IT:
        return

    def read(file: Path) -> None:
        with suppress(SilhouetteError):
            read_mesh(file, cache)

    with suppress(SilhouetteError):  # a process was lost: what is missing is read when it is wanted
        deque(parallel_map(read, chosen, cores()), maxlen=0)
