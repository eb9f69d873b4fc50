"""Standard input, output and error that are closed or full, columns that are none, and Ctrl-C: the right status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from silhouette.cli import InterruptsDeferred, main
from tests.exchange.unity import kept, model, save
from tests.support.commands import CHECK, QUICK, WALLED

pytestmark = pytest.mark.skipif(os.name == "nt", reason="it has neither such a shell nor such signals")

SHARED = Path(__file__).resolve().parents[3] / "shared" / "reports" / "files"

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")


def silhouette(folder: Path, words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a line, in which $S is the program."""
    own = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PYTHONUNBUFFERED")}
    program = f"{sys.executable} -m silhouette"
    return subprocess.run(
        ["sh", "-c", words.replace("$S", program)], cwd=folder, capture_output=True, text=True, env=own | variables
    )


@pytest.mark.thinned(quick=25)
@pytest.mark.parametrize(
    ("words", "status", "error"),
    [
        ("$S --version >&-", 0, ""), ("$S --version <&- >&- 2>&-", 0, ""), ("$S chekc >&- 2>&-", 2, ""),
        ("$S check -q gone.toml >&-", 2, "error: gone.toml: there is no such file"), ("$S chekc 2>&-", 2, ""),
        pytest.param("$S --help >/dev/full", 2, "error: standard output cannot be written (no space", marks=FULL),
        pytest.param("$S -h >/dev/full", 2, "error: standard output cannot be written (no space", marks=FULL),
        pytest.param("$S --version 2>/dev/full", 0, "", marks=FULL),
        pytest.param("$S check -q gone.toml >/dev/full 2>/dev/full", 2, "", marks=FULL),
    ],
)  # fmt: skip
def test_streams_that_are_closed_or_full(tmp_path: Path, words: str, status: int, error: str) -> None:
    ran = silhouette(tmp_path, words, **({"PYTHONUNBUFFERED": "1"} if " -h " in words else {}))
    assert (ran.returncode, len(ran.stderr.splitlines())) == (status, 1 if error else 0), ran.stderr
    assert ran.stderr.startswith(error)
    assert (ran.stdout != "") == (words == "$S --version 2>/dev/full")


def test_the_number_of_a_closed_stream_is_taken_by_no_file(tmp_path: Path) -> None:
    """A library of the system that writes to standard error would else write into the rows."""
    script = (
        "import os, sys, silhouette.cli.app as app\n"
        "def run(words):\n"
        "    print(min(os.open('rows.jsonl', os.O_CREAT | os.O_RDWR), 3), file=open('number', 'w'))\n"
        "app._run = run\n"
        "sys.exit(app.main([]))"
    )
    (tmp_path / "script.py").write_text(script)
    ran = silhouette(tmp_path, f"{sys.executable} script.py <&- >&- 2>&-")
    assert (ran.returncode, (tmp_path / "number").read_text()) == (0, "3\n")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something for every command."""
    folder = tmp_path_factory.mktemp("streams")
    facing = WALLED.replace("at = [0, 0]", "at = [0, 0]\nfacing = 90", 1)
    (folder / "duel.toml").write_text(f"{facing}{CHECK}\n[doubt]\nplace = 3\n")
    kept(folder / "Models", 1)
    save(folder / "save.json", model("Kal", mesh=1))
    return folder


DUEL = "duel.toml --renderer reference --pixel 2"
COMMANDS = {
    "export": "export duel.toml --to glb --out $O.glb",
    "export to tts": "export duel.toml --to tts --out $O.json",
    "import": "import save.json --meshes Models --out $O",
    "new": "new $O",
    "odds": f"check {DUEL} --odds",
    "what-if": f"check {DUEL} --what-if",
    "matrix": f"matrix {DUEL}",
    "map": f"map {DUEL} --move Vex --grid 100 --out $O.csv",
    "bundle": f"bundle {DUEL} --no-pictures --out $O.zip",
    "draw": f"draw {DUEL} --figure eye --out $O",
    "report": f"report {DUEL} --out $O.html",
}
"""Commands that tell on standard output what they did; most write a file or a folder, $O."""

STREAMS = {
    "closed": (">&- 2>&-", 0),
    "full": (">/dev/full", 2),
    "both full": (">/dev/full 2>&1", 2),
    "unread": ("", 141),
}
FAST = {("export", "full"), ("import", "unread"), ("new", "closed"), ("map", "both full"), ("draw", "full")}
"""The others go the same ways, and run before a release."""


def _step(is_fast: bool) -> list[pytest.MarkDecorator]:
    return [] if is_fast else [pytest.mark.long]


@pytest.mark.thinned(quick=20, ci=20)
@FULL
@pytest.mark.parametrize(
    ("command", "stream"),
    [
        pytest.param(command, stream, marks=_step((command, stream) in FAST))
        for command in COMMANDS
        for stream in STREAMS
    ],
)
def test_every_command_has_the_right_status_if_nobody_reads(game: Path, command: str, stream: str) -> None:
    redirected, status = STREAMS[stream]
    out = f"{command} {stream}".replace(" ", "-")
    line = f"{{ $S {COMMANDS[command].replace('$O', out)} {redirected}; echo $? >{out}.status; }}"
    ran = silhouette(game, f"{line} | true" if stream == "unread" else line, COLUMNS="0")
    assert int((game / f"{out}.status").read_text()) == status
    complaints = [line for line in ran.stderr.splitlines() if " after " not in line]  # but for those of progress
    assert len(complaints) == (stream == "full"), ran.stderr
    assert all(line.startswith("error: standard output cannot be written (no space") for line in complaints)
    written = {name for name in os.listdir(game) if name.startswith(out)} - {f"{out}.status"}
    assert bool(written) == ("$O" in COMMANDS[command])
    assert not any(".part" in name for name in os.listdir(game))


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))
from silhouette.cli import InterruptsDeferred, main
sys.argv[1:] = sys.argv[2:]
try:
    sys.exit(main())
finally:
    signal.setitimer(signal.ITIMER_PROF, 0)  # at its end Python lets go of the handler
"""


