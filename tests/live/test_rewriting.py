"""Tests of what becomes of the text of a scene file: it says the document, and all else stays as a person wrote it."""

from __future__ import annotations

import difflib
import json
import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import SilhouetteError
from silhouette.live.edits import entries_of
from silhouette.live.rewriting import rewritten
from tests.support.live_edits import DUEL, TABLES, random_edit, random_step, table_of, written

INLINE = """\
rules = "necromunda"
fighter = [
  { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }] },  # the first
  # Vex hides.
  { name = "Vex", at = [0, 200], facing = 270, parts = [{ box = [12, 12, 30] }] },  # the second
  { name = "Bo", at = [50, 200], doubt.place = 2, doubt.facing = 3, figure = { base = 25, height = 32 } },  # the third
]
terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]  # low
check = [{ attacker = "Kal", target = "Vex" }, { attacker = "Bo", target = "Vex" }]
"""

JSON = json.dumps(
    {
        "rules": "necromunda",
        "terrain": [{"name": "wall", "at": [0, 185], "parts": [{"box": [60, 5, 10]}]}],
        "fighter": [
            {"name": "Kal", "at": [0, 0.5], "facing": 90, "parts": [{"box": [12, 12, 30]}]},
            {"name": "Vex", "at": [0, 200], "on": "surface", "parts": [{"box": [12, 12, 30]}]},
        ],
        "check": [{"attacker": "Kal", "target": "Vex"}],
        "base_contact": [],
    },
    indent=3,
)

# The same scene as different editors write it.
SPELLINGS: dict[str, tuple[str, str]] = {
    "comments": ("duel.toml", DUEL),
    "windows": ("duel.toml", DUEL.replace("\n", "\r\n")),
    "mark": ("duel.toml", "\ufeff" + DUEL),
    "no end": ("duel.toml", DUEL.rstrip("\n").removesuffix("# That is all.").rstrip("\n")),
    "inline": ("duel.toml", INLINE),
    "json": ("duel.json", JSON),
    "json in a line": ("duel.json", json.dumps(json.loads(JSON))),
    "json with a mark": ("duel.json", "\ufeff" + JSON.replace("\n", "\r\n")),
}


def _says(name: str, text: str) -> Any:
    text = text.removeprefix("\ufeff")
    return json.loads(text) if name.endswith(".json") else tomllib.loads(text)


