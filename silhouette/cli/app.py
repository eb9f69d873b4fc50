"""The command line: parsing and printing, nothing else. Each command imports what it needs, so that help is quick.

Exit status: 0 all judged and every expectation held; 1 some did not hold; 2 bad input or usage; 130 interrupted.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from silhouette.cli.doctor import doctor
from silhouette.cli.draw import draw
from silhouette.cli.options import (
    BAD,
    BROKEN,
    HELD,
    INTERRUPTED,
    NO_READER,
    AsJson,
    Device,
    ErrorSize,
    NoCache,
    Picture,
    PixelSize,
    Quiet,
    RendererName,
    SceneFile,
    SceneFiles,
    Workers,
)
from silhouette.cli.report import report
from silhouette.cli.schema import schema
from silhouette.cli.terminal import Waiting, complain, show, show_json, tolerate_any_text
from silhouette.cli.tutorial import tutorial
from silhouette.text import DEBUG_VARIABLE, problem

if TYPE_CHECKING:
    from silhouette.batches.chunks import BatchSettings
    from silhouette.files.cache import Cache
    from silhouette.judging import SceneResult, Selection
    from silhouette.renderers.protocol import Renderer
    from silhouette.rules.base import Verdict
    from silhouette.scenes.scene import Check, Scene

# Click's own base of all that is wrong with a command line: it lies inside typer or beside it, by typer's version.
_UsageProblem = typer.BadParameter.__mro__[2]

app = typer.Typer(
    help="Line of sight and cover for miniature wargames, measured on 3D meshes.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and gives its exit status; no traceback ever reaches the user.

    Args:
        arguments: what follows the command's name; by default those of the process.
    """
    tolerate_any_text()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except KeyboardInterrupt:
        complain("interrupted; nothing further was judged")
        return INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return NO_READER
    except OSError as error:
        _stop_writing()
        complain(_words_of(error))
        return BAD
    except Exception as error:
        complain(_words_of(error))
        return BAD


def _run(words: list[str]) -> int:
    command = typer.main.get_command(app)
    logging.getLogger().addHandler(logging.NullHandler())
    with warnings.catch_warnings():
        if not os.environ.get(DEBUG_VARIABLE):
            warnings.simplefilter("ignore")
        try:
            with command.make_context("silhouette", words) as context:
                status = command.invoke(context)
        except typer.Exit as done:
            status = done.exit_code
    sys.stdout.flush()
    return int(status or HELD)


def _words_of(error: Exception) -> str:
    if isinstance(error, _UsageProblem):
        context = getattr(error, "ctx", None)
        message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
        command = context.command_path if context is not None else "silhouette"
        return f"{message.rstrip('.')}; {command} --help says what there is"
    return problem(error)


def _stop_writing() -> None:
    """Standard output takes nothing more: what is still to be flushed at exit goes nowhere."""
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


@app.command(short_help="Judge the checks of scenes.")
def check(
    scenes: SceneFiles,
    attacker: Annotated[str | None, typer.Option("--from", metavar="NAME", help="Who looks.")] = None,
    target: Annotated[
        str | None, typer.Option("--to", metavar="NAME", help="Who is looked at.  [default: everyone else]")
    ] = None,
    arc: Annotated[
        str | None, typer.Option("--arc", metavar="ARC", help="front, left, right or rear.  [default: any]")
    ] = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    picture: Picture = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Judge every [[check]] of each scene, or those that --from and --to name.

    With --picture and several checks, the files are FILE-1.png, FILE-2.png and so on, in the order of the table.
    """
    from silhouette.batches.chunks import BatchSettings
    from silhouette.cli.tables import scene_report, scenes_document, summary
    from silhouette.judging import Selection, scenes_in

    settings = BatchSettings(renderer, pixel, cached=not no_cache, device=device, error=error)
    job = _Job(Selection(attacker, target, arc), settings, picture, quiet)
    files = [file for path in scenes for file in scenes_in(path)]
    results = []
    for file in files:
        result = job.judge(file, several=len(files) > 1)
        results.append(result)
        if not as_json:
            show(*scene_report(result, quiet=quiet))
        if result.error is not None:
            complain(result.error)
    if as_json:
        show_json(scenes_document(results))
    elif len(results) > 1:
        show(summary(results))
    return _status(results)


@app.command()
def matrix(
    scene: SceneFile,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    workers: Workers = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Judge everyone against everyone."""
    from silhouette.batches.chunks import BatchSettings
    from silhouette.cli.tables import matrix_report, scenes_document
    from silhouette.judging import Selection
    from silhouette.workers import cores

    settings = BatchSettings(renderer, pixel, cached=not no_cache, device=device, error=error)
    job = _Job(Selection(everyone=True), settings, None, quiet)
    result = job.judge(scene, workers=cores() if workers is None else workers)
    if as_json:
        show_json(scenes_document([result]))
    else:
        show(*matrix_report(result, quiet=quiet))
    if result.error is not None:
        complain(result.error)
    return _status([result])


@app.command(short_help="Judge many scenes, a row for each check.")
def batch(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Scene files, folders, globs.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="For the rows: .jsonl, .csv or .parquet.")],
    everyone: Annotated[bool, typer.Option("--everyone", help="Everyone against everyone in each scene.")] = False,
    expect: Annotated[bool, typer.Option("--expect", help="Also name each check that is not as expected.")] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE.xml", help="Also what CI systems show.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished batch.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Longest for reading a scene, or for a check.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="Of a Dask scheduler whose workers judge.")
    ] = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    workers: Workers = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Judge many scenes and write a row for each check; what goes wrong is a row with an error.

    The rows are kept beside FILE as they come, and FILE appears when all is done: --resume goes on after a kill.
    """
    from silhouette.batches.chunks import BatchSettings
    from silhouette.batches.run import make_pool, write_batch
    from silhouette.cli.tables import batch_report

    settings = BatchSettings(renderer, pixel, everyone, cached=not no_cache, device=device, error=error)
    pool = make_pool(settings, workers, timeout, cluster)
    try:
        with Waiting("judging", quiet=quiet, rated=True, forking=True) as waiting:
            done = write_batch(paths, out, settings, pool, resume=resume, junit=junit, progress=waiting.step)
    except KeyboardInterrupt:
        complain(f"interrupted; what was judged is kept beside {out}: the same command with --resume goes on")
        return INTERRUPTED
    for sentence in done.failed:
        complain(sentence)
    if as_json:
        show_json({"out": str(out), **vars(done)})
    else:
        show(*batch_report(out, done, named=expect))
    return BAD if done.failed else BROKEN if done.broken else HELD


@app.command(short_help="Say what a model is and what could be tagged.")
def inspect(
    file: Annotated[Path, typer.Argument(metavar="MESH_OR_MODEL", help="A mesh, or a model file that names one.")],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Bare mesh: fighter, vehicle or terrain.")
    ] = None,
    units: Annotated[
        str | None, typer.Option("--units", metavar="UNITS", help="Bare mesh: mm, cm, m, inch or auto.")
    ] = None,
    up: Annotated[str | None, typer.Option("--up", metavar="UP", help="Bare mesh: z or y.")] = None,
    scale: Annotated[
        float | None, typer.Option("--scale", metavar="SCALE", help="Bare mesh: how much larger to make it.")
    ] = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    picture: Picture = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Say what a model is: parts, size, units, base, eye, holes, what is tagged and what could be.

    With --picture, four views with body, base and insignificant parts in different colours.
    """
    from silhouette.cli.tables import inspection_report
    from silhouette.models.inspection import inspection, model_at, suggestions

    if picture is not None:
        _check_picture(picture)
    given = {"kind": kind, "units": units, "up": up, "scale": scale}
    options = {key: value for key, value in given.items() if value is not None}
    with Waiting(f"inspecting {file}", quiet=quiet):
        model = model_at(file, options, _cache(no_cache))
        suggested = suggestions(model)
        if picture is not None:
            from silhouette.drawing.four_views import draw_four_views
            from silhouette.renderers import choose

            draw_four_views(model, choose(renderer), picture, suggested)
    found = inspection(file, model, suggested)
    if as_json:
        show_json(found)
    else:
        show(*inspection_report(found))
    return HELD


