"""TAG: the facts about a model: parts, size, units, base, eye, holes, parts that might be insignificant, and doubts.

One doubt is whether a mesh that is given for a fighter is plainly a scan of a table, or terrain. Each test of it is a
plain fact of the whole shape, and holds for no figure or vehicle that we know by half as much again:

    an open sheet     a scan has seen its table from above alone: its faces look up, and none of them down
    few directions    what is built of planks, slabs and bricks faces a dozen directions, a figure a hundred
    flat below        what stands on most of its outline, and has no base, is no figure on its feet
    turned            what is as deep as wide all the way up, about one axis, is a pillar, a column or a tree
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.files.documents import read_text
from silhouette.files.reading import DOCUMENTS
from silhouette.files.schema import Location, validated
from silhouette.models.entries import ModelOptions
from silhouette.models.frame import share_on_the_ground
from silhouette.models.model import BODY, NAMES_OF_ROLES, Model, load_model
from silhouette.models.surfaces import section
from silhouette.models.thin_parts import Suggestion, suggest_insignificant

# ---- what is no fighter

# Of its box in plan: so much more of an open sheet faces up than down. Of figures 0.05, of vehicles 0.17.
OPEN_SHEET_SHARE = 0.3
TABLE_RISE_SHARE = 0.4  # the greatest share of the shorter edge of a table that things on it rise above it
MIN_TABLE_RISE_SHARE = 0.01  # the least such share: a sheet of nothing but itself is a figure of paper, or a wall
BUILT = 21.0  # directions that upright walls and level floors face at most
CARVED = 50.0  # the same of terrain that curves; figures without a base face 70 and more
SQUARE = 0.76  # the least share of the surface of a building that is upright or level. Of vehicles 0.74
PILLAR, PILLAR_SQUARE = 2.8, 0.7  # times as high as wide, and what is upright or level of it. Figures are 2.4 at most
FLAT_BELOW = 0.3  # the least share of its box in plan that terrain rests on. Of vehicles 0.13, of figures 0.1
LOW_HEIGHT_SHARE = 0.4  # of the shorter edge of its box in plan: what is no higher is a floor, a bridge or a platform
WALL_WIDTH_SHARE = 0.3  # of its longest edge: what is no wider in plan is a wall or a fence
OBLONG = 0.45  # the same of the foot of a wall that looks like a base; the bases of cavalry are 0.5
SAME_WIDTH_SHARE = 0.9  # of the edges of a base: what rises from it as wide as that is no figure on it
LARGE_BASE = 100.0  # mm: figures on larger bases face more than a dozen directions
MAX_FIGURE_MM = 140.0  # mm across both ways: no figure is so large, and has no base
STAND_IN = (100, 60.0)  # triangles and mm: as plain, as low, higher than wide and no slab is a stand-in for a figure
BARE_BASE = (6.0, 60.0)  # mm: what is lower and narrower is a base without a figure, and no terrain
TURNED_HEIGHTS = np.linspace(0.1, 0.8, 8)  # of the body of a pillar or a tree; its top may be broken off or a tip
TURNED_SHARES = (0.15, 0.08)  # how far width and depth differ, and how far the middle lies off the axis, in widths
FINENESS = 4  # steps of a unit normal along each axis by which directions are told apart


def scenery_mistake(model: Model) -> str | None:
    """The sentence that a mesh is a scan of a table, or terrain, and what to do with it; None for a figure.

    Args:
        model: of any kind; a fighter is looked at for both, a vehicle for a scan alone, terrain for nothing.
    """
    if model.kind == "terrain" or len(model.mesh.faces) == 0:
        return None
    extents = np.ptp(model.mesh.bounds, axis=0)
    corners = model.mesh.vertices[model.mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
    size = " x ".join(f"{edge:.3g}" for edge in extents)
    name = f"{model.source}: {size} mm, and"
    thinnest = int(extents.argmin())
    across = np.delete(extents, thinnest)
    is_open = abs(float(normals[:, thinnest].sum())) >= OPEN_SHEET_SHARE * float(across.prod())
    is_open &= bool(extents[thinnest] >= MIN_TABLE_RISE_SHARE * across.min())
    if is_open and extents[thinnest] <= TABLE_RISE_SHARE * across.min():
        scan = f"silhouette scan {model.source} --out FOLDER makes a scene of it"
        return f"{name} looks like a scanned table, an open sheet with things on it; {scan}"
    if model.kind != "fighter" or _is_bare_base_or_stand_in(model, extents):
        return None
    why = "it is open below" if is_open else _like_terrain(model, extents, normals)
    return f"{name} looks like terrain: {why}; say --kind terrain, or put it in [[terrain]]" if why else None


def _is_bare_base_or_stand_in(model: Model, extents: Floats) -> bool:
    """Whether a fighter is a base without a figure, or a plain solid that stands for one."""
    if extents[2] < BARE_BASE[0] and extents.max() < BARE_BASE[1]:
        return True
    triangles, tall = STAND_IN
    widest = extents[:2].max()
    is_plain = len(model.mesh.faces) <= triangles and extents[:2].min() > widest / 2.0
    return bool(is_plain and widest < extents[2] <= tall)


def _like_terrain(model: Model, extents: Floats, normals: Floats) -> str:
    """What makes a closed mesh look like terrain; empty if nothing does."""
    areas = np.linalg.norm(normals, axis=1)
    units = normals[areas > 0.0] / areas[areas > 0.0, None]
    areas = areas[areas > 0.0] / areas.sum()
    directions = _directions(units, areas)
    is_built, is_carved = directions <= BUILT, directions <= CARVED
    rise = np.abs(units[:, 2])
    square = float(areas[(rise < 0.02) | (rise > 0.99)].sum())
    base = np.zeros(2) if model.base is None else np.ptp(model.base_outline, axis=0)
    least, most, height = base.min(), base.max(), extents[2]
    is_block = bool((np.ptp(model.body_box[:, :2], axis=0) >= SAME_WIDTH_SHARE * base).all())
    is_pillar = is_block and square >= PILLAR_SQUARE and height >= PILLAR * most > 0.0
    across = f"{base[0]:.3g} x {base[1]:.3g} mm"
    turned = "it is as deep as wide all the way up, as a pillar or a tree is about its axis"
    looks = [
        (is_built and is_block and square >= SQUARE, "nearly all of it is upright or level, as walls and floors are"),
        (
            is_carved and model.base is not None and least <= OBLONG * most,
            f"it stands on a foot of {across}, as a wall does",
        ),
        (is_built and most >= LARGE_BASE, f"it stands on a ground of {across}, as a building does"),
        (is_carved and is_pillar, "it is as wide all the way up as where it stands, as a pillar is"),
        (height > STAND_IN[1] and _is_turned(model), turned),
    ]
    if model.base is None:
        looks += _without_base(model, extents, is_carved)
    return next((why for fits, why in looks if fits), "")


def _without_base(model: Model, extents: Floats, is_carved: bool) -> list[tuple[bool, str]]:
    """What may make a mesh without a base look like terrain, and whether it does."""
    width, height = extents[:2], extents[2]
    is_flat_below = share_on_the_ground(model.mesh.vertices, model.mesh.faces) >= FLAT_BELOW
    return [
        (
            is_carved and width.min() <= WALL_WIDTH_SHARE * extents.max(),
            "it is long and narrow, as a wall is, and has no base",
        ),
        (is_carved and height <= LOW_HEIGHT_SHARE * width.min(), "it is low and broad, and has no base"),
        (width.min() >= MAX_FIGURE_MM, "it is too large for a figure without a base"),
        (
            is_carved and height <= width.max() and is_flat_below,
            "it stands on most of its underside, and has no base",
        ),
    ]


def _is_turned(model: Model) -> bool:
    """Whether the outline of a body is as wide as deep at all heights, about one upright axis."""
    triangles = model.significant.vertices[model.significant.faces]
    low, high = model.body_box[:, 2]
    sections = [section(triangles, low + share * (high - low)).reshape(-1, 2) for share in TURNED_HEIGHTS]
    if not all(len(outline) for outline in sections):
        return False
    widths = np.array([np.ptp(outline, axis=0) for outline in sections])
    middles = np.array([(outline.min(axis=0) + outline.max(axis=0)) / 2.0 for outline in sections])
    uneven, aside = TURNED_SHARES
    is_even = np.abs(widths[:, 0] - widths[:, 1]) <= uneven * widths.max(axis=1)
    return bool(is_even.all() and (np.ptp(middles, axis=0) <= aside * widths.max()).all())


def _directions(units: Floats, areas: Floats) -> float:
    """How many directions a surface faces: as many equal ones would be as evenly spread as these are.

    Args:
        units: (m, 3) normals of length 1.
        areas: (m,) shares of the surface, which sum to 1.

    >>> round(_directions(np.vstack([np.eye(3), -np.eye(3)]), np.full(6, 1 / 6)), 6)
    6.0
    """
    steps = (np.round(units * FINENESS) + FINENESS).astype(int)
    shares = np.bincount(steps @ [1, 2 * FINENESS + 1, (2 * FINENESS + 1) ** 2], weights=areas)
    return float(np.exp(-(shares[shares > 0.0] * np.log(shares[shares > 0.0])).sum()))


# ---- the facts

LENGTH_DECIMALS = 2  # the decimals of lengths in mm: a hundredth is finer than anybody prints or casts


def model_at(path: Path, options: dict[str, Any], cache: Cache) -> Model:
    """The model of a model file, or of a bare mesh with some keys of one as ``options``.

    Raises:
        FileError: where the file or an option cannot be used.
        RequestError: where options are given with a model file, which has them as keys.
    """
    if options and is_model_file(path):
        keys = " and ".join(options)
        raise RequestError(f"{path}: is a model file; say {keys} in it, options are for a bare mesh")
    checked = validated(ModelOptions, options, Location(path))
    overrides = {key: getattr(checked, key) for key in options if key != "kind"}
    return load_model(path, cache, checked.kind, overrides)


def suggestions(model: Model) -> tuple[Suggestion, ...]:
    """Thin protruding parts that could be tagged as insignificant; none of terrain, which blocks whole."""
    return () if model.kind == "terrain" else suggest_insignificant(model.mesh, model.role == BODY)


def inspection(path: Path, model: Model, suggested: Sequence[Suggestion]) -> dict[str, Any]:
    """The facts about a model, under the contract's keys (section 2), ready for JSON; mm, in the model's frame."""
    (low, high), base = model.mesh.bounds, model.base
    return {
        "file": str(path),
        "format": model.format,
        "triangles": len(model.mesh.faces),
        "extents": _rounded(high - low),
        "units": model.units,
        "units_from": model.units_from,
        "up": model.up,
        "front": model.front,
        "front_from": model.front_from,
        "kind": model.kind,
        "parts": _parts(model),
        "base": base
        and {
            "from": base.source,
            "height": round(base.height, LENGTH_DECIMALS),
            "diameter": round(base.diameter, LENGTH_DECIMALS),
        },
        "eye": None if model.kind == "terrain" else _rounded(model.eye),
        "eye_from": None if model.kind == "terrain" else model.eye_from,
        "eye_candidates": [
            {"eye": _rounded(place.eye), "likelihood": round(place.likelihood, 3)}
            for place in (() if model.kind == "terrain" else model.eye_candidates)
        ],
        "eyes": {arc: _rounded(point) for arc, point in model.eyes.items()},
        "watertight": model.watertight,
        "holes": model.holes,
        "solid": model.solid,
        "suggested": [
            {
                "box": [_rounded(suggestion.low), _rounded(suggestion.high)],
                "boxes": [[_rounded(low), _rounded(high)] for low, high in suggestion.boxes],
                "share": round(suggestion.share, 4),
                "toml": _to_paste([suggestion], path),
            }
            for suggestion in suggested
        ],
        "suggested_toml": _to_paste(suggested, path),
        "warnings": doubts(model),
    }


def doubts(model: Model) -> list[str]:
    """A sentence for each thing to know of a model: that it is none of a figure, what its file has, and about eyes.

    Of eyes, which a table or a wall has none of: what makes one doubtful that is estimated, and what is wrong with
    those that are given.
    """
    scenery = scenery_mistake(model)
    about = [*([] if scenery is None else [scenery]), *model.warnings]
    if model.kind == "terrain" or scenery is not None:
        return about
    given = [*([] if model.eye_given is None else [model.eye_given]), *model.eyes.values()]
    of_eyes = [model.mistake_of(eye) for eye in given]
    if model.eye_from == "estimated":
        of_eyes.append(model.eye_estimate.doubt)
    return [*about, *(f"{model.source}: {doubt}" for doubt in dict.fromkeys(of_eyes) if doubt is not None)]


def _parts(model: Model) -> list[dict[str, Any]]:
    """Each part with its triangles, once for every role that it has: of a one-piece figure base and body apart."""
    part = model.mesh.part.astype(np.int64)
    pairs, counts = np.unique(part * len(NAMES_OF_ROLES) + model.role, return_counts=True)
    return [
        {
            "name": model.mesh.part_names[pair // len(NAMES_OF_ROLES)],
            "triangles": int(count),
            "role": "terrain" if model.kind == "terrain" else NAMES_OF_ROLES[int(pair % len(NAMES_OF_ROLES))],
        }
        for pair, count in zip(pairs, counts, strict=True)
    ]


def is_model_file(path: Path) -> bool:
    """Whether a path is that of a model file, by its ending; else it is that of a mesh."""
    return path.suffix.lower() in DOCUMENTS


def has_list(path: Path) -> bool:
    """Whether a model file in TOML says ``insignificant = [...]``, beside which no ``[[insignificant]]`` may stand."""
    return re.search(r"^\s*insignificant\s*=", read_text(path), flags=re.MULTILINE) is not None


def _to_paste(suggested: Sequence[Suggestion], path: Path) -> str:
    """The lines to paste for suggestions: at the end of a model file; beside the mesh, for a mesh or in JSON.

    Beside a mesh they are one list, which can stand in a model file and in a piece of a scene alike; there
    TOML would read ``[[insignificant]]`` as a table of the scene. For a model file that already has the list they are
    further lines of it, since TOML allows no table of the same name.
    """
    if path.suffix.lower() == ".json":
        boxes = ",\n".join(suggestion.json for suggestion in suggested)
        return f'"insignificant": [\n{boxes}\n],\n' if boxes else ""
    if is_model_file(path) and not has_list(path):
        return "".join(suggestion.toml for suggestion in suggested)
    listed = "".join(suggestion.inline for suggestion in suggested)
    if is_model_file(path):
        return listed
    return f"insignificant = [\n{listed}]\n" if listed else ""


def _rounded(point: Floats) -> list[float]:
    """Coordinates for people and JSON; -0.0 becomes 0.0."""
    return [round(float(value), LENGTH_DECIMALS) + 0.0 for value in point]
