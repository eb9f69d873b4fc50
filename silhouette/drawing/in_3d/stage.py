"""DRAW: the 3D stage of a page, for every rule system: shapes, pieces in their places, and the sights of checks.

A shape becomes a short text, which ``viewer/source/packing.js`` unpacks. In it coordinates are 16-bit steps of the
shape's box, each written as its difference from the one before; 24-bit steps, as fine as the float32 of a mesh file,
where the page judges by it: in the rounding of 16 bits a narrow slit, or an edge that only touches, is lost. Vertices
stand in the order in which faces use them first, so that an index is written as its distance below the next unused one.
Bytes of one weight stand together; the whole is compressed with gzip and written in base 64. If a shape has colours,
they follow: a red, a green and a blue for each face that counts, of six bits each, as differences from the face before.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import INCH, Floats, Pose
from silhouette.drawing.in_3d.shapes import MAX_DISPLAY_TRIANGLES, MAX_PAGE_TRIANGLES, DisplayShape
from silhouette.files.cache import Cache
from silhouette.models.model import Model
from silhouette.renderers.views import VisionArc
from silhouette.rules.base import MeasuredVerdict, Verdict
from silhouette.scenes.table import Piece, TableScene

# ---- shapes, packed

SHOWN_BYTES, EXACT_BYTES = 2, 3  # bytes of a coordinate, for display and for a shape that is judged in the page
COMPRESSION_LEVEL = 6  # of the compression: the highest one saves another three thousandths, and takes thrice as long
EXACT_DIGITS = 9  # decimals of the box of a shape that is judged in the page, mm
COLOUR_STEPS = 63  # of red, green and blue: on a lit surface no finer ones are told apart, and they would not pack


def packed(shapes: Sequence[DisplayShape]) -> tuple[list[dict[str, Any]], str]:
    """An entry for each shape, ready for JSON, and the text that holds all of them.

    >>> square = DisplayShape(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0]]), np.array([[0, 1, 2]]))
    >>> entries, text = packed([square, square])
    >>> entries[1]["at"], entries[0]["vertices"], entries[0]["faces"], entries[0]["width"]
    (24, 3, 1, 2)
    >>> len(gzip.decompress(__import__("base64").b64decode(text)))
    48
    """
    entries, chunks = _laid_out(shapes)
    return entries, _compressed(b"".join(chunks))


def packed_apart(shapes: Sequence[DisplayShape]) -> tuple[list[dict[str, Any]], list[str]]:
    """As `packed`, but with a text for each shape, so that pages can share them; the viewer takes them one after the
    other.

    >>> square = DisplayShape(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0]]), np.array([[0, 1, 2]]))
    >>> entries, texts = packed_apart([square, square])
    >>> entries[1]["at"], texts[0] == texts[1], packed_apart([])
    (24, True, ([], []))
    """
    entries, chunks = _laid_out(shapes)
    return entries, [_compressed(chunk) for chunk in chunks]


def _compressed(chunk: bytes) -> str:
    return b64encode(gzip.compress(chunk, COMPRESSION_LEVEL, mtime=0)).decode("ascii")


def _laid_out(shapes: Sequence[DisplayShape]) -> tuple[list[dict[str, Any]], list[bytes]]:
    """An entry for each shape, and its bytes, which lie one after the other."""
    entries, chunks, at = list[dict[str, Any]](), list[bytes](), 0
    for shape in shapes:
        vertices, faces = _ordered(shape)
        places = SHOWN_BYTES if shape.hull is None else EXACT_BYTES
        quanta = 256**places - 1
        low = vertices.min(axis=0) if len(vertices) else np.zeros(3)
        high = vertices.max(axis=0) if len(vertices) else np.zeros(3)
        width = 2 if len(vertices) < 256**2 else 4
        steps = np.rint((vertices - low) / np.where(high > low, high - low, 1.0) * quanta).astype(np.int64)
        chunk = b"".join(_planes(np.diff(steps[:, axis], prepend=0) % (quanta + 1), places) for axis in range(3))
        unused = np.maximum.accumulate(np.concatenate([[-1], faces.ravel()]))[:-1] + 1
        chunk += _planes(unused - faces.ravel(), width)
        more = dict[str, Any]()
        if shape.colours is not None:
            chunk += _colours(shape.colours)
            more["coloured"] = True
        digits = 4
        if shape.hull is not None:
            digits = EXACT_DIGITS
            more |= {"places": places, "moved": float(np.linalg.norm(high - low)) / quanta, "hull": shape.hull.tolist()}
        entries.append(
            {
                "at": at,
                "vertices": len(vertices),
                "faces": len(faces),
                "ghosts": shape.ghosts,
                "flat": shape.flat,
                "width": width,
                "low": [round(float(value), digits) for value in low],
                "high": [round(float(value), digits) for value in high],
                **more,
            }
        )
        chunks.append(chunk)
        at += len(chunk)
    return entries, chunks


def _ordered(shape: DisplayShape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices in the order in which faces use them, without those that none uses; and the faces."""
    flat = shape.faces.ravel()
    used, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return shape.vertices[used[order]], rank[inverse.ravel()].reshape(-1, 3)


