"""JUDGE: Tide of Iron: line of sight on a map of hexes."""

from __future__ import annotations

from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON as RULE

__all__ = ["RULE"]
