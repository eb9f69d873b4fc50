"""SCAN: a file becomes a scanned table: the whole way, step by step.

file -> Scan -> Level -> Scale -> points in mm -> Pieces -> Matches -> ScannedTable
        read    plane    units    on the table    tell apart  known models
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from silhouette.common.errors import FileError, OutOfTime, time_limit
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.files.cache import Cache
from silhouette.scans.classify import KnownFigure, Pieces, find_pieces, known_figures
from silhouette.scans.identify import Identified, Surroundings, identify, without
from silhouette.scans.keep import SCALE, Earlier, Question
from silhouette.scans.level import Level, as_answered, level, level_of_table
from silhouette.scans.match import FEWEST_POINTS, point_spacing
from silhouette.scans.models import Known, known_models
from silhouette.scans.place import Account, ScannedPiece, ScannedTable, account_of, remarks, scanned_pieces
from silhouette.scans.read import Scan, read_scan, step_of, welded
from silhouette.scans.scale import Scale, Wanted, edges_over_table, levelled, scale_of
from silhouette.scans.segment import Prominence, about_bases, prominences, refuse_spikes, relief_of, second_shell
from silhouette.scans.surface import PlacedScan
from silhouette.scans.votes import StandingModel

Step = Callable[[int, int], None]

FINE_STEP = 0.1
"""mm: how far apart the numbers of a scan may be before that is worth a word; scans are rougher than a third of it."""

SECONDS, SECONDS_EACH = 20.0, 2e-4
"""Of CPU time: so long may it take to tell pieces apart, and for each point besides; tables take a sixth of it."""

STEPS = 6  # reading, levelling, known models, scale, pieces, meshes; each piece that is compared is a step as well


@dataclass(frozen=True)
class ScanRequest:
    """What a person asks for."""

    file: Path  # the scan
    figures: tuple[Path, ...] = ()  # meshes, model files or folders of them to look for
    terrain: tuple[Path, ...] = ()  # the same for terrain
    wanted: Wanted = field(default_factory=Wanted)  # what is known of the scale
    terrain_only: bool = False  # whether figures are left out; those to look for tell only what is none of the terrain
    table: int | None = None  # which of several tables, from 1, that with most on it; None where nobody says


def scan_table(
    request: ScanRequest, cache: Cache, earlier: Earlier | None = None, step: Step = lambda done, total: None
) -> ScannedTable:
    """What stands on a scanned table.

    Args:
        request: the file, and what to look for.
        cache: keeps meshes that are read.
        earlier: names and answers of an earlier run.
        step: called with the steps that are done and their number.

    Raises:
        FileError: where the scan cannot be read, or which way is up cannot be told, or its pieces not in any time.
    """
    return recognised(request, cache, earlier, step).table(earlier)


@dataclass(frozen=True, eq=False)
class Recognised:
    """A scan in which all is told apart and compared: what players say of single pieces changes nothing of it."""

    request: ScanRequest
    scan: Scan  # as it is stored
    joined: Integers  # (n,) for each of its vertices the one of ``around`` that stands for it
    lie: Level
    scale: Scale
    to_table: Floats  # (4, 4) from the file's coordinates to the table's
    around: Surroundings
    identified: Identified
    figures: tuple[Known, ...]  # those that were looked for
    unread: tuple[str, ...]  # what is to be said of those that could not be read

    def settles(self, question: Question) -> bool:
        """Whether an answer to a question needs no other reading of the scan: so it is for all on single pieces."""
        return question.at is not None

    def table(self, earlier: Earlier | None = None) -> ScannedTable:
        """The table, with what a player has said of its pieces; in a moment, as nothing is compared again."""
        before = (earlier or Earlier()).for_scan(self.request.file.name)
        earlier = before.at_scale(self.scale.mm)
        lie, scale, around = self.lie, self.scale, self.around
        labels, pieces, questions = scanned_pieces(self.identified, around, earlier)
        coarse, least = _step_doubt(around.scan, scale.mm)
        pieces = tuple(
            replace(piece, place=max(piece.place, least), surface=max(piece.surface, least)) for piece in pieces
        )
        account = Account() if self.request.terrain_only else self._account(labels, pieces)
        return ScannedTable(
            scan=self.scan,
            scale=scale,
            to_table=self.to_table,
            size=_size(lie, scale.mm),
            tilt=lie.tilt,
            flatness=lie.flatness * scale.mm,
            noise=around.noise,
            spacing=around.spacing,
            labels=labels[self.joined],
            pieces=pieces,
            questions=(*_of_the_whole(lie, scale, earlier), *questions),
            warnings=(
                *_other_scan(self.request, before),
                *account.warnings(),
                *_shells(around.points, labels, _size(lie, scale.mm)),
                *around.scan.warnings,
                *coarse,
                *scale.warnings,
                *self.unread,
                *remarks(pieces, bool(self.figures)),
            ),
            earlier=earlier,
            figures=tuple(map(str, self.request.figures)),
            terrain=tuple(map(str, self.request.terrain)),
            account=account,
        )

    def _account(self, labels: Integers, pieces: Sequence[ScannedPiece]) -> Account:
        """What became of the figures that were looked for."""
        points = self.around.points[labels > 0]
        spacing = point_spacing(points) if len(points) >= FEWEST_POINTS else self.around.spacing
        matches = [piece.match for piece in pieces if piece.kind != "terrain"]
        return account_of(self.figures, matches, spacing, self.around.noise)


def recognised(
    request: ScanRequest, cache: Cache, earlier: Earlier | None = None, step: Step = lambda done, total: None
) -> Recognised:
    """A scan in which all is told apart and compared; arguments and errors are those of `scan_table`."""
    earlier = (earlier or Earlier()).for_scan(request.file.name)
    step(0, STEPS)
    stored = read_scan(request.file)
    scan, joined = welded(stored)
    step(1, STEPS)
    lie = _levelled(scan, earlier, request.table)
    edges = edges_over_table(scan, lie)
    refuse_spikes(np.nan_to_num(levelled(scan, lie)), edges, 3 * lie.noise + lie.spacing)
    step(2, STEPS)
    figures = known_models([str(path) for path in request.figures], "fighter", cache)
    terrain = known_models([str(path) for path in request.terrain], "terrain", cache)
    step(3, STEPS)
    standing = _Standing(scan, lie, figures.models)
    with _limited(request, len(scan.vertices)):
        scale = scale_of(scan, lie, _wanted(request, earlier), [*figures.models, *terrain.models], edges, standing.fits)
        upright = standing.at(scale.mm)
    step(4, STEPS)
    around = upright.around
    with _limited(request, len(scan.vertices)):
        pieces = _pieces(upright, lie, _size(lie, scale.mm))
    to_table = np.diag([scale.mm, scale.mm, scale.mm, 1.0]) @ lie.to_level
    total = STEPS + len(pieces.blobs)
    done = iter(range(5, total))
    step(next(done), total)
    identified = identify(pieces, around, figures.models, terrain.models, lambda: step(next(done), total))
    if request.terrain_only:
        blobs, matches = identified.pieces.blobs, identified.matches
        standing_ones = [number for number, blob in enumerate(blobs, start=1) if blob.kind == "fighter"]
        identified = without(identified.pieces, matches, standing_ones)
    unread = (*figures.warnings, *terrain.warnings)
    return Recognised(request, stored, joined, lie, scale, to_table, around, identified, figures.models, unread)


def _size(lie: Level, mm: float) -> tuple[float, float] | None:
    """The edges of the table in mm; None without one."""
    return None if lie.size is None else (lie.size[0] * mm, lie.size[1] * mm)


def _pieces(upright: _Upright, lie: Level, size: tuple[float, float] | None) -> Pieces:
    """The pieces, told apart."""
    around, scan = upright.around, upright.around.scan
    points = np.where(scan.usable[:, None], around.points, 0.0)
    placed = PlacedScan(points, scan.faces, scan.usable, lie.on_table, around.noise, around.spacing, size, scan.colours)
    return find_pieces(placed, upright.figures, upright.unknown, upright.about_bases)


@contextmanager
def _limited(request: ScanRequest, count: int) -> Iterator[None]:
    """Limits the CPU time of a step on so many points.

    Raises:
        FileError: where it takes longer than a scan can need.
    """
    most = SECONDS + SECONDS_EACH * count
    try:
        with time_limit(most):
            yield
    except OutOfTime:
        raise FileError(
            request.file,
            f"to tell its pieces apart takes more than {most:.0f} s of CPU time: a scan is a surface, and its points "
            "fill a space, or it is far too jagged; smooth it, or remove what is no part of the table",
        ) from None


@dataclass(eq=False)
class _Standing:
    """What stands upright on a scan, at any scale that is tried."""

    scan: Scan
    lie: Level
    figures: Sequence[Known]  # those to look for; vehicles among them do not stand upright
    at_scale: dict[float, _Upright] = field(default_factory=dict)

    def at(self, mm: float) -> _Upright:
        """What stands there where a unit of the file is some mm; worked out once."""
        if mm not in self.at_scale:
            lie = self.lie
            points = _placed(self.scan, np.diag([mm, mm, mm, 1.0]) @ lie.to_level)
            around = Surroundings(self.scan, points, lie.noise * mm, lie.spacing * mm)
            self.at_scale[mm] = self._upright(around, mm)
        return self.at_scale[mm]

    def _upright(self, around: Surroundings, mm: float) -> _Upright:
        scan, points = self.scan, around.points
        fighters = [figure for figure in self.figures if figure.model.kind == "fighter"]
        relief = relief_of(points, scan.faces, scan.usable, around.spacing, _size(self.lie, mm))
        if relief is None:
            return _Upright(around, [], None, [])
        rising = prominences(relief)
        figures = known_figures(rising, relief, points, around.normals, scan.usable, fighters, around.noise)
        bases = [(np.array(figure.disc.centre), figure.disc.diameter / 2.0) for figure in figures]
        unknown = [
            thing for thing in rising if all(np.hypot(*(thing.middle - middle)) > radius for middle, radius in bases)
        ]
        return _Upright(around, figures, about_bases(relief, points, bases), unknown)

    def fits(self, mm: float) -> list[StandingModel]:
        """The known figures that stand there at a scale, as their scale is measured."""
        upright = self.at(mm)
        return [
            StandingModel(
                figure.match.known,
                upright.around.points[figure.points] - [*figure.match.at[:2], figure.disc.ground],
                np.radians(figure.match.turn),
                figure.match.sure,
            )
            for figure in upright.figures
        ]


@dataclass(frozen=True, eq=False)
class _Upright:
    """What stands upright at a scale: the points, the known figures, and where bases may be (None: anywhere)."""

    around: Surroundings
    figures: list[KnownFigure]
    about_bases: Flags | None
    unknown: list[Prominence]  # what stands upright and is no known figure


def _step_doubt(scan: Scan, mm: float) -> tuple[list[str], float]:
    """A sentence if the numbers of a scan are far apart, and the mm that everything may be off for that at least."""
    step = step_of(scan.vertices[scan.usable]) * mm
    if step < FINE_STEP:
        return [], 0.0
    sentence = (
        f"its numbers are {step:.2g} mm apart, as it is stored, and finer things are lost; export it with its origin "
        "near the table, or with more decimals"
    )
    return [sentence], math.ceil(100.0 * step / 3.0) / 100.0


def _shells(points: Floats, labels: Integers, size: tuple[float, float] | None) -> list[str]:
    """A sentence where the table is there twice."""
    apart = second_shell(points, labels, size)
    if apart is None:
        return []
    return [f"the table is there twice, {apart:.0f} mm apart: the way round it did not close; scan it in one go"]


def _of_the_whole(lie: Level, scale: Scale, earlier: Earlier) -> list[Question]:
    """The questions about the whole scan that no answer has settled."""
    asked = [question for question in lie.questions if earlier.answer(question) is None]
    # An answer that does not settle the scale, such as "another size", leaves the question open.
    return asked if scale.question is None else [*asked, scale.question]


def _levelled(scan: Scan, earlier: Earlier, table: int | None) -> Level:
    """How the scan lies, with what a player has answered; on the table of a number where one is given."""
    lie = level(scan) if table is None else level_of_table(scan, table)
    answers = {question.key: answer for question in lie.questions if (answer := earlier.answer(question)) is not None}
    return as_answered(lie, scan, answers)


def _placed(scan: Scan, to_table: Floats) -> Floats:
    """The vertices (n, 3) on the table, mm; at the origin those that are no numbers, which libraries do not take."""
    points: Floats = scan.vertices @ to_table[:3, :3].T + to_table[:3, 3]
    points[~np.isfinite(points).all(axis=1)] = 0.0
    return points


def _wanted(request: ScanRequest, earlier: Earlier) -> Wanted:
    """What is known of the scale, with the answer of a player."""
    answered = earlier.asked.get(SCALE)
    return request.wanted if answered is None else replace(request.wanted, answer=str(answered["answer"]))


def _other_scan(request: ScanRequest, earlier: Earlier) -> tuple[str, ...]:
    """The warning, if any, that names and answers were written for another scan."""
    if earlier.scan in ("", request.file.name):
        return ()
    return (
        f"names and answers in this folder were written for {earlier.scan}; they are kept where pieces stand alike",
    )
