"""SCAN: pieces get names, places and meshes; a known model stands in the place of what was scanned where it is sure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from silhouette.scans.keep import Earlier, EarlierPiece
from silhouette.scans.place import (
    AS_SCANNED,
    FIGURE_ANSWER,
    LEFT_OUT,
    NEITHER,
    ONE_PIECE,
    SEVERAL_PIECES,
    TERRAIN_ANSWER,
)
from tests.support.scanned import matched, scanned_table

PLACE = np.array([70.0, -30.0, 0.0])


def test_a_figure_that_is_not_known_stands_as_it_was_scanned() -> None:
    figure, crate = scanned_table().pieces
    assert (figure.name, figure.kind, figure.facing, figure.turn) == ("figure 1", "fighter", None, 0.0)
    assert figure.at == (70.0, -30.0, 0.0)
    assert figure.mesh is not None
    low, high = figure.mesh.vertices.min(axis=0), figure.mesh.vertices.max(axis=0)
    assert low == pytest.approx([-12.5, -12.5, 0.0], abs=0.02)
    assert high == pytest.approx([12.5, 12.5, 33.0], abs=0.02)
    assert (crate.name, crate.kind, crate.at) == ("terrain 1", "terrain", (-60.0, 20.0, 0.0))


def test_a_sure_match_takes_the_place_of_the_scan_on_the_table() -> None:
    figure = scanned_table(matched(sure=True)).pieces[0]
    assert figure.mesh is None
    assert figure.at == (70.2, -29.9, 0.0), "it stands on the table, however the noise lifts it"
    assert (figure.turn, figure.facing) == (31.0, 121.0)
    assert (figure.place, figure.facing_doubt) == (0.2, 0.9)


def test_a_match_that_is_not_sure_is_asked_about_and_what_was_scanned_stands() -> None:
    table = scanned_table(matched(sure=False))
    (figure, _), (question,) = table.pieces, table.questions
    assert figure.mesh is not None
    assert (figure.turn, figure.facing, figure.facing_doubt) == (0.0, 121.0, 3.0), "it looks where the model would"
    assert question.key == "model at 70,-30"
    assert question.answers == (AS_SCANNED, "oswald", NEITHER, TERRAIN_ANSWER, LEFT_OUT)
    assert question.at == pytest.approx((70.0, -30.0))


@pytest.mark.parametrize("worse", [{"residual": 1.1}, {"facing": 13.0}])
def test_a_model_that_fits_badly_does_not_tell_where_a_figure_looks(worse: dict[str, float]) -> None:
    figure = scanned_table(replace(matched(sure=False), **worse)).pieces[0]
    assert (figure.facing, figure.facing_doubt) == (None, None)


def test_what_is_like_no_known_figure_is_asked_about_where_it_may_be_terrain() -> None:
    unlike = replace(matched(sure=False), residual=2.7)
    assert scanned_table(unlike).questions == (), "somebody else's figure"
    (question,) = scanned_table(unlike, on_crate=True).questions
    assert question.text == "figure 1 looks like a figure and like none of the known ones: what is it?"
    assert question.answers[0] == FIGURE_ANSWER
    settled = scanned_table(unlike, answered("odd at 70,-30", TERRAIN_ANSWER), on_crate=True)
    assert [piece.kind for piece in settled.pieces] == ["terrain", "terrain"]
    assert settled.questions == ()


@pytest.mark.parametrize("answer, is_known", [("oswald", True), (NEITHER, False), (AS_SCANNED, False)])
def test_the_answer_settles_which_model_it_is(answer: str, is_known: bool) -> None:
    asked = {"model at 72,-30": {"key": "model at 72,-30", "text": "?", "at": [72.0, -30.0], "answer": answer}}
    kal = EarlierPiece("Kal", "fighter", PLACE, None, {})
    table = scanned_table(matched(sure=False), Earlier((kal,), asked))
    figure = table.pieces[0]
    assert figure.name == "Kal"
    assert (figure.mesh is None) is is_known
    assert table.questions == ()


def test_names_kinds_and_facings_of_an_earlier_run_stay() -> None:
    kal = EarlierPiece("figure 9", "vehicle", PLACE, 12.0, {})
    box = EarlierPiece("figure 1", "terrain", np.array([-60.0, 20.0, 0.0]), None, {})
    first, crate = scanned_table(matched(sure=True), Earlier((kal, box))).pieces
    assert (first.name, first.kind, first.facing, first.turn) == ("figure 9", "vehicle", 12.0, 31.0)
    assert crate.name == "figure 1"


def test_a_new_piece_takes_no_name_that_another_has() -> None:
    elsewhere = EarlierPiece("figure 1", "terrain", np.array([-60.0, 20.0, 0.0]), None, {})
    figure, crate = scanned_table(earlier=Earlier((elsewhere,))).pieces
    assert (figure.name, crate.name) == ("figure 2", "figure 1")


def answered(key: str, answer: str) -> Earlier:
    return Earlier(answers_by_key={key: {"key": key, "text": "?", "answer": answer}})


def test_an_odd_thing_stays_terrain_with_a_question() -> None:
    table = scanned_table(odd=True)
    (question,) = table.questions
    assert question.text == "terrain 1 does not look like a part of the game (a mug): what is it?"
    assert (question.about, question.at) == (("terrain 1",), (-60.0, 20.0))
    assert question.answers[0] == TERRAIN_ANSWER
    assert [piece.kind for piece in table.pieces] == ["fighter", "terrain"]


def test_the_first_answer_is_what_was_taken() -> None:
    assert scanned_table(odd=True).questions[0].answers[0] == TERRAIN_ANSWER


def test_one_question_is_asked_about_a_thing_and_none_about_what_is_known() -> None:
    table = scanned_table(matched(sure=False), several=True, odd=True)
    assert [question.key.split()[0] for question in table.questions] == ["model", "odd"]
    question = table.questions[0]
    assert question.answers == (AS_SCANNED, "oswald", NEITHER, TERRAIN_ANSWER, LEFT_OUT)
    for answer, rest in ((AS_SCANNED, ["odd", "several"]), (LEFT_OUT, ["odd"]), ("oswald", ["odd", "several"])):
        earlier = Earlier(answers_by_key={question.key: {**question.keys(), "answer": answer}})
        left = scanned_table(matched(sure=False), earlier, several=True, odd=True)
        assert [question.key.split()[0] for question in left.questions] == rest
        assert len(left.pieces) == (1 if answer == LEFT_OUT else 2)


@pytest.mark.parametrize(
    "answer, kinds",
    [(TERRAIN_ANSWER, ["fighter", "terrain"]), (FIGURE_ANSWER, ["fighter", "fighter"]), (LEFT_OUT, ["fighter"])],
)
def test_the_answer_settles_what_an_odd_thing_is(answer: str, kinds: list[str]) -> None:
    table = scanned_table(odd=True, earlier=answered("odd at -60,20", answer))
    assert [piece.kind for piece in table.pieces] == kinds
    assert table.questions == ()
    assert (table.labels == 2).any() == (len(kinds) == 2)


@pytest.mark.parametrize("name, named", [("terrain 1", "figure 2"), ("Old Oak", "Old Oak")])
def test_what_was_taken_for_terrain_becomes_the_figure_that_a_player_says_it_is(name: str, named: str) -> None:
    """The scene before the answer has it as terrain, by a name that may be a player's."""
    place = np.array([-60.0, 20.0, 0.0])
    first = (EarlierPiece("figure 1", "fighter", PLACE, None, {}), EarlierPiece(name, "terrain", place, None, {}))
    for asked, found in (
        (Earlier().answers_by_key, (name, "terrain")),
        (answered("odd at -60,20", FIGURE_ANSWER).answers_by_key, (named, "fighter")),
    ):
        table = scanned_table(odd=True, earlier=Earlier(first, asked))
        assert [(piece.name, piece.kind) for piece in table.pieces] == [("figure 1", "fighter"), found]


