"""SCAN: a file becomes a scanned table: the whole way, step by step.

file -> Scan -> Levelling -> Scale -> points in mm -> LabelledPieces -> Matches -> ScannedTable
        read    plane        units    on the table    tell apart        known models
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import FileError, OutOfTime, time_limit
from silhouette.common.geometry import Integers
from silhouette.common.installation import VERSION
from silhouette.files.cache import Arrays, Cache
from silhouette.files.fingerprints import Fingerprints
from silhouette.scans.bases import Disc
from silhouette.scans.classify import Blob, LabelledPieces
from silhouette.scans.corrections import corrected
from silhouette.scans.identify import Surroundings, identify, without
from silhouette.scans.keep import SCALE, Earlier, Question, kind_of
from silhouette.scans.level import Levelling, as_answered, level, level_of_table
from silhouette.scans.match import FEWEST_POINTS, Match, point_spacing
from silhouette.scans.models import KnownModel, known_models
from silhouette.scans.place import Account, ScannedPiece, ScannedTable, account_of, remarks, scanned_pieces
from silhouette.scans.read import Scan, read_scan, step_of, welded
from silhouette.scans.scale import Scale, SizeHints, edges_over_table, levelled, scale_of
from silhouette.scans.segment import refuse_spikes, second_shell

Step = Callable[[int, int], None]

MOST_STORED_STEP = 0.1
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
    size_hints: SizeHints = field(default_factory=SizeHints)  # what is known of the scale
    terrain_only: bool = False  # whether figures are left out; those to look for tell only what is none of the terrain
    table: int | None = None  # which of several tables, from 1, that with most on it; None where nobody says


def scan_table(
    request: ScanRequest, cache: Cache, earlier: Earlier | None = None, step: Step = lambda done, total: None
) -> ScannedTable:
    """What stands on a scanned table, with the names and answers of an earlier run.

    ``step`` is called with the steps that are done and their number.

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
    lie: Levelling
    scale: Scale
    around: Surroundings
    pieces: LabelledPieces
    figures: tuple[KnownModel, ...]  # those that were looked for
    unread: tuple[str, ...]  # what is to be said of those that could not be read

    def settles(self, question: Question) -> bool:
        """Whether an answer to a question needs no other reading of the scan: so it is for all on single pieces."""
        return question.at is not None

    def table(self, earlier: Earlier | None = None) -> ScannedTable:
        """The table, with what a player has said of its pieces; in a moment, as nothing is compared again."""
        before = (earlier or Earlier()).for_scan(self.request.file.name)
        earlier = before.at_scale(self.scale.mm)
        request, lie, scale, around = self.request, self.lie, self.scale, self.around
        coarse, least = _step_doubt(around.scan, scale.mm)
        told_apart = corrected(self.pieces, around, self.figures, earlier)
        labels, pieces, questions = scanned_pieces(told_apart, around, earlier, least)
        account = Account() if request.terrain_only else self._account(labels, pieces)
        return ScannedTable(
            scan=self.scan,
            scale=scale,
            to_table=np.diag([scale.mm, scale.mm, scale.mm, 1.0]) @ lie.to_level,
            size=around.size,
            tilt=lie.tilt,
            flatness=lie.flatness * scale.mm,
            noise=around.noise,
            spacing=around.spacing,
            labels=labels[self.joined],
            pieces=pieces,
            questions=(*_of_the_whole(lie, scale, earlier), *questions),
            warnings=(
                *_other_scan(request, before),
                *account.warnings(),
                *_shells(around, labels),
                *around.scan.warnings,
                *coarse,
                *scale.warnings,
                *self.unread,
                *remarks(pieces, bool(self.figures)),
            ),
            earlier=earlier,
            figures=tuple(map(str, request.figures)),
            terrain=tuple(map(str, request.terrain)),
            account=account,
            bases=self.pieces.bases,
            terrain_only=request.terrain_only,
            table_number=request.table,
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
    figures = known_models([str(path) for path in request.figures], "fighter", cache)
    terrain = known_models([str(path) for path in request.terrain], "terrain", cache)
    step(2, STEPS)
    models = (*figures.models, *terrain.models)
    # What is answered of single pieces is no part of the key: it changes nothing of what is recognised.
    settled = sorted(
        (key, str(entry["answer"])) for key, entry in earlier.answers_by_key.items() if kind_of(key) == key
    )
    sizes = _size_given(request, earlier)
    request_key = (request.terrain_only, request.table, sizes, len(figures.models), settled)
    fingerprints = [Fingerprints().of(Path(model.path)) for model in models]
    key = f"scan {VERSION} {recognition_version()} {digest_of(stored)} {request_key} {fingerprints}"

    def worked_out() -> Arrays:
        lie = _levelled(scan, earlier, request.table)
        return packed((lie, *_recognised(request, scan, lie, sizes, figures.models, terrain.models, step)), models)

    lie, scale, pieces = unpacked(cache.fetch(key, worked_out), models)
    around = Surroundings.at_scale(scan, lie, scale.mm, figures.models)
    unread = (*figures.warnings, *terrain.warnings)
    return Recognised(request, stored, joined, lie, scale, around, pieces, figures.models, unread)


def _recognised(
    request: ScanRequest,
    scan: Scan,
    lie: Levelling,
    sizes: SizeHints,
    figures: Sequence[KnownModel],
    terrain: Sequence[KnownModel],
    step: Step,
) -> tuple[Scale, LabelledPieces]:
    """How large a scan (welded) is, and what stands there."""
    edges = edges_over_table(scan, lie)
    refuse_spikes(np.nan_to_num(levelled(scan, lie)), edges, 3 * lie.noise + lie.spacing)
    step(3, STEPS)
    at_scale = functools.cache(lambda mm: Surroundings.at_scale(scan, lie, mm, figures))
    with _limited(request, len(scan.vertices)):
        scale = scale_of(scan, lie, sizes, (*figures, *terrain), edges, at_scale)
    around = at_scale(scale.mm)
    step(4, STEPS)
    with _limited(request, len(scan.vertices)):
        pieces = around.pieces(lie.on_table)
    total = STEPS + len(pieces.blobs)
    done = iter(range(5, total))
    step(next(done), total)
    pieces = identify(pieces, around, figures, terrain, lambda: step(next(done), total))
    if request.terrain_only:
        pieces = without(pieces, [k for k, blob in enumerate(pieces.blobs, start=1) if blob.kind == "fighter"])
    return scale, pieces


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


def _step_doubt(scan: Scan, mm: float) -> tuple[list[str], float]:
    """A sentence if the numbers of a scan are far apart, and the mm that everything may be off for that at least."""
    step = step_of(scan.vertices[scan.usable]) * mm
    if step < MOST_STORED_STEP:
        return [], 0.0
    sentence = (
        f"its numbers are {step:.2g} mm apart, as it is stored, and finer things are lost; export it with its origin "
        "near the table, or with more decimals"
    )
    return [sentence], math.ceil(100.0 * step / 3.0) / 100.0


def _shells(around: Surroundings, labels: Integers) -> list[str]:
    """A sentence where the table is there twice."""
    apart = second_shell(around.points, labels, around.size)
    if apart is None:
        return []
    return [f"the table is there twice, {apart:.0f} mm apart: the way round it did not close; scan it in one go"]


def _of_the_whole(lie: Levelling, scale: Scale, earlier: Earlier) -> list[Question]:
    """The questions about the whole scan that no answer has settled."""
    questions = [question for question in lie.questions if earlier.answer(question) is None]
    # An answer that does not settle the scale, such as "another size", leaves the question open.
    return questions if scale.question is None else [*questions, scale.question]


def _levelled(scan: Scan, earlier: Earlier, table: int | None) -> Levelling:
    """How the scan lies, with what a player has answered; on the table of a number where one is given."""
    lie = level(scan) if table is None else level_of_table(scan, table)
    answers = {question.key: answer for question in lie.questions if (answer := earlier.answer(question)) is not None}
    return as_answered(lie, scan, answers)


def _size_given(request: ScanRequest, earlier: Earlier) -> SizeHints:
    """What is known of the scale, with the answer of a player."""
    answered = earlier.answers_by_key.get(SCALE)
    return request.size_hints if answered is None else replace(request.size_hints, answer=str(answered["answer"]))


def _other_scan(request: ScanRequest, earlier: Earlier) -> tuple[str, ...]:
    """The warning, if any, that names and answers were written for another scan."""
    if earlier.scan in ("", request.file.name):
        return ()
    return (
        f"names and answers in this folder were written for {earlier.scan}; they are kept where pieces stand alike",
    )


# ---- keeping what was recognised
#
# Named arrays for the cache folder, and back from them. Values are dataclasses of `PACKABLE`, arrays, and what JSON
# has; a known model is written as its number among those that were looked for. A text says how they lie in each other.

PACKABLE: dict[str, type] = {
    kind.__name__: kind for kind in (Blob, Disc, Levelling, Match, LabelledPieces, Question, Scale)
}
"""What can be packed, besides arrays, tuples and plain values, by the names under which it is written."""

STRUCTURE = "structure"  # the array that has the text


@functools.cache
def recognition_version() -> str:
    """A text that is another one whenever how scans are read changes: what was packed before then counts no longer."""
    hashed = hashlib.blake2b(digest_size=16)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        hashed.update(file.read_bytes())
    return hashed.hexdigest()


def digest_of(scan: Scan) -> str:
    """A text that is the same for two scans of the same content, wherever they lie."""
    hashed = hashlib.blake2b(repr((scan.format, scan.up, scan.units)).encode(), digest_size=16)
    for array in (scan.vertices, scan.faces, scan.colours, scan.normals, scan.usable):
        hashed.update(b"none" if array is None else repr((array.shape, array.dtype.str)).encode())
        if array is not None:
            hashed.update(np.ascontiguousarray(array).data)
    return hashed.hexdigest()


def packed(value: Any, models: Sequence[KnownModel]) -> Arrays:
    """A value as arrays; ``models`` are those that it may name.

    >>> arrays = packed((Disc((1.0, 2.0), 0.0, 3.0, 25.0, 0.1, 0.9), np.arange(2), None), ())
    >>> disc, numbers, nothing = unpacked(arrays, ())
    >>> disc.diameter, numbers.tolist(), nothing
    (25.0, [0, 1], None)
    """
    arrays: Arrays = {}
    numbers = {id(model): number for number, model in enumerate(models)}

    def written(item: Any) -> Any:
        if isinstance(item, KnownModel):
            return {"model": numbers[id(item)]}
        if isinstance(item, np.ndarray):
            name = f"array {len(arrays)}"
            arrays[name] = item
            return {"array": name}
        if is_dataclass(item):
            parts = {each.name: written(getattr(item, each.name)) for each in fields(item)}
            return {"class": type(item).__name__, "fields": parts}
        if isinstance(item, tuple | list):
            return [written(each) for each in item]
        return item.item() if isinstance(item, np.generic) else item

    text = json.dumps(written(value)).encode()
    return {STRUCTURE: np.frombuffer(text, np.uint8), **arrays}


def unpacked(arrays: Arrays, models: Sequence[KnownModel]) -> Any:
    """The value that was packed, with tuples where it had lists; the models are those of then, in the same order."""

    def read(item: Any) -> Any:
        match item:
            case list():
                return tuple(map(read, item))
            case {"model": number}:
                return models[number]
            case {"array": name}:
                return arrays[name]
            case {"class": name, "fields": parts}:
                return PACKABLE[name](**{key: read(part) for key, part in parts.items()})
        return item

    return read(json.loads(arrays[STRUCTURE].tobytes()))
