"""JUDGE: SkirmishCorps: protection by cover, and the rest of its cover page."""

from __future__ import annotations

from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS as RULE

__all__ = ["RULE"]
