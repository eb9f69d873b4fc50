"""Checks become verdicts, each compared with what its check expects, with its odds and what would change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.files.cache import UNCACHED, Cache
from silhouette.judging.loading import pixel_of
from silhouette.renderers.protocol import Renderer, refuse_too_large
from silhouette.rules import rule_called
from silhouette.rules.base import Settings, Verdict
from silhouette.rules.expectations import OF_ODDS, unmet_expectations
from silhouette.scenes.scene import Check, Scene
from silhouette.text import Progress

if TYPE_CHECKING:
    from silhouette.doubt.changes import Changes
    from silhouette.doubt.maps import Map, MapRequest
    from silhouette.doubt.odds import Odds


@dataclass(frozen=True)
class Judged:
    """One check with its verdict.

    Attributes:
        check: the question.
        verdict: the answer.
        unmet: the expectations that do not hold, in a few words each; None where nothing is expected.
        picture: the file of its picture, or None.
        odds: how likely each verdict is, where that was asked for.
        changes: what would change the verdict, where that was asked for and a move makes sense.
        one_way: why the target sees the attacker, where this one does not see it and what would change was asked for.
    """

    check: Check
    verdict: Verdict
    unmet: tuple[str, ...] | None
    picture: Path | None = None
    odds: Odds | None = None
    changes: Changes | None = None
    one_way: str | None = None

    @classmethod
    def of(cls, check: Check, verdict: Verdict, odds: Odds | None = None) -> Judged:
        """The verdict, compared with the check's expectation: with that of its odds as well, where they are given."""
        if check.expect is None:
            return cls(check, verdict, None, odds=odds)
        row, expect = verdict.row(), check.expect
        if odds is None:
            expect = {key: wanted for key, wanted in expect.items() if key not in OF_ODDS}
        else:
            row = {**odds.added_to(row), **row}
        return cls(check, verdict, tuple(unmet_expectations(row, expect)), odds=odds)

    @property
    def expected(self) -> bool | None:
        """Whether every expectation holds; None where nothing is expected."""
        return None if self.unmet is None else not self.unmet

    def row(self) -> dict[str, Any]:
        """The result under the contract's keys, with the arc of the check, its unmet expectations, and the picture."""
        row = {**self.verdict.row(), "expected": self.expected}
        if self.check.arc is not None:
            row["arc"] = self.check.arc
        if self.unmet:
            row["broken"] = list(self.unmet)
        if self.picture is not None:
            row["picture"] = str(self.picture)
        if self.odds is not None:
            row = self.odds.added_to(row)
        if self.changes is not None:
            row["changes"] = self.changes.rows()
        if self.one_way is not None:
            row["one_way"] = self.one_way
        return row


def judged(
    scene: Scene,
    check: Check,
    renderer: Renderer,
    pixel: float | None = None,
    *,
    keep: bool = False,
    seed: int | None = None,
    what_if: bool = False,
) -> Judged:
    """The verdict of one check of a scene, compared with what the check expects.

    Args:
        scene: of the check.
        check: the question.
        renderer: measures.
        pixel: mm per pixel at the target; by default the scene's, else `PIXEL`.
        keep: whether the verdict keeps its observation, for figures.
        seed: of the odds; None where they are not asked for.
        what_if: whether it is asked what would change the verdict.
    """
    (result,) = judged_together(scene, [check], renderer, pixel, keep=keep, seed=seed, what_if=what_if)
    return result


def judged_together(
    scene: Scene,
    checks: Sequence[Check],
    renderer: Renderer,
    pixel: float | None = None,
    *,
    keep: bool = False,
    seed: int | None = None,
    what_if: bool = False,
) -> list[Judged]:
    """`judged` for several checks of a scene, which costs less for each."""
    settings = Settings(renderer, pixel_of(scene, pixel), keep)
    rule = rule_called(scene.rules)
    refuse_too_large(renderer, rule.meshes(scene))
    verdicts = rule.judge(scene, checks, settings)
    verdicts = rule.from_elsewhere([(scene, check) for check in checks], verdicts, settings)
    return _with_more(scene, checks, verdicts, settings, seed, what_if)


