"""Colours as bytes: sRGB from linear light and back, and from what a file may mean by a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

# Steps of linear light in the table: enough for even dark colours, where sRGB is steepest, to be right to one byte.
_LIGHT_STEPS = 1 << 14


def _encoded(light: NDArray[Any]) -> NDArray[Any]:
    """sRGB from linear light, both from 0 to 1 (IEC 61966-2-1)."""
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


_TO_BYTES = np.rint(255.0 * _encoded(np.arange(_LIGHT_STEPS + 1) / _LIGHT_STEPS)).astype(np.uint8)
_BYTE_SHARES = np.arange(256) / 255.0
LINEAR_LIGHT = np.where(_BYTE_SHARES <= 0.04045, _BYTE_SHARES / 12.92, ((_BYTE_SHARES + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)
"""(256,) the linear light of each byte."""


def as_bytes(light: NDArray[Any]) -> Bytes:
    """The bytes of linear light; below 0 and no number is black, above 1 is full.

    >>> as_bytes(np.array([0.0, 0.2140, 1.0, 7.0, np.nan])).tolist()
    [0, 127, 255, 255, 0]
    """
    with np.errstate(invalid="ignore"):
        steps = np.clip(np.nan_to_num(np.asarray(light, np.float32), nan=0.0), 0.0, 1.0) * _LIGHT_STEPS + 0.5
    shades: Bytes = _TO_BYTES[steps.astype(np.int32)]
    return shades


def stored_bytes(values: NDArray[Any], kind: str) -> Bytes:
    """The bytes of colours (n, 3) that a file stores without saying what they are: they are taken for sRGB.

    Args:
        values: as stored; no number is black.
        kind: of the numbers as numpy writes it: "u1", "u2", "f4" and so on. Those with a point go from 0 to 1; but
            where one is more than twice that, from 0 to 255, as whole numbers do. Those of two bytes go to 65535.

    >>> [stored_bytes(np.array([numbers]), "f4").tolist() for numbers in ((0.0, 0.5, 1.0), (0.0, 51, 255))]
    [[[0, 128, 255]], [[0, 51, 255]]]
    """
    if kind == "u1" and values.dtype == np.uint8:
        return values
    numbers = np.nan_to_num(np.asarray(values, dtype=np.float32), nan=0.0)
    most = float(numbers.max(initial=0.0))
    full = 65535.0 if most > 255.0 else 1.0 if kind[0] == "f" and most <= 2.0 else 255.0
    shades: Bytes = np.rint(np.clip(numbers, 0.0, full) * (255.0 / full)).astype(np.uint8)
    return shades
