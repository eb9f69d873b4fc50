"""SkirmishCorps: the protection of cover, measured by looking; and what cover costs, stops and suffers."""

from silhouette.rules.skirmishcorps.judge import SKIRMISHCORPS

__all__ = ["SKIRMISHCORPS"]
