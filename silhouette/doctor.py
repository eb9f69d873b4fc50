"""What works on this machine: renderers, versions, and where the cache lies."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from silhouette.cache import Cache
from silhouette.renderers import choose, probe

PACKAGES = ("silhouette", "numpy", "trimesh", "pyrender2", "embreex")


def examination() -> dict[str, Any]:
    """Every renderer tried, the one that ``auto`` takes, versions and the cache; ready for JSON.

    A renderer that does not work says why and what would help. A package that is not installed has no version.
    """
    renderers = [
        {"name": one.name, "works": one.available, "device": one.device, "reason": one.reason} for one in probe()
    ]
    best = choose("auto")
    return {
        "renderers": renderers,
        "auto": {"name": best.name, "device": best.device},
        "versions": {"python": platform.python_version(), **{name: version_of(name) for name in PACKAGES}},
        "cache": _cache(Cache.default()),
    }


def version_of(package: str) -> str | None:
    """The version that is installed, or None.

    >>> version_of("no such package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cache(cache: Cache) -> dict[str, Any]:
    folder = cache.directory
    sizes = []
    for entry in folder.glob("*.npz") if folder is not None and folder.is_dir() else ():
        with suppress(OSError):  # another process may have dropped it just now
            sizes.append(entry.stat().st_size)
    return {"folder": str(folder), "entries": len(sizes), "bytes": sum(sizes)}
