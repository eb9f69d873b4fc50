"""The command line, its pages: parsing and printing of ``silhouette report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.options import (
    AsJson,
    Attacker,
    NoCache,
    PixelSize,
    Quiet,
    RendererName,
    SceneFile,
    Target,
    Workers,
    exit_status,
)
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.common.version import VERSION
from silhouette.drawing.sheet import settings
from silhouette.files.cache import Cache
from silhouette.files.documents import read_text
from silhouette.files.writing import write_file
from silhouette.judging import Selection, load_scene, usable_pixel
from silhouette.pages.html.skeleton import check_page_path
from silhouette.pages.report.page import judged_and_drawn, report_page
from silhouette.renderers import choose
from silhouette.workers import cores

MapOf = Annotated[
    str | None, typer.Option("--map", metavar="NAME", help="Also a map of where NAME could stand, seen by the others.")
]


PageFile = Annotated[Path, typer.Option("--out", metavar="FILE.html", help="For the page; what is there is replaced.")]


def report(
    scene: SceneFile,
    out: PageFile,
    attacker: Attacker = None,
    target: Target = None,
    map_of: MapOf = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    pixel: PixelSize = None,
    workers: Workers = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Write one page that opens anywhere, without a network: verdicts, figures, the table in 3D.

    It has each check of the scene, or those that --from and --to name; a scene without checks is shown as a table.
    Figures and verdicts come from one measurement, with a sample in every pixel. The page can be sent to the opponent:
    it opens on a phone, and says what the verdicts rest on.
    """

    check_page_path(out)
    selection = Selection(attacker, target)
    fine = None if pixel is None else usable_pixel(pixel)
    cache = Cache(None) if no_cache else Cache.default()
    processes = cores() if workers is None else workers
    with Waiting(f"reporting on {scene}", quiet=quiet, forking=True) as waiting:
        with settings():  # nobody waits for a verdict that then cannot be drawn
            measuring = choose(renderer)
        table = load_scene(scene, cache=cache)
        mapped_ = None
        if map_of is not None:
            from silhouette.doubt.maps import MapRequest
            from silhouette.judging import mapped

            mapped_ = mapped(table, MapRequest(map_of), measuring, fine, workers=processes, step=waiting.step)
        drawn = judged_and_drawn(
            table, measuring, fine, selection=selection, workers=processes, cache=cache, progress=waiting.step
        )
        content = report_page(table, drawn, read_text(scene), VERSION, cache, mapped_).encode()
        write_file(out, content)
    results = [check.judged for check in drawn]
    if as_json:
        about = {"scene": str(scene), "title": table.title, "report": str(out), "bytes": len(content)}
        show_json({**about, "checks": [result.row() for result in results]})
    else:
        show(
            *(f"{result.check.label}: {result.verdict.words}" for result in results),
            f"{out}: {_size(len(content))}",
        )
    return exit_status(failed=False, unexpected=any(result.expected is False for result in results))


def _size(count: int) -> str:
    """Bytes in words.

    >>> _size(3_214_000), _size(812_000)
    ('3.2 MB', '0.8 MB')
    """
    return f"{count / 1e6:.1f} MB"
