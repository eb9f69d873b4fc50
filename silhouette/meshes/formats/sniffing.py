"""The format of a file: its ending decides, and content that plainly says otherwise is refused, not guessed at."""

from __future__ import annotations

import re
from pathlib import Path

from silhouette.files.fingerprints import MESHES
from silhouette.meshes.formats.base import Refused

FORMATS = tuple(ending.removeprefix(".") for ending in MESHES)
_LISTED = "STL, OBJ, PLY, GLB, glTF, 3MF and OFF can be read"
_SIGNATURES = {
    "glb": ("a GLB", re.compile(rb"glTF[\x01\x02]\x00\x00\x00")),
    "3mf": ("a zip archive (3MF)", re.compile(rb"PK(\x03\x04|\x05\x06)")),
    "ply": ("a PLY", re.compile(rb"ply[ \t]*[\r\n]")),
    "off": ("an OFF", re.compile(rb"\s*(ST)?C?N?OFF\s")),
    "stl": ("an ASCII STL", re.compile(rb"\s*solid\b.*\s+facet\s+normal\s")),
    "gltf": ("a glTF", re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(asset|accessors|scenes?|nodes|meshes|buffers)"')),
}
_NO_MESH = {
    "a web page": re.compile(rb"\s*<(!doctype\s+html|html)", re.IGNORECASE),
    "a Git LFS pointer and not the file itself (git lfs pull fetches it)": re.compile(rb"version https://git-lfs"),
    "a picture": re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8"),
    "a PDF": re.compile(rb"%PDF-"),
}


def format_of(path: Path) -> str:
    """The format by the name's ending, in lower case.

    >>> format_of(Path("Ganger.STL"))
    'stl'
    >>> format_of(Path("ganger.blend"))
    Traceback (most recent call last):
    ...
    silhouette.meshes.formats.base.Refused: is of an unknown format '.blend'; STL, ...
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        if path.is_dir():
            raise Refused(f"is a folder, not a mesh; {_LISTED}")
        what = f"is of an unknown format '.{ending}'" if ending else "has no ending that tells its format"
        raise Refused(f"{what}; {_LISTED}")
    return ending


def check_signature(data: bytes, ending: str) -> None:
    """Refuse content that is empty or plainly of another kind than the name's ending says."""
    if not data.strip(b"\0 \t\r\n"):
        raise Refused("is empty; a mesh needs at least one triangle")
    head = data[:1024]
    for what, pattern in _NO_MESH.items():
        if pattern.match(head):
            raise Refused(f"is {what}, not a mesh; {_LISTED}")
    for format_ending, (what, pattern) in _SIGNATURES.items():
        if format_ending != ending and pattern.match(head) and not (format_ending == "stl" and ending == "off"):
            raise Refused(f"is {what} file, but its name ends in .{ending}; give it the ending .{format_ending}")
