"""MANY: checks of scenes that were read become rows; what goes wrong is a row with ``problem``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from silhouette.batches.export import failed_row
from silhouette.batches.opening import Opener
from silhouette.batches.settings import BatchSettings
from silhouette.errors import DeviceLost
from silhouette.judging import JudgingOptions, Request, judge_all
from silhouette.scenes.scene import Check, Scene
from silhouette.text import Row, strict

TRIES = 4
"""How often a check is judged at which the process that holds the device has ended: another check may be to blame."""


class RowMaker:
    """Judges checks with one renderer.

    Args:
        settings: how every scene is judged.
        renderer: measures.
        opener: says what is wrong with a scene.
    """

    def __init__(self, settings: BatchSettings, renderer: Any, opener: Opener) -> None:
        self._options = JudgingOptions(renderer, pixel=settings.pixel, seed=settings.seed, what_if=settings.what_if)
        self._opener = opener

    def rows(self, requests: Sequence[Request], together: int, failure: str = "") -> Iterator[Row]:
        """The rows of checks, ``together`` of them at once; with a failure, that is the first one's."""
        start = 0
        if failure:
            scene, check = requests[0]
            pair = " to ".join(filter(None, (check.attacker, check.target)))
            yield _failed(scene, check, ": ".join(filter(None, (scene.path.as_posix(), pair, failure))))
            start = 1
        for first in range(start, len(requests), together):
            yield from self._rows(requests[first : first + together])

    def _rows(self, requests: Sequence[Request]) -> list[Row]:
        """The rows of checks that are judged at once; if one of them cannot be judged, of fewer scenes at once."""
        if len(requests) > 1:
            with suppress(Exception):
                return [_plain(result.row()) for result in judge_all(requests, self._options)]
        if len({id(scene) for scene, _ in requests}) == 1:
            return [self._row(*request) for request in requests]
        half = len(requests) // 2
        return [*self._rows(requests[:half]), *self._rows(requests[half:])]

    def _row(self, scene: Scene, check: Check) -> Row:
        """The row of a check."""
        problem: Exception | None = None
        for _ in range(TRIES):
            try:
                (result,) = judge_all([(scene, check)], self._options)
                return _plain(result.row())
            except Exception as error:
                problem = error
                if not isinstance(error, DeviceLost):
                    break
        assert problem is not None
        return _failed(scene, check, self._opener.problem(scene.path.as_posix(), problem))


def _failed(scene: Scene, check: Check, problem: str) -> Row:
    """The row of a check that cannot be judged."""
    row: dict[str, Any] = {
        "attacker": check.attacker or None,
        "target": check.target or None,
        "rules": scene.rules_as_written,
    }
    if check.arc is not None:
        row["arc"] = check.arc
    return {**row, **failed_row(problem)}


def _plain(row: Row) -> Row:
    """The row of plain values, whatever the rule system put into it."""
    plain: Row = json.loads(json.dumps(strict(row), ensure_ascii=False, allow_nan=False))
    return plain
