"""How fast a renderer judges here: a small scene of solids, again and again, for a second."""

from __future__ import annotations

import time
from itertools import cycle
from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.judging import PIXEL
from silhouette.renderers import in_a_process
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Settings
from silhouette.rules.necromunda.judge import NECROMUNDA
from silhouette.scenes.scene import Check

SECONDS = 1.0


def checks_per_second(
    name: str, platform: str = "", number: int | None = None, seconds: float = SECONDS
) -> float | None:
    """What a renderer does in a process of its own, one check after the other; None where that fails.

    Args:
        name: of the renderer.
        platform: "egl" or "osmesa" for ``gl``.
        number: of the EGL device.
        seconds: that are measured; one check is judged before them, and one at least in them.
    """
    told = in_a_process(
        "from silhouette.renderers import choose\nfrom silhouette.cli.throughput import rate\n"
        f"tell(rate=rate(choose({name!r}, {number}), {seconds}))",
        platform,
    )
    return told.get("rate")


def rate(renderer: Renderer, seconds: float = SECONDS) -> float:
    """Checks per second on the scene of solids, of at least one.

    >>> from silhouette.renderers.reference import ReferenceRenderer
    >>> rate(ReferenceRenderer(), seconds=0.0) > 0.0
    True
    """
    scene = NECROMUNDA.load(Path("solids.toml"), solids(), Cache(None))
    names = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    checks = cycle(Check(one, other) for one in names for other in names if one != other)
    NECROMUNDA.judge(scene, [next(checks)], Settings(renderer, PIXEL))
    judged, start = 0, time.perf_counter()
    while True:
        NECROMUNDA.judge(scene, [next(checks)], Settings(renderer, PIXEL))
        judged += 1
        passed = time.perf_counter() - start
        if passed >= seconds:
            return judged / passed


def solids() -> dict[str, Any]:
    """The scene as a document: six figures in a ring, each of a cylinder, a box and a ball, with barriers between."""
    body = [
        {"cylinder": {"diameter": 14, "height": 20}},
        {"box": [22, 8, 12], "at": [0, 0, 20]},
        {"sphere": {"diameter": 10}, "at": [0, 0, 32]},
    ]
    around = [[120, 0], [60, 104], [-60, 104], [-120, 0], [-60, -104], [60, -104]]
    fighters = [
        {
            "name": f"figure {number}",
            "at": at,
            "facing": (60 * number + 180) % 360,
            "parts": body,
            "eye": [0, 4, 37],
        }
        for number, at in enumerate(around)
    ]
    terrain = [
        {"name": f"barrier {number}", "at": [x / 2, y / 2], "facing": 60 * number, "parts": [{"box": [8, 50, 24]}]}
        for number, (x, y) in enumerate(around)
    ]
    return {"rules": "necromunda", "fighter": fighters, "terrain": terrain}
