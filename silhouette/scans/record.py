"""SCAN: what ``scan --json`` prints and scan.json holds (contract, section 11)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from silhouette.scans.account import Grade
from silhouette.scans.scale import ScaleSource
from silhouette.scans.scanned import PlacedKind, ScannedPiece, ScannedTable

Mm = Annotated[float, Field(description="mm")]
Place = Annotated[tuple[float, float, float], Field(description="x, y and z in mm on the table")]


class TableRecord(TypedDict):
    """The table's top: the lengths of its edges, and standard deviations of its surface, in mm; its tilt in degrees."""

    size: tuple[Mm, Mm]
    tilt: Annotated[float, Field(description="degrees out of the file's upright")]
    flatness: Annotated[float, Field(description="standard deviation in mm of its slow unevenness")]
    noise: Annotated[float, Field(description="standard deviation in mm of the scan about that")]


class BaseRecord(TypedDict):
    """A round base."""

    diameter: Mm


class MatchRecord(TypedDict):
    """How well a known model fits."""

    residual: Annotated[float, Field(description="root mean square in mm")]
    runner_up: Annotated[float | None, Field(description="that of the next best model; null with one model alone")]
    sure: Annotated[bool, Field(description="whether it is that model beyond doubt; only then it stands in the scene")]


class DoubtRecord(TypedDict):
    """Standard deviations in mm and degrees; null where there is nothing to turn, or nobody knows."""

    place: Mm
    facing: Annotated[float | None, Field(description="degrees")]
    surface: Mm


class PieceRecord(TypedDict):
    """A piece on the table."""

    name: str
    kind: PlacedKind
    label: Annotated[int, Field(description="its number in labels.npy")]
    at: Place
    turn: Annotated[float, Field(description="degrees by which its mesh is turned from how it lies in its file")]
    facing: Annotated[
        float | Literal["unknown"] | None, Field(description="degrees anticlockwise from +x; null for terrain")
    ]
    facing_from: Annotated[
        Literal["scan", "scene"] | None,
        Field(description="scene where a player has written it there; null for terrain"),
    ]
    on: Annotated[str | None, Field(description="the piece that it stands on; null on the table")]
    base: Annotated[BaseRecord | None, Field(description="null for terrain, and where none was found")]
    model: Annotated[str | None, Field(description="the known model it looks most like, as it was given")]
    match: MatchRecord | None
    triangles: Annotated[int, Field(description="of the scan; of a cloud its points")]
    could_be_several: bool
    doubt: DoubtRecord


class ScanRecord(TypedDict):
    """A scanned table."""

    scan: str
    figures: Annotated[list[str], Field(description="paths, as they were given, of figures that were looked for")]
    terrain: Annotated[list[str], Field(description="the same of terrain")]
    triangles: int
    points: int
    scale: Annotated[float, Field(description="mm in one unit of the file")]
    scale_from: ScaleSource
    to_table: Annotated[
        list[float],
        Field(min_length=16, max_length=16, description="4 x 4, row-major: from the file's coordinates to the table's"),
    ]
    table: Annotated[TableRecord | None, Field(description="null where there is no table")]
    pieces: list[PieceRecord]
    grade: Annotated[Grade, Field(description="what the scan is good for: too coarse or rough, for terrain only")]
    missing: Annotated[list[str], Field(description="figures that were looked for and not found, by their files")]
    unknown: Annotated[int, Field(description="how many things look like figures and like none that was looked for")]
    questions: list[str]
    warnings: list[str]


def record_of(table: ScannedTable) -> ScanRecord:
    """The record of a scanned table."""
    top: TableRecord | None = None
    if table.size is not None:
        top = {
            "size": (round(table.size[0], 1), round(table.size[1], 1)),
            "tilt": round(table.tilt, 2),
            "flatness": round(table.flatness, 2),
            "noise": round(table.noise, 2),
        }
    return {
        "scan": str(table.scan.path),
        "figures": list(table.figures),
        "terrain": list(table.terrain),
        "triangles": len(table.scan.faces),
        "points": len(table.scan.vertices),
        "scale": table.scale.mm,
        "scale_from": table.scale.source,
        "to_table": [float(number) for number in table.to_table.ravel()],
        "table": top,
        "pieces": [_piece(piece) for piece in table.pieces],
        "grade": table.account.grade,
        "missing": list(table.account.missing),
        "unknown": table.account.unknown,
        "questions": [question.text for question in table.questions],
        "warnings": list(table.warnings),
    }


def _piece(piece: ScannedPiece) -> PieceRecord:
    is_terrain = piece.kind == "terrain"
    facing: float | Literal["unknown"] | None = None
    if not is_terrain:
        facing = "unknown" if piece.facing is None else round(piece.facing % 360.0, 2)
    x, y, z = (round(place, 2) + 0.0 for place in piece.at)
    turning = None if piece.facing_doubt is None else round(piece.facing_doubt, 2)
    return {
        "name": piece.name,
        "kind": piece.kind,
        "label": piece.number,
        "at": (x, y, z),
        "turn": round(piece.turn % 360.0, 2),
        "facing": facing,
        "facing_from": None if is_terrain else "scene" if piece.facing_is_given else "scan",
        "on": piece.on,
        "base": None if piece.disc is None or is_terrain else {"diameter": round(piece.disc.diameter, 1)},
        "model": None if piece.match is None else piece.match.known.path,
        "match": _match(piece),
        "triangles": piece.triangles,
        "could_be_several": piece.could_be_several,
        "doubt": {"place": round(piece.place, 2), "facing": turning, "surface": round(piece.surface, 2)},
    }


def _match(piece: ScannedPiece) -> MatchRecord | None:
    if piece.match is None:
        return None
    runner_up = None if piece.match.runner_up is None else round(piece.match.runner_up, 3)
    return {"residual": round(piece.match.residual, 3), "runner_up": runner_up, "sure": piece.match.sure}
