"""The command line: ``silhouette site``."""

from __future__ import annotations

from dataclasses import replace

from silhouette.cli.commands import SiteOptions
from silhouette.cli.options import exit_status
from silhouette.cli.terminal import show_result
from silhouette.cli.tutorial import tutorial_run
from silhouette.common.text import counted
from silhouette.pages.site.frame import SITE_INDEX
from silhouette.pages.site.writing import SiteParts, write_site


def site(given: SiteOptions) -> int:
    """Writes the site."""
    with tutorial_run(given) as (run, waiting):
        parts = replace(SiteParts.shipped(run.scenes), manual=given.manual)
        facts = write_site(given.out, run, waiting.step, parts)
    lessons = [part for page in facts["pages"] for part in page["parts"]]
    rows = [row for each in (*facts["tables"], *lessons) for row in each["checks"]]
    unexpected = [row for row in rows if row["expected"] is False]
    words = f"{counted(len(facts['tables']), 'table')} to play with, and the tutorial; open {given.out / SITE_INDEX}"
    words += f"; {len(unexpected)} not as expected" if unexpected else ""
    show_result({"out": str(given.out), **facts}, words, as_json=given.as_json)
    return exit_status(failed=False, unexpected=bool(unexpected))
