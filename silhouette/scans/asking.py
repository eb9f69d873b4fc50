"""SCAN: the questions about single pieces, and what becomes of a piece when they are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from silhouette.common.geometry import Floats
from silhouette.scans.identify import Identified, without
from silhouette.scans.keeping import Earlier
from silhouette.scans.matching import Match
from silhouette.scans.pieces import Blob
from silhouette.scans.questions import ABOUT_MODEL, Question, kind_of

AS_SCANNED, NEITHER = "not sure: keep what was scanned", "none of the known ones"
"""The answers that leave it open which model a scanned piece is, and that say that it is none."""

TERRAIN, FIGURE, LEFT_OUT = "terrain", "a figure", "no part of the game: leave it out"
"""The answers to what an odd thing is."""

UNLIKE = 2.0
"""mm, root mean square: what fits no better than this is none of the known models, and may be no figure at all."""

ONE, SEVERAL = "one piece", "several that touch"

KINDS_OF_QUESTIONS = (ABOUT_MODEL, "odd", "several")
"""The kinds of questions about pieces, first those on which most verdicts hang."""


def _questions(number: int, blob: Blob, match: Match | None, place: Floats) -> list[Question]:
    """What could be asked about a piece, what the scene hangs on most first; of these one at a time is asked.

    What is known beyond doubt is part of the game. Which model a figure is goes before whether it is one, since that
    has the same answers; and whether it is a figure at all before whether it is several.

    Args:
        number: of the piece.
        blob: as it was scanned.
        match: the known model that it looks most like.
        place: (3,) mm, where it stands.
    """
    several = _about_several(number, blob, place)
    if match is not None and match.sure:
        return [] if several is None else [several]
    asked = (_about_model(number, blob, match, place), _about_kind(number, blob, place), several)
    return [question for question in asked if question is not None]


def _about_kind(number: int, blob: Blob, place: Floats) -> Question | None:
    """What a piece is that does not look like a part of the game."""
    if not blob.is_odd:
        return None
    why = f" ({blob.why})" if blob.why else ""
    text = f"piece {number} does not look like a part of the game{why}: what is it?"
    answers = (FIGURE, LEFT_OUT, TERRAIN) if blob.kind == "fighter" else (TERRAIN, LEFT_OUT, FIGURE)
    return Question(_key("odd", place), text, answers, (str(number),), (float(place[0]), float(place[1])))


def _about_several(number: int, blob: Blob, place: Floats) -> Question | None:
    """Whether a piece is one."""
    if not blob.could_be_several:
        return None
    why = f" ({blob.why})" if blob.why else ""
    text = f"piece {number} may be several that touch{why}: is it one?"
    return Question(_key("several", place), text, (ONE, SEVERAL), (str(number),), (float(place[0]), float(place[1])))


def _about_model(number: int, blob: Blob, match: Match | None, place: Floats) -> Question | None:
    """Whether a piece is the known model that it looks most like; or what else it is."""
    if match is None or blob.kind != "fighter":
        return None
    at = (float(place[0]), float(place[1]))
    if match.residual > UNLIKE:
        if blob.on is None:
            return None  # a figure of somebody whose meshes are not known; on terrain it may be a part of that
        text = f"piece {number} looks like a figure and like none of the known ones: what is it?"
        return Question(_key("odd", place), text, (FIGURE, TERRAIN, LEFT_OUT), (str(number),), at)
    text = f"is piece {number} {match.name}? It fits to {match.residual:.1f} mm, which is not beyond doubt"
    answers = (AS_SCANNED, match.name, NEITHER, TERRAIN, LEFT_OUT)
    return Question(_key(ABOUT_MODEL, place), text, answers, (str(number),), at)


def _key(kind: str, place: Floats) -> str:
    return f"{kind} at {place[0]:.0f},{place[1]:.0f}"


def said_kind(place: Floats, earlier: Earlier) -> str | None:
    """What a player has said that the thing at a place (3,) mm is: fighter or terrain; None where nobody has."""
    at = (float(place[0]), float(place[1]))
    answers = [earlier.answer(Question(_key(kind, place), "", (), at=at)) for kind in ("odd", ABOUT_MODEL)]
    return next(({FIGURE: "fighter", TERRAIN: "terrain"}[word] for word in answers if word in (FIGURE, TERRAIN)), None)


def as_answered(
    identified: Identified, places: Sequence[Floats], earlier: Earlier
) -> tuple[Identified, list[Floats], list[Question]]:
    """The pieces as a player has settled what they are, their places, and the questions that stay open.

    Pieces that are no part of the game are left out; the numbers of those after them move up, in the questions too.
    """
    blobs, matches = list(identified.pieces.blobs), list(identified.matches)
    left_out: list[int] = []
    for index, place in enumerate(places):
        # Twice, since an answer may lead to another question: what is a figure may be a known one.
        for _ in range(2):
            for question in _questions(index + 1, blobs[index], matches[index], place):
                answer = earlier.answer(question)
                if answer == LEFT_OUT:
                    left_out.append(index + 1)
                elif answer is not None:
                    kind = kind_of(question.key)
                    blobs[index], matches[index] = _settled(blobs[index], matches[index], kind, answer)
    pieces = replace(identified.pieces, blobs=tuple(blobs))
    whole = replace(identified, pieces=pieces, matches=tuple(matches))
    left = without(pieces, matches, left_out) if left_out else whole
    stand = [place for number, place in enumerate(places, start=1) if number not in left_out]
    questions = []
    for number, (blob, match, place) in enumerate(zip(left.pieces.blobs, left.matches, stand, strict=True), start=1):
        asked = _questions(number, blob, match, place)
        questions += [question for question in asked if earlier.answer(question) is None][:1]
    # First what the verdicts on figures hang on.
    order = {key: rank for rank, key in enumerate(KINDS_OF_QUESTIONS)}
    questions.sort(key=lambda question: order[kind_of(question.key)])
    return left, stand, questions


def _settled(blob: Blob, match: Match | None, kind: str, answer: str) -> tuple[Blob, Match | None]:
    """A piece with the answer to a question of some kind."""
    if answer in (FIGURE, TERRAIN):
        return replace(blob, is_odd=False, kind="fighter" if answer == FIGURE else "terrain"), match
    if answer == ONE:
        return replace(blob, could_be_several=False), match
    if kind == ABOUT_MODEL and match is not None:
        if answer == NEITHER:
            return replace(blob, is_odd=False), None
        return replace(blob, is_odd=False), replace(match, sure=True) if answer == match.name else match
    return blob, match