def test_an_answer_leaves_a_vehicle_a_vehicle() -> None:
    hauler = EarlierPiece("terrain 1", "vehicle", np.array([-60.0, 20.0, 0.0]), None, {})
    table = scanned_table(odd=True, earlier=Earlier((hauler,), answered("odd at -60,20", FIGURE_ANSWER).answers_by_key))
    assert [piece.kind for piece in table.pieces] == ["fighter", "vehicle"]


def test_what_may_be_several_is_flagged_until_it_is_answered() -> None:
    flagged = scanned_table(several=True)
    assert flagged.pieces[0].could_be_several
    assert flagged.questions[0].text == "figure 1 may be several that touch: is it one?"
    one = scanned_table(several=True, earlier=answered("several at 70,-30", ONE_PIECE))
    assert (one.pieces[0].could_be_several, one.questions) == (False, ())
    several = scanned_table(several=True, earlier=answered("several at 70,-30", SEVERAL_PIECES))
    assert (several.pieces[0].could_be_several, several.questions) == (True, ())


def test_a_person_may_name_a_piece_by_its_model() -> None:
    table = scanned_table(matched(sure=True))
    assert [piece.name for piece in table.pieces] == ["oswald", "terrain 1"]
    assert table.called("Oswald") == "oswald"
    assert table.called("nobody") == "nobody"
    kal = EarlierPiece("Kal", "fighter", PLACE, None, {})
    assert scanned_table(matched(sure=True), Earlier((kal,))).called("oswald") == "Kal"


def test_a_number_of_an_earlier_run_gives_way_to_the_name_of_a_model_where_nobody_uses_it() -> None:
    before = EarlierPiece("figure 9", "fighter", PLACE, None, {})
    assert scanned_table(matched(sure=True), Earlier((before,))).pieces[0].name == "oswald"
    checks = {"check": [{"attacker": "figure 9", "target": "Kal"}]}
    assert scanned_table(matched(sure=True), Earlier((before,), keys=checks)).pieces[0].name == "figure 9"
    gang = EarlierPiece("figure 9", "fighter", PLACE, None, {"gang": "Orlock"})
    assert scanned_table(matched(sure=True), Earlier((gang,))).pieces[0].name == "figure 9"


def test_a_name_is_an_answer_where_it_is_not_sure_which_model_a_piece_is() -> None:
    table = scanned_table(matched(sure=False))
    question = table.question_of("Oswald")
    assert question is not None
    assert (question.about, question.answers[1]) == (("figure 1",), "oswald")
    assert table.question_of("nobody") is None
    assert table.question_of("figure 1") is None
    assert scanned_table(matched(sure=True)).question_of("oswald") is None
    answered = {question.key: {**question.keys(), "answer": "oswald"}}
    assert scanned_table(matched(sure=False), Earlier(answers_by_key=answered)).pieces[0].name == "oswald"


def test_what_is_estimated_is_said() -> None:
    assert any("estimated eye" in warning for warning in scanned_table().warnings)
    assert not any("estimated eye" in warning for warning in scanned_table(matched(sure=True)).warnings)
