"""Tests of requests and answers: what is told is what `silhouette check` says of the scene saved at that moment."""

from __future__ import annotations

import asyncio
import gc
import json
import random
from pathlib import Path
from typing import Any

import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silhouette.live import watching
from silhouette.live.judges import Judges
from tests.support.live_clients import Client, by_pair, checked, client_of
from tests.support.live_edits import DUEL, PROJECT, TABLES, random_edit, table_of, written

SKIRMISH = """\
rules = "skirmishcorps"
units = "inch"

[[unit]]
name = "A"
at = [0, 0]
facing = 90

[[unit]]
name = "B"
at = [8, 0.5]
posture = "prone"
lies_along = 30

[[unit]]
name = "C"
at = [8, 4]
figure = { base = 25, height = 34 }
turn = 10
facing = 200

[[cover]]
name = "wall"
at = [7.2, 0.4]
size = [0.3, 3]
height = 2

[[terrain]]
name = "crate"
at = [4, 2]
parts = [{ box = [40, 40, 20] }]

[[check]]
attacker = "A"
target = "B"
expect = { protected_by = "wall" }

[[check]]
ask = "classify"
height = 2
"""

INCHES = (
    DUEL.replace("rules =", 'units = "inch"\nrules =')
    .replace("at = [0, 185]", "at = [0, 7.3]")
    .replace("at = [0, 200]", "at = [0, 8]")
    .replace("at = [40, 60, 0]", "at = [1.5, 2.5, 0]")
    .replace("at = [40, 20]", "at = [1.5, 1]")
)

SQUARES = INCHES.replace('units = "inch"', 'units = "square"')
ON_TABLES = {"mm": DUEL, "inch": INCHES, "square": SQUARES, "skirmishcorps": SKIRMISH}


async def _is_as_checked(client: Client, folder: Path, chance: random.Random) -> None:
    """Compares whole rows with those of the scene as it would be saved."""
    saved = written(folder, (await client.done("text"))["text"], f"saved{client.table.path.suffix}")
    names = [piece.name for piece in client.table.scene.pieces if piece.kind != "terrain"]
    if len(names) < 2:
        assert "error" in await client.ask("check", everyone=True)
        return
    expected = checked(saved, everyone=True)
    told = await client.done("check", everyone=True)
    assert told["pose"] == client.table.pose
    assert told["results"] == expected
    selected, since = chance.choice(names), len(client.events)
    chosen = [selected, chance.choice([name for name in names if name != selected])]
    await client.done("watch", selected=selected, chosen=chance.choice([None, chosen, chosen[::-1]]))
    watched = await client.settled(since)
    assert watched == {pair: row for pair, row in by_pair(expected).items() if selected in pair}


async def _moved_and_checked(path: Path, moves: int, seed: str) -> int:
    """The number of random moves that were possible; after each, all is compared."""
    chance, made = random.Random(seed), 0
    async with client_of(path) as client:
        for _ in range(4 * moves):
            do = chance.choices(["edit", "undo", "redo"], [8, 1, 1])[0]
            more = {"edits": [random_edit(client.table, chance)]} if do == "edit" else {}
            before = client.table.pose
            await client.ask(do, **more)
            if client.table.pose != before:
                made += 1
                await _is_as_checked(client, path.parent, chance)
            if made == moves:
                break
    return made


@pytest.mark.thinned(quick=20, ci=52)
@pytest.mark.parametrize("kind", ON_TABLES)
def test_what_is_told_is_what_check_says_of_the_saved_scene(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, ON_TABLES[kind])
    assert asyncio.run(_moved_and_checked(path, 10, f"moves {kind}")) == 10


