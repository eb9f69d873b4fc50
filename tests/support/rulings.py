"""One check judged by a rule system, in one line of a test."""

from __future__ import annotations

from typing import Any

from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.abilities import HasOdds
from silhouette.rules.base import Rule, Settings
from silhouette.scenes.scene import Check


def ruled(
    rule: Rule[Any, Any],
    scene: Any,
    check: Check,
    renderer: Renderer | None = None,
    pixel: float = 0.1,
    *,
    keep: bool = False,
) -> Any:
    """The verdict on one check, as commands have it; by default of Embree, where it runs."""
    settings = Settings(renderer or choose(), pixel, keep)
    requests = [(scene, check)]
    verdicts = rule.judge(requests, settings)
    (verdict,) = rule.from_elsewhere(requests, verdicts, settings) if isinstance(rule, HasOdds) else verdicts
    return verdict
