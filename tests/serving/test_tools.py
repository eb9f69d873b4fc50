"""The tools as a client meets them: what they say, what they refuse, and that nothing lets it out of the folder."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from silhouette.judging import load_scene
from silhouette.judging.maps import MapRequest
from silhouette.rules import RULES
from silhouette.serving.tools import TOOLS, check_map_size
from tests.support.assistants import Assistant
from tests.support.commands import run

NAN, HUGE = float("nan"), 10**400
OUTSIDE = "lies outside the folder that is served"


# ---- what they say


def test_every_tool_says_what_it_is_for_and_what_it_takes(assistant: Assistant) -> None:
    tools = {tool.name: tool for tool in assistant.wait(assistant.client.list_tools()).tools}
    assert list(tools) == list(TOOLS)
    assert {"read_scene", "judge", "map", "what_would_change", "draw", "games"} < set(tools)  # contract, section 16
    for tool in tools.values():
        assert len(tool.description) > 100
        assert tool.annotations.read_only_hint
        assert all(key.get("description") for key in tool.input_schema["properties"].values())
    assert sum(len(tool.model_dump_json()) for tool in tools.values()) < 20_000  # an assistant reads them all
    assert "judge" in assistant.client.instructions


def test_the_scenes_of_the_folder_are_listed_and_nothing_else(assistant: Assistant) -> None:
    content = assistant.content("list_scenes")
    rows = {row["scene"]: row for row in content["scenes"]}
    assert rows["duel.toml"] == {"scene": "duel.toml", "title": "A duel", "rules": "necromunda", "checks": 1}
    assert "not TOML" in rows["broken.toml"]["problem"]
    assert rows.keys().isdisjoint({"link.toml", "notes.json", ".hidden.toml", "deep/model.toml", "circle.toml"})
    assert not any(name.startswith("linked") for name in rows)
    assert content["all"] is True
    assert [row["scene"] for row in assistant.content("list_scenes", folder="deep")["scenes"]] == ["deep/other.json"]


def test_a_scene_is_read(assistant: Assistant) -> None:
    result = assistant.call("read_scene", scene="duel.toml")
    content = result.structured_content
    kal, vex = content["pieces"]
    assert (kal["name"], kal["kind"], kal["gang"], kal["facing"]) == ("Kal", "fighter", "Orlock", 90)
    assert vex["at"] == [0, 206, 0]
    assert content["checks"] == [{"attacker": "Kal", "target": "Vex", "arc": None, "expect": None}]
    assert content["readings"]["share"] == "whole target"
    assert content["document"]["title"] == "A duel"
    assert "Vex of Escher (fighter) at [0, 206, 0] mm facing 270°" in result.content[0].text


def test_an_answer_is_the_document_of_the_command_line(
    assistant: Assistant, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place / "served")
    for words, tool, arguments in (
        (("check", "duel.toml"), "judge", {}),
        (
            ("check", "duel.toml", "--from", "Vex", "--at", "Kal=30,0,45"),
            "judge",
            {"attacker": "Vex", "at": {"Kal": [30, 0, 45]}},
        ),
        (("matrix", "duel.toml"), "judge", {"everyone": True}),
        (("map", "duel.toml", "--move", "Vex", "--grid", "60"), "map", {"move": "Vex", "grid": 60}),
    ):
        printed = json.loads(run(capsys, *words, "--json", "--quiet", "--no-cache").out)
        assert assistant.content(tool, scene="duel.toml", **arguments) == printed


def test_lists_may_come_as_texts_for_some_hosts_send_them_so(assistant: Assistant) -> None:
    plain = assistant.content("judge", scene="duel.toml", attacker="Kal", target="Vex", at={"Vex": [0, 150]})
    assert assistant.content("judge", scene="duel.toml", attacker="Kal", target="Vex", at='{"Vex": [0, 150]}') == plain
    assert "judge: at is" in assistant.error("judge", scene="duel.toml", attacker="Kal", at="[" * 100_000)


@pytest.mark.long
def test_pictures_are_png(assistant: Assistant) -> None:
    for figure in ({}, {"figure": "table"}):
        text, picture = assistant.call("draw", scene="duel.toml", **figure).content
        assert text.text
        assert picture.mime_type == "image/png"
        with Image.open(io.BytesIO(base64.b64decode(picture.data))) as image:
            assert min(image.size) > 100


def test_every_game_is_listed_and_says_its_readings(assistant: Assistant) -> None:
    rows = assistant.content("games")["rules"]
    assert [row["name"] for row in rows] == list(RULES)
    for row in rows:
        (one,) = assistant.content("games", name=row["name"])["rules"]
        assert list(one["readings"]) == row["readings"]
        assert all(reading["description"] for reading in one["readings"].values())


def test_the_map_says_the_nearest_places_alone_if_the_rest_is_not_wanted(assistant: Assistant) -> None:
    content = assistant.content("map", scene="duel.toml", move="Vex", cells=False)
    assert "cells" not in content
    assert "nearest" in content


# ---- what they refuse


@pytest.mark.parametrize(
    "scene",
    ["../secret/duel.toml", "deep/../../secret/duel.toml", "/etc/passwd", "..", "a\0b.toml"],
)
def test_nothing_outside_the_folder_is_read(assistant: Assistant, scene: str) -> None:
    for tool in ("read_scene", "judge", "draw"):
        assert OUTSIDE in assistant.error(tool, scene=scene)
    assert OUTSIDE in assistant.error("list_scenes", folder="../secret")
    assert OUTSIDE in assistant.error("games", name="../secret/game.toml")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_no_link_leads_out_of_the_folder(assistant: Assistant) -> None:
    for scene in ("link.toml", "linked/duel.toml"):
        assert OUTSIDE in assistant.error("judge", scene=scene, attacker="Kal")
    assert OUTSIDE in assistant.error("list_scenes", folder="linked")
    assert assistant.error("judge", scene="circle.toml")
    assert assistant.error("judge", scene="pipe.toml")


@pytest.mark.parametrize("scene", ["model", "mesh", "absolute", "through_a_model", "game"])
def test_no_scene_of_the_folder_reads_what_lies_outside(assistant: Assistant, place: Path, scene: str) -> None:
    error = assistant.error("judge", scene=f"{scene}.toml", attacker="Kal", target="Vex")
    assert OUTSIDE in error
    assert str(place) not in error
    assert "a secret" not in error


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("judge", {}, "judge: scene is missing; it must be the path of a scene file"),
        ("judge", {"scene": 7}, "judge: scene is 7; it must be the path"),
        ("judge", {"scene": "duel.toml", "attaker": "Kal"}, "unknown key 'attaker'; did you mean 'attacker'?"),
        ("judge", {"scene": "duell.toml"}, "duell.toml: there is no such file"),
        ("judge", {"scene": "broken.toml"}, "broken.toml: not TOML"),
        ("judge", {"scene": "duel.toml", "attacker": "Kal", "target": "Wex"}, "'Wex'; did you mean 'Vex'?"),
        ("judge", {"scene": "duel.toml", "target": "Vex"}, "without an attacker; give attacker as well"),
        ("judge", {"scene": "crowd.toml"}, "has no [[check]]; add one, or say attacker and target, or everyone"),
        ("judge", {"scene": "duel.toml", "attacker": "Kal", "everyone": True}, "leave attacker, target and arc out"),
        ("judge", {"scene": "crowd.toml", "everyone": True}, "more than 400, the most of one call"),
        ("odds", {"scene": "crowd.toml", "attacker": "1"}, "39 checks are more than 12, the most of one call"),
        ("judge", {"scene": "duel.toml", "attacker": "Kal", "arc": "up"}, "arc is \"up\"; it must be"),
        ("judge", {"scene": "x" * 5000}, "judge: scene is \"xxx"),
        ("judge", {"scene": "x" * 400 + ".toml"}, "File name too long"),
        ("judge", {"scene": "duel.toml", "at": {"Kal": [NAN, 0]}}, "at, Kal is [null, 0]; it must be by the name"),
        ("judge", {"scene": "duel.toml", "at": {"Kal": [1e300, 0]}}, "no number may be beyond 1000000"),
        ("judge", {"scene": "duel.toml", "at": {"Kal": [HUGE, 0]}}, "judge: at, Kal is"),
        ("judge", {"scene": "duel.toml", "at": {"Kal": [0]}}, "[x, y] or [x, y, facing in degrees]"),
        ("judge", {"scene": "duel.toml", "at": {"Wex": [0, 0]}}, "Wex"),
        ("odds", {"scene": "duel.toml", "seed": HUGE}, "odds: seed is"),
        ("odds", {"scene": "duel.toml", "seed": -1}, "seed is -1; it must be a whole number, 0 or more"),
        ("map", {"scene": "duel.toml", "move": "Wex"}, "Wex"),
        ("map", {"scene": "duel.toml", "move": "Vex", "grid": 0.01}, "grid=0.01: no grid is finer than 1 mm"),
        ("map", {"scene": "crowd.toml", "move": "1", "grid": 1}, "points are more than the million"),
        ("map", {"scene": "crowd.toml", "move": "1", "grid": 25}, "more than 20000 verdicts, the most of one call"),
        ("map", {"scene": "duel.toml", "move": "Vex", "attackers": ["Kal"], "targets": ["Vex"]}, "attackers and"),
        ("map", {"scene": "deep/other.json", "move": "Vex"}, "there are no maps"),
        ("draw", {"scene": "duel.toml", "figure": "front"}, "no figure 'front'; its figures are 'eye', "),
        ("draw", {"scene": "crowd.toml", "attacker": "1"}, "more than 4, the most of one call"),
        ("games", {"name": "chess"}, "no rules 'chess'; the games are"),
        ("games", {"name": "none.toml"}, "none.toml: there is no such file"),
        ("settle", {}, "no tool 'settle'; the tools are 'list_scenes'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_what_would_be_right(
    assistant: Assistant, place: Path, tool: str, arguments: dict[str, Any], words: str
) -> None:
    error = assistant.error(tool, **arguments)
    assert words in error
    assert "--" not in error
    assert str(place) not in error


# ---- two at once, given up, killed


def test_two_calls_at_once_are_both_answered(assistant: Assistant) -> None:
    async def both() -> list[Any]:
        calls = [{"attacker": "Kal", "target": "Vex"}, {"attacker": "Vex", "target": "Kal"}] * 4
        answers = [assistant.client.call_tool("judge", {"scene": "duel.toml", **call}) for call in calls]
        return await asyncio.gather(*answers)

    rows = [result.structured_content["scenes"][0]["results"][0] for result in assistant.wait(both())]
    assert [row["attacker"] for row in rows] == ["Kal", "Vex"] * 4
    assert {row["verdict"] for row in rows} == {"open"}


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal there")
def test_a_server_that_is_killed_leaves_no_process_and_no_client_waiting(place: Path, tmp_path: Path) -> None:
    with Assistant(place / "served") as assistant:
        numbers = children_of(os.getpid())
        calls: list[BaseException | Any] = []

        def ask() -> None:
            try:
                calls.append(assistant.call("map", scene="crowd.toml", move="1", grid=100))
            except Exception as error:
                calls.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.3)
        for number in numbers:
            assert children_of(number) == []
            os.kill(number, signal.SIGKILL)
        thread.join(30)
        assert not thread.is_alive()
        (error,) = calls
        assert isinstance(error, Exception)


def children_of(process: int) -> list[int]:
    """The processes of the server that a process has begun."""
    numbers = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            words = (status.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if parent == process and b"--mcp" in words:
            numbers.append(int(status.parent.name))
    return numbers


def test_messages_that_are_none_do_not_end_the_server(place: Path) -> None:
    """As no SDK writes them: no JSON, brackets without end, numbers that JSON has not, or of thousands of digits."""
    words = [sys.executable, "-m", "silhouette", "serve", "--mcp", "--no-cache", str(place / "served")]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    call = '{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "judge", "arguments": %s}}'
    at = '{"scene": "duel.toml", "at": {"Kal": [%s, 0]}}'
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        *("settle it", "[" * 100_000, "{}", call % (2, at % ("9" * 5000))),
        *(call % (3, at % "NaN"), call % (4, at % "1e999"), call % (5, '{"scene": "duel.toml"}')),
    ]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        answers = dict[Any, Any]()
        while 5 not in answers:
            answer = json.loads(server.stdout.readline())
            answers[answer.get("id")] = answer
        server.stdin.close()
    assert server.returncode == 0
    for number in (3, 4):
        assert answers[number]["result"]["isError"]
        assert "judge: at, Kal is [" in answers[number]["result"]["content"][0]["text"]
    assert answers[5]["result"]["structuredContent"]["scenes"][0]["results"][0]["verdict"] == "open"


# ---- the command


def test_serve_says_what_it_lacks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for words, error in (
        ([], "say --stdio, or --mcp for assistants"),
        (["--stdio", "--mcp"], "say --stdio, or --mcp for assistants"),
        (["--stdio"], "SCENE is missing"),
        (["--mcp", tmp_path / "none"], "none: is no folder; give the one with the scenes"),
        (["--mcp", "--renderer", "eye"], "no renderer 'eye'"),
        (["--mcp", "--workers", "2"], "leave --workers out"),
    ):
        ran = run(capsys, "serve", *words)
        assert ran.status == 2
        assert error in ran.err
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    monkeypatch.delitem(sys.modules, "silhouette.serving.server", raising=False)
    ran = run(capsys, "serve", "--mcp", tmp_path)
    assert ran.status == 2
    assert "--mcp needs the MCP SDK, which is not installed; install it with: " in ran.err
    assert "[mcp]'" in ran.err


def test_a_map_is_counted_before_it_is_judged(place: Path) -> None:
    scene = load_scene(place / "served" / "crowd.toml")
    check_map_size(scene, MapRequest("1", attackers=("2",)))
