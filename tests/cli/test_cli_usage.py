"""What a command does where it is used wrongly, interrupted, broken, or where nobody reads what it says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import SchemaError

import silhouette.cli.scene_job
from silhouette.common.errors import RequestError
from tests.support.commands import CHECK, QUICK, WALLED, run, scene
from tests.support.warm_processes import Process

Capture = pytest.CaptureFixture[str]

WRONG = CHECK + 'expect = { verdict = "hidden" }\n'


def process(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "silhouette", *map(str, words)]
    return subprocess.run(command, capture_output=True, check=False, timeout=120, **options)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "no command 'chek'; did you mean 'check'?"),
        (["check"], "SCENE is missing"),
        (["check", "SCENE", "--rendrer", "gl"], "no option --rendrer; did you mean --renderer?"),
        (["check", "SCENE", "--pixel", "fine"], "--pixel"),
        (["check", "SCENE", "--pixel", "0"], "pixel is 0; it must be millimetres above 0 and at most 10"),
        (["check", "SCENE", "--pixel", "-1"], "pixel is -1;"),
        (["check", "SCENE", "--pixel", "11"], "pixel is 11;"),
        (["check", "SCENE", "--pixel", "nan"], "pixel is nan;"),
        (["check", "SCENE", "--renderer", "embre"], "did you mean 'embree'?"),
        (["check", "SCENE", "--from", "Kal", "--arc", "lefft"], "no arc 'lefft'; did you mean 'left'?"),
        (["check", "SCENE", "--to", "Kal"], "--from"),
        (["matrix", "SCENE", "SCENE"], "one argument too many: "),
    ],
)
def test_wrong_usage_is_one_line_before_anything_is_judged(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.setattr(silhouette.cli.scene_job, "judge_scene", lambda *given, **named: pytest.fail("judged"))
    path = str(scene(tmp_path, CHECK))
    for extra in ([], ["--json"]):
        ran = run(capsys, *[path if word == "SCENE" else word for word in words], *extra)
        assert (ran.status, ran.out) == (2, "")
        (complaint,) = ran.complaints
        assert said in complaint


@pytest.mark.parametrize("picture", ["nowhere/eye.png", "eye.jpg", "eye", "folder.png"])
def test_a_picture_that_has_no_place_is_said_before_anything_is_judged(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, picture: str
) -> None:
    monkeypatch.setattr(silhouette.cli.scene_job, "judge_scene", lambda *given, **named: pytest.fail("judged"))
    (tmp_path / "folder.png").mkdir()
    for words in (["check", str(scene(tmp_path, CHECK))], ["inspect", str(tmp_path / "block.stl")]):
        ran = run(capsys, *words, "--picture", tmp_path / picture)
        assert (ran.status, ran.out) == (2, "")
        (complaint,) = ran.complaints
        assert complaint.startswith(f"error: {tmp_path / picture}: ")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder.png", "walled.toml"]


def in_other_words() -> None:
    """Ctrl-C while pydantic builds a model, as it passes that on."""
    raise SchemaError('Error building "literal" validator: KeyboardInterrupt: ')


def in_another_error() -> None:
    """Ctrl-C within a library that makes an error of its own of all that goes wrong."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as pressed:
        raise RuntimeError("it went wrong") from pressed


def in_a_missing_package() -> None:
    """Ctrl-C within the import of an optional package, which then is taken for missing."""
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as pressed:
            raise ImportError("it went wrong") from pressed
    except ImportError:
        raise RequestError("drawing needs matplotlib") from None


def plainly() -> None:
    """Ctrl-C."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("press", [plainly, in_other_words, in_another_error, in_a_missing_package])
def test_an_interruption_is_one_line_and_status_130(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, press: Callable[[], None]
) -> None:
    def interrupted(*given: Any, **named: Any) -> None:
        press()

    monkeypatch.setattr(silhouette.cli.scene_job, "judge_scene", interrupted)
    ran = run(capsys, "check", scene(tmp_path, CHECK), *QUICK)
    assert (ran.status, ran.out, len(ran.complaints)) == (130, "", 1)


@pytest.mark.skipif(os.name == "nt", reason="a Windows process takes no SIGINT of its own")
def test_ctrl_c_stops_a_real_process(tmp_path: Path) -> None:
    file, begun = scene(tmp_path, CHECK), tmp_path / "begun"
    # A shell that starts tests in the background may have told its children to ignore the signal.
    script = "import pathlib, signal, sys, time; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    # The scene takes a minute to load, so that the signal comes in the middle of it.
    script += "import silhouette.judging.checking as judging\n"
    script += "judging.load_scene = lambda *_, **__: (pathlib.Path(sys.argv.pop()).touch(), time.sleep(60))\n"
    script += "from silhouette.cli.app import main; sys.exit(main(sys.argv[1:3]))"
    command = [sys.executable, "-c", script, "check", str(file), str(begun)]
    running = Process(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not begun.exists() and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (130, "")
    assert err == "error: interrupted; nothing further was judged\n"


AMID_IMPORTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupting:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

class Finder:
    def find_spec(self, name, *_):
        if name == "typer":
            type("Owner", (), {"it": Interrupting()})  # Python says of it that __set_name__ went wrong

sys.meta_path.insert(0, Finder())
from silhouette.cli import main
"""


def amid_imports(what: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", AMID_IMPORTS + what]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.skipif(os.name == "nt", reason="a Windows process takes no SIGINT of its own")
def test_ctrl_c_amid_imports_is_one_line_whatever_they_make_of_it() -> None:
    done = amid_imports("sys.argv[1:] = ['rules']; sys.exit(main())")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "error: interrupted; nothing further was judged\n"


@pytest.mark.skipif(os.name == "nt", reason="a Windows process takes no SIGINT of its own")
def test_ctrl_c_amid_imports_does_not_end_another_program() -> None:
    done = amid_imports("try: main(['rules'])\nexcept BaseException: print('goes on')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


def test_next_to_nothing_is_imported_before_ctrl_c_is_taken() -> None:
    script = "import sys, __future__; old = {*sys.modules}; import silhouette.cli; print(sorted({*sys.modules} - old))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['silhouette', 'silhouette.cli']"


def test_an_unexpected_exception_is_one_line_too(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(step: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("silhouette.cli.doctor.probe_renderers", failing)
    ran = run(capsys, "doctor")
    assert (ran.status, ran.out) == (2, "")
    assert ran.complaints == [
        "error: internal: RuntimeError: a bug; please report it, with what it prints after SILHOUETTE_DEBUG=1"
    ]
    monkeypatch.setenv("SILHOUETTE_DEBUG", "1")
    assert "Traceback" in run(capsys, "doctor").err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE convention")
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "silhouette", "check", str(scene(tmp_path, CHECK)), *QUICK]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, timeout=120)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "silhouette", "rules", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_an_encoding_that_lacks_a_letter_prints_a_question_mark(tmp_path: Path) -> None:
    path = tmp_path / "duel.toml"
    path.write_text((WALLED + CHECK).replace("Vex", "Vëx"), encoding="utf-8")
    done = process("check", path, *QUICK, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Kal to V?x: 32.6 %" in done.stdout


def test_main_gives_the_status_to_python_dash_m(tmp_path: Path) -> None:
    done = process("check", scene(tmp_path, WRONG), *QUICK)
    assert (done.returncode, done.stderr) == (1, b"")
