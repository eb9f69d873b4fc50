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


def about_shape(number: int, blob: Blob, place: Floats) -> list[Question]:
    """What is to be asked about a piece by its number: whether it is part of the game, and whether it is one.

    Args:
        number: of the piece.
        blob: as it was scanned.
        place: (3,) mm, where it stands.
    """
    asked = []
    at = (float(place[0]), float(place[1]))
    if blob.is_odd:
        why = f" ({blob.why})" if blob.why else ""
        text = f"piece {number} does not look like a part of the game{why}: what is it?"
        taken, other = (FIGURE, TERRAIN) if blob.kind == "fighter" else (TERRAIN, FIGURE)
        asked.append(Question(_key("odd", place), text, (taken, LEFT_OUT, other), (str(number),), at))
    if blob.could_be_several:
        why = f" ({blob.why})" if blob.why else ""
        text = f"piece {number} may be several that touch{why}: is it one?"
        asked.append(Question(_key("several", place), text, (ONE, SEVERAL), (str(number),), at))
    return asked


def about_model(number: int, blob: Blob, match: Match | None, place: Floats) -> Question | None:
    """Whether a piece is the known model that it looks most like, where that is not sure; or what else it is."""
    if match is None or match.sure or blob.kind != "fighter":
        return None
    at = (float(place[0]), float(place[1]))
    if match.residual > UNLIKE:
        if blob.on is None:
            return None  # a figure of somebody whose meshes are not known; on terrain it may be a part of that
        text = f"piece {number} looks like a figure and like none of the known ones: what is it?"
        return Question(_key("odd", place), text, (FIGURE, TERRAIN, LEFT_OUT), (str(number),), at)
    stem = match.name
    text = f"is piece {number} {stem}? It fits to {match.residual:.1f} mm, which is not beyond doubt"
    return Question(_key(ABOUT_MODEL, place), text, (AS_SCANNED, stem, NEITHER), (str(number),), at)


def _key(kind: str, place: Floats) -> str:
    return f"{kind} at {place[0]:.0f},{place[1]:.0f}"


def said_kind(place: Floats, earlier: Earlier) -> str | None:
    """What a player has said that the thing at a place (3,) mm is: fighter or terrain; None where nobody has."""
    at = (float(place[0]), float(place[1]))
    answer = earlier.answer(Question(_key("odd", place), "", (), at=at))
    return {FIGURE: "fighter", TERRAIN: "terrain"}.get(answer or "")


def as_answered(
    identified: Identified, places: Sequence[Floats], earlier: Earlier
) -> tuple[Identified, list[Floats], list[Question]]:
    """The pieces as a player has settled what they are, their places, and the questions that stay open.

    Pieces that are no part of the game are left out; the numbers of those after them move up, in the questions too.
    """
    settled: list[tuple[Blob, Match | None]] = []
    left_out: list[int] = []
    for number, (blob, found, place) in enumerate(
        zip(identified.pieces.blobs, identified.matches, places, strict=True), start=1
    ):
        model = about_model(number, blob, found, place)
        questions = [*about_shape(number, blob, place), *([] if model is None else [model])]
        answers = {kind_of(question.key): earlier.answer(question) for question in questions}
        if answers.get("odd") == LEFT_OUT:
            left_out.append(number)
        if answers.get("odd") is not None:
            blob = replace(blob, is_odd=False, kind="fighter" if answers["odd"] == FIGURE else "terrain")
        if answers.get("several") == ONE:
            blob = replace(blob, could_be_several=False)
        settled.append((blob, _told(found, answers.get(ABOUT_MODEL))))
    blobs = tuple(blob for blob, _ in settled)
    whole = replace(
        identified, pieces=replace(identified.pieces, blobs=blobs), matches=tuple(one for _, one in settled)
    )
    kept = without(whole.pieces, whole.matches, left_out) if left_out else whole
    stand = [place for number, place in enumerate(places, start=1) if number not in left_out]
    asked: list[Question] = []
    for number, (blob, found, place) in enumerate(zip(kept.pieces.blobs, kept.matches, stand, strict=True), start=1):
        about = about_model(number, blob, found, place)
        asked += [*about_shape(number, blob, place), *([] if about is None else [about])]
    return kept, stand, [question for question in asked if earlier.answer(question) is None]


def _told(found: Match | None, answer: str | None) -> Match | None:
    """The match with what a player has said of it: it is that model, or none."""
    if found is None or answer is None:
        return found
    if answer == NEITHER:
        return None
    return replace(found, sure=True) if answer == found.name else found
