"""``silhouette bundle``, and ``silhouette check`` of what it writes."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.support.commands import CHECK, QUICK, run, scene

Capture = pytest.CaptureFixture[str]


def altered(path: Path, old: str, new: str) -> Path:
    """A copy of a bundle whose manifest has another text in it."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert old in files["bundle.json"].decode()
    files["bundle.json"] = files["bundle.json"].decode().replace(old, new).encode()
    other = path.with_name("altered.zip")
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return other


@pytest.mark.long
def test_a_bundle_is_written_and_judged_again(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "duel.zip"
    told = run(capsys, "bundle", scene(tmp_path, CHECK), "--out", out, *QUICK)
    assert (told.status, told.err) == (0, "")
    assert told.out.splitlines()[0] == "Kal to Vex: partial cover"
    assert str(out) in told.out
    with zipfile.ZipFile(out) as archive:
        assert [name for name in archive.namelist() if name.startswith("pictures/01-kal-vex-")]
    again = run(capsys, "check", out)
    assert (again.status, again.err) == (0, "")
    assert "Behind the wall" in again.out
    assert "the same as in the bundle: every verdict and number is the same, to the bit" in again.out
    assert str(out) in again.out
    document = run(capsys, "check", out, "--json").document
    (entry,) = document["scenes"]
    assert (entry["scene"], entry["results"][0]["verdict"]) == (str(out), "partial cover")
    assert entry["results"][0]["renderer"] == "reference"
    assert entry["bundle"]["same"] is True
    assert entry["bundle"]["checks"] == [{"check": 1, "same": "to the bit", "differences": []}]


def test_what_differs_is_told_with_what_may_be_why(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "duel.zip"
    run(capsys, "bundle", scene(tmp_path, CHECK), "--out", out, "--no-pictures", *QUICK)
    other = altered(out, '"verdict": "partial cover"', '"verdict": "open"')
    told = run(capsys, "check", other)
    assert (told.status, told.err) == (1, "")
    assert "NOT THE SAME as in the bundle: 1 of 1 checks differs" in told.out
    assert 'check 1, Kal to Vex: verdict is "open" in the bundle, "partial cover" here' in told.out
    assert "versions, settings and files are the same" in told.out
    lonely = altered(out, '"alone": 0.', '"alone": 1.')
    assert "check 1, Kal to Vex: blockers, 1, alone is 1." in run(capsys, "check", lonely).out
    older = altered(other, '"silhouette": "', '"silhouette": "0.1.')
    assert "otherwise than then: Silhouette 0.1." in run(capsys, "check", older, "--quiet").out
    changed = altered(out, '"role": "scene",\n   "bytes": ', '"role": "scene",\n   "bytes": 1')
    told = run(capsys, "check", changed, scene(tmp_path, CHECK, name="b.toml"), *QUICK, "--json")
    first, second = told.document["scenes"]
    assert told.status == 1
    assert first["bundle"]["changed"] == ["table/walled.toml was changed"]
    assert (first["bundle"]["same"], first["bundle"]["checks"][0]["same"]) == (False, "to the bit")
    assert "bundle" not in second


def test_a_pair_that_the_scene_has_no_check_of(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "duel.zip"
    words = ("bundle", scene(tmp_path), "--out", out, "--no-pictures", *QUICK)
    told = run(capsys, *words)
    assert (told.status, out.exists()) == (2, False)
    assert told.complaints == [
        f"error: {tmp_path / 'walled.toml'}: has no [[check]]; add one, or say --from NAME --to NAME"
    ]
    made = run(capsys, *words, "--from", "Vex", "--to", "Kal", "--json").document
    assert [row["attacker"] for row in made["checks"]] == ["Vex"]
    assert [file["path"] for file in made["files"]] == ["table/walled.toml"]
    (entry,) = run(capsys, "check", out, "--json").document["scenes"]
    assert (entry["bundle"]["same"], entry["results"][0]["target"]) == (True, "Kal")


def test_expectations_that_do_not_hold_are_told(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "duel.zip"
    broken = scene(tmp_path, CHECK, 'expect = { verdict = "open" }\n')
    told = run(capsys, "bundle", broken, "--out", out, "--no-pictures", *QUICK)
    assert told.status == 1
    assert "not as expected" in told.complaints[0]
    told = run(capsys, "check", out)
    assert (told.status, "the same as in the bundle" in told.out) == (1, True)


@pytest.mark.parametrize(
    "words, problem",
    [
        (("--out", "duel.tar"), "bundles are zip archives; give a name that ends in .zip"),
        (("--out", "none/duel.zip"), "there is no folder none"),
        (("--out", "duel.zip", "--pixel", "0"), "pixel is 0"),
        (("--out", "duel.zip", "--from", "Nobody"), "nothing is called 'Nobody'"),
        ((), "--out"),
    ],
)
def test_bad_input_is_one_line(
    words: tuple[str, ...], problem: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scene(tmp_path, CHECK)
    told = run(capsys, "bundle", "walled.toml", *words)
    assert (told.status, told.out) == (2, "")
    (line,) = told.complaints
    assert problem in line
    assert [path.name for path in tmp_path.iterdir()] == ["walled.toml"]


def test_a_zip_that_is_no_bundle_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "duel.zip"
    told = run(capsys, "check", out)
    assert (told.status, told.complaints) == (
        2,
        [f"error: {out}: there is no such file; give the path of one that is there"],
    )
    out.write_bytes(b"PK")
    told = run(capsys, "check", out, "--json")
    assert told.complaints == [f"error: {out}: is truncated or no zip archive; bundle the scene again"]
    assert told.document["scenes"][0]["error"].startswith(str(out))
    told = run(capsys, "check", out, "--odds")
    (line,) = told.complaints
    assert line.startswith(f"error: {out}: a bundle is judged as it was when it was made; leave --odds out, or unpack")


def test_the_document_fits_its_schema(tmp_path: Path, capsys: Capture) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs the extra 'test'")
    out = tmp_path / "duel.zip"
    run(capsys, "bundle", scene(tmp_path, CHECK), "--out", out, "--no-pictures", *QUICK)
    document = run(capsys, "check", altered(out, "partial cover", "open"), "--json").document
    schema = run(capsys, "schema", "results").document
    validator = jsonschema.Draft202012Validator(
        {key: schema[key] for key in schema if key not in ("silhouette", "schema")}
    )
    validator.validate(document)
    document["scenes"][0]["bundle"]["same"] = "yes"
    assert not validator.is_valid(json.loads(json.dumps(document)))
