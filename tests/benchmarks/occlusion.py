"""OcclusionBench: how wrong is the share obscured by each library, does it say so, and how long does it take?

Each scene has an eye, a target and what may be in the way. The truth is worked out from its files by two methods that
have no geometry and no library in common: polygons by GEOS (`tests/support/exact_shares.py`) and by Clipper
(`tests/support/shares_by_clipper.py`). A scene is left out where they differ by more than 0.01 %. Ours uses Clipper
too, on contours in place of faces.

![Error against time of each tool](occlusion.svg)

*Within*: scenes whose true share lies within the error that the tool states. *Untrue*: it says "hidden" or "open"
without an error, and is wrong. Median and 95th percentile are those of scenes that are partly obscured. The first check
of a scene includes what a tool builds of its meshes; a second one, in every fourth scene, does not. All take turns on
each scene; times are medians, and so are ratios to ours on the same scene.

``python -m tests.benchmarks occlusion`` makes the scenes, in ``tests/benchmarks/occlusion_scenes``, unless they are
there, in some 10 minutes on two cores, and measures; with ``--scenes 12`` all of it takes a minute. For another tool:

    python -m tests.support.occlusion_set FOLDER            makes 300 scenes
    python -m tests.support.occlusion_set FOLDER --check    works every share out again

``occlusion.json`` in the folder says ``format``, ``licence`` (MIT, meshes too), ``unit`` (mm), ``seed``,
``agreement``, and ``scenes`` and ``left_out``, lists of:

| key | is |
|---|---|
| ``scene`` | the path of its file |
| ``kind`` | models, shapes or fine things |
| ``attacker``, ``target`` | the names of two pieces |
| ``eye`` | x, y, z in the world, z up |
| ``share`` | of the target's silhouette that is obscured, 0 to 1 |
| ``shares`` | the same by ``geos`` and by ``clipper`` |
| ``reason`` | why it is left out, or empty |

A scene's file is one of ours. Of ``fighter`` the second is the target; all ``terrain`` may be in the way; the attacker
is not. A piece is its ``mesh`` (PLY, float32; the path is relative to the file), turned by ``turn`` degrees
anticlockwise about z, then moved by ``at``. Faces block from both sides. Where the target is met, it is obscured if a
blocker is met before it. Areas are those in the flat picture straight at the middle of the target's box, whose sides
are along the world's axes.
"""

from __future__ import annotations

import importlib.util
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common import lazy
from silhouette.common.errors import RendererUnavailable
from silhouette.common.geometry import Flags, Floats
from silhouette.judging import load_scene
from silhouette.renderers import choose
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece, TableScene
from tests.benchmarks.renderers import Method, with_open3d, with_pyrender, with_trimesh
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.occlusion_set import KINDS, SCENES, Entry, make_set
from tests.support.rulings import ruled

FOLDER = Path(__file__).resolve().parent / "occlusion_scenes"
TITLE = "OcclusionBench"
OURS = "Silhouette, by layers"
PIXEL = 0.1
UNTRUE = 1e-9
"""A share that is said to be 0 or 1 is untrue where it differs by more."""

COLUMNS = (
    "",
    "error, median",
    "error, 95th percentile",
    "error, worst",
    "within its stated error",
    "untrue",
    "first check, ms",
    "times ours",
    "second check, ms",
    "times ours then",
)

Answer = tuple[float, float | None]
"""The share that is obscured, and the error that is stated."""

Judge = Callable[[], Answer]


@dataclass(frozen=True)
class Outcome:
    """What a tool said of a scene: share and stated error; seconds of the first check and of the second."""

    share: float
    stated: float | None
    first: float
    second: float | None


EVERY = 4
"""In one of so many scenes there is a second check; kinds of scenes take turns, and all have some."""


def ours(name: str, scene: TableScene, attacker: Piece, target: Piece) -> Judge:
    """Our check with a renderer."""
    renderer, check = choose(name), Check(attacker.name, target.name)

    def judge() -> Answer:
        verdict = ruled(NECROMUNDA, scene, check, renderer, PIXEL)
        return verdict.occluded, verdict.counts.error

    return judge


def another(
    make: Callable[[TableScene, int], Method], width: int, scene: TableScene, attacker: Piece, target: Piece
) -> Judge:
    """Two pictures of another library, or as many rays: it states no error."""
    method = make(scene, width)
    return lambda: (method(attacker, target)[0], None)


MAKERS: dict[str, Callable[[TableScene, Piece, Piece], Judge]] = {
    "Open3D, 64 x 64 rays": partial(another, with_open3d, 64),
    "Open3D, 256 x 256 rays": partial(another, with_open3d, 256),
    "Open3D, 1024 x 1024 rays": partial(another, with_open3d, 1024),
    "trimesh with Embree, 256 x 256 rays": partial(another, with_trimesh, 256),
    "pyrender, 256 x 256 pixels": partial(another, with_pyrender, 256),
    "pyrender, 1024 x 1024 pixels": partial(another, with_pyrender, 1024),
    OURS: partial(ours, "auto"),
    "Silhouette, by rays (`embree`)": partial(ours, "embree"),
}
"""How each tool gets ready for a scene."""


