"""Whole processes in CPU seconds, of this checkout and, in turn with it, of an earlier one.

CPU seconds count every worker, and depend little on what else the machine does. A process starts as an installed
package does: its modules are compiled. Libraries of linear algebra have one thread.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.benchmarks.tables import Options, Table, progress

PROJECT = Path(__file__).resolve().parents[2]


def places(options: Options) -> list[Path]:
    """This checkout and, where one is asked for, an earlier one before it."""
    return [PROJECT] if options.against is None else [options.against.resolve(), PROJECT]


def cpu_seconds(arguments: Sequence[str], checkout: Path, folder: Path, **environment: str) -> float:
    """The CPU seconds of a process ``python ARGUMENTS`` and of all that it starts.

    Args:
        arguments: of Python; the process runs in the checkout.
        checkout: whose package is taken.
        folder: for compiled modules, and for the cache unless the environment names another.
        environment: further variables.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(arguments, checkout, folder, **environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(arguments: Sequence[str], checkout: Path, folder: Path, **environment: str) -> None:
    """Runs a process ``python ARGUMENTS``; see `cpu_seconds`."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    variables |= {"PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "OMP_NUM_THREADS": "1"}
    variables |= {"SILHOUETTE_CACHE_DIR": str(folder / "cache"), **environment}
    command, null = [sys.executable, *arguments], subprocess.DEVNULL
    subprocess.run(command, check=False, cwd=checkout, env=variables, stdout=null, stderr=null)


def in_turn(arguments: Sequence[str], checkouts: Sequence[Path], folder: Path, runs: int) -> list[float]:
    """The median CPU seconds of a process in each checkout, warm, taking turns."""
    taken: list[list[float]] = [[] for _ in checkouts]
    for lap in range(runs + 1):
        for place, found in zip(checkouts, taken, strict=True):
            seconds = cpu_seconds(arguments, place, folder)
            found += [seconds] if lap else []
    return [median(found) for found in taken]


def row(what: str, numbers: Sequence[float]) -> tuple[str, ...]:
    """A row: before and after with their ratio, or one number."""
    ratio = [f"{numbers[-1] / numbers[0]:.2f}"] if len(numbers) > 1 else []
    return progress((what, *(f"{number:.2f}" for number in numbers), *ratio))


def as_table(
    title: str, rows: Sequence[tuple[str, ...]], checkouts: Sequence[Path], notes: Sequence[str] = ()
) -> Table:
    """A table of such rows. Where no earlier checkout took turns, the figures of the earlier run stand beside it."""
    if len(checkouts) == 1:
        return Table(title, ("", "measured"), tuple(rows), tuple(notes), compared=("measured",))
    described = subprocess.run(
        ["git", "-C", str(checkouts[0]), "rev-parse", "--short=7", "HEAD"], check=False, capture_output=True, text=True
    )
    earlier = described.stdout.strip() or "earlier"
    return Table(title, ("", f"at {earlier}", "measured", "ratio"), tuple(rows), tuple(notes))
