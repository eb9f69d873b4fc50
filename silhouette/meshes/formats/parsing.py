"""The only calls of trimesh's loaders: bytes go in, arrays come out; their failures become plain words."""

from __future__ import annotations

import io
import logging
import re
import warnings
from typing import Any

from silhouette.meshes.formats.base import Refused

# trimesh logs its failures; those that matter are refused here, in plain words.
_SILENT = logging.NullHandler()
_PAST_THE_END = re.compile(r"index (-?\d+) is out of bounds for axis 0 with size (\d+)")


def parsed(
    ending: str, content: bytes, needs: str = "it cannot be read; export it again", **options: Any
) -> dict[str, Any]:
    """The result of trimesh's loader for a format, without the Trimesh objects it would build and copy.

    The loader is handed bytes, and at most a table of the files that it may refer to: it opens no file and no network.

    Args:
        ending: "stl", "obj", "ply", "off", "gltf".
        content: the file's bytes.
        needs: the requirement of the format, in words, for the message where numbers cannot be read.
        options: further arguments for trimesh's loader.

    Raises:
        Refused: where trimesh fails, or stops in the middle of the numbers.
    """
    from trimesh.exchange.load import mesh_loaders

    logging.getLogger("trimesh").addHandler(_SILENT)
    try:
        with warnings.catch_warnings():
            # So says numpy of text in which it met something else than the next number.
            warnings.simplefilter("error", DeprecationWarning)
            load: Any = mesh_loaders[ending]
            loaded: dict[str, Any] = load(io.BytesIO(content), **options)
            return loaded
    except IndexError as error:
        past = _PAST_THE_END.search(str(error))
        if past is None:
            raise
        raise past_the_end(int(past[1]), int(past[2])) from None
    except (ValueError, OverflowError, DeprecationWarning):
        raise Refused(f"is malformed: {needs}") from None


def past_the_end(corner: int, vertices: int) -> Refused:
    """The refusal of a face over more vertices than there are."""
    return Refused(f"has a face that points to vertex {corner} of {vertices} (counted from 0); export it again")
