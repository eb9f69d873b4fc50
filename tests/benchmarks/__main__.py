"""Runs all benchmarks, and records what they measure in ``figures.json``.

    python -m tests.benchmarks [NAME...] [--rounds N] [--scenes N] [--against DIR] [--again] [--folder FOLDER]
    python -m tests.benchmarks --page FILE [--folder FOLDER]

Each benchmark runs in a process of its own. A name with a dot in it is that of any other module with ``tables``.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.figures import Figures
from tests.benchmarks.page import FOLDER, PACKAGE, benchmarks, write_page, write_picture
from tests.benchmarks.recording import Recorder
from tests.benchmarks.tables import Options, add_options

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Its exit status is 1 where a benchmark failed; one that cannot run here has not failed."""
    parser = ArgumentParser(prog=f"python -m {PACKAGE}", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of a benchmark: {', '.join(benchmarks())}")
    add_options(parser)
    parser.add_argument("--again", action="store_true", help="replace the latest figures, and leave those before them")
    parser.add_argument("--page", type=Path, metavar="FILE", help="measure nothing: write the manual's page into FILE")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of figures.json")
    asked = parser.parse_args(arguments)
    names = asked.names or benchmarks()
    if unknown := [name for name in names if "." not in name and name not in benchmarks()]:
        parser.error(f"no benchmark: {', '.join(unknown)}")
    asked.folder.mkdir(parents=True, exist_ok=True)
    figures = Figures.read(asked.folder)
    if asked.page:
        write_page(asked.page, figures)
        return 0
    failed = []
    try:
        options = Options(asked.against, asked.rounds, scenes=asked.scenes)
        recorder = Recorder(figures, asked.folder, options, asked.again)
        for number, name in enumerate(names, 1):
            print(f"[{number}/{len(names)}] {name}", flush=True)
            failed += [] if recorder.run(name) else [name]
    except KeyboardInterrupt:
        print("\ninterrupted; the tables that were ready are kept", file=sys.stderr)
        return INTERRUPTED
    finally:
        figures.tidy()
        figures.write(asked.folder)
        write_picture(asked.folder, figures)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
