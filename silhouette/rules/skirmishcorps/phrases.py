"""DRAW, for SkirmishCorps: what its figures say besides the phrases of all systems; translated in ``locale/``."""

from __future__ import annotations

from collections.abc import Mapping

from silhouette.rules.base import Phrase

PHRASES: Mapping[str, Phrase] = {
    "bands": "Scale at a piece: the class of cover that its height gives {target}.",
    "band none": "none",
    "band very low": "very low",
    "band low": "low",
    "band high": "high",
    "band corner": "corner",
}
