"""How long does ``silhouette import`` take for 60 pieces of a table from elsewhere?

Sixty meshes of a rough ball, as a save of Tabletop Simulator with OBJ files, and as one glTF file. Whole commands,
with an empty cache, and into another folder with the cache that the first has filled. Wanted: 5 s.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from tests.benchmarks.processes import PROJECT, run
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.gltf_scenes import packed
from tests.support.shapes import sphere

PIECES = 60
COLUMNS = ("", "triangles each", "empty cache, s", "filled cache, s")
FINENESS = ((75, 76), (143, 144))
"""Meridians and parallels of the balls."""


def tables(_: Options) -> Iterator[Table]:
    """One row for each format and number of triangles."""
    rows = [measured(kind, *fineness) for fineness in FINENESS for kind in ("Tabletop Simulator", "glTF")]
    yield Table(f"{PIECES} pieces with a mesh each", COLUMNS, tuple(rows), compared=COLUMNS[2:])


def measured(kind: str, meridians: int, parallels: int) -> tuple[str, ...]:
    """A row: see `COLUMNS`."""
    ball = sphere(12.0, meridians, parallels)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        balls = [rough(ball.vertices, number) for number in range(PIECES)]
        write = saved if kind == "Tabletop Simulator" else as_gltf
        arguments = write(folder, balls, ball.faces)
        taken = []
        for out in ("first", "second"):
            begin = time.perf_counter()
            command = ["-m", "silhouette", "import", *arguments, "--out", str(folder / out), "--quiet"]
            run(command, PROJECT, folder, SILHOUETTE_CACHE_DIR=str(folder / "cache"))
            taken.append(f"{time.perf_counter() - begin:.1f}")
    return progress((f"{kind}, {len(ball.faces):,} triangles", f"{len(ball.faces):,}", *taken))


def rough(vertices: Floats, seed: int) -> Floats:
    """(n, 3) the vertices of another ball."""
    return vertices * np.random.default_rng(seed).uniform(0.98, 1.02, (len(vertices), 1))


def saved(folder: Path, balls: list[Floats], faces: Any) -> list[str]:
    """Writes a save and its meshes; gives what the command takes."""
    models = folder / "Models"
    models.mkdir()
    states = []
    for number, vertices in enumerate(balls):
        address = f"http://cloud-3.steamusercontent.com/ugc/{number}/{number:016X}/"
        lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices / 25.4]
        lines += [f"vt {x:.4f} {y:.4f}" for x, y, _ in vertices] + [
            f"vn {x:.4f} {y:.4f} {z:.4f}" for x, y, z in vertices
        ]
        lines += [f"f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}" for a, b, c in (faces + 1).tolist()]
        (models / f"{re.sub('[^A-Za-z0-9]', '', address)}.obj").write_text("\n".join(lines) + "\n")
        place = {
            "posX": 2.0 * (number % 8),
            "posY": 0.5,
            "posZ": 2.0 * (number // 8),
            "rotX": 0,
            "rotY": 6.0 * number,
            "rotZ": 0,
        }
        scale = {"scaleX": 1, "scaleY": 1, "scaleZ": 1}
        states.append({
            "Name": "Custom_Model", "Nickname": f"ball {number}", "Transform": {**place, **scale},
            "CustomMesh": {"MeshURL": address, "TypeIndex": 1},
        })  # fmt: skip
    (folder / "save.json").write_text(json.dumps({"SaveName": "balls", "ObjectStates": states}))
    return [str(folder / "save.json"), "--meshes", str(models)]


def as_gltf(folder: Path, balls: list[Floats], faces: Any) -> list[str]:
    """Writes a glTF file; gives what the command takes."""
    nodes = [
        {"name": f"ball {number}", "mesh": number, "translation": [0.05 * (number % 8), 0.012, 0.05 * (number // 8)],
         "extras": {"silhouette": "fighter"}}
        for number in range(len(balls))
    ]  # fmt: skip
    (folder / "balls.glb").write_bytes(packed([vertices / 1000.0 for vertices in balls], faces, nodes))
    return [str(folder / "balls.glb")]


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
