"""The scenes of OcclusionBench, with exact shares: made from a seed, read, and checked.

    python -m tests.support.occlusion_set FOLDER [--scenes 300] [--seed 1]     makes the set
    python -m tests.support.occlusion_set FOLDER --check                       works out every share again

`tests/benchmarks/occlusion.py` describes the files. The first scenes of a large set are those of a small one.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from silhouette.common.geometry import Floats, Pose
from silhouette.files.cache import Cache
from silhouette.files.writing import make_folder, write_file
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import load_model
from silhouette.workers import cores
from tests.support.exact_shares import exact_shares
from tests.support.hard_sights import FINE, case
from tests.support.random_tables import FIGURES, PROJECT, TERRAIN
from tests.support.shapes import mesh as mesh_of
from tests.support.shares_by_clipper import share_by_clipper
from tests.support.sight_cases import tidy

FILE = "occlusion.json"
ABOUT = {
    "format": "OcclusionBench 1",
    "licence": "MIT (https://opensource.org/license/mit), of scenes, meshes and shares; by the project Silhouette",
    "unit": "mm",
}
SCENES, SEED = 300, 1
AGREEMENT = 1e-4
"""Two methods agree where their shares differ by no more."""

KINDS = ("models", "shapes", "fine things")
"""Of scenes, which take turns: the project's models; boxes, balls and walls; patterns, dots and slits before those."""

FINE_KINDS = tuple(kind for kind in FINE if kind not in ("slivers", "shadows"))
"""Of those two all that are made are hidden, or open."""

SCREENS = (*TERRAIN, "grating_fence", *FIGURES)
LOW = ("barricade", "crate", "barrel_stack", "rock_outcrop")
"""What may stand in the way among the models; what figures look over."""

ATTACKER, TARGET = "attacker", "target"


@dataclass(frozen=True)
class Thing:
    """A mesh in its place: ``name`` of the piece, ``file`` of the mesh, in mm, and ``turn`` in degrees."""

    name: str
    file: str
    at: Sequence[float] = (0.0, 0.0, 0.0)
    turn: float = 0.0


@dataclass(frozen=True)
class Entry:
    """A scene of the set.

    Attributes:
        scene: the path of its file.
        kind: one of `KINDS`.
        attacker, target: the names of two of its pieces.
        eye: (3,) mm, in the world.
        share: of the target's silhouette that is obscured.
        shares: as each method has it.
        reason: why it is left out; empty where it is not.
    """

    scene: str
    kind: str
    attacker: str
    target: str
    eye: list[float]
    share: float
    shares: dict[str, float]
    reason: str = ""


# ---- scenes


def model_things(random: np.random.Generator) -> tuple[Floats, Floats, list[Thing]]:
    """The eye, where it looks, and a figure behind one to three models, of each of which an edge is before the figure.

    Some lie lower than the line of sight, and some reach into the figure.
    """
    names = [random.choice(FIGURES), *random.choice(SCREENS, int(random.integers(1, 4)), replace=False)]
    place, distance, way = random.uniform(-250, 250, 2), random.uniform(140, 520), random.uniform(0, 2 * np.pi)
    forward, right = np.array([np.cos(way), np.sin(way)]), np.array([np.sin(way), -np.cos(way)])
    height = random.uniform(90, 160) if random.random() < 0.2 else random.uniform(20, 45)
    start, sides = place - distance * forward, np.column_stack([right, forward])
    things, seen = list[Thing](), np.zeros((2, 2))
    for name in names:
        turn = round(float(random.uniform(0, 360)), 1)
        across = Pose.standing(turn=turn).place(significant(name).vertices)[:, :2] @ sides
        low, high = across.min(axis=0), across.max(axis=0)
        if not things:
            seen, shift = np.array([low, high]), np.array([0.0, distance])
        else:
            farthest, nearest = distance + seen[0, 1] - high[1], 10.0 - low[1]
            gap = random.uniform(-6.0, 10.0) if random.random() < 0.3 else random.uniform(0.0, farthest - nearest)
            depth = max(farthest - gap, nearest)
            edge = depth / distance * random.uniform(*seen[:, 0])
            beside = edge - (low, high)[int(random.integers(2))][0]
            middle = edge - (low[0] + high[0]) / 2
            shift = np.array([middle if name in LOW and random.random() < 0.6 else beside, depth])
        at = [round(value, 3) for value in (start + sides @ shift).tolist()]
        things.append(Thing(f"{name} {len(things)}" if things else TARGET, f"meshes/{name}.ply", (*at, 0.0), turn))
    return np.array([*start.round(3), round(float(height), 3)]), place, things


def significant(name: str) -> Mesh:
    """What counts of one of the project's models, in its own frame."""
    return load_model(PROJECT / "models" / f"{name}.toml", Cache.default()).significant


def shape_things(folder: Path, kind: str, seed: int, number: int) -> tuple[Floats, Floats, list[Thing]]:
    """The eye, where it looks, and the meshes of a random case, which are written as they stand in the world."""
    made, things = case(kind, 1000 * seed + number), list[Thing]()
    for place, mesh in enumerate((made.target, *made.blockers)):
        name = f"blocker {place}" if place else TARGET
        things.append(Thing(name, f"meshes/{number:03} {name}.ply"))
        write_mesh(folder / things[-1].file, mesh_of(made.pose.place(mesh.vertices), mesh.faces))
    return made.eye, made.pose.place(made.target.bounds).mean(axis=0), things


def write_mesh(path: Path, mesh: Mesh) -> None:
    """Writes a mesh as binary PLY, of float32."""
    rounded = tidy(mesh_of(mesh.vertices.astype(np.float32), mesh.faces))
    write_file(path, trimesh.Trimesh(rounded.vertices, rounded.faces, process=False).export(file_type="ply"))


