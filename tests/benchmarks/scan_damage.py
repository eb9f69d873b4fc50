"""How much damage does a scan bear, kind by kind, before figures are lost, and are they lost without a word?

    python -m tests.benchmarks.scan_damage [KIND...] [--of NAME] [--keep FOLDER]

A scan of `../shared/scans` is made worse in one way at a time, and scanned as `scan_losses` does: coarser, rougher,
with slow errors, bent, with folds of cloth, with a board under one half, with holes, with half of it twice, out of the
file's upright, with crumbs, with a curled rim.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.scan_losses import COLUMNS, FIGURES, SHARED, Losses, losses
from tests.benchmarks.tables import CannotRunError, Options, Table
from tests.support.scan_damage import KINDS, damaged

SCAN = "usual"
"""The scan that is made worse: five figures, one of them on a tower."""

TITLE = "Figures found, named and lost, by damage"


def damages(kinds: Sequence[str], folder: Path, scan: str = SCAN) -> Iterator[tuple[str, Losses]]:
    """What is lost of a scan that is damaged in some kinds, each in all its strengths."""
    truth = SHARED / "scans" / f"{scan}.truth.json"
    for kind in kinds:
        for strength in KINDS[kind][1]:
            worse = damaged(truth, folder, kind, strength)
            each = losses(worse.truth, folder / f"{kind} {strength:g}", FIGURES)
            print(kind, worse.strength, *each.row()[1:], each.error, file=sys.stderr, flush=True)
            for line in each.lines:
                print(line, file=sys.stderr, flush=True)
            yield f"{kind} {worse.strength}".strip(), each


def table_of(every: Sequence[tuple[str, Losses]]) -> Table:
    """The table of what was lost."""
    rows = tuple((name, *each.row()[1:]) for name, each in every)
    return Table(TITLE, COLUMNS, rows, compared=("found", "named", "lost, untold"))


def tables(options: Options) -> Iterator[Table]:
    """What was lost by each kind of damage."""
    del options
    if not FIGURES.is_dir():
        raise CannotRunError("the shared scans are not here")
    with tempfile.TemporaryDirectory() as folder:
        yield table_of(list(damages(list(KINDS), Path(folder))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: runs all and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scan_damage")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of damage: {', '.join(KINDS)}")
    parser.add_argument("--of", default=SCAN, metavar="NAME", help="of the scan in ../shared/scans")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the scanned tables are kept")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(table_of(list(damages(given.kinds or list(KINDS), folder, given.of))).text())


if __name__ == "__main__":
    main()
