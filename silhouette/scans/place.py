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
from silhouette.scans.classify import Blob, LabelledPieces
from silhouette.scans.identify import Surroundings, without
from silhouette.scans.keep import ABOUT_MODEL, ABOUT_PIECE, Earlier, EarlierPiece, Question, kind_of
from silhouette.scans.match import Match
from silhouette.scans.meshes import PieceMesh, owners, piece_mesh
from silhouette.scans.models import KnownModel
from silhouette.scans.planes import moved
from silhouette.scans.read import Scan
from silhouette.scans.scale import Scale

# ---- asking

AS_SCANNED, NEITHER = "not sure: keep what was scanned", "none of the known ones"
"""The answers that leave it open which model a scanned piece is, and that say that it is none."""

TERRAIN_ANSWER, FIGURE_ANSWER, LEFT_OUT = "terrain", "a figure", "no part of the game: leave it out"
"""The answers to what an odd thing is."""

KIND_OF: dict[str, Literal["fighter", "terrain"]] = {FIGURE_ANSWER: "fighter", TERRAIN_ANSWER: "terrain"}

UNLIKE = 2.0
"""mm, root mean square: what fits no better than this is none of the known models, and may be no figure at all."""

ONE_PIECE, SEVERAL_PIECES = "one piece", "several that touch"

KINDS_OF_QUESTIONS = (ABOUT_MODEL, "odd", "several")  # first those on which most verdicts hang


def _questions(name: str, blob: Blob) -> list[Question]:
    """What could be asked about a piece, what the scene hangs on most first; of these one at a time is asked.

    What is known beyond doubt is part of the game. Which model a figure is goes before whether it is one, since that
    has the same answers; and whether it is a figure at all before whether it is several.
    """
    match, at = blob.match, blob.at[:2]
    why = f" ({blob.why})" if blob.why else ""

    def about(kind: str, text: str, *answers: str) -> Question:
        return Question(_key(kind, at), text, answers, (name,), at)

    several = []
    if blob.could_be_several:
        several = [about("several", f"{name} may be several that touch{why}: is it one?", ONE_PIECE, SEVERAL_PIECES)]
    if blob.identity is not None:
        return several
    questions = []
    if match is not None and blob.kind == "fighter":
        if match.residual <= UNLIKE:
            text = f"is {name} {match.name}? It fits to {match.residual:.1f} mm, which is not beyond doubt"
            questions.append(about(ABOUT_MODEL, text, AS_SCANNED, match.name, NEITHER, TERRAIN_ANSWER, LEFT_OUT))
        elif blob.on is not None:  # else a figure of somebody whose meshes are not known; this may be a part of terrain
            text = f"{name} looks like a figure and like none of the known ones: what is it?"
            questions.append(about("odd", text, FIGURE_ANSWER, TERRAIN_ANSWER, LEFT_OUT))
    if blob.is_odd:
        text = f"{name} does not look like a part of the game{why}: what is it?"
        likeliest, other = (
            (FIGURE_ANSWER, TERRAIN_ANSWER) if blob.kind == "fighter" else (TERRAIN_ANSWER, FIGURE_ANSWER)
        )
        questions.append(about("odd", text, likeliest, LEFT_OUT, other))
    return questions + several


def _key(kind: str, at: tuple[float, float]) -> str:
    return f"{kind} at {at[0]:.0f},{at[1]:.0f}"


def as_answered(pieces: LabelledPieces, earlier: Earlier) -> LabelledPieces:
    """The pieces as a player has settled what they are; the numbers of those after one that is left out move up."""
    blobs: list[Blob] = []
    left_out: set[int] = set()
    for number, blob in enumerate(pieces.blobs, start=1):
        # Twice, since an answer may lead to another question: what is a figure may be a known one.
        for _ in range(2):
            for question in _questions("", blob):
                answer = earlier.answer(question)
                if answer == LEFT_OUT:
                    left_out.add(number)
                elif answer is not None:
                    blob = _settled(blob, kind_of(question.key), answer)
        blobs.append(blob)
    return without(replace(pieces, blobs=tuple(blobs)), left_out)


def _open_questions(names: Sequence[str], blobs: Sequence[Blob], earlier: Earlier) -> list[Question]:
    """The questions that stay open, one of each piece, first those on which the verdicts on figures hang."""
    questions: list[Question] = []
    for name, blob in zip(names, blobs, strict=True):
        questions += [each for each in _questions(name, blob) if earlier.answer(each) is None][:1]
    return sorted(questions, key=lambda question: KINDS_OF_QUESTIONS.index(kind_of(question.key)))


def _settled(blob: Blob, kind: str, answer: str) -> Blob:
    """A piece with the answer to a question of some kind."""
    match = blob.match
    if answer in KIND_OF:
        return replace(blob, is_odd=False, kind=KIND_OF[answer])
    if answer == ONE_PIECE:
        return replace(blob, could_be_several=False)
    if kind != ABOUT_MODEL or match is None:
        return blob
    if answer == NEITHER:
        return replace(blob, is_odd=False, match=None)
    return replace(blob, is_odd=False, match=replace(match, sure=True) if answer == match.name else match)


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