@pytest.mark.thinned(quick=71)
@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=_step(name in ("import", "draw", "tutorial"))) for name in (*COMMANDS, "tutorial")],
)
def test_ctrl_c_in_the_middle_of_every_command_is_one_line(game: Path, command: str) -> None:
    (game / "script.py").write_text(INTERRUPTED)
    words = COMMANDS.get(command, "tutorial --out $O").replace("$O", f"{command} interrupted".replace(" ", "-"))
    for seconds in (0.5,) if command in ("import", "odds") else (0.3, 0.7):
        ran = silhouette(game, f"{sys.executable} script.py {seconds} {words}")
        assert ran.returncode in (130, 0 if seconds > 0.5 else 130)  # 0 if it was quicker
        assert "Traceback" not in ran.stderr
        lines = [line for line in ran.stderr.splitlines() if " after " not in line]
        assert lines == ["error: interrupted; nothing further was judged"] * (ran.returncode == 130)
        assert not any(".part" in name for name in os.listdir(game))


@pytest.mark.parametrize("columns", ["0", "-7", "x", "1", "00", "9" * 40])
def test_columns_that_are_none_leave_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    (tmp_path / "duel.toml").write_text(WALLED + CHECK)
    assert main(["check", str(tmp_path / "duel.toml"), *QUICK]) == 0
    said = capsys.readouterr().out
    assert "Kal" in said
    assert "Vex" in said


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reports are not in this checkout")
@pytest.mark.parametrize("closed", [True, False])
def test_the_report_t_toml(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], closed: bool) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    if closed:
        monkeypatch.setattr(sys, "stdout", None)
    assert main(["check", str(SHARED / "t.toml"), *QUICK, "--quiet"]) == 0
    if closed:
        sys.stdout.close()
    captured = capsys.readouterr()
    assert (captured.err, "hidden" in captured.out) == ("", not closed)


@pytest.mark.slow
def test_a_file_with_other_names_is_written_with_a_warning_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "duel.toml").write_text(WALLED + CHECK)
    out = tmp_path / "rows.csv"
    out.write_text("before")
    os.link(out, tmp_path / "copy.csv")
    assert main(["batch", str(tmp_path / "duel.toml"), "--out", str(out), *QUICK, "--quiet"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"warning: {out}: the file had 1 other name (hard links), which keep the earlier content;")
    assert (tmp_path / "copy.csv").read_text() == "before"


def test_ctrl_c_as_early_as_a_worker_can_meet_it_says_nothing(tmp_path: Path) -> None:
    script = (
        "import os, signal\n"
        "from silhouette.workers import parallel_map\n"
        "os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "print(list(parallel_map(str, range(4), 2)))"
    )
    (tmp_path / "script.py").write_text(script)
    ran = silhouette(tmp_path, f"{sys.executable} script.py")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "['0', '1', '2', '3']\n", "")


@pytest.mark.long
def test_ctrl_c_while_several_processes_make_models_ready(tmp_path: Path) -> None:
    """It reaches all processes of the terminal at once."""
    for number in (1, 2):
        kept(tmp_path / "Models", number)
    save(tmp_path / "save.json", model("Kal", mesh=1), model("Vex", mesh=2, type_index=1))
    script = (
        "import os, signal, sys, time\n"
        "from silhouette.cli import main\n"
        "from silhouette.exchange import folder, imported\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # where the tests run in the background
        "parent = os.getpid()\n"
        "def made(*_):\n"
        "    assert os.getpid() != parent\n"
        "    open(f'child {os.getpid()}', 'w').close()\n"
        "    while True:\n"
        "        os.killpg(os.getpgrp(), signal.SIGINT)\n"
        "        time.sleep(20)\n"
        "imported.MIN_PARALLEL_BYTES, imported.cores, folder.model_of_mesh = 0, lambda: 2, made\n"
        "sys.argv[1:] = ['import', 'save.json', '--meshes', 'Models', '--out', 'game', '--no-cache', '--quiet']\n"
        "sys.exit(main())"
    )
    (tmp_path / "script.py").write_text(script)
    ran = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, start_new_session=True, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (130, "error: interrupted; nothing further was judged\n")
    children = [int(file.name.split()[1]) for file in tmp_path.glob("child *")]
    assert children
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, signal.SIGCONT)
    assert not (tmp_path / "game").exists()


def test_ctrl_c_waits_until_a_module_is_imported() -> None:
    """manifold3d, interrupted while it made its types, ended the process by a segmentation fault."""
    imported: list[str] = []

    def run(name: str) -> None:
        with InterruptsDeferred():
            if name == "interrupted":
                signal.raise_signal(signal.SIGINT)
            imported.append(name)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run("interrupted")
    assert signal.getsignal(signal.SIGINT) is before
    thread = threading.Thread(target=run, args=("in a thread",))
    thread.start()
    thread.join()
    assert imported == ["interrupted", "in a thread"]
