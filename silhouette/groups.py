"""JUDGE: many checks of a scene go in, and are judged in groups, by several processes where it is worth it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from silhouette.meshes.bounds import prepare
from silhouette.renderers.protocol import Renderer, refuse_too_large
from silhouette.rules import rule_called
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.scenes.scene import Check, Scene

WORTH_FORKING = 20
"""The least number of checks that several processes judge: fewer are judged before the processes have started."""

TOGETHER = 64
"""The most checks that are judged at once: what is done for all of them together costs less for each. A renderer for
which more of them are better has an attribute ``together``."""

GROUPS_EACH = 4
"""The least number of groups of checks for each process, where there are enough: none waits long for the last one."""


def verdicts_of(scene: Scene, checks: Sequence[Check], settings: Settings, workers: int) -> Iterator[Verdict]:
    """The verdict of each check, in order; `TOGETHER` at a time, from several processes where that is worth it.

    Raises:
        RequestError: before the first verdict, where the renderer's device has no room for the scene's meshes.
    """
    refuse_too_large(settings.renderer, rule_called(scene.rules).meshes(scene))
    judged_groups: Iterator[tuple[list[Verdict], Exception | None]]
    together = settings.renderer.capabilities.checks_together or TOGETHER
    if workers == 1 or len(checks) < WORTH_FORKING or not shared(scene, settings.renderer):
        judged_groups = map(partial(_group, scene, settings), _in_groups(checks, together))
    else:
        from silhouette.workers import parallel_map

        most = max(1, min(TOGETHER, -(-len(checks) // (GROUPS_EACH * workers))))
        judged_groups = parallel_map(partial(_group, scene, settings), _in_groups(checks, most), workers)
    for verdicts, error in judged_groups:
        yield from verdicts
        if error is not None:
            raise error


def _group(scene: Scene, settings: Settings, checks: Sequence[Check]) -> tuple[list[Verdict], Exception | None]:
    """The verdicts of checks that are judged at once; where one fails, those of the checks before it, and its error."""
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    try:
        verdicts = rule.judge(scene, checks, settings)
        return rule.from_elsewhere([(scene, check) for check in checks], verdicts, settings), None
    except Exception as error:
        if len(checks) == 1:
            return [], error
    before = list[Verdict]()
    for check in checks:
        done, error_of_one = _group(scene, settings, [check])
        before += done
        if error_of_one is not None:
            return before, error_of_one
    return before, None


def _in_groups(checks: Sequence[Check], size: int) -> list[Sequence[Check]]:
    """The checks, ``size`` at a time."""
    return [checks[start : start + size] for start in range(0, len(checks), size)]


def shared(scene: Scene, renderer: Renderer) -> bool:
    """Prepares the meshes of a scene once, before worker processes are forked, which then have them all.

    Returns:
        Whether workers are of use; False where the scene has no meshes, or the renderer does not survive a fork.
    """
    meshes = list({id(mesh): mesh for mesh in rule_called(scene.rules).meshes(scene).values()}.values())
    if not meshes or not renderer.share(meshes):
        return False
    for mesh in meshes:
        prepare(mesh)
    _prepare_measuring()
    return True


def _prepare_measuring() -> None:
    """Loads what the first measurement would load, which each worker would else do for itself."""
    from silhouette.measure import places

    places.tables()
    import_module("numpy.ma")  # numpy itself imports it when it is first asked for the distinct ones of some numbers
