"""The command line, other programs: ``silhouette serve``, JSON lines about a scene, or tools for an assistant."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing, suppress
from pathlib import Path

from silhouette.cli.commands import ServeOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import cache_of
from silhouette.cli.terminal import complain
from silhouette.common.errors import RequestError
from silhouette.common.installation import extra_command
from silhouette.judging import check_numbers
from silhouette.renderers.registry import check_name


def serve(given: ServeOptions) -> int:
    """Answers requests until there are no more."""
    if given.stdio == given.mcp:
        raise RequestError(
            "serve answers through standard input and output alone; say --stdio, or --mcp for assistants"
        )
    check_numbers(given.pixel, given.error)
    check_name(given.renderer, given.device)
    return _serve_tools(given) if given.mcp else _serve_lines(given)


def _serve_lines(given: ServeOptions) -> int:
    from silhouette.cli.table import judges_of  # the live table takes a while to import
    from silhouette.live.live_table import LiveTable
    from silhouette.live.protocol import serve_lines

    if given.scene is None:
        raise RequestError("SCENE is missing; --stdio answers about one scene")
    # A program's answers are those of `check` on the file, not on what a page has not saved.
    live = LiveTable.opened(given.scene, cache_of(given), recover=False)
    with closing(judges_of(live, given)) as judges:
        # Not sys.stdin itself: its lock, which a thread that waits for a line holds, is wanted when Python ends.
        lines = os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
        serve_lines(live, judges, lines, sys.stdout)
    return ExitStatus.OK


def _serve_tools(given: ServeOptions) -> int:
    try:
        from silhouette.serving.server import serve_tools
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise RequestError(
            f"--mcp needs the MCP SDK, which is not installed; install it with: {extra_command('mcp')}"
        ) from None
    from silhouette.serving.bench import Bench
    from silhouette.serving.folder import ServedFolder

    if given.workers is not None:
        raise RequestError("--mcp answers in one process; leave --workers out")
    folder = ServedFolder(Path() if given.scene is None else given.scene)
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, _end)
    serve_tools(Bench(folder, cache_of(given), given.renderer, given.device, given.pixel, given.error))
    return ExitStatus.OK


def _end(*_: object) -> None:
    """Ends the process at once, on Ctrl-C: the thread that waits for the next line of the client never would."""
    complain("interrupted; nothing further was judged")
    os._exit(ExitStatus.INTERRUPTED)
