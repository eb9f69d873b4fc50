"""JUDGE: how many checks are judged at once, by how many processes, and who is told how far that has come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TypeVar

from silhouette.meshes.bounds import prepare
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.scenes.scene import Scene
from silhouette.workers import parallel_map

CHECKS_WORTH_FORKING = 20  # fewer are judged before several processes have started
CHECK_GROUPS_PER_PROCESS = 4  # groups of checks for each process, at least: none waits long for the last one


def shared(scene: Scene, renderer: Renderer) -> bool:
    """Prepares the meshes of a scene before worker processes are forked; False where such are of no use."""
    meshes = list({id(mesh): mesh for mesh in rule_called(scene.rules).meshes(scene).values()}.values())
    if not meshes or not renderer.share(meshes):
        return False
    for mesh in meshes:
        prepare(mesh)
    # What the first measurement would load, which each worker would else do for itself: numpy imports its `ma` when it
    # is first asked for the distinct ones of some numbers.
    for module in ("numpy.ma", "numpy.random"):
        import_module(module)
    return True


Item = TypeVar("Item")
Result = TypeVar("Result")
WORTH_FORKING = 4  # the least checks of which each process takes some; of fewer, all take trials of each


@dataclass(frozen=True)
class Run:
    """How many judgements are made, by how many processes, with the same results for any number; ``step`` is called
    with how much is done: the number of checks, and a part of the one that is worked out.
    """

    workers: int = 1
    step: Callable[[float], None] = lambda done: None

    def from_here(self, done: float) -> Run:
        """The run of one check, after ``done`` of them."""
        return replace(self, step=lambda part: self.step(done + part))

    def silent_when_forked(self) -> Run:
        """The same run, without steps in processes that are forked from this one."""
        process = os.getpid()
        return replace(self, step=lambda done: self.step(done) if os.getpid() == process else None)

    def each(
        self, scene: Scene, renderer: Renderer, items: Sequence[Item], work: Callable[[Item, Run], Result]
    ) -> Iterator[Result]:
        """What ``work`` returns for each item, a check or a check and its verdict, in their order."""
        if self.workers == 1 or len(items) < WORTH_FORKING or not shared(scene, renderer):
            for number, item in enumerate(items):
                self.step(number)
                yield work(item, self.from_here(number))
            return
        for number, result in enumerate(parallel_map(lambda item: work(item, IN_PROCESS_RUN), items, self.workers)):
            self.step(number)
            yield result

    def parts(
        self, renderer: Renderer, items: Sequence[Item], work: Callable[[Item], Result], *, alone: bool = False
    ) -> Iterator[Result]:
        """What ``work`` returns for each part of the work on one check, in their order."""
        forking = self.workers > 1 and not alone and renderer.share([])
        yield from parallel_map(work, items, self.workers if forking else 1)


IN_PROCESS_RUN = Run()  # in this process, which tells nobody
