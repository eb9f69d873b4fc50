"""WRITE: the folder of a scanned table: scene.toml, meshes, scan.png, scan.json and labels.npy, changed in place.

scene.toml is for people to read and edit; scan.json is what ``scan --json`` prints (contract, section 11); scan.png is
the table from above as it was scanned, pieces coloured and numbered, questions marked.

What the scan has found is written twice: as scan.json, for people and programs, which is never that of another scene;
and beside the meshes under a name that the scene gives, so that it is there whenever the scene is.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from pydantic import Field
from typing_extensions import TypedDict

from silhouette.common.geometry import Floats
from silhouette.common.installation import document
from silhouette.common.text import json_text
from silhouette.drawing.four_views import scale_bar
from silhouette.drawing.page import (
    INK,
    ORANGE,
    PAGE_MARGIN_PX,
    PAGE_WIDTH_PX,
    PAPER,
    SKY_BLUE,
    SOFT_INK,
    SUPERSAMPLING,
    VERMILLION,
    Drawing,
    TypeFace,
    joined,
    png_content,
)
from silhouette.drawing.styles import Colour
from silhouette.files.changing import FolderChange, changing_folder, check_folder
from silhouette.files.documents import read_document, toml, toml_lines
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import DOCUMENTS, MAX_FILE_BYTES, read_file
from silhouette.files.writing import Content
from silhouette.rules import DEFAULT_GAME
from silhouette.scans.bases import Disc
from silhouette.scans.keep import (
    MESHES,
    RECORD,
    SCENE,
    SOURCE_RECORD,
    EarlierPiece,
    Question,
    file_name,
    title_of,
)
from silhouette.scans.meshes import owners, ply_bytes
from silhouette.scans.place import Grade, PlacedKind, ScannedPiece, ScannedTable
from silhouette.scans.read import Scan
from silhouette.scans.scale import ScaleSource
from silhouette.scans.segment import places_on

# ---- record

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


class BasePlaceRecord(TypedDict):
    """What looks like a round base, whatever stands on it."""

    at: Annotated[tuple[float, float, float], Field(description="the middle of its underside, in mm on the table")]
    diameter: Mm


class AboveRecord(TypedDict):
    """The scan from above, in its own colours, without marks."""

    picture: Annotated[str, Field(description="the name of its file, beside the scene")]
    low: Annotated[tuple[float, float], Field(description="x and y in mm of its left lower corner")]
    high: Annotated[tuple[float, float], Field(description="the same of its right upper one")]


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
    bases: Annotated[list[BasePlaceRecord], Field(description="on which figures may be put by hand")]
    above: AboveRecord
    terrain_only: Annotated[bool, Field(description="whether figures were left out")]
    table_number: Annotated[int | None, Field(description="which of several tables was asked for, from 1")]
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
        "pieces": [_piece_record(piece) for piece in table.pieces],
        "bases": [_base_place(disc) for disc in table.bases],
        "above": _above(table),
        "terrain_only": table.terrain_only,
        "table_number": table.table_number,
        "grade": table.account.grade,
        "missing": list(table.account.missing),
        "unknown": table.account.unknown,
        "questions": [question.text for question in table.questions],
        "warnings": list(table.warnings),
    }


def _piece_record(piece: ScannedPiece) -> PieceRecord:
    is_terrain, match = piece.kind == "terrain", piece.match
    facing: float | Literal["unknown"] | None = None if is_terrain else "unknown"
    if not is_terrain and piece.facing is not None:
        facing = round(piece.facing % 360.0, 2)
    x, y, z = (round(place, 2) + 0.0 for place in piece.at)
    turning = None if piece.facing_doubt is None else round(piece.facing_doubt, 2)
    fit: MatchRecord | None = None
    if match is not None:
        runner_up = None if match.runner_up is None else round(match.runner_up, 3)
        fit = {"residual": round(match.residual, 3), "runner_up": runner_up, "sure": match.sure}
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
        "model": None if match is None else match.known_model.path,
        "match": fit,
        "triangles": piece.triangles,
        "could_be_several": piece.could_be_several,
        "doubt": {"place": round(piece.place, 2), "facing": turning, "surface": round(piece.surface, 2)},
    }


def _base_place(disc: Disc) -> BasePlaceRecord:
    x, y, z = (round(float(place), 2) + 0.0 for place in (*disc.centre, disc.ground))
    return {"at": (x, y, z), "diameter": round(float(disc.diameter), 1)}


def _above(table: ScannedTable) -> AboveRecord:
    (left, near), (right, far) = (corner.round(2).tolist() for corner in _frame(table, table.on_table()))
    return {"picture": ABOVE, "low": (left, near), "high": (right, far)}


# ---- scene text

COMMENT_COLUMN = 44  # columns before a comment


def scene_text(table: ScannedTable, files: Mapping[str, Mapping[str, Any]], record: str) -> str:
    """The scene of a scanned table.

    Args:
        table: what stands there.
        files: for each piece, by its name, the keys that say what its mesh is.
        record: the path from the scene of the file that tells what was found, for the next run.
    """
    earlier = table.earlier
    before = earlier.matched([piece.at for piece in table.pieces])
    blocks = [_head(table, record), _doubt(table)]
    blocks += [_table("question", answered) for answered in earlier.answers]
    blocks += [_question(question) for question in table.questions if question.key not in earlier.answers_by_key]
    order = sorted(zip(table.pieces, before, strict=True), key=lambda pair: pair[0].kind != "terrain")
    blocks += [_piece_text(piece, files[piece.name], old) for piece, old in order]
    matched = [id(old) for old in before if old is not None]
    blocks += [_by_hand(old) for old in earlier.pieces if old.added is not None and id(old) not in matched]
    checks = earlier.keys.get("check", ())
    blocks += [_table("check", check) for check in checks] or [_first_check(table)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _head(table: ScannedTable, record: str) -> str:
    """The keys of the scene."""
    keys = {key: value for key, value in table.earlier.keys.items() if key not in ("check", "doubt")}
    scan = table.scan.path.name
    top = {"title": title_of(scan), "rules": DEFAULT_GAME} | keys
    top["source"] = {**top.get("source", {}), SOURCE_RECORD: record}
    if table.size is not None:
        top["table"] = [round(edge, 1) for edge in table.size]
    lines = [
        f"# Made from {scan}. Names, gangs, facings, eyes, checks, answers and who has the benefit of doubt are",
        "# yours to edit, and are kept when the scan is made into a scene again; everything else is then found anew.",
        "# Lengths are mm, the origin is the middle of the table, and angles are degrees anticlockwise from x, seen",
        "# from above.",
    ]
    return "\n".join([*lines, *toml_lines(top)])


def _doubt(table: ScannedTable) -> str:
    """The doubt of the scene: the largest of its pieces, which say their own where it is less, and what players say."""
    place = max((piece.place for piece in table.pieces if piece.kind != "terrain"), default=table.noise)
    surface = max((piece.surface for piece in table.pieces if piece.mesh is not None), default=table.noise)
    return "\n".join(
        [
            "[doubt]",
            _line("place", round(place, 2), "mm, how far off each figure may stand: its own doubt comes first"),
            _line("surface", round(surface, 2), "mm, how far off the outline of a scanned piece may lie"),
            *toml_lines(table.earlier.keys.get("doubt", {})),
        ]
    )


def _question(question: Question) -> str:
    """A question, with a place for the answer."""
    text = _table("question", question.keys())
    if not question.answers:
        return text
    return f"{text}\n# answer = {toml(question.answers[0])}  (taken; write yours, and run scan again)"


def _piece_text(piece: ScannedPiece, file: Mapping[str, Any], before: EarlierPiece | None) -> str:
    """A piece's table."""
    row, own = _piece_record(piece), {} if before is None else before.keys_with(file)
    lines = [f"[[{piece.kind}]]", *_facts(piece), f"name = {toml(piece.name)}", *toml_lines({**file, **own})]
    lines += toml_lines({"at": row["at"], "turn": row["turn"]})
    if row["facing"] == "unknown":
        lines.append(_line("facing", "unknown", "write where it looks: degrees anticlockwise from x"))
    elif row["facing"] is not None:
        lines.append(f"facing = {toml(row['facing'])}")
    # Terrain stands where its surface was scanned.
    exact = ("surface",) if piece.kind == "terrain" else ("place", "facing", "surface")
    doubt = {key: value for key, value in row["doubt"].items() if key in exact and value is not None}
    if piece.mesh is None:
        del doubt["surface"]
    if doubt:
        lines.append(f"doubt = {toml(doubt)}")
    return "\n".join(lines)