@app.command()
def rules(as_json: AsJson = False) -> int:
    """List the rule systems and what each reads."""
    from silhouette.cli.tables import rules_report
    from silhouette.files.examples import example
    from silhouette.rules import RULES, rule_called

    systems = [
        {"name": rule.name, "title": rule.title, "reads": list(rule.reads), "example": str(example(rule.example))}
        for rule in map(rule_called, RULES)
    ]
    if as_json:
        show_json({"rules": systems})
    else:
        show(*rules_report(systems))
    return HELD


app.command(short_help="Print the JSON Schema of scenes, models or results.")(schema)
app.command(short_help="Say which renderers work on this machine.")(doctor)
app.command(short_help="Write the diagrams of each check.")(draw)
app.command(short_help="Write a tutorial as pages, from the example scenes.")(tutorial)
app.command(short_help="Write one page with verdicts, figures and the table in 3D.")(report)


class _Job:
    """What is the same for every scene of one command: what is asked, and with what it is judged and drawn.

    Whatever is wrong with the options is found here, before anything is judged.
    """

    def __init__(self, selection: Selection, settings: BatchSettings, picture: Path | None, quiet: bool) -> None:
        from silhouette.judging import check_numbers
        from silhouette.renderers import choose

        self._selection, self._settings, self._picture, self._quiet = selection, settings, picture, quiet
        self._drawn = 0
        check_numbers(settings.pixel, settings.error)
        if picture is not None:
            _check_picture(picture)
        self._renderer: Renderer = choose(settings.renderer, settings.device)
        self._cache = _cache(not settings.cached)

    def judge(self, path: Path, *, several: bool = False, workers: int = 1) -> SceneResult:
        """One scene, which may be one of several; by so many processes."""
        from silhouette.judging import judge_scene

        def draw(scene: Scene, question: Check, verdict: Verdict, alone: bool) -> Path | None:
            from silhouette.drawing.figures import write_main_figure
            from silhouette.judging import PIXEL
            from silhouette.rules.base import Settings

            assert self._picture is not None
            self._drawn += 1
            place = self._picture
            if several or not alone:
                place = place.with_name(f"{place.stem}-{self._drawn}{place.suffix}")
            is_drawn = write_main_figure(scene, question, verdict, Settings(self._renderer, PIXEL, keep=True), place)
            return place if is_drawn else None

        with Waiting(f"judging {path}", quiet=self._quiet, forking=workers > 1) as waiting:
            return judge_scene(
                path,
                self._selection,
                self._renderer,
                cache=self._cache,
                pixel=self._settings.pixel,
                error=self._settings.error,
                draw=draw if self._picture is not None else None,
                step=waiting.step,
                workers=workers,
            )


def _check_picture(path: Path) -> None:
    """Nobody waits for a verdict whose picture then has no place."""
    from silhouette.drawing.page import check_png_path

    check_png_path(path)


def _cache(no_cache: bool) -> Cache:
    from silhouette.files.cache import Cache

    return Cache(None) if no_cache else Cache.default()


def _status(results: Sequence[SceneResult]) -> int:
    if any(result.error is not None for result in results):
        return BAD
    return BROKEN if any(one.expected is False for result in results for one in result.judged) else HELD
