"""LOAD: a mesh file's bytes and the files beside it; whatever a reader refuses becomes one plain line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from silhouette.errors import FileError, MeshError
from silhouette.files.reading import LARGEST_FILE, read_file
from silhouette.meshes.formats.base import Refused, read_referenced
from silhouette.meshes.formats.sniffing import FORMATS, check_signature, format_of


@dataclass(frozen=True, eq=False)
class Source:
    """A mesh file as it lies on a disk or in an archive.

    Attributes:
        format: its ending without the dot, one of `FORMATS`.
        data: its bytes.
        fetch: the bytes of another file that it refers to; raises Refused where it may not, or where there is none.
    """

    format: str
    data: bytes
    fetch: Callable[[str], bytes]


def opened(path: Path) -> Source:
    """A mesh file, of a known ending and not plainly of another kind than it says.

    Raises:
        Refused: where it is missing, a folder, of an unknown or another format.
        FileError: where it cannot be read, or is too large.
    """
    ending = format_of(path)
    if path.is_dir() or not path.exists():
        raise Refused("is no file; a mesh is one file" if path.is_dir() else "is not there; check the path")
    data = read_file(path, LARGEST_FILE)
    check_signature(data, ending)
    return Source(ending, data, partial(read_referenced, path.parent))


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Turns whatever goes wrong with a file, within, into a MeshError of one line; but an ImportError stays one."""
    try:
        yield
    except Refused as refused:
        raise MeshError(path, str(refused)) from None
    except FileError as error:
        raise MeshError(path, error.problem) from None
    except MemoryError:
        raise MeshError(path, "needs more memory than there is; reduce its triangles") from None
    except ImportError:  # of this installation, which no file can help
        raise
    except Exception as error:  # whatever a parser of foreign bytes may raise is the file's fault
        ending = path.suffix.lower().removeprefix(".")
        known = ending if ending in FORMATS else "mesh"
        raise MeshError(path, f"is malformed, in a way that is hard to name; export it as {known} again") from error
