"""The command line: the commands put together, each module imported only when it is called, so that help is quick; and
what happens to errors: one line and an exit status.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from silhouette.cli import InterruptsDeferred
from silhouette.cli.commands import COMMANDS
from silhouette.cli.options import ExitStatus, declared
from silhouette.cli.terminal import complain, discard, is_lost, open_missing_streams, tolerate_any_text, warn
from silhouette.common.errors import SilhouetteError, WrittenFileWarning
from silhouette.common.text import DEBUG_VARIABLE, as_written, did_you_mean, problem
from silhouette.files.writing import why_not

# ---- mistakes in the words of a command


def usage_problem(error: typer.TyperException, arguments: Sequence[str], commands: Sequence[str]) -> str:
    """The mistake in plain words, and where to read more; ``arguments`` are the words after the program's name."""
    message = " ".join(error.format_message().split()).rstrip(".")
    command = next((word for word in arguments[:1] if word in commands), None)
    more = f"silhouette {command} --help" if command else "silhouette --help"
    return f"{_plain(message, error, arguments, commands)}; {more} says what there is".replace("?;", "?")


def _plain(message: str, error: typer.TyperException, arguments: Sequence[str], commands: Sequence[str]) -> str:
    if match := re.match(r"No such command '(.*?)'", message):
        return f"no command '{match[1]}'; {did_you_mean(match[1], commands)}"
    if match := re.match(r"No such option:? '?(\S+?)'?(?: |$)", message):
        like = list(getattr(error, "possibilities", None) or ())
        return f"no option {match[1]}" + (f"; did you mean {' or '.join(like)}?" if like else "")
    if match := re.match(r"Missing (argument|option) '(.*?)'", message):
        return f"{match[2].removesuffix('...')} is missing"
    if match := re.match(r"Option '(.*?)' requires", message):
        return f"{match[1]} needs a value"
    if match := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        return f"one argument too many: {match[1]}"
    if match := re.match(r"Invalid value for '(.*?)': (.*)", message):
        return _bad_value(match[1], match[2], arguments)
    return message[:1].lower() + message[1:]


PLAIN_PROBLEMS: tuple[tuple[str, str], ...] = (
    (r"valid integer", "a whole number"),
    (r"valid number", "a number"),
    (r"greater than or equal to (\S+)", "at least {}"),
    (r"less than or equal to (\S+)", "at most {}"),
    (r"valid boolean", "left without a value"),
)
"""What pydantic, which typer asks, says of a value, and the same in plain words."""


def _bad_value(option: str, reason: str, arguments: Sequence[str]) -> str:
    """A value that an option does not take, such as "--pixel is 'fine'; it must be a number"."""
    names = [name.strip() for name in option.split("/")]
    value: Any = None
    for place, word in enumerate(arguments):
        name, equals, rest = word.partition("=")
        if name in names:
            value = rest if equals else next(iter(arguments[place + 1 :]), None)
    given = f"{option} is {as_written(value)}" if value is not None else f"{option} has a wrong value"
    for pattern, words in PLAIN_PROBLEMS:
        if match := re.search(pattern, reason):
            return f"{given}; it must be {words.format(*match.groups())}"
    return f"{given}; {reason[:1].lower() + reason[1:]}"


# ---- commands

COMPLETE_VARIABLE = "_SILHOUETTE_COMPLETE"
"""The environment variable by which the script that --install-completion writes asks for completions."""

COMPLETED_WORDS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The environment variables with the words typed so far: of bash, and of the other shells."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line, by default the process's, and gives its exit status; no traceback reaches the user."""
    open_missing_streams()
    tolerate_any_text()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _answer(words)
    except KeyboardInterrupt:
        complain("interrupted; nothing further was judged")
        return ExitStatus.INTERRUPTED
    finally:
        if arguments is None:  # the process ends: another Ctrl-C has nothing left to interrupt
            with suppress(ValueError):  # in a thread
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        for stream in (sys.stdout, sys.stderr):
            if is_lost(stream):
                discard(stream)


