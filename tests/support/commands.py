"""The command line as the tests of it use it: run inside the process, on scenes of plain solids."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from silhouette.cli import waiting
from silhouette.cli.app import main

QUICK = ("--renderer", "reference", "--pixel", "0.5", "--no-cache")

WALLED = """
title = "Behind the wall"
rules = "necromunda"

[[terrain]]
name = "wall"
at = [0, 185]
parts = [{ box = [60, 5, 10] }]

[[fighter]]
name = "Kal"
at = [0, 0]
eye = [0, 6, 15]
parts = [{ box = [12, 12, 30] }]

[[fighter]]
name = "Vex"
at = [0, 200]
facing = 270
parts = [{ box = [12, 12, 30] }]

[[vehicle]]
name = "hauler"
at = [200, 0]
facing = 90
parts = [{ box = [30, 60, 25] }]
"""

CHECK = """
[[check]]
attacker = "Kal"
target = "Vex"
"""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output, strictly read."""
        return json.loads(self.out, parse_constant=pytest.fail)

    @property
    def complaints(self) -> list[str]:
        """The lines on standard error, each of which must be a plain error."""
        lines = self.err.splitlines()
        assert all(line.startswith("error: ") and "Traceback" not in line for line in lines), self.err
        return lines


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Ran:
    """Runs the command line with these words."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "LINE_AFTER", 3600.0)  # how slow this machine is has no say in what is printed
        status = main([str(word) for word in words])
    return Ran(status, *capsys.readouterr())


def scene(folder: Path, *tables: str, name: str = "walled.toml") -> Path:
    """Writes the walled scene with further tables, and gives its path."""
    path = folder / name
    path.write_text(WALLED + "".join(tables), encoding="utf-8")
    return path
