"""TELL, the command line: one file for each command, what they share, and the tables that they print.

words of a command -> the room that does it -> tables, one JSON document, or files; an exit status
"""

from __future__ import annotations

from silhouette.cli.app import main

__all__ = ["main"]
