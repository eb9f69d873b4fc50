"""LOAD: the colours of surfaces, at their vertices and on their faces, from all that their skins say."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import SilhouetteError
from silhouette.files.reading import MAX_FILE_BYTES
from silhouette.meshes.formats.base import MeshRefused, PartSurface, Skin
from silhouette.meshes.formats.colours import LINEAR_LIGHT, Bytes, as_bytes
from silhouette.meshes.health import used_vertices

WHITE = 255  # what has no colour of its own is white, as glTF has it
MAX_PICTURE_PIXELS = 8192 * 8192  # pixels of one picture; phones' apps make pictures of 8,192 by 8,192 at most
# Pixels of all pictures of a file, each decoded once: some eight seconds of PNG.
MAX_TEXTURE_PIXELS = 4 * MAX_PICTURE_PIXELS
# Pixels along a side: a larger picture is halved. The vertices of a scan are far less dense than that.
MAX_TEXTURE_SIDE_PX = 4096

_PICTURE_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TGA")


class PictureDecoder:
    """Decodes the pictures of one file, and keeps the last: surfaces of one picture follow each other."""

    def __init__(self, fetch: Callable[[str], bytes]) -> None:
        self._fetch = fetch
        self._last: tuple[str, Bytes | None] = ("", None)
        self._left = MAX_TEXTURE_PIXELS
        self._bytes = MAX_FILE_BYTES
        self._refused: set[str] = set()
        self.warnings: list[str] = []

    def get(self, name: str) -> Bytes | None:
        """A picture (height, width, 3), or None where it cannot be used."""
        if name in self._refused:
            return None
        if self._last[0] != name:
            self._last = "", None  # before the next is decoded: two large ones would take twice the memory
            try:
                self._last = name, self._decoded(self._fetched(name))
            except MeshRefused as refused:
                self._refused.add(name)
                self.warnings.append(f"a picture of the mesh {refused}; it is shown without")
                return None
        return self._last[1]

    def _fetched(self, name: str) -> bytes:
        if self._bytes <= 0:
            raise MeshRefused(f"comes after pictures of {MAX_FILE_BYTES >> 20} MiB")
        data = self._fetch(name)
        self._bytes -= len(data)
        return data

    def _decoded(self, data: bytes) -> Bytes:
        from PIL import Image

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of Pillow about large pictures: the limit below is ours
                with Image.open(io.BytesIO(data), formats=_PICTURE_FORMATS) as image:
                    pixels = image.width * image.height
                    if pixels > min(MAX_PICTURE_PIXELS, self._left):
                        raise MeshRefused(f"has {pixels >> 20} million pixels, too many")
                    self._left -= pixels
                    # A JPEG is halved while it is decoded.
                    image.draft(
                        "RGB", (max(image.width // 2, MAX_TEXTURE_SIDE_PX), max(image.height // 2, MAX_TEXTURE_SIDE_PX))
                    )
                    is_halved = max(image.size) > MAX_TEXTURE_SIDE_PX and image.mode in ("L", "RGB", "RGBA")
                    shrunk: Any = image.reduce(2) if is_halved else image
                    return np.asarray(shrunk.convert("RGB"))
        except (MeshRefused, SilhouetteError):
            raise
        except Exception:  # whatever a decoder of foreign bytes may raise is the picture's fault
            raise MeshRefused("cannot be read: it is broken, or neither PNG nor JPEG") from None


def used_colours(surface: PartSurface, pictures: PictureDecoder) -> tuple[NDArray[np.int64], Bytes | None]:
    """Which vertices (k,) the faces use of a surface that has a skin and shares its vertices, and their colours (k, 3).

    Where a vertex lies in several places of a picture, as along the seams of an atlas, the first of its faces decides;
    one without any place is white.
    """
    skin = surface.skin
    assert skin is not None
    flat, count = surface.faces.ravel(), len(surface.vertices)
    if 6 * len(flat) < count:  # many a material may have a few of the same millions of vertices
        used, flat = np.unique(flat, return_inverse=True)
        count = len(used)
        among = np.arange(count)
    else:
        used = np.flatnonzero(used_vertices(surface.faces, count))
        among = used
    places = None
    if skin.uv is not None and skin.corners is not None:
        corners = skin.corners.ravel()
        has = np.flatnonzero(corners >= 0)[::-1]
        row = np.full(count, -1, np.int64)
        row[flat[has]] = corners[has]
        row = row[among]
        places = np.where((row >= 0)[:, None], skin.uv[row], np.nan)
    shades = None if skin.shades is None else skin.shades[used]
    return used, mixed(skin, len(used), shades, places, pictures)


def face_colours(surface: PartSurface, weights: NDArray[np.float32], pictures: PictureDecoder) -> Bytes | None:
    """The colours (s * m, 3) of points on the faces, all of the first weights first; None without, or as in `mixed`.

    The weights (s, 3), how much of each corner is in each point, sum to one.
    """
    skin = surface.skin
    if skin is None:
        return None

    def spread(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
        corners = values[rows].astype(np.float32)
        points: NDArray[Any] = np.einsum("sc,mck->smk", weights, corners).reshape(-1, corners.shape[2])
        return points

    shades = None if skin.shades is None else np.rint(spread(skin.shades, surface.faces)).astype(np.uint8)
    places = None
    if skin.uv is not None:
        rows = surface.faces if skin.corners is None else skin.corners
        places = spread(skin.uv, rows)
        places[np.tile((rows < 0).any(axis=1), len(weights))] = np.nan
    return mixed(skin, len(weights) * len(surface.faces), shades, places, pictures)


def mixed(
    skin: Skin, count: int, shades: Bytes | None, places: NDArray[Any] | None, pictures: PictureDecoder
) -> Bytes | None:
    """The colours (count, 3) of points: what their skin says, given their own colours and places in its picture."""
    picture = pictures.get(skin.picture) if skin.picture is not None and places is not None else None
    plain = skin.factor == (1.0, 1.0, 1.0)
    if picture is not None and places is not None:
        colours = sampled(picture, places)
    elif shades is not None:
        colours, shades = shades, None
    elif plain and skin.picture is not None:
        return None
    else:
        colours = np.full((count, 3), WHITE, np.uint8)
    if not plain or shades is not None:
        light = LINEAR_LIGHT[colours] * np.array(skin.factor, np.float32)
        colours = as_bytes(light if shades is None else light * LINEAR_LIGHT[shades])
    return colours


def sampled(picture: Bytes, places: NDArray[Any]) -> Bytes:
    """The nearest pixels (n, 3) of a picture at places (n, 2) from its upper left corner; white where there is none.

    >>> chess = np.array([[[0, 0, 0], [9, 9, 9]]], np.uint8)
    >>> sampled(chess, np.array([[0.1, 0.5], [0.9, 0.5], [-0.1, 7.5], [np.nan, 0.0]]))[:, 0].tolist()
    [0, 9, 9, 255]
    """
    height, width = picture.shape[:2]
    has = np.isfinite(places).all(axis=1)
    share = np.where(has[:, None], places, 0.0)
    share = share - np.floor(share)
    column = np.minimum((share[:, 0] * width).astype(np.int64), width - 1)
    row = np.minimum((share[:, 1] * height).astype(np.int64), height - 1)
    pixels: Bytes = picture[row, column]
    pixels[~has] = WHITE
    return pixels
