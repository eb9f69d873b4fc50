"""Each usual mistake in TOML and JSON is answered by what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.files.documents import json_advice, read_document, toml_advice

TOML = {
    "at = [0 0]": "put a comma before '0', or close the list with ]",
    "at = [0, 0": "close the list with ]",
    'name = "Kal': 'close the text with "',
    "name = 'Kal": "close the text with '",
    "name = Kal": 'put the text in quotes: "Kal"',
    "name = “Kal”": 'write straight quotes: "Kal"',
    'name == "Kal"': "write one = alone",
    "at: [0, 0]": "write at = [0, 0]",
    "solid = True": "write true",
    "scale = .5": "write a digit on both sides of the point",
    "at = (0, 0)": "write lists with [ ]",
    "at = 0, 0": "write a list as [x, y]",
    "scale = 12,5": "a decimal point as .",
    "facing = 90 degrees": "leave the unit out: numbers stand alone",
    'at = 3"': "leave the unit out: numbers stand alone",
    "facing = 090": "leave out the zeros before the number",
    "facing = 90 // north": "begin a comment with #",
    "// a comment": "begin a comment with #",
    '{ "rules": 1 }': "write TOML",
    "[[fighter]": "write [[...]] with as many ] as [",
    "[fighter]\n[fighter]": "write [[fighter]] where there is one of several",
    'name = "a"\nname = "b"': "'name' stands there already",
    "base = { height = 1": "and close it with }",
    "base = { height = 1 diameter = 2 }": "put a comma before 'diameter'",
    'mesh = "C:\\minis\\a.stl"': "write / in paths, or put the path in '...'",
    'mesh = "C:\\users\\a.stl"': "write / in paths, or put the path in '...'",
    "facing =": "a value is missing after =",
    "at = [0, 0] [1, 1]": "put each key on a line of its own",
    "fighter": "write key = value",
    "at = 1\rfacing = 2\r # end": "save it with the line ends of Windows or Unix",
    'name = "a\x01b"': "an invisible character stands there",
    "at\N{NO-BREAK SPACE}= 1": "an invisible character stands there",
    "[[[fighter]]]": "a name is missing here",
    "date = 1979-02-30": "put a date in quotes",
    'name = "\\ud800"': "write the character itself",
    "name = '''Kal": "close the text with '''",
    "base = { height = 1\n}": "write the table in one line",
    "base = { height = 1, height = 2 }": "each key stands once",
    "scale = 1__0": "write a plain number",
    "facing = 90;": "leave out the ;",
    "facing = \N{MINUS SIGN}90": "write - for \N{MINUS SIGN}",
    "name = 'Kal's'": "put a text that holds '",
    "[fighter]]": "write [[...]] with as many ] as [",
}
JSON = {
    "{'rules': 1}": "write \" for '",
    '{"at": [1, 2,]}': "leave out the comma before ]",
    '{"at": 1,}': "leave out the comma before }",
    '{"at": 1': "the end of the file is missing",
    "": "the end of the file is missing",
    '{"at" 1}': "put a colon between key and value",
    '{"at": 1 "facing": 2}': "put a comma before",
    "{rules: 1}": 'put keys and texts in "quotes"',
    '{"solid": True}': "write true, false or null",
    '{"at": 1} // a comment': "leave the comment out",
    '{"mesh": "C:\\minis\\a.stl"}': "write / in paths, or \\\\",
    '{"mesh": "a.stl}': 'close the text with "',
    '{"name": "a\nb"}': 'close the text with "',
    '{"name": "a\x01b"}': "an invisible character stands there",
    '{"at": 1}}': "leave out what comes after the last }",
    '{"at": [1, 2}': "close the list with ]",
    '{"at": 1]': "close the table with }",
    '{"facing": 090}': "leave out the zeros",
    '{"scale": 1.}': "write a digit on both sides",
    '{"scale": .5}': "write a number such as 0.5",
    '{"at": 1,, "facing": 2}': "leave out one comma",
    '{"at": (0, 0)}': "write lists with [ ]",
    '{"facing": 90deg}': "write a plain number",
    "rules = 1": "give the file the ending .toml",
    "{“at”: 1}": "write straight quotes",
}


@pytest.mark.thinned(quick=67)
@pytest.mark.parametrize(("text", "right"), [*TOML.items(), *JSON.items()])
@pytest.mark.parametrize("before", [0, 3])
def test_a_mistake_is_answered_by_what_would_be_right(text: str, right: str, before: int, tmp_path: Path) -> None:
    file = tmp_path / ("duel.toml" if text in TOML else "duel.json")
    file.write_text("\n" * before + text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_document(file)
    said = str(caught.value)
    assert said.startswith(f"{file}: not {'TOML' if text in TOML else 'JSON'}")
    assert right in said
    assert "\n" not in said
    assert "('" not in said
    assert "xpecting" not in said


def test_what_is_not_plain_has_no_advice() -> None:
    assert toml_advice("", "Something else (at line 9, column 9)") == ""
    assert json_advice("{}x", "Something else", 2) == ""


def test_half_of_a_character_is_refused(tmp_path: Path) -> None:
    for text in (r'{"name": "\ud800"}', r'{"\udfff": 1}'):
        file = tmp_path / "duel.json"
        file.write_text(text)
        with pytest.raises(FileError, match="only half of a character; write the character itself"):
            read_document(file)
