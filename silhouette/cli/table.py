"""The command line, the live table: parsing of ``silhouette table``, the addresses, and the browser that opens.

The browser is opened by a process of its own: browsers take time, and leave threads behind.
"""

from __future__ import annotations

import io
import subprocess
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated, TextIO

import typer

from silhouette.cli.completion import complete_scene
from silhouette.cli.options import Device, ErrorSize, NoCache, PixelSize, Quiet, RendererName, Workers
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.terminal import complain
from silhouette.cli.waiting import Waiting
from silhouette.judging import check_numbers
from silhouette.live.judges import Judges
from silhouette.live.live_table import opened
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


# ---- the command

Opened = Annotated[
    Path | None,
    typer.Argument(
        metavar="SCENE",
        help="A scene, a folder of meshes or of a scan.  [default: scene.toml, or a new one]",
        show_default=False,
        autocompletion=complete_scene,
    ),
]
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Of the address; 0 for any that is free.")
]
Lan = Annotated[
    bool, typer.Option("--lan", help="Also for a second device in this network, such as a phone, to look on.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")]

LIGHT_ON_DARK, AS_BEFORE = "\033[97;40m", "\033[0m"
"""The colours of the QR code, whatever those of the terminal: not every phone reads one that is dark on light."""


def table(
    scene: Opened = None,
    port: Port = 0,
    lan: Lan = False,
    no_browser: NoBrowser = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    workers: Workers = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Open a scene as a table in the browser: move a figure, and see at once who sees it.

    The address is printed first. It has a token: give it to nobody who is not to move your figures. Ctrl-C ends it.
    """
    check_numbers(pixel, error)
    check_name(renderer, device)
    cache = mesh_cache(no_cache)
    with Waiting(f"opening {scene or 'a table'}", quiet=quiet):
        live = opened(scene, cache)
    doors = opened_doors(port, lan=lan)
    # Told before the server is loaded: a browser takes its time as well, and waits for it.
    print(doors[0].address(Role.PLAYER), flush=True)
    for door in doors[1:]:
        _show_to_a_phone(door.address(Role.LOOKER), sys.stdout)
    if not no_browser:
        open_beside(doors[0].address_once(Role.PLAYER))  # who lists processes sees the browser's command line

    with Waiting("starting what judges", quiet=quiet, forking=True):
        judges = Judges(live.scene, live.cache, renderer, device, workers, error, pixel)
    try:
        with suppress(KeyboardInterrupt):
            serve_table(live, judges, doors, complain)
    finally:
        judges.close()
    return 0


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