def _colours(colours: NDArray[np.uint8]) -> bytes:
    steps = np.rint(colours.astype(np.float64) / 255.0 * COLOUR_STEPS).astype(np.int64)
    return b"".join(_planes(np.diff(steps[:, channel], prepend=0) % 256, 1) for channel in range(3))


def _planes(values: NDArray[np.int64], width: int) -> bytes:
    return b"".join(((values >> 8 * place) & 0xFF).astype(np.uint8).tobytes() for place in range(width))


Packing = Callable[[Sequence[DisplayShape]], tuple[list[dict[str, Any]], Any]]
"""`packed`, or one like it: the entries of shapes, and what the viewer unpacks them from."""

# ---- the stage

LineKind = Literal["sight", "free", "blocked", "arc"]
LINES_OF_GRID = 40  # the most lines on the floor, in one direction
GRID_STEPS = (1.0, 25.4, 50.8, 127.0, 254.0, 508.0, 1270.0)  # a cell or hex, or whole inches


@dataclass(frozen=True, eq=False)
class StageItem:
    """A piece on the stage: the number of its shape, ``#rrggbb`` or None by kind; ``listed`` if it can be hidden."""

    name: str
    kind: str
    shape: int
    pose: Pose
    colour: str | None = None
    opacity: float = 1.0
    listed: bool = True


@dataclass(frozen=True)
class StageLine:
    """A line that a check rests on, through points (x, y, z)."""

    kind: LineKind
    points: Sequence[Any]


@dataclass(frozen=True, eq=False)
class StageCheck:
    """A check on the stage."""

    check: int  # its number in the page, from 0
    # attacker, target: the numbers of their items; None where there is none
    attacker: int | None
    target: int | None
    # blockers, aside: the numbers of the items in the way, and of those that are disregarded
    blockers: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    eye: Floats | None = None  # (3,) the point from which the attacker looks; None where the rules know no eye
    measured: bool = False  # whether the target is coloured by the items before it, seen from the eye
    free: bool = True  # whether the target is seen, where it is not measured
    apex: Floats | None = None  # (2,) the point where the vision arcs begin; None where the attacker looks all round
    # The right and left edges of the vision arcs, (4,) each; None where the attacker looks all round
    arcs: tuple[tuple[float, ...], ...] | None = None
    lines: tuple[StageLine, ...] = ()


@dataclass(frozen=True, eq=False)
class Stage:
    """The 3D picture of one scene: shapes, items, sights of the checks that have something to show, remarks on this
    picture, the height of the table, or None, and the least distance between two lines on the floor.
    """

    shapes: tuple[DisplayShape, ...]
    items: tuple[StageItem, ...]
    sights: tuple[StageCheck, ...]
    remarks: tuple[str, ...]
    floor: float | None = 0.0
    unit: float = 1.0

    @property
    def triangles(self) -> int:
        """The number of triangles of all shapes, each counted once."""
        return sum(len(shape.faces) for shape in self.shapes)

    def document(
        self, words: Mapping[str, Any], about: Sequence[Mapping[str, str]], packing: Packing = packed
    ) -> dict[str, Any]:
        """Everything for the viewer, ready for JSON, with its phrases and the values put into them."""
        shapes, meshes = packing(self.shapes)
        return {
            "words": dict(words),
            "shapes": shapes,
            "packed": meshes,
            "pieces": [_item(item) for item in self.items],
            "views": [{**about[sight.check], **sight_entry(sight)} for sight in self.sights],
            "floor": self._floor(),
        }

    def _floor(self) -> dict[str, Any] | None:
        if self.floor is None:
            return None
        points = [
            item.pose.place(np.array([shape.vertices.min(axis=0), shape.vertices.max(axis=0)]))[:, :2]
            for item in self.items
            if len((shape := self.shapes[item.shape]).vertices)
        ]
        low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
        room = 0.12 * float((high - low).max())
        across = float((high - low).max()) + 2 * room
        steps = [step for step in GRID_STEPS if step >= self.unit] or [self.unit]
        step = next((step for step in steps if across / step <= LINES_OF_GRID), steps[-1])
        step = max(step, across / (4 * LINES_OF_GRID))
        left, front = np.floor((low - room) / step) * step
        right, back = np.ceil((high + room) / step) * step
        span = [[_short(left), _short(front)], [_short(right), _short(back)]]
        return {"height": _short(self.floor), "step": _short(step), "span": span}


def _item(item: StageItem) -> dict[str, Any]:
    matrix = np.column_stack([item.pose.rotation, item.pose.translation])
    entry: dict[str, Any] = {
        "name": item.name,
        "kind": item.kind,
        "shape": item.shape,
        "pose": [round(float(value), 6) for value in matrix.ravel()],
    }
    if item.colour is not None:
        entry["colour"] = item.colour
    if item.opacity < 1.0:
        entry["opacity"] = item.opacity
    return entry


