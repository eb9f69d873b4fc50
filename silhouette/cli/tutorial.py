"""The command line: ``silhouette tutorial``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from silhouette.cli.commands import SiteOptions, TutorialOptions
from silhouette.cli.options import exit_status
from silhouette.cli.scene_job import cache_of, processes_of, renderer_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.text import counted
from silhouette.drawing.sheet import settings
from silhouette.judging import check_numbers
from silhouette.pages.tutorial.pages import INDEX, TutorialRun, scenes_folder, write_tutorial


@contextmanager
def tutorial_run(given: TutorialOptions | SiteOptions) -> Iterator[tuple[TutorialRun, Waiting]]:
    """What the tutorial is made with, and the bar that shows how far it has come, as long as the block runs."""
    folder = scenes_folder(given.scenes)
    check_numbers(given.pixel, given.error)
    cache = cache_of(given).remembering()
    with Waiting(f"writing {given.out}", quiet=given.quiet, forking=True) as waiting:
        with settings():  # nobody waits for pages that then cannot be drawn
            renderer = renderer_of(given)
        workers, is_animated = processes_of(given), not given.no_animation
        yield TutorialRun(folder, renderer, cache, workers, is_animated, given.pixel, given.error), waiting


def tutorial(given: TutorialOptions) -> int:
    """Writes the tutorial."""
    with tutorial_run(given) as (run, waiting):
        pages = write_tutorial(given.out, run, waiting.step)
    checks = [check for page in pages for part in page["parts"] for check in part["checks"]]
    unexpected = [check for check in checks if check["expected"] is False]
    words = f"{len(pages) + 1} pages with {counted(len(checks), 'check')}; open {given.out / INDEX}"
    words += f"; {len(unexpected)} not as expected" if unexpected else ""
    show_result({"out": str(given.out), "pages": pages}, words, as_json=given.as_json)
    return exit_status(failed=False, unexpected=bool(unexpected))