def _by_hand(piece: EarlierPiece) -> str:
    """The table of a piece that a person has added, where it stands at this scale."""
    assert piece.added is not None
    at = [round(float(place), 2) for place in piece.at[: len(piece.added["at"])]]
    return "\n".join(
        [f"[[{piece.kind}]]", "# placed by hand, and not found by the scan", *toml_lines({**piece.added, "at": at})]
    )


def _facts(piece: ScannedPiece) -> Iterator[str]:
    """Comments: what is known of the piece, and how."""
    if piece.on is not None:
        yield f"# stands on {piece.on}"
    match = piece.match
    if match is not None and match.sure:
        next_best = "" if match.runner_up is None else f"; the next best is off by {match.runner_up:.2f} mm"
        yield f"# {Path(match.known_model.path).name}, which fits to {match.residual:.2f} mm{next_best}"
    elif match is not None and piece.likeness:
        name, looks = Path(match.known_model.path).name, "" if piece.facing is None else "; it looks where that would"
        yield f"# as it was scanned; it may be {name}, which fits to {match.residual:.2f} mm{looks}"
    if piece.mesh is not None and piece.mesh.holes:
        across = f"{piece.mesh.largest:.0f} mm across"
        yield f"# holes that no camera saw into, now closed: {piece.mesh.holes}, up to {across}"
    if piece.mesh is not None and piece.mesh.open_area >= 1.0:
        yield f"# not seen, and left open: {piece.mesh.open_area:.0f} mm2"
    if piece.could_be_several:
        yield "# may be more than one piece"


