"""Game files: what is read, and the one line for each mistake, with line and column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.files.schema import meanings
from silhouette.rules.data.entries import MOST_CLAUSES
from silhouette.rules.data.game import read_game
from silhouette.rules.data.judge import thresholds_of
from silhouette.rules.data.scene import readings_entry

GAME = """\
title = "A game"
source = "a page"
line_of_sight = "seen"

[keys.terrain.light]
type = "yes or no"
means = "whether it is light"

[keys.model.size]
type = "text"
default = "S1"
choices = ["S1", "S2"]
means = "its size"

[readings.reach]
type = "length"
unit = "inch"
default = 1
means = "how near counts"

[tables.height_of]
S1 = "20 mm"
S2 = "2 inch"

[[clause]]
name = "seen"
number = "1"
when = "line(attacker.eye, cylinder(target, height_of[target.size]))"
text = "{attacker} sees {target}"
otherwise = "{attacker} does not see {target}"
source = "page 1"

[[clause]]
name = "near"
number = "2"
when = '''
any(wall in terrain where not wall.light:
    distance(target, wall) <= reach)
'''
text = "{wall} is {distance} from {target}"
otherwise = "nothing is near {target}"
source = "page 2"

[[verdict]]
name = "hidden"
level = "blocked"
when = "not seen"

[[verdict]]
name = "cover"
level = "partial"
when = "near"

[[verdict]]
name = "open"
level = "clear"
"""


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., str]:
    def why(old: str, new: str) -> str:
        path = tmp_path / "game.toml"
        assert old in GAME
        path.write_text(GAME.replace(old, new))
        with pytest.raises(FileError) as error:
            read_game(path)
        assert "\n" not in str(error.value)
        return str(error.value).removeprefix(f"{path}: ")

    return why


def test_a_game_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    path.write_text(GAME)
    game = read_game(path)
    assert list(game.clauses) == ["seen", "near"]
    assert [ruling.name for ruling in game.rulings] == ["hidden", "cover", "open"]
    assert game.tables == {"height_of": {"S1": 20.0, "S2": 50.8}}
    assert game.rulings[-1].when is None
    assert meanings(readings_entry(game)) == {"reach": "How near counts. Without it, 1."}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "distance(target, wall) <= reach",
            "distance(target, wal) <= reach",
            "line 38, column 22: clause 'near': nothing is",
        ),
        (
            "distance(target, wall) <= reach",
            "distance(target, wall) <= 1",
            "line 38, column 5: clause 'near': a length",
        ),
        ('when = "not seen"', 'when = "not sen"', "line 47, column 13: verdict 'hidden': nothing is called 'sen'"),
        (
            'when = "near"',
            'when = "near or distance(attacker, target) < 1 mm"',
            "a verdict names clauses; make this one",
        ),
        ('when = "near"', 'when = "seen and not seen"', "line 49: verdict 'cover': is never reached"),
        ('when = "near"', 'when = "seen"', "verdict 'open': is never reached"),
        ('when = "near"', 'when = "not seen"', "line 49: verdict 'cover': is never reached"),
        (
            "distance(target, wall) <= reach",
            "wall.light and not wall.light and distance(target, wall) < 1 mm",
            "clause 'near': cannot be true",
        ),
        (
            "any(wall in terrain",
            "near and any(wall in terrain",
            "line 33: clause 'near': rests on itself: near -> near",
        ),
        ('name = "near"', 'name = "seen"', "line 33: clause 'seen': another is called so"),
        ('name = "open"', 'name = "cover"', "verdict 'cover': is clear, and partial before"),
        ('name = "near"', 'name = "target"', "means something already"),
        ('name = "near"', 'name = "not near"', "it must be a name of letters"),
        ('when = "near"\n', "", "lacks when: only the last may"),
        ('level = "clear"\n', 'level = "clear"\nwhen = "near"\n', "is the last and has a condition"),
        ('level = "clear"\n', 'level = "clear"\nchooses = "target"\n', "chooses and between go together"),
        (
            'level = "clear"\n',
            'level = "clear"\nchooses = "target"\nbetween = ["cover", "shade"]\n',
            "between names 'shade'",
        ),
        ("{wall} is", "{wal} is", "names {wal}, which stands for nothing; did you mean 'wall'?"),
        ("{wall} is", "{wall is", "has a brace that is not closed"),
        ('line_of_sight = "seen"', 'line_of_sight = "sight"', "no clause is called that"),
        ('S2 = "2 inch"', "S2 = 2", "must have numbers alone, or lengths alone"),
        ('S2 = "2 inch"', 'S2 = "2 inchs"', "it must be a length"),
        ('default = "S1"\n', "", "default is missing"),
        ('default = "S1"', 'default = "S3"', "default is 'S3'; it must be one of"),
        ("default = 1\n", "default = true\n", "it must be a number, a length in inch"),
        ("[keys.terrain.light]", "[keys.terrain.height]", "keys: every game knows height"),
        ("[keys.terrain.light]", '[keys.terrain."a b"]', "must be a name of letters"),
        ('level = "clear"', 'level = "white"', 'it must be "clear", "partial", "full" or "blocked"'),
        ('title = "A game"', 'titel = "A game"', "unknown key 'titel'; did you mean 'title'?"),
        ('when = "not seen"', 'when = """not \\\n seen and sen"""', "letter"),
    ],
)
def test_a_mistake_is_one_line(refused: Callable[..., str], old: str, new: str, words: str) -> None:
    assert words in refused(old, new)


@pytest.mark.parametrize(
    ("condition", "shares"),
    [
        ("obscured(attacker.eye, target.body) > 25 %", [0.25, 0.5]),
        ("70 % < seen(attacker.eye, target.body)", [0.3, 0.5]),
        ("obscured(attacker.eye, target.body) <= hidden[target.size]", [0.03, 0.4, 0.5]),
        ("obscured(attacker.eye, target.body) >= least_hidden", [0.1, 0.5]),
        ("obscured(attacker.eye, target.body) > obscured(target.eye, attacker.body)", [0.5]),
    ],
)
def test_shares_at_which_a_clause_changes_are_known(tmp_path: Path, condition: str, shares: list[float]) -> None:
    file = tmp_path / "game.toml"
    before, after = GAME.split("[tables.height_of]")
    tables = '[readings.least_hidden]\ntype = "number"\ndefault = 0.1\nmeans = "how much"\n\n'
    tables += "[tables.hidden]\nS1 = 0.03\nS2 = 0.4"
    old = after[after.index("when = '''") : after.index('source = "page 2"')]
    new = f'when = "{condition}"\ntext = "it is"\notherwise = "it is not"\n'
    file.write_text(f"{before}{tables}\n\n[tables.height_of]{after.replace(old, new)}", encoding="utf-8")
    assert thresholds_of(read_game(file)) == pytest.approx(shares)


def test_a_clause_that_no_verdict_names_is_refused(refused: Callable[..., str]) -> None:
    assert "line 33: clause 'near': is never reached" in refused(
        'when = "near"', 'when = "not not seen and size_is"'.replace("size_is", "reach > 2 inch")
    )


def test_thousands_of_clauses_are_refused(refused: Callable[..., str]) -> None:
    one = '[[clause]]\nname = "c{}"\nnumber = "9"\nwhen = "seen"\ntext = "a"\notherwise = "b"\nsource = "c"\n\n'
    many = "".join(one.format(number) for number in range(10_000))
    assert f"{MOST_CLAUSES} clauses" in refused('[[verdict]]\nname = "hidden"', many + '[[verdict]]\nname = "hidden"')
