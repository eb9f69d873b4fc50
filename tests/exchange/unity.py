"""Unity's convention, written without a matrix: where a point of an OBJ file is seen on a table of Tabletop Simulator.

The game's objects are made here as well, as its saves have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

ADDRESS = "http://cloud-3.steamusercontent.com/ugc/{}/{:040X}/"

# Six points that no turn, mirror or uneven scale maps onto each other, and the faces of their hull.
POINTS = np.array([[0.5, 0, 0], [-0.4, 0, 0.3], [-0.3, 0, -0.6], [0.1, 1.2, 0.2], [0.6, 0.7, -0.1], [-0.2, 0.4, 0.5]])
FACES = ((1, 2, 3), (1, 3, 5), (3, 4, 5), (2, 6, 4), (2, 4, 3), (1, 5, 6), (1, 6, 2), (4, 6, 5))


def seen(points: Any, *transforms: Mapping[str, float]) -> Any:
    """Points (n, 3) of an OBJ file on the table, mm: transforms from the object itself to the outermost."""
    now = np.array(points, dtype=float) * [-1.0, 1.0, 1.0]  # as the game loads an OBJ
    for one in transforms:
        now = now * [one["scaleX"], one["scaleY"], one["scaleZ"]]
        for axis in "ZXY":  # each about the axes of what it lies in
            now = Rotation.from_euler(axis.lower(), one[f"rot{axis}"], degrees=True).apply(now)
        now = now + np.array([one["posX"], one["posY"], one["posZ"]])
    return np.stack([now[:, 0], now[:, 2], now[:, 1]], axis=1) * 25.4


def transform(
    at: Sequence[float] = (0, 0, 0), turns: Sequence[float] = (0, 0, 0), scales: Any = 1.0
) -> dict[str, float]:
    """A ``Transform``: posX, posY, posZ; rotX, rotY, rotZ; one scale or three."""
    rows = (("pos", at), ("rot", turns), ("scale", np.broadcast_to(scales, 3)))
    return {f"{name}{axis}": float(value) for name, values in rows for axis, value in zip("XYZ", values, strict=True)}


def address(number: int) -> str:
    """Where the mesh of a number lies in the cloud."""
    return ADDRESS.format(10**15 + number, number)


def model(name: str, place: dict[str, float] | None = None, mesh: int = 1, **keys: Any) -> dict[str, Any]:
    """A custom model, as the game saves it."""
    custom = {"MeshURL": address(mesh), "DiffuseURL": "", "ColliderURL": "", "TypeIndex": keys.pop("type_index", 0)}
    state = {"Name": "Custom_Model", "Nickname": name, "GUID": "3fa2c1", "Locked": False, "CustomMesh": custom}
    return {**state, "Transform": place or transform(), **keys}


def kept(folder: Path, mesh: int, points: Any = POINTS, faces: Any = FACES) -> Path:
    """The file in which the game keeps the mesh of a number, written into a folder."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{re.sub('[^A-Za-z0-9]', '', address(mesh))}.obj"
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(points, dtype=float).tolist()]
    path.write_text("\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in faces), ""]))
    return path


def save(path: Path, *states: Any, **keys: Any) -> Path:
    """A save of some objects."""
    path.write_text(json.dumps({"SaveName": "Skirmish", "GameMode": "", "ObjectStates": list(states), **keys}))
    return path