def _first_check(table: ScannedTable) -> str:
    """A check to begin with, as a comment."""
    names = [piece.name for piece in table.pieces if piece.kind != "terrain"][:2]
    if len(names) < 2:
        return ""
    lines = ["# Who looks at whom; silhouette matrix judges everyone against everyone without.", "# [[check]]"]
    return "\n".join([*lines, f"# attacker = {toml(names[0])}", f"# target = {toml(names[1])}"])


def _table(name: str, keys: Mapping[str, Any]) -> str:
    return "\n".join([f"[[{name}]]", *toml_lines(keys)])


def _line(key: str, value: Any, comment: str) -> str:
    return f"{f'{key} = {toml(value)}':{COMMENT_COLUMN}}  # {comment}"


# ---- picture

TINTS: tuple[Colour, ...] = (SKY_BLUE, (0, 158, 115), (240, 228, 66), (204, 121, 167), (0, 114, 178), (148, 203, 59))
"""Okabe and Ito's colours, but for those of questions: neighbours in number are told apart."""

TABLE: Colour = (214, 207, 193)
TINTED = 0.42  # the share of the tint in a piece's colour: people still recognise their table
MOST_SAMPLES = 8_000_000  # the most samples of the surface: a picture of the largest scan takes seconds
HIGHEST = 1500 * SUPERSAMPLING  # pixels of the picture of the table, so that a long narrow one stays a page

Pixels = NDArray[np.uint8]
PixelOf = Callable[[float, float], tuple[float, float]]  # from x and y in mm on the table to a place on the page


def draw_table(table: ScannedTable) -> Content:
    """The picture, as what a PNG file is to hold."""
    points = table.on_table()
    low, high = _frame(table, points)
    per_mm = min((PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX) / (high[0] - low[0]), HIGHEST / (high[1] - low[1]))
    # The table is drawn at the size at which it is shown; only the marks on it are drawn larger, for smooth edges.
    image = Image.fromarray(_from_above(table, points, low, high, per_mm / SUPERSAMPLING))
    image = image.resize((image.width * SUPERSAMPLING, image.height * SUPERSAMPLING), Image.Resampling.BICUBIC)
    title, text = TypeFace(22, "Bold"), TypeFace(14)
    legend = _legend(table, text)
    top = PAGE_MARGIN_PX + title.line + text.line + 10 * SUPERSAMPLING
    height = top + image.height + 14 * SUPERSAMPLING + len(legend) * text.line + 2 * PAGE_MARGIN_PX
    page = Image.new("RGB", (PAGE_WIDTH_PX, height), PAPER)
    page.paste(image, (PAGE_MARGIN_PX, top))
    drawing = ImageDraw.Draw(page)
    name = title.elided(title.printable(table.scan.path.name), PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX)
    title.draw(drawing, (PAGE_MARGIN_PX, PAGE_MARGIN_PX), name)
    text.draw(drawing, (PAGE_MARGIN_PX, PAGE_MARGIN_PX + title.line), text.printable(_subtitle(table)), SOFT_INK)

    def pixel(x: float, y: float) -> tuple[float, float]:
        return PAGE_MARGIN_PX + (x - low[0]) * per_mm, top + (high[1] - y) * per_mm

    _mark_pieces(drawing, table, pixel_of=pixel)
    _mark_questions(drawing, table, pixel_of=pixel)
    below = top + image.height + 14 * SUPERSAMPLING
    for number, (colour, line) in enumerate(legend):
        text.draw(drawing, (PAGE_MARGIN_PX, below + number * text.line), line, colour)
    scale_bar(
        drawing, (PAGE_WIDTH_PX - PAGE_MARGIN_PX - 260 * SUPERSAMPLING, top - 8 * SUPERSAMPLING), per_mm, TypeFace(12)
    )
    return png_content(page, {"scan": table.scan.path.name})


