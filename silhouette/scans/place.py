"""PLACE: pieces get names, places, meshes and doubts; what is not settled is asked, and what is missing is told.

Where a known model fits beyond doubt it stands in the place of the scanned piece; elsewhere what was scanned does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers, hull_outline
from silhouette.common.text import in_a_row, numbered
from silhouette.scans.bases import Disc
from silhouette.scans.classify import Blob
from silhouette.scans.identify import Identified, Surroundings, without
from silhouette.scans.keep import ABOUT_MODEL, ABOUT_PIECE, Earlier, EarlierPiece, Question, kind_of
from silhouette.scans.match import Match
from silhouette.scans.meshes import PieceMesh, owners, piece_mesh
from silhouette.scans.models import Known
from silhouette.scans.read import Scan
from silhouette.scans.scale import Scale

# ---- asking

AS_SCANNED, NEITHER = "not sure: keep what was scanned", "none of the known ones"
"""The answers that leave it open which model a scanned piece is, and that say that it is none."""

TERRAIN, FIGURE, LEFT_OUT = "terrain", "a figure", "no part of the game: leave it out"
"""The answers to what an odd thing is."""

UNLIKE = 2.0
"""mm, root mean square: what fits no better than this is none of the known models, and may be no figure at all."""

ONE, SEVERAL = "one piece", "several that touch"

KINDS_OF_QUESTIONS = (ABOUT_MODEL, "odd", "several")
"""The kinds of questions about pieces, first those on which most verdicts hang."""


def _questions(number: int, blob: Blob, match: Match | None, place: Floats) -> list[Question]:
    """What could be asked about a piece, what the scene hangs on most first; of these one at a time is asked.

    What is known beyond doubt is part of the game. Which model a figure is goes before whether it is one, since that
    has the same answers; and whether it is a figure at all before whether it is several.

    Args:
        number: of the piece.
        blob: as it was scanned.
        match: the known model that it looks most like.
        place: (3,) mm, where it stands.
    """
    several = _about_several(number, blob, place)
    if match is not None and match.sure:
        return [] if several is None else [several]
    asked = (_about_model(number, blob, match, place), _about_kind(number, blob, place), several)
    return [question for question in asked if question is not None]


def _about_kind(number: int, blob: Blob, place: Floats) -> Question | None:
    """What a piece is that does not look like a part of the game."""
    if not blob.is_odd:
        return None
    why = f" ({blob.why})" if blob.why else ""
    text = f"piece {number} does not look like a part of the game{why}: what is it?"
    answers = (FIGURE, LEFT_OUT, TERRAIN) if blob.kind == "fighter" else (TERRAIN, LEFT_OUT, FIGURE)
    return Question(_key("odd", place), text, answers, (str(number),), (float(place[0]), float(place[1])))


def _about_several(number: int, blob: Blob, place: Floats) -> Question | None:
    """Whether a piece is one."""
    if not blob.could_be_several:
        return None
    why = f" ({blob.why})" if blob.why else ""
    text = f"piece {number} may be several that touch{why}: is it one?"
    return Question(_key("several", place), text, (ONE, SEVERAL), (str(number),), (float(place[0]), float(place[1])))


def _about_model(number: int, blob: Blob, match: Match | None, place: Floats) -> Question | None:
    """Whether a piece is the known model that it looks most like; or what else it is."""
    if match is None or blob.kind != "fighter":
        return None
    at = (float(place[0]), float(place[1]))
    if match.residual > UNLIKE:
        if blob.on is None:
            return None  # a figure of somebody whose meshes are not known; on terrain it may be a part of that
        text = f"piece {number} looks like a figure and like none of the known ones: what is it?"
        return Question(_key("odd", place), text, (FIGURE, TERRAIN, LEFT_OUT), (str(number),), at)
    text = f"is piece {number} {match.name}? It fits to {match.residual:.1f} mm, which is not beyond doubt"
    answers = (AS_SCANNED, match.name, NEITHER, TERRAIN, LEFT_OUT)
    return Question(_key(ABOUT_MODEL, place), text, answers, (str(number),), at)


def _key(kind: str, place: Floats) -> str:
    return f"{kind} at {place[0]:.0f},{place[1]:.0f}"


def said_kind(place: Floats, earlier: Earlier) -> str | None:
    """What a player has said that the thing at a place (3,) mm is: fighter or terrain; None where nobody has."""
    at = (float(place[0]), float(place[1]))
    answers = [earlier.answer(Question(_key(kind, place), "", (), at=at)) for kind in (ABOUT_PIECE, "odd", ABOUT_MODEL)]
    return next(({FIGURE: "fighter", TERRAIN: "terrain"}[word] for word in answers if word in (FIGURE, TERRAIN)), None)


def as_answered(
    identified: Identified, places: Sequence[Floats], earlier: Earlier
) -> tuple[Identified, list[Floats], list[Question]]:
    """The pieces as a player has settled what they are, their places, and the questions that stay open.

    Pieces that are no part of the game are left out; the numbers of those after them move up, in the questions too.
    """
    blobs, matches = list(identified.pieces.blobs), list(identified.matches)
    left_out: list[int] = []
    for index, place in enumerate(places):
        # Twice, since an answer may lead to another question: what is a figure may be a known one.
        for _ in range(2):
            for question in _questions(index + 1, blobs[index], matches[index], place):
                answer = earlier.answer(question)
                if answer == LEFT_OUT:
                    left_out.append(index + 1)
                elif answer is not None:
                    kind = kind_of(question.key)
                    blobs[index], matches[index] = _settled(blobs[index], matches[index], kind, answer)
    pieces = replace(identified.pieces, blobs=tuple(blobs))
    whole = replace(identified, pieces=pieces, matches=tuple(matches))
    left = without(pieces, matches, left_out) if left_out else whole
    stand = [place for number, place in enumerate(places, start=1) if number not in left_out]
    questions = []
    for number, (blob, match, place) in enumerate(zip(left.pieces.blobs, left.matches, stand, strict=True), start=1):
        asked = _questions(number, blob, match, place)
        questions += [question for question in asked if earlier.answer(question) is None][:1]
    # First what the verdicts on figures hang on.
    order = {key: rank for rank, key in enumerate(KINDS_OF_QUESTIONS)}
    questions.sort(key=lambda question: order[kind_of(question.key)])
    return left, stand, questions


def _settled(blob: Blob, match: Match | None, kind: str, answer: str) -> tuple[Blob, Match | None]:
    """A piece with the answer to a question of some kind."""
    if answer in (FIGURE, TERRAIN):
        return replace(blob, is_odd=False, kind="fighter" if answer == FIGURE else "terrain"), match
    if answer == ONE:
        return replace(blob, could_be_several=False), match
    if kind == ABOUT_MODEL and match is not None:
        if answer == NEITHER:
            return replace(blob, is_odd=False), None
        return replace(blob, is_odd=False), replace(match, sure=True) if answer == match.name else match
    return blob, match


# ---- account

Grade = Literal["good", "usable", "terrain only"]

GOOD_SPACING, POOR_SPACING = 2.3, 4.0
"""mm between points: up to the first nearly all figures are beyond doubt; up to the second they are found, some with a
question; beyond it figures are lost, as of one scan at 4.1 mm one of five, at 5.9 mm two."""

GOOD_NOISE, POOR_NOISE = 0.7, 2.0  # mm, standard deviation of a table's surface: the same two steps for rough scans
NEEDED = 2.0  # mm between points that figures need
MOST_LISTED = 12  # names of figures in a sentence


@dataclass(frozen=True)
class Account:
    """What became of the figures that were looked for."""

    total: int = 0  # how many were looked for
    missing: tuple[str, ...] = ()  # the names of those that were not found
    unknown: int = 0  # how many things look like figures and like none of them
    spacing: float = 1.0  # mm between points, of what stands on the table
    noise: float = 0.0  # mm, standard deviation of the table's surface

    @property
    def grade(self) -> Grade:
        """What the scan is good for.

        >>> Account(spacing=1.3).grade, Account(spacing=1.3, noise=1.1).grade, Account(spacing=5.0).grade
        ('good', 'usable', 'terrain only')
        """
        if self.spacing > POOR_SPACING or self.noise > POOR_NOISE:
            return "terrain only"
        return "good" if self.spacing <= GOOD_SPACING and self.noise <= GOOD_NOISE else "usable"

    def counts(self) -> str:
        """How many were found, in a sentence; empty where none were looked for.

        >>> Account(6, ("oswald",), 2).counts()
        '5 of your 6 figures found; not found: oswald. Looked like figures but unlike any of yours: 2.'
        >>> Account(1).counts(), Account().counts()
        ('your figure was found.', '')
        """
        if not self.total:
            return ""
        if self.total == 1:
            text = f"your figure {self.missing[0]} was not found" if self.missing else "your figure was found"
        elif not self.missing:
            text = f"all of your {self.total} figures found"
        else:
            text = f"{self.total - len(self.missing)} of your {self.total} figures found; not found: "
            text += in_a_row(self.missing, MOST_LISTED)
        alien = f" Looked like figures but unlike any of yours: {self.unknown}." if self.unknown else ""
        return f"{text}.{alien}"

    def warnings(self) -> tuple[str, ...]:
        """What to warn of: a scan that is too coarse or too rough for figures.

        >>> Account(spacing=5.04).warnings()
        ('points are 5 mm apart, figures need 2: scan closer, or place figures on the live table',)
        """
        if self.grade != "terrain only":
            return ()
        fault = f"points are {self.spacing:.2g} mm apart, figures need {NEEDED:.0f}"
        if self.spacing <= POOR_SPACING:
            fault = f"its surface is rough by {self.noise:.2g} mm, figures need {GOOD_NOISE:g}"
        return (f"{fault}: scan closer, or place figures on the live table",)


def account_of(figures: Sequence[Known], matches: Iterable[Match | None], spacing: float, noise: float) -> Account:
    """What became of the figures that were looked for.

    Args:
        figures: those.
        matches: for each figure on the table the one that it looks most like, sure or not; None for one like none.
        spacing: mm between points, of what stands on the table.
        noise: mm, standard deviation of the table's surface.
    """
    standing = [match for match in matches if figures]
    recognised = {
        match.known.path for match in standing if match is not None and (match.sure or match.residual <= UNLIKE)
    }
    missing = tuple(Path(figure.path).stem for figure in figures if figure.path not in recognised)
    unknown = sum(match is None or match.known.path not in recognised for match in standing)
    return Account(len(figures), missing, unknown, spacing, noise)


# ---- scanned

PlacedKind = Literal["fighter", "vehicle", "terrain"]


@dataclass(frozen=True, eq=False)
class ScannedPiece:
    """A piece of the table."""

    name: str  # unique on the table
    number: int  # its number among the labels
    kind: PlacedKind  # what it is
    # X, y, z in mm on the table of its origin: the middle of its base or of its box, and what it stands on
    at: tuple[float, float, float]
    turn: float  # degrees by which its mesh is turned from how it lies in its file
    facing: float | None  # degrees anticlockwise from +x in which it looks; None where that is unknown, and for terrain
    facing_is_given: bool  # whether a player has said so, and not the scan
    on: str | None  # the name of the piece of terrain that it stands on, or None for the table
    disc: Disc | None  # its round base, or None
    match: Match | None  # the known model that it looks most like, sure or not, or None
    mesh: PieceMesh | None  # what was scanned of it; None where the known model stands in its place
    outline: Floats  # (k, 2) mm, the convex outline in plan of its points, anticlockwise
    height: float  # mm, of its points above what it stands on
    triangles: int  # how many triangles of the scan are its own (points, of a cloud)
    could_be_several: bool  # whether it may be more than one piece
    # place, facing_doubt, surface: standard deviations in mm, degrees and mm
    place: float
    facing_doubt: float | None
    surface: float

    @property
    def likeness(self) -> str:
        """The name of the known model that it is, or with a question mark that a figure may be; empty elsewhere.

        What terrain looks like without being sure is of no use: something is always the least unlike.
        """
        if self.match is None or not (self.match.sure or self.kind == "fighter"):
            return ""
        return self.match.name + ("" if self.match.sure else "?")


@dataclass(frozen=True, eq=False)
class ScannedTable:
    """A scanned table."""

    scan: Scan  # what was read
    scale: Scale  # of it
    # (4, 4) float64, from the file's coordinates to the table's: mm, z up, the table's top at z = 0, the origin at its
    # middle, x along its longer edge
    to_table: Floats
    size: tuple[float, float] | None  # mm, of the table's edges along x and y; None where there is no table
    tilt: float  # degrees out of the file's upright
    # flatness, noise, spacing: mm; see `silhouette.scans.level.Level`
    flatness: float
    noise: float
    spacing: float
    # (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece, -1 what was left out
    labels: NDArray[np.int32]
    pieces: tuple[ScannedPiece, ...]  # in the order of their numbers; numbers that were left out are missing
    questions: tuple[Question, ...]  # what is not settled, the likeliest answer of each taken
    warnings: tuple[str, ...]  # a sentence for each thing that the user should know
    # What is kept of an earlier run into the same folder, with its places at this scale
    earlier: Earlier = field(default_factory=Earlier)
    # figures, terrain: the paths, as they were given, of what was looked for
    figures: tuple[str, ...] = ()
    terrain: tuple[str, ...] = ()
    account: Account = field(default_factory=Account)  # what became of the figures that were looked for
    bases: tuple[Disc, ...] = ()  # what looks like a base, on the table in mm, whatever stands on it
    terrain_only: bool = False  # whether figures were left out

    def on_table(self) -> Floats:
        """(n, 3) float64 mm: the vertices of the scan on the table."""
        points: Floats = self.scan.vertices @ self.to_table[:3, :3].T + self.to_table[:3, 3]
        return points

    def called(self, name: str) -> str:
        """The name of the piece that a person calls so: by its name, or by the known model that it alone is."""
        if any(piece.name == name for piece in self.pieces):
            return name
        stem = name.lower()
        fitting = [
            piece.name
            for piece in self.pieces
            if piece.match is not None and piece.match.sure and piece.match.name.lower() == stem
        ]
        return fitting[0] if len(fitting) == 1 else name

    def question_of(self, name: str) -> Question | None:
        """The open question whether a piece is the known model that a person calls so; None where one is it already.

        Of several such pieces it is the one that this model fits best.
        """
        stem = name.lower()
        stems = {piece.match.name.lower() for piece in self.pieces if piece.match and piece.match.sure}
        if stem in stems or any(piece.name == name for piece in self.pieces):
            return None
        residuals = {piece.name: piece.match.residual for piece in self.pieces if piece.match}
        about = [
            question
            for question in self.questions
            if kind_of(question.key) == ABOUT_MODEL
            and len(question.answers) > 1
            and question.answers[1].lower() == stem
        ]
        return min(about, key=lambda question: residuals.get(question.about[0], 0.0), default=None)


# ---- assembling

ON_TABLE = 2.0  # mm: what stands on the table stands at z = 0, however the scan's noise lifts it
LEAST_GAP = 1.0  # mm2 of a figure that were not seen and are worth a remark: about a pixel of a coarse scan

LIKELY = 1.0
"""mm, root mean square: a model that fits so well has its limbs where the figure has them, which tells its turn."""

NARROW = 12.0  # degrees: where the turn of a model that is not sure is in more doubt than this, the facing is unknown

UNSURE, LEAST_UNSURE = 2.0, 3.0
"""Where the model is not sure, the doubt about the facing is this many times that of the fit, and at least this many
degrees: 32 figures on 40 scans were turned by 1.5 degrees, root mean square, and none by more than 0.6 deviations.
"""

NUMBERED = re.compile(r"(figure|terrain) \d+")  # the names of pieces that nobody has named
PIECE = re.compile(r"\bpiece (\d+)\b")  # how the questions of earlier steps name a piece: by its number


def scanned_pieces(
    found: Identified, around: Surroundings, earlier: Earlier
) -> tuple[Integers, tuple[ScannedPiece, ...], tuple[Question, ...]]:
    """The labels (n,) of the points, the pieces with names, places and meshes, and the questions about them."""
    places = [origin_of(number, blob, found, around) for number, blob in enumerate(found.pieces.blobs, start=1)]
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


def origin_of(number: int, blob: Blob, identified: Identified, around: Surroundings) -> Floats:
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
