"""The command line, many scenes: ``silhouette batch``."""

from __future__ import annotations

from silhouette.batches.run import make_pool, write_batch
from silhouette.cli.commands import BatchOptions
from silhouette.cli.options import ExitStatus, exit_status
from silhouette.cli.scene_job import settings_of
from silhouette.cli.tables import batch_report
from silhouette.cli.terminal import complain, show_result
from silhouette.cli.waiting import Waiting


def batch(given: BatchOptions) -> int:
    """Judges many scenes into a file."""
    settings = settings_of(given, everyone=given.everyone)
    pool = make_pool(settings, given.workers, given.timeout, given.cluster)
    try:
        with Waiting("judging", quiet=given.quiet, rated=True, forking=True) as waiting:
            summary = write_batch(
                given.paths,
                given.out,
                settings,
                pool,
                resume=given.resume,
                retry_errors=given.retry_errors,
                junit=given.junit,
                progress=waiting.step,
            )
    except KeyboardInterrupt:
        complain(f"interrupted; what was judged is kept beside {given.out}: the same command with --resume goes on")
        return ExitStatus.INTERRUPTED
    for sentence in summary.failed:
        complain(sentence)
    report = batch_report(given.out, summary, named=given.expect, quiet=given.quiet)
    show_result({"out": str(given.out), **vars(summary)}, *report, as_json=given.as_json)
    return exit_status(failed=bool(summary.failed), unexpected=bool(summary.unmet))
