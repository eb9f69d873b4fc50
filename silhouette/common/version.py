"""Versions: of this package, of the JSON documents that it writes, and of the packages that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VERSION = "0.2.0"
"""The version of this package: the one place where it stands; the build reads it from here."""

SCHEMA = 1
"""The version of every JSON document that is printed or written: raised when a key changes its meaning, not when one is
added."""


def document(content: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON document that says what it is: the version of this package and of the schema, then its content.

    >>> list(document({"rules": []}))
    ['silhouette', 'schema', 'rules']
    """
    return {"silhouette": VERSION, "schema": SCHEMA, **content}


def version_of(package: str) -> str | None:
    """The version of another package that is installed, or None where it is not.

    >>> version_of("no such package") is None
    True
    """
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and help needs the version alone

    try:
        return version(package)
    except PackageNotFoundError:
        return None
