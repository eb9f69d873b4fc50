"""The workflow, the container and the steps for a machine with a GPU: they name what there is, and all are tried."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RendererUnavailable
from silhouette.renderers.gl.context import INSTALL
from tests.benchmarks.__main__ import main as measure
from tests.benchmarks.figures import commit
from tests.conftest import REQUIRE_CUDA, REQUIRE_GL, cuda_device, started
from tests.renderers.test_registry import replace_renderers
from tests.support.batching import wait_until
from tests.support.commands import run

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the scripts are for Linux")

PROJECT = Path(__file__).resolve().parents[1]
CONTAINERFILE = (PROJECT / ".github" / "Containerfile").read_text(encoding="utf-8")

RECORDER = """#!{python}
import json, os, sys
words = sys.argv[1:]
with open({log!r}, "a") as log:
    print(json.dumps([words, os.environ.get("SILHOUETTE_REQUIRE_CUDA")]), file=log)
print("told by", *words)
print("complained", file=sys.stderr)
sys.exit(3 if {fails!r} and {fails!r} in words else 0)
"""


def recorder(path: Path, fails: str = "") -> Path:
    """Makes a command that writes its words into a file beside it, and fails where one of them is that word."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = RECORDER.format(python=sys.executable, log=str(path.with_suffix(".log")), fails=fails)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def recorded(path: Path) -> list[tuple[list[str], str | None]]:
    """The words of each call, and whether a GPU was demanded."""
    lines = path.with_suffix(".log").read_text(encoding="utf-8").splitlines()
    return [(words, demanded) for words, demanded in map(json.loads, lines)]


