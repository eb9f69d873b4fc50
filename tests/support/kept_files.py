"""Files that are kept under names by their content: the name without the digest, and whether the two fit."""

from __future__ import annotations

import re

from silhouette.files.changing import DIGEST_DIGITS

_DIGEST = re.compile(rf"-[0-9a-f]{{{DIGEST_DIGITS}}}(?=[./]|$)")


def without_digest(name: str | None) -> str | None:
    """The name that people know of a file that is kept.

    >>> without_digest("meshes/kal-49c045888d4da41f.obj"), without_digest("meshes/orc-49c045888d4da41f/orc.stl")
    ('meshes/kal.obj', 'meshes/orc/orc.stl')
    """
    if name is None:
        return None
    plain, count = _DIGEST.subn("", name)
    assert count == 1, f"{name} has no digest"
    return plain
