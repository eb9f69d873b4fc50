"""TELL, the command line: a file for each command, their common options, and the tables that they print.

words of a command -> the room that does it -> tables, one JSON document, or files; an exit status
"""

from __future__ import annotations

from silhouette.cli.app import main

__all__ = ["main"]