def account_of(figures: Sequence[KnownModel], matches: Iterable[Match | None], spacing: float, noise: float) -> Account:
    """What became of the figures that were looked for.

    The matches are, for each figure on the table, the one that it looks most like, sure or not; None for one like none.
    ``spacing`` and ``noise`` are those of `Account`.
    """
    standing = [match for match in matches if figures]
    recognised = {
        match.known_model.path for match in standing if match is not None and (match.sure or match.residual <= UNLIKE)
    }
    missing = tuple(Path(figure.path).stem for figure in figures if figure.path not in recognised)
    unknown = sum(match is None or match.known_model.path not in recognised for match in standing)
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
    # flatness, noise, spacing: mm; see `silhouette.scans.level.Levelling`
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
    table_number: int | None = None  # which of several tables it is, from 1, if the user said so

    def on_table(self) -> Floats:
        """(n, 3) float64 mm: the vertices of the scan on the table."""
        return moved(self.to_table, self.scan.vertices)

    def called(self, name: str) -> str:
        """The name of the piece that a person calls so: by its name, or by the known model that it alone is."""
        if any(piece.name == name for piece in self.pieces):
            return name
        fitting = [piece.name for piece in self.pieces if piece.match and _is_called(piece.match, name)]
        return fitting[0] if len(fitting) == 1 else name

    def question_of(self, name: str) -> Question | None:
        """The open question whether a piece is the known model that a person calls so; None where one is it already.

        Of several such pieces it is the one that this model fits best.
        """
        if any(piece.name == name or (piece.match and _is_called(piece.match, name)) for piece in self.pieces):
            return None
        residuals = {piece.name: piece.match.residual for piece in self.pieces if piece.match}
        about = [
            question
            for question in self.questions
            if kind_of(question.key) == ABOUT_MODEL and name.lower() in [each.lower() for each in question.answers[1:2]]
        ]
        return min(about, key=lambda question: residuals.get(question.about[0], 0.0), default=None)


def _is_called(match: Match, name: str) -> bool:
    """Whether a person may mean a piece that is a known model beyond doubt by a name."""
    return match.sure and match.name.lower() == name.lower()


# ---- assembling

ON_TABLE = 2.0  # mm: what stands on the table stands at z = 0, however the scan's noise lifts it
LEAST_GAP = 1.0  # mm2 of a figure that were not seen and are worth a remark: about a pixel of a coarse scan

LIKELY = 1.0
"""mm, root mean square: a model that fits so well has its limbs where the figure has them, which tells its turn."""

NARROW = 12.0  # degrees: where the turn of a model that is not sure is in more doubt than this, the facing is unknown

UNSURE, LEAST_UNSURE = 2.0, 3.0
"""Where the model is not sure, the doubt about the facing is this many times that of the fit, and at least this many
degrees: 32 figures on 40 scans were turned by 1.5 degrees, root mean square, and none by more than 0.6 deviations."""

NUMBERED = re.compile(r"(figure|terrain) \d+")  # the names of pieces that nobody has named


def scanned_pieces(
    unnamed_pieces: LabelledPieces, around: Surroundings, earlier: Earlier, least: float = 0.0
) -> tuple[Integers, tuple[ScannedPiece, ...], tuple[Question, ...]]:
    """The labels (n,) of the points, the pieces with names, places and meshes, and the questions about them.

    Each place and surface is in doubt by ``least`` mm or more.
    """
    placed = [
        replace(blob, at=origin_of(blob, around.points[unnamed_pieces.labels == number]))
        for number, blob in enumerate(unnamed_pieces.blobs, start=1)
    ]
    pieces = as_answered(replace(unnamed_pieces, blobs=tuple(placed)), earlier)
    stands = [blob.at if blob.identity is None else blob.identity.at for blob in pieces.blobs]
    before = [_agreed(piece, blob, earlier) for piece, blob in zip(earlier.matched(stands), pieces.blobs, strict=True)]
    checked = frozenset(str(value) for check in earlier.keys.get("check", ()) for value in check.values())
    names = _names(pieces.blobs, before, checked)
    faces = _faces_by_piece(around.scan, pieces.labels, len(names))
    rough = _roughness(pieces.blobs, around.noise)
    made = [
        _piece(number, names, pieces, before[number - 1], faces[number - 1], around, rough)
        for number in range(1, len(names) + 1)
    ]
    made = [replace(piece, place=max(piece.place, least), surface=max(piece.surface, least)) for piece in made]
    return pieces.labels, tuple(made), tuple(_open_questions(names, pieces.blobs, earlier))


def _roughness(blobs: Sequence[Blob], noise: float) -> float:
    """How far off a scanned surface may lie, mm: by the noise of a flat table, or by how well known models fit.

    Slow errors, and edges that a scan rounds off, do not show on a table: models that fit are off by more.
    """
    return max(
        noise, float(np.median([blob.identity.residual for blob in blobs if blob.identity is not None] or [noise]))
    )


