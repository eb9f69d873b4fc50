"""An address opens in the user's browser, from a process of its own: browsers take time, and leave threads behind."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress


def open_beside(address: str) -> None:
    """Has the address opened, and does not wait for it; where that fails nothing is said.

    The address goes through a pipe: command lines can be read by every user of the machine.
    """
    with suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-m", "silhouette.cli.browser_window"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        process.stdin.write(address.encode())
        process.stdin.close()


def open_window(address: str) -> None:
    """Opens the address in the user's browser; in none that would take the terminal."""
    import webbrowser

    with suppress(Exception):  # the address stands on the terminal
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:
            browser.open(address)


if __name__ == "__main__":
    open_window(sys.stdin.read())
