"""Units, `on`, `under`, the table's top and stand-in figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from silhouette.scenes.table import TableScene

FIGURE = {"base": 32, "height": 38}
GANTRY = {"name": "gantry", "at": [100, 150], "parts": [{"box": [100, 100, 2], "at": [0, 0, 76]}]}
CRATE = {"name": "crate", "at": [100, 150], "parts": [{"box": [40, 40, 25]}]}


def figure(name: str, at: list[float], **keys: Any) -> dict[str, Any]:
    return {"name": name, "figure": FIGURE, "at": at, **keys}


def placed(**document: Any) -> TableScene:
    return NECROMUNDA.load(Path("duel.toml"), {"rules": "necromunda", **document}, Cache(None))


def heights(**document: Any) -> dict[str, float]:
    return {piece.name: float(piece.pose.translation[2]) for piece in placed(**document).pieces}


def refused(**document: Any) -> str:
    with pytest.raises(FileError) as caught:
        placed(**document)
    return str(caught.value)


def test_inches_hold_for_places_and_for_nothing_else() -> None:
    document = {
        "table": [48, 44],
        "terrain": [{"name": "wall", "at": [4, 10], "parts": [{"box": [60, 5, 30], "at": [0, 7, 0]}]}],
        "fighter": [
            {"name": "Kal", "at": [4, 6, 1], "eye": [0, 3, 27], "parts": [{"box": [12, 12, 30]}]},
            figure("Vex", [4, 10.2], on="surface", under=0.5),
        ],
    }
    inches, plain = placed(units="inch", **document), placed(**document)
    assert inches.piece("Kal").pose.translation.tolist() == pytest.approx([101.6, 152.4, 25.4])
    assert inches.piece("Kal").eye.tolist() == pytest.approx([101.6, 155.4, 52.4])
    assert inches.piece("wall").model.mesh is plain.piece("wall").model.mesh
    assert inches.piece("Vex").model.mesh is plain.piece("Vex").model.mesh
    assert inches.piece("Vex").pose.translation[2] == 0.0
    assert inches.table_top == pytest.approx(np.array([[-609.6, -558.8], [609.6, 558.8]]))
    assert plain.table_top.tolist() == [[-24.0, -22.0], [24.0, 22.0]]


@pytest.mark.parametrize(("given", "side"), [({}, 25.4), ({"square": 30.0}, 30.0), ({"square": 25}, 25.0)])
def test_squares_hold_where_inches_do_and_are_an_inch_where_the_scene_does_not_say(
    given: dict[str, Any], side: float
) -> None:
    document = {
        "table": [20, 10],
        "terrain": [{"name": "wall", "at": [4, 10], "parts": [{"box": [60, 5, 30]}]}],
        "fighter": [figure("Kal", [0.5, -1.5]), figure("Vex", [4, 10], on="surface", under=0.5)],
    }
    scene = placed(units="square", **given, **document)
    assert scene.piece("Kal").pose.translation.tolist() == pytest.approx([0.5 * side, -1.5 * side, 0.0])
    assert scene.piece("wall").model.mesh is placed(**document).piece("wall").model.mesh
    assert scene.piece("Vex").pose.translation[2] == 0.0
    assert np.ptp(scene.table_top, axis=0) == pytest.approx([20 * side, 10 * side])
    assert (scene.square, scene.unit_of_places) == (side, "square")
    in_mm = placed(**given, fighter=[figure("Kal", [0.5, -1.5]), figure("Vex", [9, 9])])
    assert (in_mm.square, in_mm.piece("Kal").pose.translation[0]) == (side, 0.5)


def test_cover_of_skirmishcorps_has_its_plan_sizes_in_squares_too() -> None:
    cover = {"name": "wall", "at": [10, 0], "size": [2, 4], "height": 2}
    document = {"units": "square", "square": 10, "unit": [{"name": "A", "at": [3, 0]}], "cover": [cover]}
    scene = SKIRMISHCORPS.load(Path("duel.toml"), {"rules": "skirmishcorps", **document}, Cache(None))
    assert np.ptp(scene.covers[0].corners, axis=0).tolist() == pytest.approx([20.0, 40.0])
    assert scene.unit("A").middle.tolist() == pytest.approx([30.0, 0.0])


def test_cover_of_skirmishcorps_has_its_plan_sizes_in_inches_and_its_height_in_bricks() -> None:
    document = {
        "units": "inch",
        "unit": [{"name": "A", "at": [0, 0]}, {"name": "B", "at": [10, 0], "on": "wall", "posture": "prone"}],
        "cover": [{"name": "wall", "at": [10, 0], "size": [2, 4], "turn": 90, "height": 2}],
    }
    scene = SKIRMISHCORPS.load(Path("duel.toml"), {"rules": "skirmishcorps", **document}, Cache(None))
    wall = scene.covers[0]
    assert np.ptp(wall.corners, axis=0).tolist() == pytest.approx([101.6, 50.8])
    assert (wall.standing.low, wall.standing.high) == (0.0, 19.2)
    assert scene.unit("B").standing.low == pytest.approx(19.2)
    assert scene.unit("B").middle.tolist() == pytest.approx([254.0, 0.0])


def test_a_prone_unit_with_a_body_of_its_own_is_laid_down_before_it_is_lowered() -> None:
    units = [
        {"name": name, "at": at, "posture": "prone", "lies_along": 30, "figure": FIGURE, **keys}
        for name, at, keys in (
            ("on the crate", [100, 150], {"on": "crate"}),
            ("anywhere", [100, 150], {"on": "surface"}),
            ("on the table", [0, 0], {}),
        )
    ] + [{"name": "upright", "at": [0, 90], "lies_along": 30}]
    document = {"rules": "skirmishcorps", "terrain": [CRATE], "unit": units}
    scene = SKIRMISHCORPS.load(Path("duel.toml"), document, Cache(None))
    lows = {
        unit.name: float(unit.piece.pose.place(unit.piece.model.significant.vertices)[:, 2].min())
        for unit in scene.units[:3]
    }
    assert lows == pytest.approx({"on the crate": 25.0, "anywhere": 25.0, "on the table": 0.0})
    assert [unit.standing.low for unit in scene.units[:3]] == pytest.approx(list(lows.values()))
    assert [one.text for one in scene.placement_warnings if "overlap" not in one.text] == []
    assert [text for text in scene.warnings if "lies_along" in text] == [
        'upright: lies_along does nothing, since it stands; write posture = "prone" to lay it down'
    ]


def test_without_a_size_the_table_is_the_box_round_all_pieces() -> None:
    assert placed(terrain=[CRATE], fighter=[figure("Kal", [0, 0])]).table_top == pytest.approx(
        np.array([[-16.0, -16.0], [120.0, 170.0]]), abs=0.01
    )
    assert placed().table_top.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_piece_is_lowered_onto_what_it_names_or_onto_whatever_is_there() -> None:
    at: list[float] = [100, 150]
    scene = {
        "terrain": [{**CRATE, "on": "gantry"}, GANTRY, {**CRATE, "name": "small", "at": [100, 150], "on": "surface"}],
        "fighter": [
            figure("on the gantry", [60, 150], on="gantry"),
            figure("on the crates", at, on="surface"),
            figure("below", at, on="surface", under=50),
            figure("beside", [0, 0], on="surface"),
            figure("between", at, on="gantry", under=110),
        ],
    }
    assert heights(**scene) == {
        "crate": 78.0, "gantry": 0.0, "small": 103.0, "on the gantry": 78.0, "on the crates": 128.0, "below": 0.0,
        "beside": 0.0, "between": 78.0,
    }  # fmt: skip


def test_moving_everything_together_changes_no_placing() -> None:
    for dx, dy in ((0.0, 0.0), (37.3, -1251.7), (-0.013, 1e4)):
        scene = heights(
            terrain=[{**GANTRY, "at": [100 + dx, 150 + dy], "facing": 30}],
            fighter=[figure("Kal", [60 + dx, 150 + dy], on="gantry"), figure("Vex", [10 + dx, 150 + dy], on="surface")],
        )
        assert scene == {"gantry": 0.0, "Kal": 78.0, "Vex": 0.0}


def test_a_model_that_stands_off_its_own_ground_is_lowered_by_what_of_it_is_lowest() -> None:
    legs = [{"box": [4, 4, 20], "at": [x, 0, 5]} for x in (-10, 10)]
    body = {"box": [60, 60, 10], "at": [0, 0, 25]}
    beam = {"name": "beam", "at": [0, 0], "parts": [{"box": [10, 200, 8]}]}
    tall = heights(terrain=[beam], fighter=[{"name": "Kal", "parts": [*legs, body], "at": [0, 0], "on": "surface"}])
    assert tall["Kal"] == 3.0
    aside = heights(terrain=[beam], fighter=[{"name": "Kal", "parts": [*legs, body], "at": [20, 0], "on": "surface"}])
    assert aside["Kal"] == -5.0 + 0.0


def test_order_in_the_file_does_not_matter_and_circles_are_refused() -> None:
    pair = [{**CRATE, "on": "lower"}, {**CRATE, "name": "lower"}]
    assert heights(terrain=pair) == heights(terrain=pair[::-1]) == {"crate": 25.0, "lower": 0.0}
    circle = [{**CRATE, "on": "lower"}, {**CRATE, "name": "lower", "on": "crate"}]
    assert refused(terrain=circle).endswith("'crate' on 'lower' on 'crate': pieces stand on each other in a circle")
    assert "circle" in refused(terrain=[{**CRATE, "on": "crate"}])
    assert heights(terrain=[{**CRATE, "on": "lower"}, {**CRATE, "name": "lower", "on": "surface"}])["crate"] == 25.0


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"on": "gantri"}, "fighter 'Kal': on: no terrain is called 'gantri'; did you mean 'gantry'?"),
        ({"on": "Vex"}, 'on = "Vex" is a fighter; name a piece of terrain, or write on = "surface"'),
        ({"on": "gantry", "at": [0, 0, 5]}, "at has three numbers; write at = [x, y]"),
        ({"on": "gantry", "at": [900, 0]}, "its base is nowhere over 'gantry', which reaches from x = 50 to 150 mm"),
        ({"on": "gantry", "under": 40}, "nothing of 'gantry' below its base is as low as that"),
        ({"on": "gantry", "under": 77.5}, "nothing of 'gantry' below its base is as low as that"),
        ({"under": 40}, "under goes with on"),
        ({"on": 7}, 'it must be the name of a piece of terrain, or "surface"'),
        ({"on": "gantry", "under": "low"}, 'under is "low"; it must be a number'),
        ({"figure": {"base": 0, "height": 38}}, "it must be a number of mm above zero"),
        ({"figure": {"base": 32}}, "height is missing"),
        ({"figure": 32}, "figure is 32; it must be { base = 32, height = 38 } in mm"),
        ({"mesh": "kal.stl"}, "it must have exactly one of model, mesh, parts or figure"),
        ({"scale": 2.0}, "scale goes with a mesh, not with figure"),
    ],
)
def test_mistakes_get_one_plain_line(keys: dict[str, Any], said: str) -> None:
    fighters = [{**figure("Kal", [100, 150]), **keys}, figure("Vex", [0, 0])]
    assert said in refused(terrain=[GANTRY], fighter=fighters)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"units": "cm"}, 'units is "cm"; it must be "mm", "inch" or "square"'),
        ({"units": "inches"}, 'units is "inches"; it must be "mm", "inch" or "square"'),
        ({"units": "square", "square": 0}, "square is 0; it must be a number of mm above zero"),
        ({"square": "1 inch"}, 'square is "1 inch"; it must be a number of mm above zero'),
        ({"table": [48]}, "table is [48]; it must be two sizes above zero"),
        ({"table": [48, 0]}, "table is [48, 0]; it must be two sizes above zero"),
        ({"vehicle": [{"name": "Hauler", "at": [0, 0], "figure": FIGURE}]}, "unknown key 'figure'"),
    ],
)
def test_mistakes_in_the_scene_get_one_plain_line(document: dict[str, Any], said: str) -> None:
    assert said in refused(**document)


@pytest.mark.parametrize(("base", "height"), [(25, 28), (32, 38), (40, 38), (25, 120), (100, 20)])
def test_a_stand_in_has_the_shape_of_a_figure(base: float, height: float) -> None:
    piece = placed(
        fighter=[{"name": "Kal", "figure": {"base": base, "height": height}, "at": [0, 0], "facing": 0}]
    ).pieces[0]
    low, high = piece.model.mesh.bounds
    assert (high - low).tolist() == pytest.approx([base, base, height], rel=1e-3)
    body = piece.model.body_box
    assert (body[1] - body[0])[0] <= 0.9 * base + 1e-9
    assert piece.kind == "fighter"
    assert 0.85 * height < piece.eye[2] < 0.95 * height
    assert piece.eye[0] > 0.0
    assert piece.eye[1] == pytest.approx(0.0, abs=1e-6)
    assert any("stand-in" in warning for warning in piece.all_warnings)
    assert piece.model.base is not None
    assert piece.model.base.diameter == base