def judged_each(
    questions: Sequence[tuple[Scene, Sequence[Check]]],
    renderer: Renderer,
    pixel: float | None = None,
    *,
    seed: int | None = None,
    what_if: bool = False,
) -> list[list[Judged]]:
    """`judged_together` for checks of several scenes, which are measured together as far as their scenes ask for alike.

    Args:
        questions: scenes, each with some of its checks.
        renderer, pixel, seed, what_if: as of `judged`.

    Raises:
        RequestError: where the renderer's device has no room for all of their meshes at once.
    """
    meshes = [rule_called(scene.rules).meshes(scene) for scene, _ in questions]
    refuse_too_large(
        renderer, {f"{number} {name}": mesh for number, of in enumerate(meshes) for name, mesh in of.items()}
    )
    alike: dict[tuple[str, float], list[int]] = {}
    for number, (scene, _) in enumerate(questions):
        alike.setdefault((scene.rules, pixel_of(scene, pixel)), []).append(number)
    done: dict[int, list[Judged]] = {}
    for (rules, fine), numbers in alike.items():
        settings = Settings(renderer, fine)
        asked = [(questions[number][0], check) for number in numbers for check in questions[number][1]]
        rule = rule_called(rules)
        verdicts = iter(rule.from_elsewhere(asked, rule.judge_each(asked, settings), settings))
        for number in numbers:
            scene, checks = questions[number]
            own = list(islice(verdicts, len(checks)))
            done[number] = _with_more(scene, checks, own, settings, seed, what_if)
    return [done[number] for number in range(len(questions))]


def _with_more(
    scene: Scene,
    checks: Sequence[Check],
    verdicts: Sequence[Verdict],
    settings: Settings,
    seed: int | None,
    what_if: bool,
) -> list[Judged]:
    """The results, with their odds and with what would change them, where these are asked for."""
    done = [Judged.of(check, verdict) for check, verdict in zip(checks, verdicts, strict=True)]
    if seed is not None:
        done = list(with_odds(scene, done, settings, seed))
    return list(with_changes(scene, done, settings)) if what_if else done


def with_odds(
    scene: Scene,
    done: Sequence[Judged],
    settings: Settings,
    seed: int,
    cache: Cache = UNCACHED,
    workers: int = 1,
    step: Callable[[float], None] = lambda done: None,
) -> Iterator[Judged]:
    """The results with the odds of each; ``step`` is called with how many are done, and a part of the next one."""
    from silhouette.doubt.odds import odds_of_each  # not before odds are asked for
    from silhouette.doubt.run import Run

    checks, verdicts = [one.check for one in done], [one.verdict for one in done]
    odds = odds_of_each(scene, checks, verdicts, settings, seed, cache, Run(workers, step))
    for one, its_odds in zip(done, odds, strict=True):
        yield replace(one, odds=its_odds, unmet=Judged.of(one.check, one.verdict, its_odds).unmet)


def with_changes(
    scene: Scene,
    done: Sequence[Judged],
    settings: Settings,
    workers: int = 1,
    step: Callable[[float], None] = lambda done: None,
) -> Iterator[Judged]:
    """The results with what would change each; ``step`` as of `with_odds`."""
    from silhouette.doubt.changes import changes_of_each  # not before they are asked for
    from silhouette.doubt.run import Run

    checks, verdicts = [one.check for one in done], [one.verdict for one in done]
    changes = changes_of_each(scene, checks, verdicts, settings, Run(workers, step))
    for one, its_changes in zip(done, changes, strict=True):
        yield replace(one, changes=its_changes)


def with_both_ways(scene: Scene, done: Sequence[Judged], settings: Settings) -> list[Judged]:
    """The results with why one sees another that does not see it, where both were asked."""
    from silhouette.doubt.both_ways import one_way_of_each

    said = one_way_of_each(scene, [one.check for one in done], [one.verdict for one in done], settings)
    return [replace(one, one_way=why) for one, why in zip(done, said, strict=True)]


def mapped(
    scene: Scene,
    request: MapRequest,
    renderer: Renderer,
    pixel: float | None = None,
    *,
    workers: int = 1,
    step: Progress = lambda done, total: None,
) -> Map:
    """The map of a scene that is asked for; see `silhouette.doubt.maps.map_of`.

    Args:
        scene: from `load_scene`.
        request: what is asked.
        renderer: measures.
        pixel: mm per pixel at the target; by default the scene's, else `PIXEL`.
        workers: processes that judge at the same time.
        step: is called with the number of places that are done, and of all.
    """
    from silhouette.doubt.maps import map_of  # what only maps need

    refuse_too_large(renderer, rule_called(scene.rules).meshes(scene))
    return map_of(scene, request, Settings(renderer, pixel_of(scene, pixel)), workers, step)
