"""The speed of a renderer on this machine: a small scene of solids, again and again, for a second.

``python -m silhouette.cli.throughput NAME [--device NAME] [--seconds S]`` measures it and prints the rate as JSON.
"""

from __future__ import annotations

import time
from itertools import cycle
from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.judging import PIXEL
from silhouette.renderers import choose
from silhouette.renderers.probe import print_answer, renderer_arguments, run_module
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_of
from silhouette.rules.base import Settings

SECONDS = 1.0

FILE = Path(__file__).with_name("throughput.toml")
"""The scene of solids."""


def checks_per_second(name: str, platform: str = "", device: str = "", seconds: float = SECONDS) -> float | None:
    """The checks per second of a renderer in a separate process, one after the other; None where that fails.

    Args:
        name: the name of the renderer.
        platform: "egl" or "osmesa" for ``gl``.
        device: the name of its device; empty where it has one only.
        seconds: the time that is measured; one check is judged before them, and one at least in them.
    """
    arguments = [name, *(["--device", device] if device else []), "--seconds", str(seconds)]
    return run_module("silhouette.cli.throughput", arguments, platform).get("rate")


def rate(renderer: Renderer, seconds: float = SECONDS) -> float:
    """Checks per second on the scene of solids, of at least one.

    >>> from silhouette.renderers.reference import ReferenceRenderer
    >>> rate(ReferenceRenderer(), seconds=0.0) > 0.0
    True
    """
    document = solids()
    rule = rule_of(FILE, document)
    scene = rule.load(FILE, document, Cache(None))
    checks = cycle(rule.everyone(scene))
    settings = Settings(renderer, PIXEL)
    rule.judge([(scene, next(checks))], settings)
    judged, start = 0, time.perf_counter()
    while True:
        rule.judge([(scene, next(checks))], settings)
        judged += 1
        passed = time.perf_counter() - start
        if passed >= seconds:
            return judged / passed


def solids() -> dict[str, Any]:
    """The scene as a document: six figures in a ring, each of a cylinder, a box and a ball, with barriers between."""
    return read_document(FILE)


def main() -> None:
    """Measures the renderer that the command line names."""
    parser = renderer_arguments("silhouette.cli.throughput")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="that are measured")
    given = parser.parse_args()
    print_answer(lambda: {"rate": rate(choose(given.name, given.device), given.seconds)})


if __name__ == "__main__":
    main()
