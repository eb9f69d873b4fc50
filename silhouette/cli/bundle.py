"""The command line, its evidence: ``silhouette bundle``."""

from __future__ import annotations

from typing import Any

from silhouette.bundles.writing import bundled, check_bundle_path
from silhouette.cli.commands import BundleOptions
from silhouette.cli.options import exit_status
from silhouette.cli.scene_job import cache_of, places_of, renderer_of
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.files.writing import write_file
from silhouette.judging import JudgingOptions, Selection, check_numbers


def bundle(given: BundleOptions) -> int:
    """Judges a scene, and writes it with all that its verdicts rest on."""
    check_bundle_path(given.out)
    check_numbers(given.pixel, given.error)
    selection = Selection(given.attacker, given.target)
    with Waiting(f"bundling {given.scene}", quiet=given.quiet) as waiting:
        options = JudgingOptions(renderer_of(given), cache_of(given), given.pixel, given.error)
        made = bundled(
            given.scene,
            selection,
            options,
            given.device,
            at=places_of(given),
            pictures=not given.no_pictures,
            step=waiting.step,
        )
        write_file(given.out, made.content)
    results = made.result.judged
    if given.as_json:
        about: dict[str, Any] = {"scene": str(given.scene), "title": made.result.title, "bundle": str(given.out)}
        about |= {"bytes": len(made.content), "files": [file.model_dump(by_alias=True) for file in made.files]}
        show_json({**about, "left_out": list(made.left_out), "checks": [result.row() for result in results]})
    else:
        show(*(f"{result.check.label}: {result.verdict.words}" for result in results))
        if not given.quiet:
            show(*(f"left out, since it is not there: {name}" for name in made.left_out))
        show(f"{given.out}: {len(made.content) / 1e6:.1f} MB, {len(made.files)} files")
        for result in results:
            if result.unmet:
                complain(f"{given.scene}: {result.check.label}: not as expected: {'; '.join(result.unmet)}")
    return exit_status(failed=False, unexpected=any(result.expected is False for result in results))
