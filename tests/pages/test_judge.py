"""The judge in the page says what the command says, or to ask the desk: in a real browser, on real tables."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.renderers.protocol import NEAREST_DEPTH_MM
from silhouette.renderers.views import MAX_SLOPE
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.scenes.table import CONTACT_GAP_MM, PLACE_ROUNDING_MM
from tests.benchmarks.crowded_table import MESHES, MISSING
from tests.benchmarks.page_judge import REAL_TABLES, real_table
from tests.conftest import PROJECT
from tests.support.browsing import Browser
from tests.support.hard_sights import KINDS, case
from tests.support.model_files import as_obj
from tests.support.page_judge import ASK, Posed, areas, disagreement, judged, judging, playable, random_poses, untruths
from tests.support.random_figures import baseless

SCENES = sorted((PROJECT / "scenes" / "necromunda").glob("*.toml"))


def loaded(path: Path) -> NecromundaScene:
    scene = load_scene(path)
    assert isinstance(scene, NecromundaScene)
    return scene


def faults(scene: NecromundaScene, posed: Sequence[Posed], answers: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Where a page contradicts the command."""
    found = [(each, disagreement(answer, each.ruling(scene))) for answer, each in zip(answers, posed, strict=True)]
    return [(each, fault) for each, fault in found if fault]


# A wall whose level top leaves the picture on its right.
KNOWN = {"bits": [16]}


@pytest.fixture(scope="module")
def empty(browser: Browser) -> Iterator[Any]:
    with judging(browser, []) as page:
        yield page


def test_an_estimated_eye_leaves_a_word_where_it_does_not_matter(browser: Browser, tmp_path: Path) -> None:
    """A beast has three places for its eye: words that hold for all are said, the desk is asked for others."""
    (tmp_path / "beast.obj").write_text(as_obj(baseless(1)[0]), encoding="utf-8")
    document = {
        "rules": "necromunda",
        "fighter": [
            {"name": "beast", "mesh": "beast.obj", "units": "mm", "base": "none", "at": [0, 0], "facing": 90},
            {"name": "Vex", "figure": {"base": 32, "height": 38}, "at": [0, 150], "facing": 270},
        ],
        "terrain": [
            {"name": "wall", "parts": [{"box": [60, 4, 45]}], "at": [0, 90]},
            {"name": "post", "parts": [{"box": [20, 20, 80]}], "at": [60, 60]},
        ],
    }
    scene = NECROMUNDA.read(tmp_path / "scene.toml", document, Cache(None))
    page_table = playable(scene)
    assert len(page_table["play"]["pieces"][scene.piece("beast").index]["elsewhere"]) == 2
    posed = [each for each in random_poses(scene, 60, seed=3) if each.check.attacker == "beast"]
    with judging(browser, [page_table]) as page:
        answers = judged(page, 0, scene, posed)
    assert faults(scene, posed, answers) == []
    words = Counter(answer["word"] == ASK for answer in answers)
    assert all(words[is_asked] for is_asked in (True, False))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_words_of_the_page_are_the_commands(path: Path, browser: Browser) -> None:
    """Of each check as the scene has it, unless it names a vision arc, for which a page cannot be asked; then moved."""
    scene = loaded(path)
    checks = [check for check in scene.checks if check.arc is None]
    posed = random_poses(scene, 2, seed=len(path.stem))
    with judging(browser, [playable(scene)]) as page:
        words = page.evaluate(
            "(pairs) => pairs.map((pair) => tables[0].judge(...pair).word)",
            [[check.attacker, check.target] for check in checks],
        )
        answers = judged(page, 0, scene, posed)
    expected = [(check.expect or {}).get("verdict") for check in checks]
    pairs = list(zip(words, expected, strict=True))
    assert all(word == verdict for word, verdict in pairs if verdict and word in NECROMUNDA.levels), pairs
    assert not faults(scene, posed, answers)


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_counts_of_hard_cases_is_true(kind: str, empty: Any) -> None:
    for number in (*range(3), *KNOWN.get(kind, ())):
        hard = case(kind, number)
        assert not untruths(areas(empty, hard), hard.exact()), number


@pytest.mark.thinned(quick=0, ci=25)
@pytest.mark.parametrize("number", range(REAL_TABLES))
def test_words_of_the_page_are_the_commands_on_crowded_tables(number: int, browser: Browser) -> None:
    """On each table other figures and terrain of those that come with the specifications; a thousand poses in all are
    judged by the benchmark ``page_judge``.
    """
    if not MESHES.is_dir():
        pytest.skip(MISSING)
    scene = real_table(number)
    posed = random_poses(scene, 6, seed=number)
    with judging(browser, [playable(scene)]) as page:
        answers = judged(page, 0, scene, posed)
    assert not faults(scene, posed, answers)
    assert sum(answer["word"] == ASK for answer in answers) <= 3


def test_tolerances_of_the_page_are_the_commands() -> None:
    """What lies nearer than a tolerance of the command is nearer for the page as well, or the page leaves it open."""
    source = PROJECT / "silhouette" / "pages" / "viewer" / "source"
    words = "\n".join(path.read_text(encoding="utf-8") for path in source.glob("judge*.js"))
    page = dict(re.findall(r"^(?:export )?const ([A-Z_]+) = (.+?);", words, re.MULTILINE))
    assert float(page["TOUCHING"]) == NEAREST_DEPTH_MM / 2
    assert float(page["NEAR"]) >= NEAREST_DEPTH_MM
    degrees = re.fullmatch(r"Math\.tan\(\((\d+) \* Math\.PI\) / 180\)", page["STEEPEST"])
    assert degrees is not None
    assert math.tan(math.radians(int(degrees[1]))) == pytest.approx(MAX_SLOPE)
    assert sum(map(float, page["CONTACT_GAP"].split(" + "))) == CONTACT_GAP_MM + PLACE_ROUNDING_MM