def outcome(make: Callable[[TableScene, Piece, Piece], Judge], scene: TableScene, entry: Entry, twice: bool) -> Outcome:
    """What a tool says of a scene, and says again if asked: then nothing is kept of the answer itself."""
    pieces = {piece.name: piece for piece in scene.pieces}
    lazy.forget()
    start = time.perf_counter()
    judge = make(scene, pieces[entry.attacker], pieces[entry.target])
    share, stated = judge()
    first = time.perf_counter() - start
    if not twice:
        return Outcome(share, stated, first, None)
    lazy.forget()
    start = time.perf_counter()
    judge()
    return Outcome(share, stated, first, time.perf_counter() - start)


def available() -> tuple[list[str], dict[str, str]]:
    """The tools that can run here, and why the others cannot."""
    absent = dict[str, str]()
    for package, beginning in (("open3d", "Open3D"), ("pyrender", "pyrender"), ("embreex", "trimesh")):
        try:
            if importlib.util.find_spec(package) is None:
                raise ImportError(f"needs {package}, which is not installed")
            if package == "pyrender":
                choose("gl")  # before it is imported: it binds a way to OpenGL
        except (ImportError, RendererUnavailable) as reason:
            absent |= {name: str(reason) for name in MAKERS if name.startswith(beginning)}
    return [name for name in MAKERS if name not in absent], absent


def measured(folder: Path, entries: list[Entry], names: list[str]) -> dict[str, list[Outcome]]:
    """What each tool says of each scene, which is loaded anew for each of ours: nothing is known of its meshes."""
    outcomes = defaultdict[str, list[Outcome]](list)
    for number, entry in enumerate(entries):
        scene: Any = load_scene(folder / entry.scene)
        for name in names:
            if name.startswith("Silhouette"):
                scene = load_scene(folder / entry.scene)
            outcomes[name].append(outcome(MAKERS[name], scene, entry, number % EVERY == 0))
        if number % 20 == 0:
            progress((f"{number} of {len(entries)} scenes are measured",))
    return outcomes


def percent(share: float) -> str:
    """A share to two digits.

    >>> percent(1.0), percent(0.00123), percent(2.345e-11)
    ('100 %', '0.12 %', '2.3e-09 %')
    """
    return f"{float(f'{100 * share:.2g}'):g} %"


def is_partly(truth: Floats) -> Flags:
    """(n,) whether shares are neither 0 nor 1, but for rounding."""
    partly: Flags = np.abs(truth - 0.5) < 0.5 - UNTRUE
    return partly


def row_of(name: str, outcomes: dict[str, list[Outcome]], truth: Floats) -> tuple[str, ...]:
    """The row of a tool: see `COLUMNS`."""
    found, own = outcomes[name], outcomes[OURS]
    shares = np.array([one.share for one in found])
    errors, partly = np.abs(shares - truth), is_partly(truth)
    stated = [(error, one.stated) for error, one in zip(errors, found, strict=True) if one.stated is not None]
    within = sum(error <= most + UNTRUE for error, most in stated)
    untrue = sum(
        one.share in (0.0, 1.0) and not one.stated and error > UNTRUE for error, one in zip(errors, found, strict=True)
    )
    words = [name, *(percent(error) for error in (*np.quantile(errors[partly], (0.5, 0.95)), errors.max()))]
    words += [f"{within} of {len(stated)}" if stated else "none stated", str(untrue)]
    for key in ("first", "second"):
        pairs = [(vars(one)[key], vars(other)[key]) for one, other in zip(found, own, strict=True)]
        times, others = np.array([pair for pair in pairs if pair[0] is not None]).T
        words += [f"{1e3 * np.median(times):.3g}", f"{np.median(times / others):.2g}"]
    return tuple(words)


def worst_by_kind(found: list[Outcome], entries: list[Entry]) -> Iterator[str]:
    """A tool's worst error on scenes of each kind; "none" where there is no such scene."""
    for kind in KINDS:
        pairs = zip(found, entries, strict=True)
        errors = [abs(one.share - entry.share) for one, entry in pairs if entry.kind == kind]
        yield percent(max(errors)) if errors else "none"


def tables(options: Options) -> Iterator[Table]:
    """One row for each tool; then the errors by kind of scene."""
    document = make_set(FOLDER, options.scenes or SCENES)
    entries: list[Entry] = document["scenes"]
    names, absent = available()
    outcomes = measured(FOLDER, entries, names)
    truth = np.array([entry.share for entry in entries])
    apart = max(float(np.ptp(list(entry.shares.values()))) for entry in entries)
    partly = int(is_partly(truth).sum())
    left_out = len(document["left_out"]) or "none"
    note = (
        f"{len(entries)} scenes, {partly} partly obscured; left out: {left_out}. The two exact methods differ by "
        f"{percent(apart)} at most."
    )
    rows = tuple(row_of(name, outcomes, truth) for name in names)
    yield Table(TITLE, COLUMNS, rows, (note,), compared=("error, worst", "times ours"), absent=absent)
    rows = tuple((name, *worst_by_kind(outcomes[name], entries)) for name in names)
    yield Table(f"{TITLE}: worst error by kind of scene", ("", *KINDS), rows, absent=absent)


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