UNSEEN_COLOUR: Colour = (150, 146, 138)  # what nobody saw from above: neither light nor dark
ABOVE, JPEG_QUALITY = "above.jpg", 85
MOST_ABOVE_PX = 1200  # its most pixels along its longer edge: as fine as scan.png, half a mm on a small table


def draw_above(table: ScannedTable) -> Content:
    """The scan from above in its own colours, without marks, as what a JPEG file is to hold: figures are put on it."""
    points = table.on_table()
    low, high = _frame(table, points)
    picture = _from_above(table, points, low, high, MOST_ABOVE_PX / float((high - low).max()), is_marked=False)
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "JPEG", quality=JPEG_QUALITY)
    return content.getvalue()


def _frame(table: ScannedTable, points: Floats) -> tuple[Floats, Floats]:
    """The least and greatest x and y in mm of the picture: the table, and all that is labelled."""
    shown = points[(table.labels >= 0) & table.scan.usable, :2]
    if table.size is not None:
        edge = np.array(table.size) / 2.0
        shown = np.vstack([shown, -edge, edge])
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = 0.01 * float((high - low).max())
    return low - margin, high + margin


def _from_above(
    table: ScannedTable, points: Floats, low: Floats, high: Floats, per_mm: float, *, is_marked: bool = True
) -> Pixels:
    """(height, width, 3) the table from above, row 0 at the top: pieces tinted, or all that was scanned as it is."""
    columns, rows = (int(np.ceil(length)) for length in (high - low) * per_mm)
    labels = table.labels if is_marked else np.zeros_like(table.labels)
    where, surface, (shade, owner, colours) = _samples(table.scan, labels, points, 1.0 / per_mm)
    column = ((where[:, 0] - low[0]) * per_mm).astype(np.int64)
    row = ((high[1] - where[:, 1]) * per_mm).astype(np.int64)
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    flat, index = (row * columns + column)[inside], np.flatnonzero(inside)
    height, highest = where[index, 2], np.full(rows * columns, -np.inf)
    np.maximum.at(highest, flat, height)
    top = np.flatnonzero(height == highest[flat])
    sample = np.full((rows, columns), -1, dtype=np.int64)
    sample.flat[flat[top]] = index[top]  # of several at one height the last
    # Pixels without a place take that of the nearest pixel which has one, where that is near.
    distance, nearest = scipy.ndimage.distance_transform_edt(sample < 0, return_indices=True)
    sample = sample[tuple(nearest)]
    seen = (sample >= 0) & (distance <= max(1.5, 1.2 * table.spacing * per_mm))
    chosen = surface[sample[seen]]
    tints = np.array([TABLE, *(TINTS[(number - 1) % len(TINTS)] for number in range(1, int(owner.max(initial=0)) + 1))])
    tint = tints[owner[chosen]]
    share = np.where(owner[chosen] > 0, TINTED, 0.0)[:, None]
    ground = tint if colours is None else (1.0 - share) * colours[chosen] + share * tint
    picture = np.full((rows, columns, 3), PAPER if is_marked else UNSEEN_COLOUR, dtype=np.float64)
    picture[seen] = ground * shade[chosen, None]
    return np.clip(picture, 0, 255).astype(np.uint8)


