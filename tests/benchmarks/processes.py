"""Whole processes in CPU seconds, of this checkout and, beside it, of an earlier one.

CPU seconds count every worker, and depend little on what else the machine does. A process starts as an installed
package does: its modules are compiled. Libraries of linear algebra have one thread.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).resolve().parents[2]


def checkouts(what: str) -> list[Path]:
    """This checkout and, where the command line says ``--against DIR``, an earlier one before it."""
    parser = ArgumentParser(description=what)
    parser.add_argument(
        "--against", type=Path, metavar="DIR", help="an earlier checkout, which takes turns with this one"
    )
    earlier: Path | None = parser.parse_args().against
    return [PROJECT] if earlier is None else [earlier.resolve(), PROJECT]


def cpu_seconds(arguments: Sequence[str], checkout: Path, folder: Path, **environment: str) -> float:
    """The CPU seconds of a process ``python ARGUMENTS`` and of all that it starts.

    Args:
        arguments: of Python; the process runs in the checkout.
        checkout: whose package is taken.
        folder: for compiled modules, and for the cache unless the environment names another.
        environment: further variables.
    """
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    variables |= {"PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "OMP_NUM_THREADS": "1"}
    variables |= {"SILHOUETTE_CACHE_DIR": str(folder / "cache"), **environment}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(
        command, check=False, cwd=checkout, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(what: str, arguments: Sequence[str], places: Sequence[Path], folder: Path, runs: int) -> list[float]:
    """The median CPU seconds of a process in each checkout, warm, taking turns; prints them and their ratio."""
    taken: list[list[float]] = [[] for _ in places]
    for lap in range(runs + 1):
        for place, found in zip(places, taken, strict=True):
            seconds = cpu_seconds(arguments, place, folder)
            found += [seconds] if lap else []
    medians = [median(found) for found in taken]
    row(what, medians)
    return medians


def row(what: str, numbers: Sequence[float]) -> None:
    """Prints a row: before and after with their ratio, or one number."""
    told = "".join(f"{number:10.2f}" for number in numbers)
    print(f"{what:56}{told}" + (f"{numbers[-1] / numbers[0]:8.2f}" if len(numbers) > 1 else ""), flush=True)


def heading(what: str, places: Sequence[Path]) -> None:
    """Prints the heading of such rows."""
    names = ["before", "now"][-len(places) :]
    print(f"{what:56}" + "".join(f"{name:>10}" for name in names) + (f"{'ratio':>8}" if len(places) > 1 else ""))
