"""The action and the image: they name what there is, and the script that the action runs is run here."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from silhouette.common.installation import EXTRAS
from tests.support.commands import CHECK, WALLED

PROJECT = Path(__file__).resolve().parents[1]
ACTION = PROJECT / ".github" / "actions" / "check"
SCRIPT = ACTION / "check.py"
CONTAINERFILE = (PROJECT / ".github" / "container" / "Containerfile").read_text(encoding="utf-8")
UNEXPECTED = CHECK + 'expect = { verdict = "hidden" }\n'
OPTIONS = "--renderer reference --pixel 1 --no-cache --workers 1 --quiet"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_action", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def step(folder: Path, name: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Does a step of the action in a workspace."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), **variables}
    words = [sys.executable, str(SCRIPT), name]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


def outputs(file: Path) -> dict[str, str]:
    """What a step has said of itself."""
    return dict(line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines())


# ---- the action


def test_the_action_judges_a_folder_and_leaves_junit_pictures_and_a_summary(tmp_path: Path) -> None:
    scenes = tmp_path / "my scenes"
    scenes.mkdir()
    (scenes / "wrong.toml").write_text(WALLED + CHECK + UNEXPECTED)
    (scenes / "bad.toml").write_text("rules = ")
    out, told, page = (str(tmp_path / name) for name in ("found", "outputs", "page.md"))
    judged = step(tmp_path, "judge", FOLDER="my scenes", OUT=out, OPTIONS=OPTIONS, GITHUB_OUTPUT=told)
    assert judged.returncode == 0, judged.stderr
    assert outputs(Path(told)) == {"folder": out, "status": "2"}
    rows = [json.loads(line) for line in Path(out, "verdicts.jsonl").read_text().splitlines()]
    assert [row["scene"] for row in rows] == ["my scenes/bad.toml", *["my scenes/wrong.toml"] * 2]
    cases = list(ElementTree.parse(Path(out, "junit.xml")).getroot().iter("testcase"))
    assert [case.get("name") for case in cases] == ["check 1", "Kal to Vex", "Kal to Vex (2)"]
    assert cases[1].get("time")
    summary = Path(out, "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("## Not everything could be judged\n")
    assert "### my scenes/wrong.toml: Kal to Vex" in summary
    pictures = re.findall(r"^!\[[\w-]+\]\((.*)\)$", summary, flags=re.MULTILINE)
    assert [Path(name).stem for name in pictures] == ["02-kal-vex-eye", "02-kal-vex-plan", "02-kal-vex-side"]
    for name in pictures:
        with Image.open(Path(out, name)) as picture:
            assert picture.format == "PNG"
    shown = step(tmp_path, "tell", OUT=out, STATUS="2", ARTIFACT="https://host/artifact", GITHUB_STEP_SUMMARY=page)
    assert shown.returncode == 2
    assert "[02-kal-vex-eye (picture)](https://host/artifact)" in Path(page).read_text()
    assert "![" not in Path(page).read_text()


@pytest.mark.long
def test_a_folder_in_which_all_holds_or_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text(WALLED + CHECK)
    for folder, status, heading in ((".", "0", "Every expectation held"), ("none", "2", "Not everything")):
        out, told, page = (str(tmp_path / f"{name} {status}") for name in ("found", "outputs", "page"))
        assert step(tmp_path, "judge", FOLDER=folder, OUT=out, OPTIONS=OPTIONS, GITHUB_OUTPUT=told).returncode == 0
        assert outputs(Path(told))["status"] == status
        assert step(tmp_path, "tell", OUT=out, STATUS=status, GITHUB_STEP_SUMMARY=page).returncode == int(status)
        assert heading in Path(page).read_text()


def test_a_summary_shows_what_strangers_write_as_it_is(script: ModuleType) -> None:
    names = ["<script>", "| [x](https://x)", "a\nb", "![](x)", "`c`", "@all", "www.x.y", "# t", "$x$", "~~d~~"]
    rows = [
        {
            "scene": f"{name}.toml",
            "attacker": name,
            "target": "B",
            "expected": False,
            "unmet": [name],
            "verdict": "open",
        }
        for name in names
    ]
    text = script.summary(rows, 1, {})
    for sign in ("<", "`", "@", "$", "~", "https://", "www.", "](", "\na\n"):
        assert sign not in text.replace("](pictures", "")
    assert len(re.findall(r"^### ", text, flags=re.MULTILINE)) == len(names) + 1
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {4}


def test_a_summary_is_no_longer_than_the_page_takes(script: ModuleType) -> None:
    rows = [{"scene": "é" * 900 + f"{n}.toml", "problem": "ü" * 900} for n in range(3000)]
    assert len(script.on_page(script.summary(rows, 2, {}) * 20, "").encode()) <= script.MOST_SUMMARY_BYTES


def action() -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))


def test_the_action_uses_commits_and_runs_the_script(script: ModuleType) -> None:
    document, text = action(), (ACTION / "action.yml").read_text(encoding="utf-8")
    steps = document["runs"]["steps"]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used == re.findall(r"uses: (\S+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$", text, re.MULTILINE)
    others = "".join(file.read_text() for file in (PROJECT / ".github" / "workflows").glob("*.yml"))
    assert all(f"uses: {name} #" in others for name in used), "the action and the workflows use the same ones"
    commands = [step["run"] for step in steps if "run" in step]
    assert [command.split()[-1] for command in commands if "check.py" in command] == ["judge", "tell"]
    assert all("${{" not in command for command in commands), "what others give comes by variables alone"
    assert all(step["shell"] == "bash" for step in steps if "run" in step)
    taken = {name for step in steps for name in step.get("env", {})}
    assert taken == set(re.findall(r'environ(?:\.get)?[\[(]"([A-Z]+)"', SCRIPT.read_text()))
    assert document["outputs"].keys() == {"folder", "status"}
    assert (ACTION / "../../../pyproject.toml").resolve() == PROJECT / "pyproject.toml"  # what it installs
    assert script.main("none") == 2


def test_a_workflow_of_the_project_uses_the_action() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    text = (PROJECT / ".github" / "workflows" / "scenes.yml").read_text(encoding="utf-8")
    (used,) = [step for step in yaml.safe_load(text)["jobs"]["check"]["steps"] if step["uses"].startswith("$/")]
    assert PROJECT / used["uses"].removeprefix("$/") == ACTION
    assert used["with"].keys() <= action()["inputs"].keys()
    assert (PROJECT / used["with"]["folder"]).is_dir()


# ---- the image


def test_the_image_is_made_of_what_there_is_and_runs_as_no_root() -> None:
    ignored = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for words in re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINERFILE, flags=re.MULTILINE):
        for name in words.split():
            assert (PROJECT / name).exists()
            assert f"!{name.split('/')[0]}" in ignored
    stages = re.findall(r"^FROM (\S+)(?: AS built)?$", CONTAINERFILE, flags=re.MULTILINE)
    assert len(set(stages)) == 1
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim-\w+", stages[0])
    assert re.findall(r"^USER (\S+)$", CONTAINERFILE, flags=re.MULTILINE) == ["10001:10001"]
    assert 'ENTRYPOINT ["silhouette"]' in CONTAINERFILE
    for extras in re.findall(r"extras=(\S+)", CONTAINERFILE):
        assert set(extras.split(",")) <= EXTRAS.keys()


@pytest.mark.skipif(sys.platform != "linux", reason="the image is of Linux")
@pytest.mark.parametrize(("variant", "extras"), [("cpu", "mcp"), ("gpu", "cuda,mcp"), ("tpu", "")])
def test_one_argument_chooses_what_the_image_can_do(tmp_path: Path, variant: str, extras: str) -> None:
    """Its own command, with a Python that says what it would install."""
    (command,) = re.findall(r"^RUN (case .*?\n.*?\"\.\[\$extras\]\")$", CONTAINERFILE, flags=re.MULTILINE | re.DOTALL)
    command = command.replace("/opt/silhouette/bin/python", "echo").replace("\\\n", " ")
    ran = subprocess.run(["sh", "-c", command], env={"VARIANT": variant}, capture_output=True, text=True, check=False)
    if extras:
        assert (ran.returncode, ran.stdout.split()[-1]) == (0, f".[{extras}]")
    else:
        assert (ran.returncode, ran.stderr) == (2, "error: VARIANT is 'tpu'; it must be cpu or gpu\n")