def _samples(
    scan: Scan, labels: NDArray[np.int32], points: Floats, pixel: float
) -> tuple[Floats, NDArray[np.int64], tuple[Floats, NDArray[np.int32], Floats | None]]:
    """Places (k, 3) mm on the surface, about a pixel apart in plan, the triangle or point of each (k,), and their
    light, piece and colour.
    """
    if len(scan.faces) == 0:
        index = np.flatnonzero((labels >= 0) & scan.usable)
        tall = max(float(points[index, 2].max(initial=1.0)), 1.0)
        light = 0.75 + 0.25 * np.clip(points[index, 2] / tall, 0.0, 1.0)
        colours = None if scan.colours is None else scan.colours[index].astype(np.float64)
        return points[index], np.arange(len(index)), (light, labels[index], colours)
    owner = owners(scan.faces, labels)
    faces, owner = scan.faces[owner >= 0], owner[owner >= 0]
    face, where, normal = places_on(points, faces, pixel**2, MOST_SAMPLES)
    light = 0.55 + 0.45 * np.abs(normal @ [-0.30, 0.35, 0.89]) / np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
    colours = None if scan.colours is None else scan.colours[faces].mean(axis=1)
    return where, face, (light, owner, colours)


def _subtitle(table: ScannedTable) -> str:
    size = "no table found" if table.size is None else f"table {table.size[0]:.0f} x {table.size[1]:.0f} mm"
    figures = sum(piece.kind != "terrain" for piece in table.pieces)
    terrain = len(table.pieces) - figures
    counts = f"{figures} figures, {terrain} pieces of terrain"
    return f"{size}, noise {table.noise:.2g} mm, {counts}; grade: {table.account.grade}"


def _legend(table: ScannedTable, text: TypeFace) -> list[tuple[Colour, str]]:
    """Lines below the picture: how many figures were found, what each number is, then the questions."""
    account = table.account
    counts = [sentence for sentence in (account.counts(), *account.warnings()) if sentence]
    colour = VERMILLION if account.missing or account.unknown or account.warnings() else INK
    parts = joined([f"{piece.number}: {_called(piece)}" for piece in table.pieces])
    paragraphs = [
        *((colour, sentence, 3) for sentence in counts),
        *((INK, part, 12) for part in [parts] if part),
        *((VERMILLION, f"? {question.text}", 3) for question in table.questions),
    ]
    return [
        (colour, line)
        for colour, sentence, most in paragraphs
        for line in text.wrapped(text.printable(sentence), PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX, most=most)
    ]


def _called(piece: ScannedPiece) -> str:
    """The name of a piece, and the known model that it is."""
    is_said = piece.likeness in ("", piece.name)
    return piece.name if is_said else f"{piece.name} ({piece.likeness})"


def _mark_pieces(drawing: Drawing, table: ScannedTable, pixel_of: PixelOf) -> None:
    """A number in the middle of each piece of terrain and beside each figure, and a line to where a figure looks."""
    face = TypeFace(14, "Bold")
    radius = 11 * SUPERSAMPLING
    for piece in table.pieces:
        outline = [pixel_of(x, y) for x, y in piece.outline]
        if len(outline) > 2:
            drawing.line([*outline, outline[0]], fill=INK, width=SUPERSAMPLING)
        if piece.kind == "terrain":
            x, y = pixel_of(*_clear_of_figures(piece, table))
        else:
            x, y = pixel_of(piece.at[0], piece.at[1])
            if piece.facing is not None:
                angle = np.radians(piece.facing)
                tip = (x + 34 * SUPERSAMPLING * np.cos(angle), y - 34 * SUPERSAMPLING * np.sin(angle))
                drawing.line([(x, y), tip], fill=PAPER, width=5 * SUPERSAMPLING)
                drawing.line([(x, y), tip], fill=INK, width=3 * SUPERSAMPLING)
            x = max(px for px, _ in outline) + radius
            y = min(py for _, py in outline) - radius / 2
        ring = VERMILLION if piece.could_be_several else INK
        drawing.ellipse(
            [x - radius, y - radius, x + radius, y + radius], fill=PAPER, outline=ring, width=2 * SUPERSAMPLING
        )
        text = str(piece.number)
        face.draw(drawing, (x - face.width(text) / 2, y - 0.72 * face.size), text, INK)


