"""Runs benchmarks one after another, each in a process of its own, and records their tables as they are ready."""

from __future__ import annotations

import importlib
import multiprocessing
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from silhouette.common.errors import RendererUnavailable
from tests.benchmarks.figures import Figures, Measured, Origin, Run, commit, today
from tests.benchmarks.page import PACKAGE, write_picture
from tests.benchmarks.tables import CannotRunError, Options, Skipped, Table


class FailedError(Exception):
    """A benchmark ended with an error, or its process died; the message says how."""


class Recorder:
    """Runs benchmarks and records their tables.

    Args:
        figures: take the tables.
        folder: where they are written after each table.
        options: for all benchmarks.
        again: whether the latest figures are replaced, and those before them kept.
    """

    def __init__(self, figures: Figures, folder: Path, options: Options, again: bool) -> None:
        from tests.benchmarks.machine import (
            described,  # slow to import, and the processes of benchmarks need none of it
        )

        self._figures, self._folder, self._options, self._again = figures, folder, options, again
        self._origin = Origin(today(), commit(), figures.machine(described()))

    def run(self, name: str) -> bool:
        """Runs one benchmark; returns False where it failed."""
        measured = self._figures.benchmarks.setdefault(name, Measured())
        measured.gaps, has_failed, titles = {}, False, list[str]()
        start = time.perf_counter()
        for one in tables_of(name, self._options):
            if isinstance(one, FailedError | CannotRunError):
                has_failed = has_failed or isinstance(one, FailedError)
                measured.gaps[""] = str(one)
                print(f"    {one}", flush=True)
                continue
            titles.append(one.title)
            if isinstance(one, Table):
                run = Run(one, self._origin, rounds=self._options.rounds)
                self._figures.record(name, run, again=self._again)
                _, before = measured.tables[one.title]
                print(run.beside(before).text() + "\n", flush=True)
            else:
                print(one.text() + "\n", flush=True)
                measured.gaps[one.title] = one.reason
            self._figures.write(self._folder)
            write_picture(self._folder, self._figures)
        if "" not in measured.gaps:
            self._figures.forget_all_but(name, titles, self._origin.machine)
        seconds = round(time.perf_counter() - start, 1)
        print(f"    {name}: {seconds:.0f} s", flush=True)
        if not measured.gaps and self._options.rounds is None:
            measured.seconds = seconds
        return not has_failed


def tables_of(name: str, options: Options) -> Iterator[Table | Skipped | CannotRunError | FailedError]:
    """The tables of a benchmark, measured in a process of its own, and at last the reason where it did not end well."""
    context = multiprocessing.get_context("spawn")  # no benchmark finds what another one has loaded
    pipe, far = context.Pipe()
    process = context.Process(target=send_tables, args=(far, name, options))
    process.start()
    far.close()
    try:
        while (one := pipe.recv()) is not None:
            yield one
    except EOFError:
        process.join()
        yield FailedError(f"its process ended (exit status {process.exitcode})")
    except BaseException:  # Ctrl-C: its own processes end with it
        process.terminate()
        raise
    finally:
        process.join()


def send_tables(pipe: Connection, name: str, options: Options) -> None:
    """Runs a benchmark in this process and sends its tables, then None."""
    try:
        module = importlib.import_module(name if "." in name else f"{PACKAGE}.{name}")
        for table in module.tables(options):
            pipe.send(table)
    except (CannotRunError, RendererUnavailable, ModuleNotFoundError) as reason:
        pipe.send(CannotRunError(str(reason)))
    except KeyboardInterrupt:
        return
    except Exception as error:
        traceback.print_exc()
        pipe.send(FailedError(f"failed: {type(error).__name__}: {error}".splitlines()[0]))
    pipe.send(None)
