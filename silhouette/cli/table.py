"""The command line, live tables: ``silhouette table`` with its addresses and browser."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import webbrowser
from contextlib import closing, suppress
from typing import TextIO

from silhouette.cli.commands import ServeOptions, TableOptions
from silhouette.cli.scene_job import cache_of
from silhouette.cli.terminal import complain
from silhouette.cli.waiting import Waiting
from silhouette.judging import check_numbers
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable, opened
from silhouette.live.server.gate import Role
from silhouette.live.server.running import opened_doors, serve_table
from silhouette.renderers.registry import check_name

# ---- the browser


def open_beside(address: str) -> None:
    """Has the address opened, and does not wait for it; where that fails nothing is said.

    The address goes through a pipe: command lines can be read by every user of the machine.
    """
    with suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-m", "silhouette.cli.table"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        process.stdin.write(address.encode())
        process.stdin.close()


def open_window(address: str) -> None:
    """Opens the address in the user's browser; in none that would take the terminal."""
    with suppress(Exception):  # the address stands on the terminal
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:
            browser.open(address)


if __name__ == "__main__":
    open_window(sys.stdin.read())


# ---- the commands

LIGHT_ON_DARK, AS_BEFORE = "\033[97;40m", "\033[0m"
"""The colours of the QR code, whatever those of the terminal: not every phone reads one that is dark on light."""


def table(given: TableOptions) -> int:
    """Serves the table until Ctrl-C."""
    check_numbers(given.pixel, given.error)
    check_name(given.renderer, given.device)
    with Waiting(f"opening {given.scene or 'a table'}", quiet=given.quiet):
        live = opened(given.scene, cache_of(given))
    doors = opened_doors(given.port, lan=given.lan)
    # Told before the server is loaded: a browser takes its time as well, and waits for it.
    print(doors[0].address(Role.PLAYER), flush=True)
    for door in doors[1:]:
        _show_to_a_phone(door.address(Role.LOOKER), sys.stdout)
    if not given.no_browser:
        open_beside(doors[0].address_once(Role.PLAYER))  # who lists processes sees the browser's command line
    with Waiting("starting what judges", quiet=given.quiet, forking=True):
        judges = judges_of(live, given)
    with closing(judges), suppress(KeyboardInterrupt):
        asyncio.run(serve_table(live, judges, doors, complain))
    return 0


def judges_of(live: LiveTable, given: TableOptions | ServeOptions) -> Judges:
    """The processes that judge a table."""
    return Judges(live.scene, live.cache, given.renderer, given.device, given.workers, given.error, given.pixel)


def _show_to_a_phone(address: str, out: TextIO) -> None:
    """Prints the address for a second device; on a terminal that has the signs for it also as a QR code."""
    print(f"A second device in this network looks on at {address}", file=out)
    if out.isatty() and _has_blocks(out):
        for line in _code(address):
            print(f"{LIGHT_ON_DARK}{line}{AS_BEFORE}", file=out)
    out.flush()


def _code(text: str) -> list[str]:
    """A QR code, two rows of it in each line; its light parts are blocks, its dark ones are left empty."""
    import segno

    lines = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(lines, compact=True)
    return lines.getvalue().splitlines()


def _has_blocks(out: TextIO) -> bool:
    """Whether the stream's encoding has the half blocks that the code is drawn with."""
    try:
        "▀▄█".encode(out.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
