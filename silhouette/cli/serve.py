"""The command line, other programs: parsing of ``silhouette serve``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.options import Device, ErrorSize, NoCache, PixelSize, RendererName, SceneFile, Workers
from silhouette.cli.scene_job import mesh_cache
from silhouette.errors import RequestError
from silhouette.judging import check_numbers
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import serve_lines


def serve(
    scene: SceneFile,
    stdio: Annotated[bool, typer.Option("--stdio", help="Through standard input and output, a line each.")] = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    workers: Workers = None,
    no_cache: NoCache = False,
) -> int:
    """Answer another program's requests about a scene: poses in, verdicts out, as JSON lines.

    The protocol stands in silhouette/live/README.md.
    """
    if not stdio:
        raise RequestError("serve answers through standard input and output alone; say --stdio")

    check_numbers(pixel, error)
    # A program's answers are those of `check` on the file, not on what a page has not saved.
    table = LiveTable.opened(Path(scene), mesh_cache(no_cache), recover=False)
    judges = Judges(table.scene, table.cache, renderer, device, workers, error, pixel)
    try:
        # Not sys.stdin itself: its lock, which a thread that waits for a line holds, is wanted when Python ends.
        lines = os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
        serve_lines(table, judges, lines, sys.stdout)
    finally:
        judges.close()
    return 0
