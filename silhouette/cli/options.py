"""Options that mean the same in every command that has them, in groups; and what makes a command of a group."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform, get_type_hints

import typer

from silhouette.cli.completion import complete_renderer, complete_scene


def argument(metavar: str, about: str, **how: Any) -> Any:
    """An argument, for typer, with what stands for it in help and what help says of it."""
    return typer.Argument(metavar=metavar, help=about, **how)


def option(spelling: str, metavar: str, about: str | None = None, **how: Any) -> Any:
    """An option with a value, with what stands for this in help and what help says of it."""
    return typer.Option(spelling, metavar=metavar, help=about, **how)


def flag(*spellings: str) -> Any:
    """An option without a value: its spellings, and what help says of it."""
    *names, about = spellings
    return typer.Option(*names, help=about)


SceneFile = Annotated[Path, argument("SCENE", "A scene file.", autocompletion=complete_scene)]
Picture = Annotated[Path | None, option("--picture", "FILE.png", "Also draw it.")]
NewFolder = Annotated[Path, option("--out", "FOLDER", "For the scene; made where it is not there.")]

Given = TypeVar("Given")


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Options:
    """What a command is told. Each kind is a frozen dataclass, whose fields are given by name."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class Pairing(Options):
    """A pair of the scene."""

    attacker: Annotated[str | None, option("--from", "NAME", "Who looks.")] = None
    target: Annotated[str | None, option("--to", "NAME", "Who is looked at.  [default: everyone else]")] = None


class Trying(Options):
    """Places to try."""

    at: Annotated[
        list[str] | None,
        option("--at", "NAME=X,Y[,FACING]", "Try a place, in the scene's units; again for other pieces."),
    ] = None


class Styling(Options):
    """The look of figures."""

    style: Annotated[str, option("--style", "STYLE", "Of figures: print or dark.")] = "print"
    language: Annotated[str, option("--lang", "LANG", "Of figures and reports: en, de, fr or es.")] = "en"


class Rendering(Options):
    """What measures."""

    renderer: Annotated[
        str,
        option(
            "--renderer",
            "NAME",
            "auto, embree, cuda, gl or reference; see silhouette doctor.",
            autocompletion=complete_renderer,
        ),
    ] = "auto"
    device: Annotated[
        str | None, option("--device", "NAME", "For cuda or gl: cuda:1, cpu or 0, say; see silhouette doctor.")
    ] = None


class Measuring(Rendering):
    """What measures, and how finely."""

    pixel: Annotated[
        float | None, option("--pixel", "MM", "How fine: mm per pixel at the target.  [default: the scene's, or 0.1]")
    ] = None
    error: Annotated[
        float | None,
        option("--error", "SHARE", "How sure, where no other verdict is near.  [default: the scene's, or 0.002]"),
    ] = None


class Doubting(Options):
    """What is wanted besides verdicts."""

    odds: Annotated[bool, flag("--odds", "Also say how likely each verdict is: see [doubt] of scenes.")] = False
    seed: Annotated[int, option("--seed", "N", "For --odds: the same seed, the same odds.", min=0)] = 0
    what_if: Annotated[
        bool, flag("--what-if", "Also say what would change each verdict: the least moves, turn, pieces.")
    ] = False


class Working(Options):
    """The processes that judge."""

    workers: Annotated[
        int | None, option("--workers", "N", "Processes at the same time.  [default: the cores]", min=1)
    ] = None


class Reading(Options):
    """How meshes are read."""

    no_cache: Annotated[bool, flag("--no-cache", "Read every mesh anew and keep none on disk.")] = False


class Hushing(Options):
    """What is left unsaid."""

    quiet: Annotated[bool, flag("--quiet", "-q", "No progress, reasons or warnings: results alone.")] = False


class Printing(Options):
    """How results are printed."""

    as_json: Annotated[bool, flag("--json", "Print one JSON document and nothing else.")] = False


class Telling(Printing, Reading, Hushing):
    """What nearly every command has."""


class Judging(Measuring, Doubting, Working, Telling):
    """What the commands have that judge and print."""


def declared(options: type[Given], run: Callable[[Given], int]) -> Callable[..., int]:
    """The function of a command, for typer: its own options first, then those of each group."""

    def command(**given: Any) -> int:
        return run(options(**given))

    settings: dict[str, Any] = {field.name: field for field in fields(options)}  # type: ignore[arg-type]
    hints = get_type_hints(options, include_extras=True)
    names = dict.fromkeys(name for part in options.__mro__ for name in inspect.get_annotations(part))
    command.__doc__ = options.__doc__
    command.__annotations__ = {name: hints[name] for name in names}
    parameters = []
    for name in names:
        default = settings[name].default
        default = inspect.Parameter.empty if default is MISSING else default
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
        )
    vars(command)["__signature__"] = inspect.Signature(parameters)
    return command


class ExitStatus(IntEnum):
    """The exit statuses of all commands."""

    OK = 0
    """All is judged, and every expectation is met."""
    UNEXPECTED = 1
    """All is judged, and some expectation is not met."""
    BAD_INPUT = 2
    """A file, an option or an argument cannot be used."""
    INTERRUPTED = 130
    """Ctrl-C, as shells report SIGINT."""
    NO_READER = 141
    """Nobody reads the output, as shells report SIGPIPE."""


def exit_status(*, failed: bool, unexpected: bool) -> ExitStatus:
    """The status of a command in which something could not be judged, or some expectation is not met.

    >>> exit_status(failed=True, unexpected=True)
    <ExitStatus.BAD_INPUT: 2>
    """
    if failed:
        return ExitStatus.BAD_INPUT
    return ExitStatus.UNEXPECTED if unexpected else ExitStatus.OK
