"""JUDGE: Necromunda: line of sight and cover, by the share of the target that is obscured from the attacker's eye."""

from __future__ import annotations

from silhouette.rules.necromunda.rule import NECROMUNDA as RULE

__all__ = ["RULE"]
