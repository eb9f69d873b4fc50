"""TELL: the live table: a scene goes in and moves of its pieces, and verdicts come out while they move.

See protocol.md beside this file; `silhouette table` serves it to a page, `silhouette serve` to programs.
What is asked for and cannot be raises RequestError, of a file FileError: one line that says why.
"""