def called(*words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([*words], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60)


# The workflow.


def workflow(name: str) -> Any:
    return yaml.load((PROJECT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8"), yaml.BaseLoader)


def test_the_workflow_starts_by_hand_may_only_read_and_ends() -> None:
    document = workflow("gpu")
    assert list(document["on"]) == ["workflow_dispatch"]
    assert document["permissions"] == {"contents": "read"}
    assert document["concurrency"]["group"] == "gpu"
    (job,) = document["jobs"].values()
    assert job["runs-on"] == ["self-hosted", "linux", "gpu"]
    limits = [int(step["timeout-minutes"]) for step in job["steps"] if "timeout-minutes" in step]
    assert limits
    assert max(limits) < int(job["timeout-minutes"])


def test_the_workflow_uses_the_very_actions_of_the_others() -> None:
    uses = {
        name: {step["uses"] for job in workflow(name)["jobs"].values() for step in job["steps"] if "uses" in step}
        for name in ("gpu", "tests", "release")
    }
    assert uses["gpu"]
    assert uses["gpu"] <= uses["tests"] | uses["release"]


def test_the_workflow_runs_the_one_command_and_keeps_its_tables_whatever_happens() -> None:
    (job,) = workflow("gpu")["jobs"].values()
    _, measured, shown, kept = job["steps"]
    command, folder = measured["run"].split()
    assert os.access(PROJECT / command, os.X_OK)
    assert folder == '"$RUNNER_TEMP/gpu-tables"'
    assert shown["run"] == 'cat "$RUNNER_TEMP/gpu-tables/summary.md" >> "$GITHUB_STEP_SUMMARY"'
    assert kept["with"]["path"] == "${{ runner.temp }}/gpu-tables/"
    assert shown["if"] == kept["if"] == "always()"
    contributing = (PROJECT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"\n{command}\n" in contributing


# The container.


def test_the_image_holds_what_opengl_needs_and_no_cuda_but_the_driver_s() -> None:
    (packages,) = re.findall(r"--no-install-recommends ([a-z0-9 -]+)", CONTAINERFILE)
    assert f"apt install {packages.strip()}" in INSTALL
    assert re.search(r"^FROM \S+/python:3\.\d+-slim\S*$", CONTAINERFILE, flags=re.MULTILINE)
    (capabilities,) = re.findall(r"NVIDIA_DRIVER_CAPABILITIES=(\S+)", CONTAINERFILE)
    assert set(capabilities.split(",")) == {"compute", "utility", "graphics"}


def test_the_image_holds_all_that_is_not_left_out_on_purpose() -> None:
    lines = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    held = [line[1:] for line in lines if line.startswith("!")]
    assert [name for name in held if not (PROJECT / name).exists()] == []
    needed = {"pyproject.toml", "README.md", "LICENSE", "silhouette", "models", "scenes", "tests", ".ci", ".github"}
    assert set(held) == needed
    (command,) = re.findall(r'^CMD \["(\S+)",', CONTAINERFILE, flags=re.MULTILINE)
    assert os.access(PROJECT / command, os.X_OK)


@on_linux
@pytest.mark.parametrize(
    ("engine", "gpu"), [("docker", ["--gpus", "all"]), ("podman", ["--device", "nvidia.com/gpu=all"])]
)
def test_the_container_is_built_run_with_the_gpu_and_removed(tmp_path: Path, engine: str, gpu: list[str]) -> None:
    command = recorder(tmp_path / "bin" / engine)
    script = str(PROJECT / ".ci" / "gpu")
    ran = called(script, "some tables", cwd=tmp_path, CONTAINER_ENGINE=str(command))
    assert ran.returncode == 0
    (build, _), (start, _), (remove, _) = recorded(command)
    assert build[0] == "build"
    assert (PROJECT / build[build.index("--file") + 1]).is_file()
    assert [word for word in start if word in gpu] == gpu
    assert f"{tmp_path / 'some tables'}:/tables" in start
    assert (tmp_path / "some tables").is_dir()
    image = build[build.index("--tag") + 1]
    steps = start[start.index(image) + 1 :]
    assert steps == [".ci/gpu_steps", "/tables"]
    assert (PROJECT / steps[0]).is_file()
    assert ("--user" in start) == (engine == "docker")
    assert remove == ["rm", "--force", start[start.index("--name") + 1]]


@on_linux
def test_a_rehearsal_asks_for_no_gpu_and_what_fails_in_the_container_fails(tmp_path: Path) -> None:
    command = recorder(tmp_path / "bin" / "docker", fails="run")
    ran = called(str(PROJECT / ".ci" / "gpu"), "--rehearse", cwd=tmp_path, CONTAINER_ENGINE=str(command))
    assert ran.returncode == 3
    _, (start, _), (remove, _) = recorded(command)
    assert "--gpus" not in start
    assert start[-3:] == [".ci/gpu_steps", "--rehearse", "/tables"]
    assert f"{tmp_path / 'gpu-tables'}:/tables" in start
    assert remove[0] == "rm"


ENDLESS = """#!/bin/sh
echo "$1" >>"$0.log"
case $1 in
run) echo $$ >"$0.pid"; exec sleep 60 ;;
rm) kill "$(cat "$0.pid")" ;;
esac
"""


@on_linux
def test_a_container_ends_with_the_command_that_started_it(tmp_path: Path) -> None:
    command = tmp_path / "docker"
    command.write_text(ENDLESS, encoding="utf-8")
    command.chmod(0o755)
    environment = {**os.environ, "CONTAINER_ENGINE": str(command)}
    with subprocess.Popen([PROJECT / ".ci" / "gpu", "tables"], cwd=tmp_path, env=environment) as script:
        pid = tmp_path / "docker.pid"
        wait_until(lambda: pid.exists() and pid.read_text(encoding="utf-8").endswith("\n"))
        script.terminate()
        assert script.wait(30) == 130
    assert (tmp_path / "docker.log").read_text(encoding="utf-8").split() == ["build", "run", "rm"]
    wait_until(lambda: not Path("/proc", pid.read_text(encoding="utf-8").strip()).exists())


@on_linux
def test_an_image_that_cannot_be_built_is_not_run(tmp_path: Path) -> None:
    command = recorder(tmp_path / "bin" / "podman", fails="build")
    assert called(str(PROJECT / ".ci" / "gpu"), cwd=tmp_path, CONTAINER_ENGINE=str(command)).returncode == 3
    assert [words[0] for words, _ in recorded(command)] == ["build"]


@on_linux
def test_without_podman_and_docker_one_line_says_what_else_there_is(tmp_path: Path) -> None:
    for tool in ("bash", "dirname", "mkdir"):
        (tmp_path / tool).symlink_to(Path("/usr/bin") / tool)
    ran = called("/usr/bin/bash", str(PROJECT / ".ci" / "gpu"), cwd=tmp_path, PATH=str(tmp_path), CONTAINER_ENGINE="")
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: there is neither podman nor docker; .ci/gpu_steps FOLDER")


# The steps.


def steps(tmp_path: Path, *words: str, fails: str = "") -> tuple[subprocess.CompletedProcess[str], Path]:
    command = recorder(tmp_path / "bin" / "python", fails)
    script = str(PROJECT / ".ci" / "gpu_steps")
    return called(script, *words, "tables", cwd=tmp_path, PYTHON=str(command)), command


@on_linux
def test_every_step_names_modules_tests_and_options_that_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran, command = steps(tmp_path)
    assert ran.returncode == 0
    assert ran.stdout.endswith(f"the tables are in {tmp_path / 'tables'}\n")
    modules, tested, measured = [], list[str](), list[str]()
    for words, demanded in recorded(command):
        assert words[0] == "-m"
        assert demanded == "1"
        assert importlib.util.find_spec(words[1]) is not None
        modules.append(words[1])
        if words[1] == "pytest":
            tested += (word for word in words if word.startswith("tests/"))
            assert words[words.index("--junit-xml") + 1].startswith(str(tmp_path / "tables"))
        elif words[1] == "silhouette":
            assert run(capsys, *words[2:], "--help").status == 0
        elif words[1] == "tests.benchmarks":
            measured.append(words[2])
            assert measure([*words[2:], "--page", str(tmp_path / "page.md")]) == 0
    assert {"tests/renderers", "tests/measure/test_serving.py"} <= set(tested)
    assert [path for path in tested if not (PROJECT / path).exists()] == []
    assert measured[0] == "gpu"
    assert "silhouette" in modules


@on_linux
def test_a_step_that_fails_is_told_and_the_others_are_tried(tmp_path: Path) -> None:
    ran, command = steps(tmp_path, fails="doctor")
    whole = len(recorded(command))
    assert ran.returncode == 1
    assert ran.stderr.splitlines() == ["complained", f"failed: doctor; the tables are in {tmp_path / 'tables'}"]
    summary = (tmp_path / "tables" / "summary.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^## \w+: passed, \d+ s$", summary, flags=re.MULTILINE)) == whole - 1
    assert re.search(r"^## doctor: FAILED, \d+ s\n\n```\ntold by .*\ncomplained\n```$", summary, flags=re.MULTILINE)
    assert (tmp_path / "tables" / "doctor.txt").read_text(encoding="utf-8") == "told by -m silhouette doctor\n"


@on_linux
def test_a_rehearsal_demands_no_gpu_and_measures_briefly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(REQUIRE_CUDA, "1")
    ran, command = steps(tmp_path, "--rehearse")
    assert ran.returncode == 0
    assert {demanded for _, demanded in recorded(command)} == {None}
    assert all("--rounds" in words for words, _ in recorded(command) if words[1] == "tests.benchmarks")


@on_linux
def test_steps_without_a_folder_are_refused(tmp_path: Path) -> None:
    ran = called(str(PROJECT / ".ci" / "gpu_steps"), cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "usage: .ci/gpu_steps [--rehearse] FOLDER\n")


# The variable.


def test_where_a_gpu_is_demanded_tests_fail_that_would_be_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def absent(device: str | None) -> Any:
        asked.append(device)
        raise RendererUnavailable("there is none")

    replace_renderers(monkeypatch, cuda=absent, gl=absent)
    monkeypatch.setattr("tests.conftest.has_gpu", lambda: False)
    monkeypatch.delenv(REQUIRE_GL, raising=False)
    monkeypatch.delenv(REQUIRE_CUDA, raising=False)
    for name in ("cuda", "gl"):
        with pytest.raises(pytest.skip.Exception, match="there is none"):
            started(name)
    monkeypatch.setenv(REQUIRE_CUDA, "1")
    with pytest.raises(pytest.fail.Exception, match="cuda does not run on a GPU: there is none"):
        started("cuda")
    with pytest.raises(pytest.skip.Exception):
        started("gl")
    assert asked == ["cpu", None, None, None]


def test_a_gpu_that_is_there_is_tested_and_the_cpu_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRE_CUDA, raising=False)
    for there, device in ((True, None), (False, "cpu")):
        monkeypatch.setattr("tests.conftest.has_gpu", lambda there=there: there)
        assert cuda_device() == device


def test_a_container_has_no_git_and_is_told_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("SILHOUETTE_COMMIT", "abc1234")
    assert commit() == "abc1234"
    monkeypatch.delenv("SILHOUETTE_COMMIT")
    assert commit().startswith("version ")