def _clear_of_figures(piece: ScannedPiece, table: ScannedTable) -> Floats:
    """(2,) mm: the middle of a piece of terrain; where a figure stands there, half way to its farthest corner."""
    middle: Floats = piece.outline.mean(axis=0)
    figures = [other.at[:2] for other in table.pieces if other.kind != "terrain"]
    if not figures or np.hypot(*(np.array(figures) - middle).T).min() > 20.0:
        return middle
    beside: Floats = (middle + piece.outline[np.hypot(*(piece.outline - middle).T).argmax()]) / 2.0
    return beside


def _mark_questions(drawing: Drawing, table: ScannedTable, pixel_of: PixelOf) -> None:
    """A mark at each place that a question is about."""
    face = TypeFace(17, "Bold")
    for question in table.questions:
        if question.at is None:
            continue
        x, y = pixel_of(*question.at)
        x -= 26 * SUPERSAMPLING
        drawing.rectangle(
            [x - 9 * SUPERSAMPLING, y - 11 * SUPERSAMPLING, x + 9 * SUPERSAMPLING, y + 11 * SUPERSAMPLING],
            fill=ORANGE,
            outline=INK,
            width=SUPERSAMPLING,
        )
        face.draw(drawing, (x - face.width("?") / 2, y - 0.72 * face.size), "?", INK)


# ---- folder

PICTURE, LABELS, BEFORE = "scan.png", "labels.npy", "scene.before.toml"

RULING = "ruling.png"  # the picture of what the attacker sees; that of an earlier run shows another scene
FLOOR = 0.5  # mm above the top of a base, as measured, that still belong to it: a scan's ledge is not quite level


def write_folder(table: ScannedTable, folder: Path, *, keeps_scene: bool = True) -> None:
    """Writes the folder of a scanned table, that of an earlier run or a new one.

    Other files in it stay, meshes of earlier scenes too, and, where it ``keeps_scene``, the scene that is there under
    another name, with all that a person wrote into it.

    Raises:
        FileError: where it cannot be written, or is none to write into (`check_folder`); an earlier scene and all that
            it names are then unchanged.
    """
    check_folder(folder, [table.scan.path, *map(Path, table.figures), *map(Path, table.terrain)])
    with changing_folder(folder, folder / SCENE) as change:
        files = {piece.name: _mesh_keys(piece, table, change) for piece in table.pieces}
        record = (json_text(document(record_of(table)), indent=1) + "\n").encode()
        labels = io.BytesIO()
        np.save(labels, table.labels, allow_pickle=False)
        change.put(folder / LABELS, labels.getvalue())
        change.put(folder / RECORD, record)
        change.put(folder / PICTURE, draw_table(table))
        change.put(folder / ABOVE, draw_above(table))
        change.drop(folder / RULING)
        text = scene_text(table, files, change.keep(MESHES, "found", {".scan": record}))
        change.commit(text, before=folder / BEFORE if keeps_scene else None)


def _mesh_keys(piece: ScannedPiece, table: ScannedTable, change: FolderChange) -> dict[str, Any]:
    """Writes the mesh of a piece, and gives the keys of the scene that say what it is."""
    if piece.mesh is None:
        assert piece.match is not None
        return _copied(Path(piece.match.known_model.path), change)
    content = ply_bytes(piece.mesh.vertices, piece.mesh.faces, piece.mesh.colours)
    mesh = change.keep(MESHES, file_name(piece.name), {".ply": content})
    keys: dict[str, Any] = {"mesh": mesh, "units": "mm", "origin": "keep", "scan": True}
    if piece.kind != "terrain":
        keys["base"] = "none"
        if piece.disc is not None:  # up to its ledge, and what the noise lifts above it
            height = round(piece.disc.height + FLOOR + table.noise, 2)
            keys["base"] = {"height": height, "diameter": round(piece.disc.diameter, 2)}
    return keys


def _copied(source: Path, change: FolderChange) -> dict[str, Any]:
    """Copies a mesh, with the files that it refers to, or that of a model file; gives its keys in the scene."""
    keys: dict[str, Any] = {}
    mesh = source
    if source.suffix.lower() in DOCUMENTS:
        keys = dict(read_document(source))
        mesh = source.parent / keys.pop("mesh")
        keys.pop("kind", None)
    names = [mesh.name, *(other.relative_to(mesh.parent).as_posix() for other in Fingerprints().named(mesh))]
    files = {f"/{name}": read_file(mesh.parent / name, MAX_FILE_BYTES) for name in names}
    place = change.keep(MESHES, file_name(mesh.stem), files)
    return {"mesh": f"{place}/{mesh.name}", **keys}