def _answer(words: list[str]) -> int:
    try:
        _start_quickly()
        return _run(words)
    except BrokenPipeError:
        discard(sys.stdout)
        return ExitStatus.NO_READER
    except typer.TyperException as error:
        complain(usage_problem(error, words, list(COMMANDS)))
        return ExitStatus.BAD_INPUT
    except OSError as error:
        if error.filename is None:  # all that writes or reads a file says which
            discard(sys.stdout)
            complain(f"standard output cannot be written ({why_not(error)})")
        else:
            complain(problem(error))
        return ExitStatus.BAD_INPUT
    except Exception as error:
        if _is_interrupt(error):
            raise KeyboardInterrupt from error
        complain(problem(error))
        return ExitStatus.BAD_INPUT


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error: pydantic repeats a KeyboardInterrupt in the message of its own error, and an
    import that it breaks off looks like that of a missing package.
    """
    if error is None:
        return False
    words = "" if isinstance(error, SilhouetteError) else f"{type(error).__name__}: {error}"
    return "KeyboardInterrupt" in words or _is_interrupt(error.__cause__) or _is_interrupt(error.__context__)


YOUNG = 20_000
"""The number of new objects after which Python looks for unreachable cycles. With its own, 700, it starts a tenth more
slowly: nearly all objects of a start stay for good."""

START = 200_000  # the same before the first look: what a check makes until its verdict is less


def _start_quickly() -> None:
    """Leaves out of the start and the end of this process what no command needs."""
    gc.set_threshold(START, *gc.get_threshold()[1:])
    if _have_started not in gc.callbacks:
        gc.callbacks.append(_have_started)
        atexit.register(gc.freeze)  # at its end Python would look for cycles again and again: 0.1 s
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would read what every package says of itself
    if "OMP_NUM_THREADS" not in os.environ:
        # numpy's products of matrices, all of thin ones here, would wake threads that keep other processes waiting.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _have_started(phase: Literal["start", "stop"], _: dict[str, int]) -> None:
    """Has Python look for cycles more often after the first time: figures have many, and hold pictures."""
    if phase == "stop" and gc.get_threshold()[0] == START:
        gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
        gc.callbacks.remove(_have_started)


def _run(arguments: list[str]) -> int:
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        typed = " ".join(os.environ.get(variable, "") for variable in COMPLETED_WORDS)
        from typer.completion import shell_complete

        return shell_complete(command_line(typed.split()), {}, "silhouette", COMPLETE_VARIABLE, instruction)
    command = command_line(arguments)
    logging.getLogger().addHandler(logging.NullHandler())
    with warnings.catch_warnings():
        if not os.environ.get(DEBUG_VARIABLE):
            warnings.simplefilter("ignore")
        warnings.simplefilter("always", WrittenFileWarning)
        otherwise = warnings.showwarning

        def show_warning(message: Warning | str, *where: Any, **options: Any) -> None:
            if isinstance(message, WrittenFileWarning):  # what is said of a file that was written is one line
                warn(str(message))
            else:
                otherwise(message, *where, **options)

        warnings.showwarning = show_warning
        try:
            with command.make_context("silhouette", arguments) as context:
                status = command.invoke(context)
        except typer.Exit as ending:
            status = ending.exit_code
        except SystemExit as ending:  # as --install-completion and --show-completion end
            status = int(ending.code or ExitStatus.OK)
    sys.stdout.flush()
    return int(status or ExitStatus.OK)


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from silhouette.common.installation import VERSION

        print(f"silhouette {VERSION}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(FIRST_STEPS)


FIRST_STEPS = """\
Can he see me, and am I in cover? Three ways to begin:

  silhouette table                  open a small table in the browser, and drop miniatures and terrain on it
  silhouette new duel ganger.stl    write a scene with a miniature of your own, to edit
  silhouette scan table.glb         make a scene of a table that a phone has scanned

silhouette --help lists all commands, silhouette COMMAND --help what each takes."""
"""What the program says where no command is named."""


class GroupedCommands(TyperGroup):
    """The commands as `COMMANDS` groups them in help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a section for each group."""
        limit = formatter.width - 6 - WIDEST_NAME
        for group in dict.fromkeys(command.group for command in COMMANDS.values()):
            names = [name for name, command in COMMANDS.items() if command.group == group]
            rows = [(name.ljust(WIDEST_NAME), self.commands[name].get_short_help_str(limit)) for name in names]
            with formatter.section(group):
                formatter.write_dl(rows)


WIDEST_NAME = max(map(len, COMMANDS))  # groups have their descriptions in one column


def command_line(words: Iterable[str]) -> Any:
    """The command line of some words. Commands that none of them names have no options, and are only listed."""
    app = typer.Typer(
        cls=GroupedCommands,
        help="Line of sight and cover for miniature wargames, measured on 3D meshes.",
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    named = set(words)
    for name, command in COMMANDS.items():
        function = declared(command.options, partial(_done, name)) if name in named else _listed
        app.command(name, short_help=command.short_help)(function)
    return typer.main.get_command(app)


def _done(name: str, given: Any) -> int:
    """Does what a command does; its function is called as it is, but for ``map_`` and ``import_``."""
    with InterruptsDeferred():
        functions = vars(import_module(f"silhouette.cli.{COMMANDS[name].module}"))
    status: int = (functions.get(f"{name}_") or functions[name])(given)
    return status


def _listed() -> None:
    """Stands for a command that is named in help, and not called."""
