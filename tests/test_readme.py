"""The READMEs stay true: commands can be pasted, outputs and pictures are what is printed, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from pydantic import BaseModel

from silhouette import check, load_scene
from silhouette.cli.app import main
from silhouette.models.entries import ModelOptions
from silhouette.rules import RULES, rule_called
from tests.benchmarks.page import benchmarks
from tests.support.games import BY_CODE, FILES
from tests.support.made_parts import PART
from tests.support.scene_keys import example_scenes, github_anchor, model_keys, scene_keys, schemas_in

PROJECT = Path(__file__).resolve().parents[1]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
GITHUB = PROJECT / ".github"
COMMANDS = GITHUB / "docs" / "pages" / "commands.md"
SCENES = PROJECT / "scenes" / "README.md"
MODELS = PROJECT / "models" / "README.md"
PAGES = sorted(
    path
    for folder in (PROJECT, *(PROJECT / name for name in (".github", "silhouette", "models", "scenes", "tests")))
    for path in (folder.rglob("*.md") if folder != PROJECT else folder.glob("*.md"))
    if "node_modules" not in path.parts
)
ALIKE = 15
"""From how many words on in a row two pages say the same."""

FORMS = sorted(path for path in GITHUB.rglob("*.yml") if path.name != "mkdocs.yml")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def test_nothing_is_left_to_fill_in() -> None:
    for page in PAGES:
        assert "@@" not in text_of(page)
        assert "TODO" not in text_of(page)


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 700


def prose(page: Path) -> str:
    """The sentences of a page: without tables, code, and where links lead."""
    text = re.sub(r"^```.*?^```|^ *\|.*?$|^    .*?$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", text)


def test_all_pages_together_can_be_read() -> None:
    assert sum(len(text_of(page).split()) for page in PAGES) <= 35_000, "by wc -w: tables, code and all"
    assert sum(len(prose(page).split()) for page in PAGES) <= 30_000


def test_all_pages_that_are_kept_are_counted() -> None:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=PROJECT, capture_output=True, text=True, check=False)
    if listed.returncode or "README.md" not in listed.stdout.splitlines():
        pytest.skip("not a checkout")
    assert set(listed.stdout.splitlines()) <= set(map(named, PAGES))


def test_what_is_made_from_the_code_is_not_kept() -> None:
    """The manual has it; here a few words say where it stands (`test_manual.py` builds it)."""
    places = {name: words for page in PAGES for name, words in PART.findall(text_of(page))}
    assert set(places) == {"scene keys", "example scenes", "model keys", "game language", "game keys", "benchmarks"}
    for name, words in places.items():
        assert not re.search(r"^[#|]", words, re.MULTILINE), name
        assert len(words.split()) <= 60, name
        assert "silhouette schema" in words or "](" in words, f"{name}: where does it stand?"


def test_no_text_stands_twice() -> None:
    places = defaultdict[str, set[str]](set)
    for page in PAGES:
        words = re.findall(r"[\w.%±'-]+", prose(page).lower())
        for start in range(len(words) - ALIKE + 1):
            places[" ".join(words[start : start + ALIKE])].add(named(page))
    assert {text: pages for text, pages in places.items() if len(pages) > 1} == {}


def test_the_top_level_is_short() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=False)
    if listed.returncode or "README.md" not in listed.stdout.splitlines():
        pytest.skip("not a checkout")
    top = {line.split("/")[0] for line in listed.stdout.splitlines()}
    folders = {"silhouette", "models", "scenes", "tests"}
    assert {name for name in top if not name.startswith(".")} == {"pyproject.toml", "README.md", "LICENSE", *folders}


def test_ci_calls_the_very_test_command() -> None:
    for marker in ("<!-- example -->", "<!-- tests -->"):
        (command,) = re.findall(re.escape(marker) + r"\n```bash\n(.*)\n```", README)
        assert command.startswith("python3 -m venv .venv && ")
    assert "<!-- tests -->" in (PROJECT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_picture_says_what_the_scene_gives() -> None:
    scene = load_scene(PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml")
    verdict = check(scene, "Kal", "Vex")
    (share,) = re.findall(r"partial cover, ([0-9.]+ % ± [0-9.]+ %) obscured", README)
    assert verdict.verdict == "partial cover"
    assert verdict.measurement is not None
    assert verdict.measurement.words == share


def test_the_scene_shown_is_the_file_that_is_judged() -> None:
    ((path, scene),) = re.findall(r"<!-- scene: (\S+) -->\n```toml\n(.*?)```", README, flags=re.DOTALL)
    document = tomllib.loads((PROJECT / path).read_text(encoding="utf-8"))
    del document["source"]
    assert tomllib.loads(scene) == document


def test_the_output_shown_is_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"<!-- output -->\n```console\n(.*?)```", README, flags=re.DOTALL)
    command, *shown = block.splitlines()
    monkeypatch.chdir(PROJECT)
    monkeypatch.setenv("COLUMNS", "100")
    assert main(command.removeprefix("$ .venv/bin/silhouette ").split()) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in printed if line] == [line for line in shown if line]


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(PROJECT)
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("partial cover 0.42")


@pytest.mark.long
def test_the_python_example_passes_the_strict_type_checker(tmp_path: Path) -> None:
    """In a process of its own, which gives its memory back, and with what the type checker keeps of this package."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    example = tmp_path / "example.py"
    example.write_text(code, encoding="utf-8")
    settings = ["--strict", "--config-file", "pyproject.toml"]
    command = [sys.executable, "-m", "mypy", *settings, str(example)]
    checked = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_table_has_every_game() -> None:
    rows = re.findall(r"^\| (.+?) \| `(.+?)` \|", README, flags=re.MULTILINE)
    assert {name: title for title, name in rows if name != "rules"} == {
        name: rule_called(name).title for name in BY_CODE
    }
    assert [name for name in FILES if rule_called(name).title not in README] == []


