"""The command ``python -m tests.fuzz``: see the package."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.fuzz.trials import Tally, Trials, share_of, summary


def main() -> int:
    """Tries for some minutes, prints what came of it, and gives 1 where anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (default: 30)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed tries the same (default: 1)")
    parser.add_argument("--workers", type=int, default=1, help="processes at the same time (default: 1)")
    parser.add_argument("--only", type=int, help="the one trial of this number")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="the folder for what fails")
    given = parser.parse_args()
    if given.only is not None:
        tally = Trials(given.seed, given.keep).run(given.only)
    else:
        until = time.monotonic() + 60.0 * given.minutes
        with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
            shares = [
                pool.submit(share_of, given.seed, given.keep, at, given.workers, until) for at in range(given.workers)
            ]
            tally = Tally()
            for share in shares:
                tally.add(share.result())
    print(summary(tally))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
