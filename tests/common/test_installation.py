"""The name of the distribution and its extras: in every message and page, and what to type in each environment."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from silhouette.common import installation
from silhouette.common.installation import DISTRIBUTION, EXTRAS, Environment, extra_command, package_command
from tests.support import sources
from tests.support.sources import libraries_of, texts_and_calls

PROJECT = Path(__file__).resolve().parents[2]
ABOUT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = [
    *PROJECT.glob("*.md"),
    *(page for page in (PROJECT / ".github").rglob("*.*") if page.suffix != ".pyc"),
    *filter(Path.is_file, (PROJECT / ".ci").iterdir()),
    *(page for name in ("silhouette", "models", "scenes", "tests") for page in (PROJECT / name).rglob("*.md")),
]


@cache
def texts_and_extras() -> dict[Path, tuple[list[tuple[int, str]], list[ast.Call]]]:
    """Of each module its texts, and where it asks what to type for an extra."""
    return {file: texts_and_calls(file, "extra_command") for file in sources.modules()}


def test_the_distribution_has_the_name_that_messages_use() -> None:
    assert ABOUT["name"] == DISTRIBUTION
    assert set(ABOUT["scripts"]) == {"silhouette", DISTRIBUTION}
    assert len(set(ABOUT["scripts"].values())) == 1


def test_every_extra_that_a_command_can_need_is_one_package() -> None:
    for extra, package in EXTRAS.items():
        (requirement,) = ABOUT["optional-dependencies"][extra]
        assert re.split(r"[<>=]", requirement)[0] == package
    inside = [wanted for wants in ABOUT["optional-dependencies"].values() for wanted in wants if "[" in wanted]
    assert {wanted.partition("[")[0] for wanted in inside} == {DISTRIBUTION}


@pytest.mark.slow
def test_no_message_names_what_to_install_but_through_one_module() -> None:
    """``silhouette`` on the package index is another project: nothing may advise to install it."""
    found = [
        f"{file.name}:{line}: {text}"
        for file, (texts, _) in texts_and_extras().items()
        if file != Path(installation.__file__)
        for line, text in texts
        if re.search(r"pip3? install|pipx |uv tool|uvx|silhouette\[", text)
    ]
    assert found == []


@pytest.mark.long
def test_every_extra_that_the_code_asks_for_is_there() -> None:
    calls = [call for _, calls in texts_and_extras().values() for call in calls]
    assert {name.value for call in calls if isinstance(name := call.args[0], ast.Constant)} == set(EXTRAS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_pages_name_only_extras_that_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in text.splitlines():
        if re.search(r"\binstall\b|--from", line):
            named = {extra for some in re.findall(r"[.\w-]\[([\w,]+)\]", line) for extra in some.split(",")}
            assert named <= set(ABOUT["optional-dependencies"]), line
            assert not re.search(r"install (--?\S+ )*['\"]?silhouette(?!-los)\b", line), line
    for extra in re.findall(r"\bextra `(\w+)`", text):
        assert extra in ABOUT["optional-dependencies"]


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty environment of the user's; its interpreter is not the first on the path."""
    folder = tmp_path / "archive-v0" / "silhouette-los"
    folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / "python"))
    monkeypatch.setattr(installation, "_source", lambda: (DISTRIBUTION, False))
    return folder


def test_pipx_injects(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").touch()
    assert extra_command("parquet") == "pipx inject silhouette-los pyarrow"
    assert package_command("embreex") == "pipx inject silhouette-los embreex"


def test_a_tool_of_uv_is_installed_again(prefix: Path) -> None:
    (prefix / "uv-receipt.toml").touch()
    assert extra_command("cluster") == "uv tool install --force 'silhouette-los[cluster]'"


@pytest.mark.parametrize(("passing", "command"), [(True, "uvx --from "), (False, "uv pip install --python ")])
def test_an_environment_without_pip(prefix: Path, monkeypatch: pytest.MonkeyPatch, passing: bool, command: str) -> None:
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    if not passing:
        prefix = prefix.rename(prefix.parent.parent / "venv")
        monkeypatch.setattr(sys, "prefix", str(prefix))
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.9.1\n", encoding="utf-8")
    assert extra_command("mp4").startswith(command)
    assert "'silhouette-los[mp4]'" in extra_command("mp4")


def test_pip_is_that_of_the_running_interpreter(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert extra_command("mp4") == f"{sys.executable} -m pip install 'silhouette-los[mp4]'"
    monkeypatch.chdir(prefix)
    assert extra_command("mp4") == "bin/python -m pip install 'silhouette-los[mp4]'"
    monkeypatch.setattr(installation.shutil, "which", lambda name: sys.executable)
    assert extra_command("mp4") == "python -m pip install 'silhouette-los[mp4]'"


class Noted:
    """A distribution as installers note it down."""

    def __init__(self, origin: dict[str, object] | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return json.dumps(self.origin) if self.origin is not None else None


def test_it_comes_from_where_it_came_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wheel = tmp_path / "dist" / "silhouette_los-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    cases: list[tuple[dict[str, object] | None, tuple[str, bool]]] = [
        (None, (DISTRIBUTION, False)),
        ({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}, (".", True)),
        ({"url": tmp_path.as_uri(), "dir_info": {}}, (".", False)),
        ({"url": wheel.as_uri(), "archive_info": {}}, (str(Path("dist", wheel.name)), False)),
        ({"url": (tmp_path / "gone").as_uri(), "dir_info": {}}, ("", False)),
        ({"url": "https://example.org/it.whl", "archive_info": {}}, ("", False)),
    ]
    for origin, (source, editable) in cases:
        monkeypatch.setattr(installation, "distribution", lambda name, origin=origin: Noted(origin))
        found, is_editable = installation._source()
        assert (found.removeprefix("./"), is_editable) == (source, editable)


def test_a_checkout_that_is_only_on_the_path_is_installed_as_editable(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", none)
    monkeypatch.chdir(PROJECT)
    assert installation._source() == (".", True)
    assert Environment(source=".", editable=True).extra("mp4") == "python -m pip install -e '.[mp4]'"


MODULES = {"pyopengl": "OpenGL", "pyrender2": "pyrender", "pillow": "PIL", "dracopy": "DracoPy", "warp_lang": "warp"}
"""What is imported, where that is not the name of the package with underscores."""


def test_what_is_imported_is_a_dependency_or_an_extra_and_every_dependency_is_imported() -> None:
    imported = {library for file in sources.modules() for library in libraries_of(file)}
    imported -= {*sys.stdlib_module_names, "silhouette"}
    own = [re.split(r"[<>=;\s]", wanted)[0].lower() for wanted in ABOUT["dependencies"]]
    modules = {MODULES.get(name, name.replace("-", "_")) for name in own}
    # Brought by matplotlib, by pydantic and by Dask's distributed.
    brought = {"contourpy", "fontTools", "pydantic_core", "dask"}
    extras = {name.replace("-", "_") for name in EXTRAS.values()}
    assert imported <= modules | brought | {MODULES.get(name, name) for name in extras}
    assert modules - imported == {"charset_normalizer"}  # trimesh imports it