def _changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that came."""
    compared = list(difflib.ndiff(old.splitlines(keepends=True), new.splitlines(keepends=True)))
    return [one[2:] for one in compared if one[0] == "-"], [one[2:] for one in compared if one[0] == "+"]


@pytest.mark.thinned(quick=9, ci=9)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_random_edits_are_written_exactly_and_undone_to_the_first_byte(tmp_path: Path, spelling: str) -> None:
    name, text = SPELLINGS[spelling]
    for seed in range(1):
        chance = random.Random(f"{spelling} {seed}")
        table = table_of(written(tmp_path, text, name))
        for _ in range(25):
            random_step(table, chance)
            assert _says(name, table.text) == table.document
            assert table.text.startswith("\ufeff") == text.startswith("\ufeff")
            if "\r\n" in text and name.endswith(".toml"):
                assert "\n" not in table.text.replace("\r\n", "")
        while table.can_undo:
            table.undo()
        assert table.text == text


def _signed(text: str) -> tuple[str, dict[str, str]]:
    """A scene whose pieces are signed with comments that have numbers, and the number of each piece."""
    document, numbers, lines = tomllib.loads(text), dict[str, str](), list[str]()
    counts = dict[str, int]()
    names = {(table, number): entry["name"] for table, number, entry in entries_of(document)}
    for line in text.split("\n"):
        header = re.fullmatch(r"\[\[(\w+)\]\](.*)", line)
        if header and (header[1], counts.get(header[1], 0)) in names:
            number = f"<{len(numbers)}>"
            numbers[names[header[1], counts.get(header[1], 0)]] = number
            counts[header[1]] = counts.get(header[1], 0) + 1
            lines += [f"# above {number}", f"[[{header[1]}]]  # header {number}"]
        elif re.fullmatch(r"name = \S[^#]*", line) and numbers:
            lines.append(f"{line}  # name {list(numbers.values())[-1]}")
        else:
            lines.append(line)
    return "\n".join(lines), numbers


QUICK, SOME = TABLES[1::6], TABLES[4::6]


@pytest.mark.parametrize(
    "file",
    [
        *QUICK,
        *(pytest.param(file, marks=pytest.mark.slow) for file in SOME),
        *(pytest.param(file, marks=pytest.mark.long) for file in TABLES if file not in (*QUICK, *SOME)),
    ],
    ids=lambda file: file.stem,
)
def test_comments_stay_with_their_pieces(tmp_path: Path, file: Path) -> None:
    text, numbers = _signed(file.read_text(encoding="utf-8").replace("../../models", str(file.parents[2] / "models")))
    text = text.replace('"gang_table', f'"{file.parent}/gang_table')
    table, chance = table_of(written(tmp_path, text)), random.Random(file.name)
    for _ in range(12 if numbers else 0):
        edit = random_edit(table, chance)
        try:
            table.edit([edit])
        except SilhouetteError:
            continue
        if "delete" in edit:
            numbers.pop(edit["delete"], None)
        if edit.get("name") and edit.get("piece") in numbers:
            numbers[edit["name"]] = numbers.pop(edit["piece"])
    said = table.text
    assert tomllib.loads(said) == table.document
    for name, number in numbers.items():
        assert re.search(rf"^# above {number}\n\[\[\w+\]\]  # header {number}$", said, re.MULTILINE), number
        (line,) = re.findall(rf"^name = .*(?=  # name {number}$)", said, re.MULTILINE)
        assert tomllib.loads(line)["name"] == name
    assert len(re.findall("# above", said)) == len(numbers)


def test_a_move_changes_one_line(tmp_path: Path) -> None:
    for name, text in SPELLINGS.values():
        table = table_of(written(tmp_path, text, name))
        table.edit([{"piece": "Vex", "at": [1.5, 200]}])
        gone, came = _changed_lines(text, table.text)
        assert len(gone) == len(came) == 1, (name, gone, came)
        assert came[0] == gone[0].replace("[0, 200", "[1.5, 200") or "json" in name


def test_a_number_in_a_list_over_several_lines_changes_alone(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    table.edit([{"piece": "Kal", "at": [0, 7]}])
    assert _changed_lines(DUEL, table.text) == (["    0.50,  # away from it\n"], ["    7,  # away from it\n"])


def test_a_deleted_piece_takes_its_own_comment_and_no_other_along(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    table.edit([{"delete": "Kal"}])
    gone, came = _changed_lines(DUEL, table.text)
    assert not came or all(line.strip() in ("", "base_contact = [", "]") for line in came)
    assert "# Everyone stands where the tape says.\n" in table.text
    assert "# Kal waits.\n" in gone
    assert "# eye = [0, 6, 16]\n" in gone
    assert "# The crate can be climbed.\n" in table.text
    assert "# That is all.\n" in table.text
    assert "# The first question.\n" in gone


def test_names_may_change_places(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    for old, new in (("Kal", "x"), ("Vex", "Kal"), ("x", "Vex")):
        table.edit([{"piece": old, "name": new}])
    assert '# Kal waits.\n[[fighter]]\nname = "Vex"    # an Orlock\n' in table.text
    assert '[[fighter]]     # who is seen\nname = "Kal"\n' in table.text
    assert '# The first question.\n[[check]]\nattacker = "Vex"\ntarget = "Kal"\nexpect' in table.text


def test_what_was_deleted_and_saved_comes_back_with_its_comments(tmp_path: Path) -> None:
    path = written(tmp_path)
    table = table_of(path)
    table.edit([{"delete": "Kal"}])
    table.save()
    assert "# Kal waits." not in path.read_text(encoding="utf-8")
    table.undo()
    table.save()
    assert path.read_text(encoding="utf-8") == DUEL


def test_a_table_that_is_spread_over_the_file_is_written_too() -> None:
    text = 'rules = "ikosa"\n[[creature]]  # tall\nname = "ogre"\n[source]\na = 1 # one\n[creature.more]\nb = 2\n'
    document = tomllib.loads(text)
    document["creature"][0]["more"]["b"] = 3
    document["new"] = {"c": [1, {"d": 2}]}
    said = rewritten(Path("a.toml"), text, document)
    assert tomllib.loads(said) == document
    assert "# tall" in said
    assert "# one" in said


def test_entries_may_change_places() -> None:
    text = '[[a]]\nname = "x" # of x\n\n# over y\n[[a]]\nname = "y"\n'
    said = rewritten(Path("a.toml"), text, {"a": [{"name": "y"}, {"name": "x"}, {"name": "z"}]})
    assert tomllib.loads(said) == {"a": [{"name": "y"}, {"name": "x"}, {"name": "z"}]}


@pytest.mark.parametrize("text", ["", "\ufeff", "# nothing\n", "[[a]]\nb = '''\n[[c]]\n'''\n", "a = [\n[1],\n[2]]\n"])
def test_odd_files(text: str) -> None:
    old = tomllib.loads(text.removeprefix("\ufeff"))
    for new in ({**old, "title": "x"}, {**old, "fighter": [{"name": 'a "b"\n', "at": [0, 0]}]}, {}):
        assert tomllib.loads(rewritten(Path("a.toml"), text, new).removeprefix("\ufeff")) == new
        assert json.loads(rewritten(Path("a.json"), "", new)) == new
