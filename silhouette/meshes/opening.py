"""LOAD: a mesh file's bytes and its format, by its ending; content that plainly says otherwise is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from silhouette.common.errors import FileError, MeshError
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.reading import MAX_FILE_BYTES, read_file
from silhouette.meshes.formats.base import MeshRefused, read_referenced

MESH_FORMATS = tuple(ending.removeprefix(".") for ending in MESH_ENDINGS)
_LISTED = "STL, OBJ, PLY, GLB, glTF, 3MF and OFF can be read, and USD with an extra"
_SIGNATURES = {
    "glb": ("a GLB", re.compile(rb"glTF[\x01\x02]\x00\x00\x00")),
    "3mf": ("a zip archive (3MF)", re.compile(rb"PK(\x03\x04|\x05\x06)")),
    "ply": ("a PLY", re.compile(rb"ply[ \t]*[\r\n]")),
    "usda": ("a USDA", re.compile(rb"#usda ")),
    "usdc": ("a USDC", re.compile(rb"PXR-USDC")),
    "off": ("an OFF", re.compile(rb"\s*(ST)?C?N?OFF\s")),
    "stl": ("an ASCII STL", re.compile(rb"\s*solid\b.*\s+facet\s+normal\s")),
    "gltf": ("a glTF", re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(asset|accessors|scenes?|nodes|meshes|buffers)"')),
}
# Endings whose files may well begin as those of another: USDZ is a zip archive, .usd is text or binary.
_SHARED_BEGINNINGS = {("stl", "off"), ("3mf", "usdz"), ("usda", "usd"), ("usdc", "usd")}
_NO_MESH = {
    "a web page": re.compile(rb"\s*<(!doctype\s+html|html)", re.IGNORECASE),
    "a Git LFS pointer and not the file itself (git lfs pull fetches it)": re.compile(rb"version https://git-lfs"),
    "a picture": re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8"),
    "a PDF": re.compile(rb"%PDF-"),
}


def format_of(path: Path) -> str:
    """The format by the name's ending, in lower case; refused if it is unknown.

    >>> format_of(Path("Ganger.STL"))
    'stl'
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in MESH_FORMATS:
        if path.is_dir():
            raise MeshRefused(f"is a folder, not a mesh; {_LISTED}")
        what = f"is of an unknown format '.{ending}'" if ending else "has no ending that tells its format"
        raise MeshRefused(f"{what}; {_LISTED}")
    return ending


_BLANK_BYTES = b"\0 \t\r\n"


def check_signature(data: bytes, ending: str) -> None:
    """Refuse content that is empty or plainly of another kind than the name's ending says."""
    head = data[:1024]
    if not head.strip(_BLANK_BYTES) and not data.strip(_BLANK_BYTES):  # to strip all of a large file takes a while
        raise MeshRefused("is empty; a mesh needs at least one triangle")
    for what, pattern in _NO_MESH.items():
        if pattern.match(head):
            raise MeshRefused(f"is {what}, not a mesh; {_LISTED}")
    for format_ending, (what, pattern) in _SIGNATURES.items():
        if format_ending != ending and pattern.match(head) and (format_ending, ending) not in _SHARED_BEGINNINGS:
            raise MeshRefused(f"is {what} file, but its name ends in .{ending}; give it the ending .{format_ending}")


@dataclass(frozen=True, eq=False)
class Source:
    """A mesh file as it lies on a disk or in an archive: its format, one of `MESH_FORMATS`, and its bytes.

    ``fetch`` gives the bytes of another file that it refers to; it raises MeshRefused if it may not, or there is none.
    """

    format: str
    data: bytes
    fetch: Callable[[str], bytes]


def opened(path: Path) -> Source:
    """A mesh file, of a known ending and not plainly of another kind than it says.

    Raises:
        FileError: where it cannot be read, or is too large; what else is wrong is MeshRefused.
    """
    ending = format_of(path)
    if path.is_dir() or not path.exists():
        raise MeshRefused("is no file; a mesh is one file" if path.is_dir() else "is not there; check the path")
    data = read_file(path, MAX_FILE_BYTES)
    check_signature(data, ending)
    return Source(ending, data, partial(read_referenced, path.parent))


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Turns whatever goes wrong with a file, within, into a MeshError of one line; but an ImportError stays one."""
    try:
        yield
    except MeshRefused as refused:
        raise MeshError(path, str(refused)) from None
    except FileError as error:
        raise MeshError(path, error.problem) from None
    except MemoryError:
        raise MeshError(path, "needs more memory than there is; reduce its triangles") from None
    except ImportError:  # of this installation, which no file can help
        raise
    except Exception as error:  # whatever a parser of foreign bytes may raise is the file's fault
        ending = path.suffix.lower().removeprefix(".")
        kind = ending if ending in MESH_FORMATS else "mesh"
        raise MeshError(path, f"is malformed, in a way that is hard to name; export it as {kind} again") from error
