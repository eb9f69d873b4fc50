"""The command line, the tutorial: parsing and printing of ``silhouette tutorial``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.options import AsJson, NoCache, PixelSize, Quiet, RendererName, exit_status
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.drawing.sheet import settings
from silhouette.files.cache import Cache
from silhouette.judging import usable_pixel
from silhouette.pages.tutorial.pages import INDEX, Run, scenes_folder, write_tutorial
from silhouette.renderers import choose
from silhouette.text import counted
from silhouette.workers import cores


def tutorial(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="For the pages: new, empty, or a tutorial's.")],
    scenes: Annotated[
        Path | None,
        typer.Option("--scenes", metavar="DIR", help="The scenes of the source.  [default: here, or by the package]"),
    ] = None,
    no_animation: Annotated[bool, typer.Option("--no-animation", help="Nothing that moves: quicker.")] = False,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    pixel: PixelSize = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Write a tutorial as HTML pages, worked through on the example scenes: open DIR/index.html, no network needed.

    Every verdict, share and figure in it comes from this run. A tutorial that is there already is replaced when the new
    one is whole.
    """
    folder, fine = scenes_folder(scenes), None if pixel is None else usable_pixel(pixel)
    cache = (Cache(None) if no_cache else Cache.default()).remembering()
    with Waiting(f"writing {out}", quiet=quiet, forking=True) as waiting:
        with settings():  # nobody waits for pages that then cannot be drawn
            measuring = choose(renderer)
        run = Run(folder, measuring, cache, cores(), not no_animation, fine)
        pages = write_tutorial(out, run, waiting.step)
    checks = [check for page in pages for part in page["parts"] for check in part["checks"]]
    unexpected = [check for check in checks if check["expected"] is False]
    if as_json:
        show_json({"out": str(out), "pages": pages})
    else:
        number = counted(len(checks), "check")
        words = f"{len(pages) + 1} pages with {number}; open {out / INDEX}"
        show(f"{words}; {len(unexpected)} not as expected" if unexpected else words)
    return exit_status(failed=False, unexpected=bool(unexpected))
