"""The command line: ``silhouette site``."""

from __future__ import annotations

from silhouette.cli.commands import SiteOptions
from silhouette.cli.options import exit_status
from silhouette.cli.scene_job import cache_of, processes_of, renderer_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.text import counted
from silhouette.drawing.sheet import settings
from silhouette.judging import check_numbers
from silhouette.pages.site.frame import SITE_INDEX
from silhouette.pages.site.writing import write_site
from silhouette.pages.tutorial.pages import TutorialRun, scenes_folder


def site(given: SiteOptions) -> int:
    """Writes the site."""
    folder = scenes_folder(given.scenes)
    check_numbers(given.pixel, given.error)
    cache = cache_of(given).remembering()
    with Waiting(f"writing {given.out}", quiet=given.quiet, forking=True) as waiting:
        with settings():  # nobody waits for pages that then cannot be drawn
            renderer = renderer_of(given)
        run = TutorialRun(
            folder, renderer, cache, processes_of(given), not given.no_animation, given.pixel, given.error
        )
        facts = write_site(given.out, run, waiting.step)
    parts = [part for page in facts["pages"] for part in page["parts"]]
    rows = [row for each in (*facts["tables"], *parts) for row in each["checks"]]
    unexpected = [row for row in rows if row["expected"] is False]
    words = f"{counted(len(facts['tables']), 'table')} to play with, and the tutorial; open {given.out / SITE_INDEX}"
    words += f"; {len(unexpected)} not as expected" if unexpected else ""
    show_result({"out": str(given.out), **facts}, words, as_json=given.as_json)
    return exit_status(failed=False, unexpected=bool(unexpected))
