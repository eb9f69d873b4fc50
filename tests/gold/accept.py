"""Accepts the figures as they are drawn now: ``python -m tests.gold.accept``; then look at what git says changed."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.gold.cases import CASES, FOLDER
from tests.gold.comparing import differences

MOST = 3_000_000
"""Bytes that all accepted figures may take."""

OUTLINE, DECIMALS = re.compile(rb' d="[^"]*"'), re.compile(rb"(\.\d{3})\d+")
"""The points of an outline in SVG; the decimals of a number of them, and those that are more than a thousandth."""


def in_thousandths(outline: re.Match[bytes]) -> bytes:
    """The points of an outline to a thousandth of a point: what is finer no comparison tells, and takes a tenth."""
    return DECIMALS.sub(rb"\1", outline[0])


def accept() -> None:
    """Draws every figure, keeps those that are new or differ, and lets go of those that are no case any more."""
    with TemporaryDirectory() as folder:
        fresh = [file for case in CASES for file in case.draw(Path(folder))]
        for file in fresh:
            kept = FOLDER / file.name
            found = differences(kept, file) if kept.is_file() else ["new"]
            if found:
                kept.write_bytes(OUTLINE.sub(in_thousandths, file.read_bytes()))
                print(f"{file.name}: {found[0]}")
    for kept in {*FOLDER.glob("*.svg"), *FOLDER.glob("*.png")} - {FOLDER / file.name for file in fresh}:
        kept.unlink()
        print(f"{kept.name}: gone")


if __name__ == "__main__":
    accept()
