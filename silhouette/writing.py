"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from silhouette.errors import FileError


def writable(path: Path, ending: str = ".png") -> Path:
    """The same path, if a file can be written there; so that nobody waits for a result that then has no place.

    Raises:
        FileError: where it ends otherwise, is a folder, or lies in a folder that is not there or takes no files.

    >>> writable(Path("eye.jpg"))
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: eye.jpg: cannot be written; the name must end in .png
    """
    if path.suffix.lower() != ending:
        raise FileError(path, f"cannot be written; the name must end in {ending}")
    if path.is_dir():
        raise FileError(path, "is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise FileError(path, f"there is no folder {path.parent}; make it first or choose another")
    if not os.access(path.parent, os.W_OK):
        raise FileError(path, f"nothing can be written to the folder {path.parent}; choose another")
    return path


def numbered(path: Path, number: int) -> Path:
    """The path with a number before its ending.

    >>> numbered(Path("eye.png"), 2).name
    'eye-2.png'
    """
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` once all is written; whatever goes wrong, no half file stays.

    Raises:
        FileError: where the system does not let it be written.
    """
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(suffix=path.suffix, prefix=".part-", dir=path.parent)
        os.close(handle)
        yield Path(temporary)
        with suppress(OSError):  # mkstemp makes files for their owner alone; a picture is for everyone
            os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise FileError(path, f"cannot be written ({error.strerror or error}); choose another place") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