def document_of(eye: Floats, aim: Floats, things: Sequence[Thing]) -> dict[str, Any]:
    """The scene as this project reads it: the attacker is a post below its eye, and all else a mesh."""
    x, y, z = eye.tolist()
    facing, height = round(float(np.degrees(np.arctan2(aim[1] - y, aim[0] - x))), 3), max(z, 1.0)
    post = {"name": ATTACKER, "at": [x, y, 0.0], "facing": facing, "parts": [{"box": [1, 1, height]}], "eye": [0, 0, z]}
    pieces = [
        {"name": one.name, "mesh": f"../{one.file}", "at": [*one.at], "turn": one.turn}
        | {"units": "mm", "up": "z", "origin": "keep"}
        for one in things
    ]
    return {"rules": "necromunda", "fighter": [post, pieces[0]], "terrain": pieces[1:]}


# ---- shares


def meshes_of(path: Path) -> list[Mesh]:
    """The target of a scene, then the others, in the world."""
    document = json.loads(path.read_text(encoding="utf-8"))
    found = []
    for piece in (document["fighter"][1], *document["terrain"]):
        read = trimesh.load(path.parent / piece["mesh"], process=False)
        placed = Pose.standing(piece["at"], piece["turn"]).place(read.vertices)
        found.append(mesh_of(placed, read.faces))
    return found


METHODS: dict[str, Callable[[Mesh, Sequence[Mesh], Floats], float]] = {
    "geos": lambda target, others, eye: exact_shares(target, others, eye).occluded,
    "clipper": share_by_clipper,
}
"""By the libraries that put polygons together."""


def shares_of(path: Path, eye: Floats) -> dict[str, float]:
    """The share of a scene's target that is obscured, by each method; ValueError where one has none."""
    target, *others = meshes_of(path)
    return {name: min(max(method(target, others, eye), 0.0), 1.0) for name, method in METHODS.items()}


def made(folder: Path, seed: int, kinds: Sequence[str], number: int) -> Entry:
    """Makes one scene."""
    kind, random = kinds[number % len(kinds)], np.random.default_rng([seed, number])
    if kind == "models":
        eye, aim, things = model_things(random)
    else:
        fine = FINE_KINDS[number // len(kinds) % len(FINE_KINDS)]
        eye, aim, things = shape_things(folder, "ordinary" if kind == "shapes" else fine, seed, number)
    scene = f"scenes/{number:03}.json"
    write_file(folder / scene, json.dumps(document_of(eye, aim, things), indent=1) + "\n")
    try:
        shares, reason = shares_of(folder / scene, eye), ""
    except ValueError as error:
        shares, reason = dict[str, float](), str(error)
    if shares and np.ptp(list(shares.values())) > AGREEMENT:
        reason = "the methods differ"
    return Entry(scene, kind, ATTACKER, TARGET, eye.tolist(), shares.get("geos", 0.0), shares, reason)


# ---- the set


def make_set(
    folder: Path, scenes: int = SCENES, seed: int = SEED, processes: int | None = None, kinds: Sequence[str] = KINDS
) -> dict[str, Any]:
    """Makes a set in a folder, unless it is there, and returns the first scenes as `read_set` does."""
    if (folder / FILE).is_file() and (known := read_set(folder))["seed"] == seed and len(known["scenes"]) >= scenes:
        return known | {"scenes": known["scenes"][:scenes]}
    for name in ("meshes", "scenes"):
        make_folder(folder / name)
    for name in (*FIGURES, *SCREENS):
        write_mesh(folder / "meshes" / f"{name}.ply", significant(name))
    entries = list[Entry]()
    processes = processes or cores()
    with ThreadPool(1) if processes == 1 else multiprocessing.get_context("spawn").Pool(processes) as pool:
        while missing := scenes - sum(not entry.reason for entry in entries):
            for entry in pool.imap(partial(made, folder, seed, kinds), range(len(entries), len(entries) + missing)):
                entries.append(entry)
                print(f"\r    {len(entries)} scenes are made", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    lists = {
        "scenes": [asdict(entry) for entry in entries if not entry.reason],
        "left_out": [asdict(entry) for entry in entries if entry.reason],
    }
    document = {**ABOUT, "seed": seed, "agreement": AGREEMENT, **lists}
    write_file(folder / FILE, json.dumps(document, indent=1) + "\n")
    return read_set(folder)


def read_set(folder: Path) -> dict[str, Any]:
    """What `FILE` says; ``scenes`` and ``left_out`` are of `Entry`."""
    document = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return document | {key: [Entry(**entry) for entry in document[key]] for key in ("scenes", "left_out")}


def faults(folder: Path) -> list[str]:
    """What is untrue in a set, each a line: shares that are not those of its files."""
    found = []
    for entry in read_set(folder)["scenes"]:
        shares = shares_of(folder / entry.scene, np.array(entry.eye))
        for name, share in shares.items():
            if abs(share - entry.shares[name]) > 1e-9:
                found.append(f"{entry.scene}: {entry.shares[name]:.9f} by {name}, and is {share:.9f}")
        if max(abs(share - entry.share) for share in shares.values()) > AGREEMENT:
            found.append(f"{entry.scene}: the share {entry.share:.9f} is that of no method")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Its exit status is 1 where a set that is checked is not true."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=SCENES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.check:
        found = faults(asked.folder)
        print("\n".join(found) or "every share is true")
        return 1 if found else 0
    document = make_set(asked.folder, asked.scenes, asked.seed)
    print(f"{len(document['scenes'])} scenes in {asked.folder}; {len(document['left_out'])} left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
