"""The judge in the page says what the command says, or to ask the desk: in a real browser, on real tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.judging import load_scene
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from tests.benchmarks.crowded_table import MESHES, MISSING
from tests.benchmarks.page_judge import REAL_TABLES, real_table
from tests.conftest import PROJECT
from tests.support.browsing import Browser
from tests.support.hard_sights import KINDS, case
from tests.support.page_judge import ASK, areas, disagreement, judged, judging, playable, random_poses, untruths

SCENES = sorted((PROJECT / "scenes" / "necromunda").glob("*.toml"))


def loaded(path: Path) -> NecromundaScene:
    scene = load_scene(path)
    assert isinstance(scene, NecromundaScene)
    return scene


def compare(browser: Browser, scene: NecromundaScene, count: int, seed: int) -> int:
    """How many of so many checks the page leaves to the desk; fails where it contradicts the command."""
    posed = random_poses(scene, count, seed)
    with judging(browser, [playable(scene)]) as page:
        answers = judged(page, 0, scene, posed)
    faults = [disagreement(answer, each.ruling(scene)) for answer, each in zip(answers, posed, strict=True)]
    assert not any(faults), [(each, fault) for each, fault in zip(posed, faults, strict=True) if fault]
    return sum(answer["word"] == ASK for answer in answers)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_words_of_the_page_are_the_commands(path: Path, browser: Browser) -> None:
    compare(browser, loaded(path), 2, seed=len(path.stem))


# A wall whose level top leaves the picture on its right.
KNOWN = {"bits": [16]}


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_counts_of_hard_cases_is_true(kind: str, browser: Browser) -> None:
    with judging(browser, []) as page:
        for number in (*range(3), *KNOWN.get(kind, ())):
            hard = case(kind, number)
            assert not untruths(areas(page, hard), hard.exact()), number


@pytest.mark.slow
@pytest.mark.parametrize("number", range(REAL_TABLES))
def test_words_of_the_page_are_the_commands_on_crowded_tables(number: int, browser: Browser) -> None:
    """A thousand poses: on each table other figures and terrain of those that come with the specifications."""
    if not MESHES.is_dir():
        pytest.skip(MISSING)
    scene = real_table(number)
    assert compare(browser, scene, 50, seed=number) <= 15


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_the_page_gives_the_expected_words_of_scenes_that_ship(path: Path, browser: Browser) -> None:
    """Of each check as the scene has it, unless it names a vision arc, which a page has no way to ask for."""
    scene = loaded(path)
    checks = [check for check in scene.checks if check.arc is None]
    with judging(browser, [playable(scene)]) as page:
        words = page.evaluate(
            "(pairs) => pairs.map((pair) => tables[0].judge(...pair).word)",
            [[check.attacker, check.target] for check in checks],
        )
    expected = [(check.expect or {}).get("verdict") for check in checks]
    pairs = list(zip(words, expected, strict=True))
    assert all(word == verdict for word, verdict in pairs if verdict and word in NECROMUNDA.levels), pairs