@pytest.mark.parametrize("command", ["check", "matrix", "batch", "draw", "inspect", "doctor", "rules"])
def test_every_command_that_is_named_is_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"`silhouette {command}`" in README
    assert f"| `silhouette {command}` |" in text_of(COMMANDS)
    assert main([command, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_no_command_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    commands = re.findall(r"^  ([a-z]+)  ", capsys.readouterr().out.partition("Start:")[2], flags=re.MULTILINE)
    assert "check" in commands
    table = text_of(COMMANDS)
    assert [command for command in commands if f"| `silhouette {command}` |" not in table] == []


def keys_of(schema: type[BaseModel]) -> set[str]:
    """The keys of a schema and of all that stand in it."""
    inner = [each for field in schema.model_fields.values() for each in schemas_in(field.annotation)]
    return set(schema.model_fields).union(*map(keys_of, inner))


def test_every_key_stands_in_the_manual_with_its_meaning() -> None:
    text = scene_keys() + model_keys()
    for rule in map(rule_called, RULES):
        schemas = filter(None, (rule.scene_entry, rule.readings_entry, *rule.check_entries.values()))
        keys = set[str]().union(*map(keys_of, schemas))
        assert len(keys) > 10
        assert [key for key in keys if f"`{key}`" not in text] == [], rule.name
    rows = re.findall(r"^\|(.*)\|$", text.replace("\\|", "/"), re.MULTILINE)
    assert len(rows) > 300
    assert [row for row in rows if not row.rpartition("|")[2].strip()] == [], "without a meaning"


def test_every_example_stands_in_the_manual_with_its_rules() -> None:
    rows = dict(re.findall(r"^\| \[.+\]\((.+)\) \| (.*) \|$", example_scenes(), re.MULTILINE))
    folders = {(PROJECT / rule_called(name).example).parent for name in RULES}
    assert set(rows) == {f"{path.parent.name}/{path.name}" for folder in folders for path in folder.glob("*.toml")}
    assert all(rows.values())


@pytest.mark.parametrize("page", [SCENES, MODELS], ids=named)
def test_files_that_are_shown_have_known_keys(page: Path) -> None:
    shown = re.findall(r"```toml\n(.*?)```", text_of(page), flags=re.DOTALL)
    assert shown
    for text in shown:
        document = tomllib.loads(text)
        schema = rule_called(document["rules"]).scene_entry if "rules" in document else ModelOptions
        schema.model_validate(document)


def test_every_model_is_described() -> None:
    table = text_of(MODELS)
    assert [path.stem for path in MODELS.parent.glob("*.toml") if f"({path.name})" not in table] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    lines = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", lines):
        if target.startswith(("https://", "http://")):
            continue
        place, _, anchor = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        assert file.exists(), f"{named(page)} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", text_of(file), flags=re.MULTILINE)
            assert anchor in [github_anchor(heading) for heading in headings], f"{named(page)} links to {target}"


def test_benchmarks_that_are_named_are_there() -> None:
    named_there = [name for page in PAGES for name in re.findall(r"tests\.benchmarks\.(\w+)", text_of(page))]
    assert named_there
    assert set(named_there) <= set(benchmarks())


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_workflows_and_forms_are_yaml(form: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    document = yaml.safe_load(text_of(form))
    assert isinstance(document, dict)
    if form.parent.name == "workflows":
        steps = [step for job in document["jobs"].values() for step in job["steps"] if "uses" in step]
        steps = [step for step in steps if not step["uses"].startswith("$/")]  # of the very commit that runs
        pinned = re.findall(r"uses: (\S+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$", text_of(form), re.MULTILINE)
        assert [step["uses"] for step in steps] == pinned, "a tag may be moved to other code, a commit may not"
        checkouts = [step.get("with", {}) for step in steps if step["uses"].startswith("actions/checkout@")]
        assert all(options.get("persist-credentials") is False for options in checkouts)


def test_issue_forms_offer_every_game() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    titles = {rule_called(name).title for name in RULES}
    for name in ("wrong_verdict", "rule_question"):
        form = yaml.safe_load(text_of(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml"))
        (game,) = [item for item in form["body"] if item.get("id") == "game"]
        assert titles <= set(game["attributes"]["options"])


def test_workflows_test_the_pythons_that_the_package_supports() -> None:
    classifiers = tomllib.loads(text_of(PROJECT / "pyproject.toml"))["project"]["classifiers"]
    pythons = [name.rpartition(" ")[2] for name in classifiers if re.search(r":: 3\.\d+$", name)]
    workflow = text_of(GITHUB / "workflows" / "tests.yml")
    assert pythons
    assert [python for python in pythons if f'"{python}"' not in workflow] == []
