"""The command line, its evidence: parsing and printing of ``silhouette bundle``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.bundles.writing import bundled, check_bundle_path
from silhouette.cli.options import (
    AsJson,
    Attacker,
    Device,
    ErrorSize,
    NoCache,
    PixelSize,
    Quiet,
    RendererName,
    SceneFile,
    Target,
    exit_status,
)
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.files.writing import write_file
from silhouette.judging import JudgingOptions, Selection, check_numbers
from silhouette.renderers import choose
from silhouette.text import verdict_in_words

ZipFile = Annotated[Path, typer.Option("--out", metavar="FILE.zip", help="For the bundle; what is there is replaced.")]
NoPictures = Annotated[bool, typer.Option("--no-pictures", help="Without the diagrams of each check.")]


def bundle(
    scene: SceneFile,
    out: ZipFile,
    attacker: Attacker = None,
    target: Target = None,
    no_pictures: NoPictures = False,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Keep a scene with all that its verdicts rest on: one file, which silhouette check judges again and compares.

    In it are the scene, its models and meshes, the verdicts of each check, or of those that --from and --to name, their
    diagrams, the versions and settings, and a checksum of each file.
    """
    check_bundle_path(out)
    check_numbers(pixel, error)
    selection = Selection(attacker, target)
    with Waiting(f"bundling {scene}", quiet=quiet) as waiting:
        options = JudgingOptions(choose(renderer, device), mesh_cache(no_cache), pixel, error)
        made = bundled(scene, selection, options, device, pictures=not no_pictures, step=waiting.step)
        write_file(out, made.content)
    rows = [judged.row() for judged in made.result.judged]
    if as_json:
        about = {"scene": str(scene), "title": made.result.title, "bundle": str(out), "bytes": len(made.content)}
        files = [file.model_dump(by_alias=True) for file in made.files]
        show_json({**about, "files": files, "left_out": list(made.left_out), "checks": rows})
    else:
        labels = [judged.check.label for judged in made.result.judged]
        show(*(f"{label}: {verdict_in_words(row)}" for label, row in zip(labels, rows, strict=True)))
        if not quiet:
            show(*(f"left out, since it is not there: {name}" for name in made.left_out))
        show(f"{out}: {len(made.content) / 1e6:.1f} MB, {len(made.files)} files")
    for judged in made.result.judged:
        if judged.unmet and not as_json:
            complain(f"{scene}: {judged.check.label}: not as expected: {'; '.join(judged.unmet)}")
    return exit_status(failed=False, unexpected=any(judged.expected is False for judged in made.result.judged))
