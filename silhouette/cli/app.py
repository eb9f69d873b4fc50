"""The command line: the commands put together, and what happens to errors.

Each command is a file, for parsing and printing, and imports other rooms only when it runs, so that help is quick.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

import typer

from silhouette.cli.batch import batch
from silhouette.cli.check import check
from silhouette.cli.doctor import doctor
from silhouette.cli.draw import draw
from silhouette.cli.inspect import inspect
from silhouette.cli.matrix import matrix
from silhouette.cli.new import new
from silhouette.cli.options import ExitStatus
from silhouette.cli.report import report
from silhouette.cli.rules import rules
from silhouette.cli.scan import scan
from silhouette.cli.schema import schema
from silhouette.cli.terminal import complain, tolerate_any_text
from silhouette.cli.tutorial import tutorial
from silhouette.cli.usage import usage_problem
from silhouette.text import DEBUG_VARIABLE, problem

COMPLETE_VARIABLE = "_SILHOUETTE_COMPLETE"
"""The environment variable by which the script that --install-completion writes asks for completions."""

app = typer.Typer(
    help="Line of sight and cover for miniature wargames, measured on 3D meshes.",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and gives its exit status; no traceback ever reaches the user.

    Args:
        arguments: the words after the program's name; by default those of the process.
    """
    tolerate_any_text()
    _start_quickly()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except KeyboardInterrupt:
        complain("interrupted; nothing further was judged")
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return ExitStatus.NO_READER
    except typer.TyperException as error:
        complain(usage_problem(error, words, _commands()))
        return ExitStatus.BAD_INPUT
    except OSError as error:
        _stop_writing()
        complain(problem(error))
        return ExitStatus.BAD_INPUT
    except Exception as error:
        complain(problem(error))
        return ExitStatus.BAD_INPUT


YOUNG = 20_000
"""The number of new objects after which Python looks for unreachable cycles. With its own, 700, it starts a tenth more
slowly: nearly all objects of a start stay for good."""


START = 200_000
"""The same before the first look: what a check makes until its verdict is less."""


def _start_quickly() -> None:
    """Leaves out of the start and the end of this process what no command needs."""
    gc.set_threshold(START, *gc.get_threshold()[1:])
    if _have_started not in gc.callbacks:
        gc.callbacks.append(_have_started)
        atexit.register(gc.freeze)  # at its end Python would look for cycles again and again: 0.1 s
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would read what every package says of itself


def _have_started(phase: Literal["start", "stop"], _: dict[str, int]) -> None:
    """Has Python look for cycles more often after the first time: figures have many, and hold pictures."""
    if phase == "stop" and gc.get_threshold()[0] == START:
        gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
        gc.callbacks.remove(_have_started)


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        return _complete(command, instruction)
    logging.getLogger().addHandler(logging.NullHandler())
    with warnings.catch_warnings():
        if not os.environ.get(DEBUG_VARIABLE):
            warnings.simplefilter("ignore")
        try:
            with command.make_context("silhouette", arguments) as context:
                status = command.invoke(context)
        except typer.Exit as ending:
            status = ending.exit_code
        except SystemExit as ending:  # as --install-completion and --show-completion end
            status = int(ending.code or ExitStatus.OK)
    sys.stdout.flush()
    return int(status or ExitStatus.OK)


def _complete(command: Any, instruction: str) -> int:
    """Answers the shell, which asks by an environment variable what the words typed so far can become."""
    from typer.completion import shell_complete

    return shell_complete(command, {}, "silhouette", COMPLETE_VARIABLE, instruction)


def _commands() -> list[str]:
    """The names of all commands."""
    command = typer.main.get_command(app)
    return list(getattr(command, "commands", {}))


def _stop_writing() -> None:
    """Discards the rest of standard output, so that the flush at exit does not fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from silhouette.version import VERSION

        print(f"silhouette {VERSION}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


app.command(short_help="Write a first scene to edit.")(new)
app.command(short_help="Make a scene of a scanned table.")(scan)
app.command(short_help="Judge the checks of scenes.")(check)
app.command()(matrix)
app.command(short_help="Judge many scenes, a row for each check.")(batch)
app.command(short_help="Say what a model is and what could be tagged.")(inspect)
app.command()(rules)
app.command(short_help="Print the JSON Schema of scenes, models, results or scans.")(schema)
app.command(short_help="Say which renderers work on this machine.")(doctor)
app.command(short_help="Write the diagrams of each check.")(draw)
app.command(short_help="Write a tutorial as pages, from the example scenes.")(tutorial)
app.command(short_help="Write one page with verdicts, figures and the table in 3D.")(report)
