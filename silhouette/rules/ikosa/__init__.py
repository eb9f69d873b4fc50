"""JUDGE: Ikosa: lines between corners of cells, under any gravity."""

from __future__ import annotations

from silhouette.rules.ikosa.rule import IKOSA as RULE

__all__ = ["RULE"]