def test_what_the_judge_of_the_page_needs_is_told_on_demand_by_digest(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with client_of(written(tmp_path, DUEL)) as client:
            state, play = await client.done("state"), await client.done("play")
            assert play["pose"] == state["pose"]
            assert len(play["play"]["pieces"]) == len(state["pieces"])
            for piece, entry in zip(state["pieces"], play["play"]["pieces"], strict=True):
                assert entry["stands"] == (None if piece["kind"] == "terrain" else "surface")
            names = list(dict.fromkeys(piece["shape"] for piece in state["pieces"]))
            first = await client.done("shapes", whole=True, most=1)
            assert [shape["id"] for shape in first["shapes"]] == names[:1]
            rest = await client.done("shapes", whole=True, known=names[:1])
            assert [shape["id"] for shape in rest["shapes"]] == names[1:]
            assert all("hull" in shape and "moved" in shape for shape in rest["shapes"])
            assert "error" in await client.ask("shapes", whole=1)
        scanned = DUEL.replace("[source]", 'doubt = { place = 0.3 }\n[source]\nrecord = "meshes/found.scan"')
        for text in (SKIRMISH, scanned):
            async with client_of(written(tmp_path, text)) as client:
                assert (await client.done("play"))["play"] is None

    asyncio.run(scenario())


@pytest.mark.long
def test_what_is_told_is_what_check_says_after_200_moves(tmp_path: Path) -> None:
    made = 0
    for text, moves in ((DUEL, 70), (SKIRMISH, 70)):
        made += asyncio.run(_moved_and_checked(written(tmp_path, text), moves, "200"))
    for name, moves in (("stand_ins_in_inches", 25), ("how_sure", 25), ("gangers_at_the_barricade", 10)):
        (file,) = [file for file in TABLES if file.stem == name]
        text = file.read_text(encoding="utf-8").replace("../../models", str(PROJECT / "models"))
        made += asyncio.run(_moved_and_checked(written(tmp_path, text), moves, f"200 {name}"))
    assert made == 200


TWO = """\
rules = "necromunda"
pixel = 2.0
fighter = [
  { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15], facing = 90 },
  { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 5], facing = 270 },
]
terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]
check = [{ attacker = "Kal", target = "Vex", expect = { verdict = "partial cover" } }]
"""


@pytest.mark.long
def test_odds_and_changes_are_those_of_check(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)

    async def main() -> None:
        async with client_of(path) as client:
            answer = await client.done("check", everyone=True, odds=True, what_if=True)
            assert "assumed" not in await client.done("check", everyone=True)
            assert "places off by 1 mm, facings by 2°" in answer["assumed"]
            rows = answer["results"]
            assert rows == checked(path, everyone=True, seed=0, what_if=True)
            assert all("odds" in row and "changes" in row for row in rows)

    asyncio.run(main())


@pytest.mark.slow
def test_tried_places_are_those_of_an_edit_and_of_nothing_else(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)

    async def main() -> None:
        async with client_of(path) as client:
            own = await client.done("check")
            assert own["results"] == checked(path)
            assert own["results"][0]["expected"] is True
            tried = await client.done("check", at={"Vex": [500, 0]})
            assert tried["results"][0]["expected"] is None
            tried = await client.done("check", **{"from": "Kal", "at": {"Vex": [100.004, 150, 10]}})
            assert (await client.done("state"))["pose"] == tried["pose"] == 0
            await client.done("edit", edits=[{"piece": "Vex", "at": [100, 150], "facing": 10}])
            assert (await client.done("check", **{"from": "Kal"}))["results"] == tried["results"]

    asyncio.run(main())


@pytest.mark.slow
def test_a_sight_is_the_check_with_its_view(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            seen = await client.done("sight", attacker="Kal", target="Vex")
            assert seen["result"] == by_pair(checked(tmp_path / "duel.toml", everyone=True))["Kal", "Vex"]
            assert seen["view"]["eye"]

    asyncio.run(main())


@pytest.mark.long
def test_the_newest_pose_wins(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            await client.done("watch", selected="Kal", chosen=["Vex", "Kal"])
            chance = random.Random(3)
            for step in range(40):
                await client.done("edit", edits=[{"piece": "Vex", "at": [step + 1, 200]}], drag="d")
                await asyncio.sleep(chance.choice([0, 0, 0.002, 0.03]))
            watched = await client.settled()
            poses = [event["pose"] for event in client.events]
            assert poses == sorted(poses)
            assert poses[-1] == client.table.pose == 40
            expected = by_pair(checked(written(tmp_path, client.table.text, "saved.toml"), everyone=True))
            assert watched == {pair: row for pair, row in expected.items() if "Kal" in pair}
            (view,) = [event["view"] for event in client.events if event["pose"] == 40 and "view" in event]
            assert view["eye"]
            assert (await client.done("undo"))["can_undo"] is False  # one drag, one step

    asyncio.run(main())


@pytest.mark.slow
def test_who_is_told_may_change_the_table_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of results that come together, those told after a change are of a pose that is gone: they are not told."""
    wait, problems, told = asyncio.wait, list[object](), list[dict[str, Any]]()

    async def wait_for_all(left: Any, **_: Any) -> Any:
        return await wait(left)

    monkeypatch.setattr(watching.asyncio, "wait", wait_for_all)

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
        table = table_of(written(tmp_path))
        async with Judges(table.scene, table.cache, workers=2) as judges:

            def tell(event: dict[str, Any]) -> None:
                told.append(event)
                if table.pose == 0:
                    table.edit([{"piece": "Vex", "at": [10, 190]}])
                    watched.begin()

            watched = watching.Watching(table, judges, tell)
            watched.watch("Kal", ("Vex", "Kal"))
            await watched.settled()
        gc.collect()  # a task that failed tells of it when it goes

    asyncio.run(main())
    assert not problems
    assert [event["pose"] for event in told] == sorted(event["pose"] for event in told)
    assert [event["pose"] for event in told].count(0) == 1
    assert told[-1]["settled"]


@pytest.mark.slow
def test_while_a_hand_moves_the_chosen_pair_alone_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOVING", 60.0)
    monkeypatch.setattr(watching, "REST", 600.0)  # nothing but being told ends it
    chosen = ["Vex", "Kal"]

    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            await client.done("watch", selected="Kal", chosen=chosen)
            await client.settled()
            for x in (10, 20):
                await client.done("edit", edits=[{"piece": "Vex", "at": [x, 190]}], drag="d")
                while not any(event["pose"] == client.table.pose for event in client.events):
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            assert [event["pairs"] for event in client.events if event["pose"] > 0] == [[chosen], [chosen]]
            assert not client.events[-1]["settled"]
            await client.done("watch", selected="Kal", chosen=chosen)  # it rests
            watched = await client.settled()
            expected = by_pair(checked(written(tmp_path, client.table.text, "saved.toml"), everyone=True))
            assert watched == {pair: row for pair, row in expected.items() if "Kal" in pair}

    asyncio.run(main())


@pytest.mark.slow
def test_who_watches_another_while_a_hand_moves_is_told_of_that_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MOVING", 60.0)
    monkeypatch.setattr(watching, "REST", 600.0)

    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            await client.done("watch", selected="Kal", chosen=["Vex", "Kal"])
            await client.settled()
            for x in (10, 20):
                await client.done("edit", edits=[{"piece": "Vex", "at": [x, 190]}], drag="d")
            while client.events[-1].get("pose") != client.table.pose:
                await asyncio.sleep(0.01)
            since = len(client.events)
            await client.done("watch", selected="Bo", chosen=["Bo", "Vex"])
            assert all("Bo" in pair for pair in await client.settled(since))

    asyncio.run(main())


def test_shapes_have_fewer_triangles_for_who_wants_fewer(tmp_path: Path) -> None:
    sphere = trimesh.creation.icosphere(5, 15.0)
    sphere.export(tmp_path / "ball.stl")
    text = DUEL + '\n[[terrain]]\nname = "ball"\nmesh = "ball.stl"\nunits = "mm"\nat = [90, 90]\n'

    async def main() -> None:
        async with client_of(written(tmp_path, text)) as client:
            ball = next(piece["shape"] for piece in (await client.done("state"))["pieces"] if piece["name"] == "ball")
            faces = {}
            for triangles in (None, 20_000, 2000, 1):
                shapes = (await client.done("shapes", triangles=triangles))["shapes"]
                faces[triangles] = next(shape["faces"] for shape in shapes if shape["id"] == ball)
            pieces = len(client.table.scene.pieces)
            assert faces[None] == len(sphere.faces) > 20_000 / pieces
            assert faces[20_000] == pytest.approx(20_000 / pieces, rel=0.1)
            assert faces[2000] == pytest.approx(2000 / pieces, rel=0.1)
            assert 0 < faces[1] < 0.05 * len(sphere.faces)

    asyncio.run(main())


def test_shapes_come_a_few_at_a_time_for_who_shows_them_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            whole = [shape["id"] for shape in (await client.done("shapes"))["shapes"]]
            present = list[str]()
            while came := (await client.done("shapes", known=present, most=1))["shapes"]:
                (shape,) = came
                present.append(shape["id"])
            assert present == whole

    asyncio.run(main())


@pytest.mark.slow
def test_a_check_that_takes_long_is_stopped_by_its_id_and_another_begins(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            asked = {"id": "long", "do": "check", "everyone": True, "odds": True, "what_if": True}
            check = asyncio.create_task(client.session.answer(asked))
            await asyncio.sleep(0.05)
            assert await client.done("stop", ask="long") == {"stopped": True}
            assert (await check).items() >= {"id": "long", "stopped": True}.items()
            assert await client.done("stop", ask="long") == {"stopped": False}
            assert (await client.done("check", everyone=True))["results"]

    asyncio.run(main())


def test_how_much_of_a_check_that_takes_long_is_worked_out_is_said_before_its_answer(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path, TWO)) as client:
            answer = await client.session.answer(
                {"id": "long", "do": "check", "pairs": [["Kal", "Vex"]], "what_if": True}
            )
            assert answer["results"][0]["changes"]
            grown = [event for event in client.events if event["event"] == "progress"]
            assert {(event["ask"], event["pose"]) for event in grown} == {("long", client.table.pose)}
            shares = [event["share"] for event in grown]
            assert shares == sorted(set(shares))
            assert 0.0 < shares[0] < 0.25  # within the first of three searches
            assert 0.75 <= shares[-1] <= 1.0
            assert len(shares) >= 6
            before = len(client.events)
            assert (await client.done("check", pairs=[["Kal", "Vex"]]))["results"]
            assert len(client.events) == before

    asyncio.run(main())


def test_the_state_says_how_long_the_unit_of_the_scene_is(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            assert (await client.done("state"))["unit"] == 1.0
        async with client_of(written(tmp_path, SKIRMISH)) as client:
            assert (await client.done("state"))["unit"] == 25.4

    asyncio.run(main())


@pytest.mark.slow
def test_what_is_watched_may_change_go_and_come_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            await client.done("watch", selected="Kal", chosen=None)
            await client.done("watch", selected="Vex", chosen=None)
            assert set(await client.settled()) >= {("Vex", "Kal"), ("Kal", "Vex")}
            since = len(client.events)
            await client.done("watch", selected="Vex", chosen=["Kal", "Vex"])  # known, but for the view
            assert ("Kal", "Vex") in await client.settled(since)
            assert any("view" in event for event in client.events[since:])
            await client.done("edit", edits=[{"delete": "Vex"}])
            assert await client.settled() == {}
            await client.done("undo")
            assert ("Kal", "Vex") in await client.settled()
            since = len(client.events)
            await client.done("watch", selected=None, chosen=None)
            await client.done("edit", edits=[{"piece": "Kal", "at": [0, 3]}])
            await asyncio.sleep(0.2)
            assert not client.events[since:]

    asyncio.run(main())


@pytest.mark.parametrize("left", [0, 1])
def test_a_table_with_one_model_or_none(tmp_path: Path, left: int) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            await client.done("edit", edits=[{"delete": name} for name in ["Kal", "Vex", "Bo"][left:]])
            state = await client.done("state")
            assert len(state["pieces"]) == 2 + left
            assert "error" in await client.ask("check", everyone=True)
            if left:
                await client.done("watch", selected="Kal")
                assert await client.settled() == {}
            await client.done("shapes")

    asyncio.run(main())


def test_other_clients_are_told_and_their_drags_are_their_own(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            other = Client(client.table, client.judges)
            await client.done("edit", edits=[{"piece": "Kal", "at": [1, 0]}], drag="1")
            await other.done("edit", edits=[{"piece": "Vex", "at": [1, 200]}], drag="1")
            assert [event["pose"] for event in other.events] == [1]
            assert [event["pose"] for event in client.events] == [2]
            assert client.events[0].keys() - {"event"} == (await client.done("undo")).keys()
            assert client.table.can_undo  # two drags of two clients are two steps
            await client.done("save")
            assert other.events[-1]["saved"] is True
            other.session.close()

    asyncio.run(main())


WRONG: list[dict[str, Any]] = [
    {"do": "edit"},
    {"do": "edit", "edits": [{}]},
    {"do": "edit", "edits": [{"piece": "Kal", "delete": "Kal"}]},
    {"do": "edit", "edits": [{"piece": "Kal", "at": [1e400, 0]}]},
    {"do": "edit", "edits": [{"piece": "Kal", "at": [True, 0]}]},
    {"do": "edit", "edits": [{"piece": "Kal", "at": ["1", 0]}]},
    {"do": "edit", "edits": [{"piece": "Kal", "at": [0]}]},
    {"do": "edit", "edits": [{"piece": "Kal", "at": [0, 0, 5], "on": "surface"}]},
    {"do": "edit", "edits": [{"piece": "Kal", "floor": 1, "on": "surface"}]},
    {"do": "edit", "edits": [{"piece": "Kal", "facing": None}]},
    {"do": "edit", "edits": [{"piece": "Kal", "name": ""}]},
    {"do": "edit", "edits": [{"piece": "Kal", "name": "surface"}]},
    {"do": "edit", "edits": [{"piece": "Kal", "name": "\ud800"}]},
    {"do": "edit", "edits": [{"piece": "Kal", "name": "x" * 20_000}]},
    {"do": "edit", "edits": [{"piece": "Kal", "name": "Vex"}]},
    {"do": "edit", "edits": [{"piece": "nobody", "at": [0, 0]}]},
    {"do": "edit", "edits": [{"piece": "wall", "gang": "Orlock"}]},
    {"do": "edit", "edits": [{"piece": "wall", "facing": "unknown"}]},
    {"do": "edit", "edits": [{"add": "fighter", "name": "new", "at": [0, 0]}]},
    {"do": "edit", "edits": [{"add": "fighter", "name": "new", "at": [0, 0], "mesh": "no.stl"}]},
    {"do": "edit", "edits": [{"piece": "Kal"}] * 501},
    {"do": "edit", "edits": [], "drag": 1},
    {"do": "check", "pairs": [["Kal", None]]},
    {"do": "check", "pairs": [["Kal", "Kal"]]},
    {"do": "check", "pairs": "Kal"},
    {"do": "check", "pairs": [["Kal", "Vex"]] * 10_001},
    {"do": "check", "pairs": [["Kal", "Vex"]], "arc": "up"},
    {"do": "check", "everyone": 1},
    {"do": "check", "everyone": True, "odds": "yes"},
    {"do": "check", "everyone": True, "at": {"Kal": [1e300, 0]}},
    {"do": "check", "everyone": True, "at": []},
    {"do": "check", "everyone": True, "at": {"nobody": [1, 0]}},
    {"do": "check", "to": "Kal"},
    {"do": "watch", "selected": 5},
    {"do": "watch", "selected": "nobody"},
    {"do": "watch", "chosen": "Kal"},
    {"do": "watch", "chosen": ["Kal", "wall"]},
    {"do": "sight", "attacker": "Kal"},
    {"do": "shapes", "known": "all"},
    {"do": "shapes", "triangles": 0},
    {"do": "shapes", "most": 0},
    {"do": "save", "as": "../other.toml"},
    {"do": "save", "as": 3},
    {"do": "undo"},
    {"do": "redo"},
    {"do": ["state"]},
    {"do": None},
    {"do": "x" * 1_000_000},
    {"do": "stat"},
    {"do": "map", "name": "Kal", "grid": True},
]


def test_what_cannot_be_done_is_one_line_and_changes_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            for request in WRONG:
                before = client.table.document, client.table.pose, client.table.can_undo
                answer = await client.ask(**request)
                assert answer.keys() == {"error"}, (request, answer)
                assert len(answer["error"]) < 1000
                assert (client.table.document, client.table.pose, client.table.can_undo) == before
            for wrong in (None, 5, "state", [], [{"do": "state"}]):
                assert (await client.session.answer(wrong))["error"]
            for number in ([], {}, True, float("nan"), float("inf")):
                assert (await client.session.answer({"id": number, "do": "state"}))["id"] is None

    asyncio.run(main())


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.sampled_from(["Kal", "Vex", "wall", "surface", "d", "front", "", "é\n\"'😀"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["Kal", "at", "piece", "name", "on", "copy", "delete", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
KEYS = ["edits", "drag", "pairs", "from", "to", "everyone", "arc", "at", "selected", "chosen", "attacker", "target"]
DOES = ["state", "edit", "undo", "redo", "check", "watch", "sight", "shapes", "save", "text", "stop"]


@pytest.mark.slow
def test_requests_of_any_shape_are_answered(tmp_path: Path) -> None:
    path = written(tmp_path)
    loop = asyncio.new_event_loop()
    opened = client_of(path)
    client = loop.run_until_complete(opened.__aenter__())

    @settings(max_examples=80, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(st.sampled_from(DOES), st.dictionaries(st.sampled_from([*KEYS, "known", "as", "ask"]), JSON, max_size=3))
    def answered(do: str, more: dict[str, Any]) -> None:
        answer = loop.run_until_complete(asyncio.wait_for(client.session.answer({"id": 7, "do": do, **more}), 60))
        assert answer["id"] == 7
        json.dumps(answer, allow_nan=False)
        assert "internal" not in answer.get("error", ""), (do, more, answer)

    try:
        answered()
    finally:
        loop.run_until_complete(opened.__aexit__(None, None, None))
        loop.close()


@pytest.mark.long
def test_names_may_be_any_text(tmp_path: Path) -> None:
    names = ['Kal "the\nRed"', "'''", "😀 é\t", "[[fighter]]", "# no comment", "\\", "a = 1", "\x7f\x01"]

    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            for name in names:
                await client.done("edit", edits=[{"piece": "wall", "name": name}])
                assert client.table.scene.piece(name)
                await client.done("edit", edits=[{"piece": name, "name": "wall"}])
            renamed = dict(zip(["Kal", "Vex", "Bo", "wall", "crate"], names, strict=False))
            await client.done("edit", edits=[{"piece": old, "name": new} for old, new in renamed.items()])
            await client.done("edit", edits=[{"piece": names[2], "gang": names[0]}])
            await _is_as_checked(client, tmp_path, random.Random(1))

    asyncio.run(main())


def test_a_session_that_is_closed_is_told_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            other = Client(client.table, client.judges)
            await other.done("watch", selected="Kal")
            other.session.close()
            other.events.clear()
            await client.done("edit", edits=[{"piece": "Kal", "at": [1, 0]}])
            await asyncio.sleep(0.1)
            assert other.events == []

    asyncio.run(main())


def test_a_map_of_too_many_places_is_refused_before_it_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("silhouette.live.watching.MAX_LIVE_MAP_PLACES", 3)

    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            assert "has 3 at most" in (await client.ask(do="map", name="Kal", grid=20))["error"]

    asyncio.run(main())
