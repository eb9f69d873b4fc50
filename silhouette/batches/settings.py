"""MANY: how every scene of a batch is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from silhouette.files.cache import Cache
from silhouette.rules import RULES


@dataclass(frozen=True)
class BatchSettings:
    """The settings for the judgement of every scene of a batch."""

    renderer: str = "auto"  # "auto" or the name of a renderer
    pixel: float | None = None  # mm per pixel at the target; None for the value in each scene, else 0.1
    everyone: bool = False  # everyone against everyone, instead of the checks in the scene file
    cached: bool = True  # whether meshes are kept on disk
    # The name of the renderer's device; None shares out the GPUs, where there are several of one kind
    device: str | None = None
    error: float | None = None  # the error goal, a share of the target; None for the value in each scene, else 0.002
    # The rule systems of the process that starts the batch, as `silhouette.rules.RULES` lists them: a worker that
    # begins as a fresh Python knows those that were added, too
    rules: Mapping[str, str] = field(default_factory=lambda: dict(RULES))
    seed: int | None = None  # of the odds of each verdict; None where they are not asked for
    what_if: bool = False  # whether it is asked what would change each verdict

    def cache(self) -> Cache:
        """The cache of meshes on the disk, or none."""
        return Cache.default() if self.cached else Cache(None)
