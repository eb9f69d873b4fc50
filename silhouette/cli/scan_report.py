"""TELL: a scanned table in words: what was found, what is to be asked, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from silhouette.cli.tables import headed_table, plain_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from silhouette.scans.scanned import ScannedPiece, ScannedTable

SOURCES = {
    "given": "given",
    "length": "from the length given",
    "units": "from the file's units",
    "known models": "from the known models",
    "bases": "from the round bases",
    "guess": "guessed",
}
"""How the scale is known, in words."""


def scan_report(table: ScannedTable, folder: Path, *, quiet: bool = False) -> list[RenderableType]:
    """What was found on a scanned table, line by line; quiet, only where it is."""
    if quiet:
        return [plain_line(str(folder / "scene.toml"))]
    size = "no table" if table.size is None else f"a table of {table.size[0]:.0f} x {table.size[1]:.0f} mm"
    scale = f"{table.scale.mm:.5g} mm in a unit of the file, {SOURCES[table.scale.source]}"
    parts: list[RenderableType] = [
        plain_line(f"{size}, tilted by {table.tilt:.1f}° in the file, noise {table.noise:.2g} mm; {scale}"),
        plain_line(""),
    ]
    rows = headed_table("", "piece", "at", "faces", "stands on", "base", "model", whole=("piece",))
    for piece in table.pieces:
        rows.add_row(*map(plain_line, _cells(piece, "" if table.size is None else "the table")))
    parts.append(rows)
    parts += [plain_line(f"question: {question.text}", "yellow") for question in table.questions]
    parts += [plain_line(f"warning: {warning}", "dim") for warning in table.warnings]
    scene = folder / "scene.toml"
    return [
        *parts,
        plain_line(""),
        plain_line(f"{folder / 'scan.png'} shows the table; judge it with: silhouette matrix {scene}"),
    ]


def _cells(piece: ScannedPiece, ground: str) -> list[str]:
    """A piece's row; ``ground`` is what all stands on that stands on no other piece."""
    facing = "" if piece.kind == "terrain" else "unknown" if piece.facing is None else f"{piece.facing % 360.0:.0f}°"
    at = ", ".join(f"{place:.0f}" for place in piece.at[: 2 if abs(piece.at[2]) < 0.5 else 3])
    base = "" if piece.disc is None or piece.kind == "terrain" else f"{piece.disc.diameter:.0f} mm"
    model = piece.likeness
    if piece.match is not None and piece.match.sure:
        model += f" ± {piece.match.residual:.1f} mm"
    name = f"{piece.name} (several?)" if piece.could_be_several else piece.name
    return [str(piece.number), name, at, facing, piece.on or ground, base, model]