def sight_entry(sight: StageCheck) -> dict[str, Any]:
    """A sight for the viewer, ready for JSON."""
    entry: dict[str, Any] = {
        "attacker": sight.attacker,
        "target": sight.target,
        "blockers": list(sight.blockers),
        "aside": list(sight.aside),
        "eye": None if sight.eye is None else [_short(value) for value in sight.eye],
        "measured": sight.measured,
        "free": sight.free,
        "lines": [
            {"kind": line.kind, "points": [[_short(value) for value in point] for point in line.points]}
            for line in sight.lines
        ],
    }
    if sight.apex is not None and sight.arcs is not None:
        entry["apex"] = [_short(value) for value in sight.apex]
        entry["arcs"] = [[round(value, 9) for value in arc] for arc in sight.arcs]
    return entry


def _short(value: float) -> float:
    return round(float(value), 4) + 0.0


ARC_LENGTH = 0.4  # the length of the edges of a vision arc, as a share of the size of the table


def stage_of_table(scene: TableScene, verdicts: Sequence[Verdict], cache: Cache) -> Stage:
    """The stage of a table scene, with verdicts in the order of the page, and measured ones with their observations."""
    models, most = models_of(scene)
    shapes = tuple(DisplayShape.of(model, cache, most) for model in models)
    number = {id(model): index for index, model in enumerate(models)}
    items = tuple(StageItem(piece.name, piece.kind, number[id(piece.model)], piece.pose) for piece in scene.pieces)
    sights = [sight_of(scene, number, verdict) for number, verdict in enumerate(verdicts)]
    total = sum(len(model.mesh.faces) for model in models)
    simplified = sum(len(shape.faces) for shape in shapes)
    sentence = (
        f"For display the meshes are simplified from {_thousands(total)} to {_thousands(simplified)} triangles. "
        "No verdict rests on the simplified ones: what is judged is always the whole mesh."
        if simplified < total
        else "The meshes are shown as they were judged, but for the rounding of their coordinates."
    )
    floor = min((float(piece.whole_box[:, 2].min()) for piece in scene.pieces), default=0.0)
    drawn = tuple(sight for sight in sights if sight is not None)
    return Stage(shapes, items, drawn, (sentence,), floor=floor, unit=INCH)


def judged_in_page(stage: Stage, scene: TableScene) -> Stage:
    """The same stage with the whole meshes, for a page that judges by them."""
    shapes = tuple(DisplayShape.exactly(model) for model in models_of(scene)[0])
    sentence = "The meshes are whole: by them the page itself judges, wherever the pieces are moved."
    return replace(stage, shapes=shapes, remarks=(sentence,))


def models_of(scene: TableScene) -> tuple[list[Model], int]:
    """The models of a scene, each once, and the most triangles that one of them may have."""
    models = list({id(piece.model): piece.model for piece in scene.pieces}.values())
    return models, min(MAX_DISPLAY_TRIANGLES, MAX_PAGE_TRIANGLES // max(len(models), 1))


def sight_of(scene: TableScene, check: int, verdict: Verdict) -> StageCheck | None:
    """The sight of a check, by its position on the page, from 0; None where the check is not about two pieces."""
    numbers = {piece.name: piece.index for piece in scene.pieces}
    if verdict.attacker not in numbers or verdict.target not in numbers:
        return None
    attacker, target = scene.piece(verdict.attacker), scene.piece(verdict.target)
    observation = verdict.observation if isinstance(verdict, MeasuredVerdict) else None
    if observation is None:
        line = StageLine("sight", (attacker.eye, target.body_middle))
        return StageCheck(check, attacker.index, target.index, eye=attacker.eye, lines=(line,))
    sight, arcs = observation.sight, observation.sight.arcs or ()
    return StageCheck(
        check,
        attacker.index,
        target.index,
        blockers=tuple(numbers[each.name] for each in verdict.blockers if each.obscures and each.name in numbers),
        aside=tuple(piece.index for piece in (*sight.left_out, *sight.disregarded)),
        eye=sight.eye,
        measured=True,
        free=bool(verdict.line_of_sight),
        apex=None if sight.arcs is None else attacker.base_centre,
        arcs=None if sight.arcs is None else tuple((*map(float, arc.right), *map(float, arc.left)) for arc in arcs),
        lines=(StageLine("sight", (sight.eye, target.body_middle)), *(_arc(scene, attacker, arc) for arc in arcs)),
    )


def _arc(scene: TableScene, attacker: Piece, arc: VisionArc) -> StageLine:
    """The edges of a vision arc, half a millimetre above the attacker's ground, through the point where it begins."""
    points = scene.whole_pieces.boxes.reshape(-1, 3)
    length = ARC_LENGTH * float(np.ptp(points[:, :2], axis=0).max())
    height = float(attacker.whole_box[:, 2].min()) + 0.5
    ends = [arc.apex + length * edge for edge in (arc.right, arc.left)]
    return StageLine("arc", [(*end, height) for end in (ends[0], arc.apex, ends[1])])


def _thousands(number: int) -> str:
    """A number with its digits in groups of three.

    >>> _thousands(1234567), _thousands(0)
    ('1 234 567', '0')
    """
    return f"{number:,}".replace(",", " ")
