"""SCAN: pieces get names, places and meshes, and what is not settled becomes questions.

Where a known model fits beyond doubt it stands in the place of the scanned piece; elsewhere what was scanned does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from silhouette.common.geometry import Floats, Integers, hull_outline
from silhouette.common.text import numbered
from silhouette.scans.asking import as_answered, said_kind
from silhouette.scans.identify import Identified, Surroundings
from silhouette.scans.keeping import Earlier, EarlierPiece
from silhouette.scans.matching import Match
from silhouette.scans.piece_meshes import owners, piece_mesh
from silhouette.scans.pieces import Blob
from silhouette.scans.questions import Question
from silhouette.scans.reading import Scan
from silhouette.scans.scanned import PlacedKind, ScannedPiece

ON_TABLE = 2.0  # mm: what stands on the table stands at z = 0, however the scan's noise lifts it
LEAST_GAP = 1.0  # mm2 of a figure that were not seen and are worth a remark: about a pixel of a coarse scan

LIKELY = 1.0
"""mm, root mean square: a model that fits so well has its limbs where the figure has them, which tells its turn."""

NARROW = 12.0  # degrees: where the turn of a model that is not sure is in more doubt than this, the facing is unknown

UNSURE, LEAST_UNSURE = 3.0, 5.0
"""Where the model is not sure, the doubt about the facing is this many times that of the fit, and at least this many
degrees.
"""

NUMBERED = re.compile(r"(figure|terrain) \d+")  # the names of pieces that nobody has named
PIECE = re.compile(r"\bpiece (\d+)\b")  # how the questions of earlier steps name a piece: by its number


def scanned_pieces(
    found: Identified, around: Surroundings, earlier: Earlier
) -> tuple[Integers, tuple[ScannedPiece, ...], tuple[Question, ...]]:
    """The labels (n,) of the points, the pieces with names, places and meshes, and the questions about them."""
    places = [_origin(number, blob, found, around) for number, blob in enumerate(found.pieces.blobs, start=1)]
    identified, places, asked = as_answered(found, places, earlier)
    pieces, matches = identified.pieces, identified.matches
    kept = earlier.matched(
        [place if one is None or not one.sure else np.array(one.at) for place, one in zip(places, matches, strict=True)]
    )
    said = [said_kind(place, earlier) == blob.kind for place, blob in zip(places, pieces.blobs, strict=True)]
    kept = list(map(_agreed, kept, pieces.blobs, said))
    checks = earlier.keys.get("check", ())
    checked = frozenset(str(value) for check in checks for value in check.values())
    names = _names(pieces.blobs, matches, kept, checked)
    faces = _faces_by_piece(around.scan, pieces.labels, len(pieces.blobs))
    rough = _roughness(matches, around.noise)
    made = tuple(
        _piece(number, names, identified, kept[number - 1], places[number - 1], faces[number - 1], around, rough)
        for number in range(1, len(names) + 1)
    )
    return pieces.labels, made, tuple(_with_names(question, names) for question in asked)


def _roughness(matches: Sequence[Match | None], noise: float) -> float:
    """How far off a scanned surface may lie, mm: by the noise of a flat table, or by how well known models fit.

    Slow errors, and edges that a scan rounds off, do not show on a table: models that fit are off by more.

    >>> _roughness([], 0.3)
    0.3
    """
    residuals = [match.residual for match in matches if match is not None and match.sure]
    return max(noise, float(np.median(residuals))) if residuals else noise


def _faces_by_piece(scan: Scan, labels: Integers, count: int) -> list[Integers]:
    """The faces (m, 3) of each piece; of a cloud its points, (m, 1)."""
    faces = scan.faces if len(scan.faces) else np.flatnonzero(scan.usable).astype(np.int32)[:, None]
    owner = owners(faces, labels) if faces.shape[1] == 3 else labels[faces[:, 0]]
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(1, count + 2))
    return [faces[order[ends[number] : ends[number + 1]]] for number in range(count)]


def _origin(number: int, blob: Blob, identified: Identified, around: Surroundings) -> Floats:
    """(3,) mm: the middle of its base, or of the box round it, and what it stands on."""
    own = around.points[identified.pieces.labels == number]
    if blob.disc is not None:
        x, y = blob.disc.centre
    else:
        x, y = (own[:, :2].min(axis=0) + own[:, :2].max(axis=0)) / 2.0
    ground = 0.0 if blob.on is None and abs(blob.ground) < ON_TABLE else blob.ground
    return np.array([x, y, ground])


def _agreed(before: EarlierPiece | None, blob: Blob, is_said: bool) -> EarlierPiece | None:
    """The earlier piece as what a player says by now that it is; None where that is another and nobody has named it."""
    if before is None or not is_said or (before.kind == "terrain") == (blob.kind == "terrain"):
        return before
    return None if NUMBERED.fullmatch(before.name) else replace(before, kind=blob.kind)


def _names(
    blobs: Sequence[Blob],
    matches: Sequence[Match | None],
    kept: Sequence[EarlierPiece | None],
    checked: frozenset[str] = frozenset(),
) -> list[str]:
    """A unique name for each piece: the one that it had, that of the known model that it is, or a number.

    A number gives way to the name of a model, unless a person has written something of that piece, or checks name it.
    """
    before = [earlier for earlier in kept if earlier is not None]
    taken = {earlier.name for earlier in before}
    names: list[str] = []
    for blob, match, earlier in zip(blobs, matches, kept, strict=True):
        stem = match.name if match is not None and match.sure else ""
        if earlier is not None and earlier.name not in names and not (stem and _is_untouched(earlier, checked)):
            names.append(earlier.name)
            continue
        if stem:
            name = numbered(stem, taken) if stem in taken else stem
        else:
            name = numbered("figure" if blob.kind == "fighter" else "terrain", taken, first=1)
        taken.add(name)
        names.append(name)
    return names


def _is_untouched(earlier: EarlierPiece, checked: frozenset[str]) -> bool:
    """Whether a piece is as a run has left it: with a number for a name, which no check names, and nothing else."""
    is_numbered = NUMBERED.fullmatch(earlier.name) is not None and earlier.name not in checked
    return is_numbered and earlier.facing is None and not earlier.keys


def _piece(
    number: int,
    names: Sequence[str],
    identified: Identified,
    before: EarlierPiece | None,
    place: Floats,
    faces: Integers,
    around: Surroundings,
    rough: float,
) -> ScannedPiece:
    """A piece with its place and mesh; ``rough`` is how far off what was scanned may lie, mm."""
    blob, found = identified.pieces.blobs[number - 1], identified.matches[number - 1]
    own = around.points[identified.pieces.labels == number]
    known = found if found is not None and found.sure else None
    kind = cast(PlacedKind, before.kind if before is not None else _kind(blob, found))
    turn, facing, mesh = 0.0, None if kind == "terrain" else _facing(found), None
    if known is not None:
        place = np.array([*known.at[:2], 0.0 if blob.on is None and abs(known.at[2]) < ON_TABLE else known.at[2]])
        turn = known.turn
    else:
        carries = [one.disc for one in identified.pieces.blobs if one.on == number and one.disc is not None]
        mesh = piece_mesh(around.points, faces, around.scan.colours, place, around.spacing, kind == "terrain", carries)
    is_given = before is not None and before.facing is not None and kind != "terrain"
    if before is not None and is_given:
        facing = before.facing
    return ScannedPiece(
        name=names[number - 1],
        number=number,
        kind=kind,
        at=(float(place[0]), float(place[1]), float(place[2])),
        turn=turn,
        facing=facing,
        facing_is_given=is_given,
        on=None if blob.on is None else names[blob.on - 1],
        disc=blob.disc,
        match=found,
        mesh=mesh,
        outline=hull_outline(own[:, :2]),
        height=float(own[:, 2].max(initial=place[2]) - place[2]),
        triangles=len(faces),
        could_be_several=blob.could_be_several,
        place=rough if known is None else known.place,
        facing_doubt=None if kind == "terrain" or is_given else _facing_doubt(found),
        surface=rough if known is None else known.residual,
    )


def _facing(found: Match | None) -> float | None:
    """Where a figure looks: where the model that it is, or that it most probably is, looks; else None."""
    is_told = found is not None and (found.has_front if found.sure else _is_likely(found))
    return found.turn + found.known.model.front if found is not None and is_told else None


def _facing_doubt(found: Match | None) -> float | None:
    """The standard deviation of that in degrees."""
    if found is None or _facing(found) is None:
        return None
    return found.facing if found.sure else max(UNSURE * found.facing, LEAST_UNSURE)


def _is_likely(found: Match) -> bool:
    """Whether a figure looks where a model does that fits well, if not beyond doubt: then limbs lie on limbs."""
    return found.residual <= LIKELY and found.facing <= NARROW


def _kind(blob: Blob, found: Match | None) -> PlacedKind:
    """What a piece is: a vehicle where it is a known one beyond doubt, else as it looks."""
    return "vehicle" if found is not None and found.sure and found.known.model.kind == "vehicle" else blob.kind


def _with_names(question: Question, names: Sequence[str]) -> Question:
    """A question that names pieces by their numbers, with their names instead."""

    def named(number: str) -> str:
        return names[int(number) - 1] if number.isdigit() and 1 <= int(number) <= len(names) else f"piece {number}"

    text = PIECE.sub(lambda found: named(found[1]), question.text)
    return replace(question, text=text, about=tuple(named(one) for one in question.about))


def remarks(pieces: Sequence[ScannedPiece], has_figures: bool = False) -> Iterator[str]:
    """A sentence for each thing about the pieces that a player should know: holes, and what is estimated.

    Args:
        pieces: of the table.
        has_figures: whether meshes of figures were given, which is then no advice.
    """
    scanned = [(piece, piece.mesh) for piece in pieces if piece.mesh is not None]
    closed = [
        f"{piece.name} ({mesh.holes}, up to {mesh.largest:.0f} mm across)" for piece, mesh in scanned if mesh.holes
    ]
    if closed:
        yield f"holes that no camera saw into are closed: {', '.join(closed)}"
    gaps = [f"{piece.name} ({mesh.open_area:.0f} mm2)" for piece, mesh in scanned if mesh.open_area >= LEAST_GAP]
    if gaps:
        yield f"gaps that no camera saw into are left open: {', '.join(gaps)}"
    figures = [piece for piece, _ in scanned if piece.kind != "terrain"]
    if figures:
        names = ", ".join(piece.name for piece in figures)
        advice = (
            "answer which they are, or write eye" if has_figures else "give their meshes with --figures, or write eye"
        )
        yield f"as scanned, with an estimated eye: {names}; {advice}"
    lost = ", ".join(piece.name for piece in pieces if piece.kind != "terrain" and piece.facing is None)
    if lost:
        yield f"nobody knows where they look: {lost}; write facing into the scene"