def _faces_by_piece(scan: Scan, labels: Integers, count: int) -> list[Integers]:
    """The faces (m, 3) of each piece; of a cloud its points, (m, 1)."""
    faces = scan.faces if len(scan.faces) else np.flatnonzero(scan.usable).astype(np.int32)[:, None]
    owner = owners(faces, labels) if faces.shape[1] == 3 else labels[faces[:, 0]]
    return [faces[owner == number] for number in range(1, count + 1)]


def origin_of(blob: Blob, own: Floats) -> tuple[float, float, float]:
    """The middle in mm of its base, or of the box round its points (k, 3), and what it stands on."""
    x, y = (own[:, :2].min(axis=0) + own[:, :2].max(axis=0)) / 2.0 if blob.disc is None else blob.disc.centre
    return float(x), float(y), _ground(blob, blob.ground)


def _ground(blob: Blob, z: float) -> float:
    """The height at which a piece stands: that of the table where it stands on that, however the noise lifts it."""
    return 0.0 if blob.on is None and abs(z) < ON_TABLE else float(z)


def _agreed(before: EarlierPiece | None, blob: Blob, earlier: Earlier) -> EarlierPiece | None:
    """The earlier piece as what a player says by now that it is; None where that is another and nobody has named it."""
    if before is None or (before.kind == "terrain") == (blob.kind == "terrain"):
        return before
    at = blob.at[:2]
    answers = [earlier.answer(Question(_key(kind, at), "", (), at=at)) for kind in (ABOUT_PIECE, "odd", ABOUT_MODEL)]
    if [KIND_OF[answer] for answer in answers if answer in KIND_OF][:1] != [blob.kind]:
        return before
    return None if NUMBERED.fullmatch(before.name) else replace(before, kind=blob.kind)


def _names(blobs: Sequence[Blob], before: Sequence[EarlierPiece | None], checked: frozenset[str]) -> list[str]:
    """A unique name for each piece: the one that it had, that of the known model that it is, or a number.

    A number gives way to the name of a model, unless a person has written something of that piece, or checks name it.
    """
    taken = {earlier.name for earlier in before if earlier is not None}
    names: list[str] = []
    for blob, earlier in zip(blobs, before, strict=True):
        stem = "" if blob.identity is None else blob.identity.name
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
    pieces: LabelledPieces,
    before: EarlierPiece | None,
    faces: Integers,
    around: Surroundings,
    rough: float,
) -> ScannedPiece:
    """A piece with its place and mesh; ``rough`` is how far off what was scanned may lie, mm."""
    blob = pieces.blobs[number - 1]
    identity = blob.identity
    is_vehicle = identity is not None and identity.known_model.model.kind == "vehicle"
    kind = cast(PlacedKind, before.kind if before is not None else "vehicle" if is_vehicle else blob.kind)
    is_terrain = kind == "terrain"
    if identity is None:
        at = blob.at
        carries = [other.disc for other in pieces.blobs if other.on == number and other.disc is not None]
        colours, origin = around.scan.colours, np.array(at)
        mesh = piece_mesh(around.points, faces, colours, origin, around.spacing, is_terrain, carries)
    else:
        at, mesh = (*identity.at[:2], _ground(blob, identity.at[2])), None
    given = None if before is None or is_terrain else before.facing
    facing, facing_doubt = _facing(blob.match) if given is None and not is_terrain else (given, None)
    return ScannedPiece(
        name=names[number - 1],
        number=number,
        kind=kind,
        at=at,
        turn=0.0 if identity is None else identity.turn,
        facing=facing,
        facing_is_given=given is not None,
        on=None if blob.on is None else names[blob.on - 1],
        disc=blob.disc,
        match=blob.match,
        mesh=mesh,
        outline=hull_outline(around.points[pieces.labels == number, :2]),
        triangles=len(faces),
        could_be_several=blob.could_be_several,
        place=rough if identity is None else identity.place,
        facing_doubt=facing_doubt,
        surface=rough if identity is None else identity.residual,
    )


def _facing(match: Match | None) -> tuple[float | None, float | None]:
    """Where a figure looks, and the standard deviation of that in degrees; None where that is unknown.

    It looks where the model does that it is; or that fits well, if not beyond doubt: then limbs lie on limbs.
    """
    if match is None or not (match.has_front if match.sure else match.residual <= LIKELY and match.facing <= NARROW):
        return None, None
    doubt = match.facing if match.sure else max(UNSURE * match.facing, LEAST_UNSURE)
    return match.turn + match.known_model.model.front, doubt


def remarks(pieces: Sequence[ScannedPiece], has_figures: bool = False) -> Iterator[str]:
    """A sentence for each thing about the pieces that a player should know: holes, and what is estimated.

    Where it ``has_figures`` meshes of figures were given, which is then no advice.
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
