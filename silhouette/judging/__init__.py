"""JUDGE, for every command: a scene file and a selection of checks go in; verdicts and unmet expectations come out.

Odds, what would change a verdict, and maps judge one question many times, with pieces a little elsewhere.
"""

from __future__ import annotations

from silhouette.judging.checking import SceneResult, judge_scene, scenes_document
from silhouette.judging.judge import Judged, JudgingOptions, Request, judge, judge_all, mapped
from silhouette.judging.loading import (
    DEFAULT_PIXEL_MM,
    Selection,
    check_numbers,
    content_with,
    load_scene,
    usable_pixel,
)

__all__ = [
    "DEFAULT_PIXEL_MM",
    "Judged",
    "JudgingOptions",
    "Request",
    "SceneResult",
    "Selection",
    "check_numbers",
    "content_with",
    "judge",
    "judge_all",
    "judge_scene",
    "load_scene",
    "mapped",
    "scenes_document",
    "usable_pixel",
]
