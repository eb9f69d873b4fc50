"""JUDGE: how many checks are judged at once, and a scene's meshes made ready for several processes."""

from __future__ import annotations

from importlib import import_module

from silhouette.meshes.bounds import prepare
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import meshes_of
from silhouette.scenes.scene import Scene

WORTH_FORKING = 20
"""The least number of checks that several processes judge: fewer are judged before the processes have started."""

CHECKS_TOGETHER = 64
"""The most checks that are judged at once: what is done for all of them together costs less for each. A renderer for
which more of them are better has an attribute ``together``."""

GROUPS_EACH = 4
"""The least number of groups of checks for each process, where there are enough: none waits long for the last one."""


def shared(scene: Scene, renderer: Renderer) -> bool:
    """Prepares the meshes of a scene once, before worker processes are forked, which then have them all.

    Returns:
        Whether workers are of use; False where the scene has no meshes, or the renderer does not survive a fork.
    """
    meshes = list({id(mesh): mesh for mesh in meshes_of(rule_called(scene.rules), scene).values()}.values())
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
