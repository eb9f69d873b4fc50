"""JUDGE: Marvel: Crisis Protocol: free lines between bases, seen from above."""

from __future__ import annotations

from silhouette.rules.crisis_protocol.rule import CRISIS_PROTOCOL as RULE

__all__ = ["RULE"]
