"""EXCHANGE: a mesh becomes an OBJ file, which keeps the names of its parts."""

from __future__ import annotations

import re

from silhouette.meshes.mesh import Mesh


def obj_bytes(mesh: Mesh, decimals: int = 5) -> bytes:
    """A mesh as OBJ: its axes and units as they are, an object for each part.

    Args:
        mesh: with at most 3 million vertices and faces.
        decimals: of coordinates.

    >>> import numpy as np
    >>> triangle = Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32), ("a blade",))
    >>> print(obj_bytes(triangle, 0).decode(), end="")
    v 1 0 0
    v 0 1 0
    v 0 0 1
    o a blade
    f 1 2 3
    """
    number = f"%.{decimals}f"
    line = f"v {number} {number} {number}\n"
    texts = [line * len(mesh.vertices) % tuple(mesh.vertices.ravel().tolist())]
    for index, name in enumerate(mesh.part_names):
        faces = mesh.faces[mesh.part == index] + 1
        if len(faces):
            texts.append(f"o {one_word(name)}\n")
            texts.append("f %d %d %d\n" * len(faces) % tuple(faces.ravel().tolist()))
    return "".join(texts).encode()


def one_word(name: str) -> str:
    """The name that a part has in an OBJ file: it stands in one line, and is no comment.

    >>> one_word("arm  #2"), one_word("\\n")
    ('arm 2', 'mesh')
    """
    return " ".join(re.sub(r"[#\\\s]+", " ", name).split()) or "mesh"
