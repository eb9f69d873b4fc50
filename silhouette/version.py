"""Versions: of this package, and of those that it rests on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

VERSION = "0.2.0"
"""Of this package: the one place where it stands; the build reads it from here."""


def version_of(package: str) -> str | None:
    """The version of another package that is installed, or None where it is not.

    >>> version_of("no such package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None
