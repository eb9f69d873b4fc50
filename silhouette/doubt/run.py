"""DOUBT: by how many processes one question is judged many times, and who is told how far that has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from silhouette.groups import shared
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.scene import Scene
from silhouette.workers import parallel_map

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH_FORKING = 4
"""The least number of checks of which each process takes some; fewer are worked out one after the other, each by all
processes."""


@dataclass(frozen=True)
class Run:
    """How many judgements are made.

    Attributes:
        workers: processes; what is found is the same for any number.
        step: is called with how much is done: the number of checks, and a part of the one that is worked out.
    """

    workers: int = 1
    step: Callable[[float], None] = lambda done: None

    def from_here(self, done: float) -> Run:
        """The run of one check, after ``done`` of them."""
        return replace(self, step=lambda part: self.step(done + part))

    def each(
        self, scene: Scene, renderer: Renderer, items: Sequence[Item], work: Callable[[Item, Run], Result]
    ) -> Iterator[Result]:
        """What ``work`` returns for each item, a check or a check and its verdict, in their order.

        Args:
            scene: of the checks.
            renderer: measures.
            items: the checks.
            work: takes one, and the run of it.
        """
        if self.workers == 1 or len(items) < WORTH_FORKING or not shared(scene, renderer):
            for number, item in enumerate(items):
                self.step(number)
                yield work(item, self.from_here(number))
            return
        for number, result in enumerate(parallel_map(lambda item: work(item, ALONE), items, self.workers)):
            self.step(number)
            yield result

    def parts(
        self, renderer: Renderer, items: Sequence[Item], work: Callable[[Item], Result], *, alone: bool = False
    ) -> Iterator[Result]:
        """What ``work`` returns for each part of the work on one check, in their order.

        Args:
            renderer: measures; it has measured the check before, and so has most of what it needs.
            items: the parts.
            work: takes one.
            alone: whether so little is to be done that this process does it.
        """
        forking = self.workers > 1 and not alone and renderer.share([])
        yield from parallel_map(work, items, self.workers if forking else 1)


ALONE = Run()
"""In this process, which tells nobody."""
