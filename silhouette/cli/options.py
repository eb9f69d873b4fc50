"""Shared by all commands: options that mean the same in each of them, and exit statuses."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.completion import complete_renderer, complete_scene, complete_scene_or_bundle

ScenesAndBundles = Annotated[
    list[Path],
    typer.Argument(
        metavar="SCENE", help="Scene files, folders, globs, bundles.", autocompletion=complete_scene_or_bundle
    ),
]
SceneFile = Annotated[Path, typer.Argument(metavar="SCENE", help="A scene file.", autocompletion=complete_scene)]
Attacker = Annotated[str | None, typer.Option("--from", metavar="NAME", help="Who looks.")]
Target = Annotated[str | None, typer.Option("--to", metavar="NAME", help="Who is looked at.  [default: everyone else]")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RendererName = Annotated[
    str,
    typer.Option(
        "--renderer",
        metavar="NAME",
        help="auto, embree, cuda, gl or reference; see silhouette doctor.",
        autocompletion=complete_renderer,
    ),
]
Device = Annotated[
    str | None,
    typer.Option("--device", metavar="NAME", help="For cuda or gl: cuda:1, cpu or 0, say; see silhouette doctor."),
]
PixelSize = Annotated[
    float | None,
    typer.Option("--pixel", metavar="MM", help="How fine: mm per pixel at the target.  [default: the scene's, or 0.1]"),
]
ErrorSize = Annotated[
    float | None,
    typer.Option(
        "--error", metavar="SHARE", help="How sure, where no other verdict is near.  [default: the scene's, or 0.002]"
    ),
]
Tried = Annotated[
    list[str] | None,
    typer.Option(
        "--at", metavar="NAME=X,Y[,FACING]", help="Try a place, in the scene's units; again for other pieces."
    ),
]
WithOdds = Annotated[bool, typer.Option("--odds", help="Also say how likely each verdict is: see [doubt] of scenes.")]
WhatIf = Annotated[
    bool, typer.Option("--what-if", help="Also say what would change each verdict: the least moves, turn, pieces.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For --odds: the same seed, the same odds.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Processes at the same time.  [default: the cores]")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, reasons or warnings: results alone.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Read every mesh anew and keep none on disk.")]
StyleName = Annotated[str, typer.Option("--style", metavar="STYLE", help="print or dark.")]
Language = Annotated[str, typer.Option("--lang", metavar="LANG", help="Of the words: en, de, fr or es.")]
Picture = Annotated[Path | None, typer.Option("--picture", metavar="FILE.png", help="Also draw it.")]


def tried(texts: Sequence[str] | None) -> dict[str, list[float]]:
    """The places that ``--at`` gives, by the name of the piece: x, y and, where it is given, the facing."""
    if not texts:
        return {}
    from silhouette.scenes.places import Trial

    trials = [Trial.of(text) for text in texts]
    return {one.name: [*one.at, *([] if one.facing is None else [one.facing])] for one in trials}


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
