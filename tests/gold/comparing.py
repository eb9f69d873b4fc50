"""How a figure is held against the accepted one: what it says and shows, not how its file is written.

Of an SVG: texts with size, weight and place; shapes with their look, ends, extent, length and area; rasters by their
pixels; the verdict that it carries. Of a PNG the pixels. Type is embedded and not compared, and so are the names that
matplotlib gives to what it writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from silhouette.drawing.saving import FIGURE_NAMESPACE
from tests.support.figures import SVG, rasters

PLACE = 0.4
"""Points, 0.14 mm: texts, and ends and extents of shapes, may lie so far from where they lay."""

LENGTH, AREA = 0.03, 0.03
"""Shares by which the length of a shape, and the area that it encloses, may differ; and `PLACE` beside."""

NUMBERS = 0.004
"""Share by which numbers of the verdict may differ: of pixels, and of what follows from them."""

MEAN, FAR, MOST_FAR = 3.0, 40, 0.01
"""Levels of 255 by which rasters differ in the mean; and by how much, for what share of the pixels, at most."""

MEAN_WITH_TYPE, MOST_FAR_WITH_TYPE = 4.0, 0.04
"""The same for a PNG with type in it, which releases of matplotlib (3.8 to 3.11 were tried) set a little apart."""

COUNTED = 0.005
"""Share of the pixels that were counted that may be of another kind."""

SKIPPED = {f"{SVG}{name}" for name in ("defs", "style", "metadata", "clipPath", "title")}
LOOK = ("fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity")
NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Text:
    """A text, where it is set, and in what size and weight."""

    said: str
    size: str
    bold: bool
    x: float
    y: float


@dataclass(frozen=True)
class Shape:
    """A shape: its look, and its ends, extent (left, top, right, bottom), length and area, in points."""

    look: tuple[str, ...]
    measures: tuple[float, ...]


def differences(accepted: Path, fresh: Path) -> list[str]:
    """In what a figure differs from the accepted one by more than is allowed, a sentence each."""
    if accepted.suffix == ".png":
        limits = MEAN_WITH_TYPE, MOST_FAR_WITH_TYPE
        return [f"the picture: {found}" for found in _of_rasters(*map(_pixels, (accepted, fresh)), *limits)]
    trees = [ElementTree.parse(file).getroot() for file in (accepted, fresh)]
    old, new = (list(_elements(tree)) for tree in trees)
    found = _of_verdicts(*(_told(tree) for tree in trees))
    before, now = (next(tree.iter(f"{SVG}desc")).text for tree in trees)
    found += [] if before == now else [f"the sentence {now!r} is not {before!r}"]
    for kind in (Text, Shape):
        found += _of_lists([one for one in old if isinstance(one, kind)], [one for one in new if isinstance(one, kind)])
    pictures = [rasters(file) for file in (accepted, fresh)]
    if pictures[0].keys() != pictures[1].keys():
        return [*found, f"rasters are {sorted(pictures[1])}, not {sorted(pictures[0])}"]
    for name, pixels in pictures[0].items():
        compare = _of_counted if name == "counted" else _of_rasters
        found += [f"raster {name}: {each}" for each in compare(pixels, pictures[1][name])]
    return found


def _pixels(file: Path) -> NDArray[np.uint8]:
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGBA"))


def _told(tree: ElementTree.Element) -> dict[str, Any]:
    return json.loads(next(tree.iter(f"{{{FIGURE_NAMESPACE}}}figure")).text or "{}")  # type: ignore[no-any-return]


def _of_verdicts(old: Any, new: Any, where: str = "verdict") -> list[str]:
    """Keys and words that differ, and numbers that do by more than their share."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [each for key in old for each in _of_verdicts(old[key], new[key], f"{where}, {key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [each for number, pair in pairs for each in _of_verdicts(*pair, f"{where}, {number}")]
    if isinstance(old, float | int) and isinstance(new, float | int) and not isinstance(old, bool):
        return [] if abs(old - new) <= NUMBERS * max(1.0, abs(old)) else [f"{where}: {new}, not {old}"]
    return [] if old == new else [f"{where}: {new!r}, not {old!r}"]


def _of_lists(old: list[Any], new: list[Any]) -> list[str]:
    """Elements that are more or fewer, or not what they were in their place."""
    if len(old) != len(new):
        return [f"{len(new)} {'texts' if isinstance((old + new)[0], Text) else 'shapes'}, not {len(old)}"]
    return [f"{b} is not {a}" for a, b in zip(old, new, strict=True) if not _is_alike(a, b)]


def _is_alike(old: Any, new: Any) -> bool:
    if isinstance(old, Text):
        same = (old.said, old.size, old.bold) == (new.said, new.size, new.bold)
        return same and abs(old.x - new.x) <= PLACE and abs(old.y - new.y) <= PLACE
    one, other = np.array(old.measures), np.array(new.measures)
    slack = np.full(len(one), PLACE)
    slack[-2] += LENGTH * one[-2]
    slack[-1] += AREA * one[-1]
    return old.look == new.look and bool((np.abs(one - other) <= slack).all())


def _of_rasters(
    old: NDArray[np.uint8], new: NDArray[np.uint8], most: float = MEAN, most_far: float = MOST_FAR
) -> list[str]:
    if old.shape != new.shape:
        return [f"{new.shape} pixels, not {old.shape}"]
    apart = np.abs(old.astype(int) - new.astype(int)).max(axis=2)
    mean, far = float(apart.mean()), float((apart > FAR).mean())
    return [f"{mean:.1f} levels in the mean, {far:.2%} far apart"] if mean > most or far > most_far else []


def _of_counted(old: NDArray[np.uint8], new: NDArray[np.uint8]) -> list[str]:
    if old.shape != new.shape:
        return [f"{new.shape} pixels, not {old.shape}"]
    apart = float((old != new).any(axis=2).sum() / max((old[..., 3] > 0).sum(), 1))
    return [f"{apart:.2%} are of another kind"] if apart > COUNTED else []


def _elements(node: ElementTree.Element, place: Matrix | None = None) -> Iterator[Text | Shape]:
    """What is drawn, in order, where it comes to lie."""
    if node.tag in SKIPPED:
        return
    place = (np.eye(3) if place is None else place) @ _matrix(node.get("transform") or "")
    look = _look(node.get("style") or "")
    if node.tag == f"{SVG}text":
        at = place @ [float(node.get("x") or 0.0), float(node.get("y") or 0.0), 1.0]
        size = look.get("font-size") or (re.findall(r"[\d.]+px", look.get("font", "")) or [""])[0]
        weight = look.get("font-weight", "") + look.get("font", "")
        yield Text("".join(node.itertext()).strip(), size, "700" in weight or "bold" in weight, *at[:2].tolist())
    elif node.tag == f"{SVG}path":
        measures = _measures(node.get("d") or "", place)
        if measures is not None:
            yield Shape(tuple(_shown(look.get(key, "")) for key in LOOK), measures)
    for child in node:
        yield from _elements(child, place)


def _shown(value: str) -> str:
    """A colour, a hatch, or a width, share or dashes to a tenth."""
    if value.startswith("url"):
        return "hatch"
    return value if value.startswith("#") else re.sub(NUMBER, lambda found: f"{float(found[0]):.1f}", value)


def _look(style: str) -> dict[str, str]:
    pairs = (one.split(":", 1) for one in style.split(";") if ":" in one)
    return {key.strip(): value.strip() for key, value in pairs}


def _matrix(transform: str) -> Matrix:
    """Of what SVG may say: matrix, translate, scale and rotate, one after the other.

    >>> _matrix("translate(3 4) scale(2 -2)").tolist()
    [[2.0, 0.0, 3.0], [0.0, -2.0, 4.0], [0.0, 0.0, 1.0]]
    """
    whole = np.eye(3)
    for kind, inside in re.findall(r"(\w+)\(([^)]*)\)", transform):
        values = [float(one) for one in re.findall(NUMBER, inside)]
        one = np.eye(3)
        if kind == "matrix":
            one[:2] = np.array(values).reshape(3, 2).T
        elif kind == "translate":
            one[:2, 2] = [*values, 0.0][:2]
        elif kind == "scale":
            one[0, 0], one[1, 1] = (values * 2)[:2]
        else:
            turn = np.radians(values[0])
            one[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
        whole = whole @ one
    return whole


def _measures(data: str, place: Matrix) -> tuple[float, ...] | None:
    """First and last point, extent, length and area of a path; curves by their corners. None for an empty one."""
    length = area = 0.0
    every = []
    for part in re.split(r"(?=M)", data):
        points = np.array(re.findall(NUMBER, part), dtype=np.float64).reshape(-1, 2)
        if len(points) == 0:
            continue
        points = np.column_stack([points, np.ones(len(points))]) @ place[:2].T
        length += float(np.hypot(*np.diff(points, axis=0).T).sum())
        (x, y), (next_x, next_y) = points.T, np.roll(points, -1, axis=0).T
        area += float(np.sum(x * next_y - next_x * y)) / 2
        every.append(points)
    if not every:
        return None
    points = np.concatenate(every)
    ends = [*points[0], *points[-1]] if length and len(points) <= 3 else [0.0] * 4
    return (*map(float, ends), *points.min(axis=0).tolist(), *points.max(axis=0).tolist(), length, abs(area))
