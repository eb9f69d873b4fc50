"""MANY: checks of scenes that were read become rows; what goes wrong is a row with ``error``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from silhouette.batches.opening import Opener
from silhouette.batches.settings import BatchSettings
from silhouette.errors import DeviceLost
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
        self._asked: dict[str, Any] = {"seed": settings.seed, "what_if": settings.what_if}
        self._pixel = settings.pixel
        self._renderer = renderer
        self._opener = opener

    def rows(self, scene: Any, checks: Sequence[Any], together: int, failure: str = "") -> Iterator[Row]:
        """The rows of checks of a scene, ``together`` of them at once; with a failure, that is the first one's."""
        start = 0
        if failure:
            yield self._row(scene, checks[0], failure)
            start = 1
        for first in range(start, len(checks), together):
            yield from self._rows(scene, checks[first : first + together])

    def rows_of_each(self, questions: Sequence[tuple[Any, Sequence[Any]]]) -> list[list[Row]]:
        """The rows of checks of several scenes, all at once; where one of them cannot be judged, of fewer at once."""
        from silhouette.judging import judged_each

        if len(questions) == 1:
            ((scene, checks),) = questions
            return [list(self._rows(scene, checks))]
        with suppress(Exception):
            found = judged_each(questions, self._renderer, self._pixel, **self._asked)
            return [[_plain(one.row()) for one in of_scene] for of_scene in found]
        half = len(questions) // 2
        return [*self.rows_of_each(questions[:half]), *self.rows_of_each(questions[half:])]

    def _rows(self, scene: Any, checks: Sequence[Any]) -> list[Row]:
        """The rows of checks that are judged at once; where one of them cannot be judged, of each by itself."""
        from silhouette.judging import judged_together

        if len(checks) > 1:
            with suppress(Exception):
                together = judged_together(scene, checks, self._renderer, self._pixel, **self._asked)
                return [_plain(one.row()) for one in together]
        return [self._row(scene, check) for check in checks]

    def _row(self, scene: Any, check: Any, failure: str = "") -> Row:
        """The row of a check; of one with a ``failure``, with that as its error."""
        from silhouette.judging import judged

        named = {"attacker": check.attacker or None, "target": check.target or None, "rules": scene.rules_as_written}
        if check.arc is not None:
            named["arc"] = check.arc
        path = scene.path.as_posix()
        if failure:
            pair = " to ".join(filter(None, (check.attacker, check.target)))
            return {**named, "error": ": ".join(filter(None, (path, pair, failure)))}
        problem: Exception | None = None
        for _ in range(TRIES):
            try:
                return _plain(judged(scene, check, self._renderer, self._pixel, **self._asked).row())
            except Exception as error:
                problem = error
                if not isinstance(error, DeviceLost):
                    break
        assert problem is not None
        return {**named, "error": self._opener.problem(path, problem)}


def _plain(row: Row) -> Row:
    """The row of plain values, whatever the rule system put into it."""
    plain: Row = json.loads(json.dumps(strict(row), ensure_ascii=False, allow_nan=False))
    return plain
