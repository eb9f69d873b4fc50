"""PLACE: the keys of a scene that say how far its pieces may lie from the truth, and what is still to be asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from silhouette.files.schema import MAX_LENGTH, Entry, Name, Number

Deviation = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=MAX_LENGTH)]
"""A standard deviation."""

BenefitOfDoubt = Literal["roll off", "attacker", "target", "as measured"]
"""The player who has the benefit of doubt."""


class PieceDoubtEntry(Entry):
    """``doubt = { place = 0.3, facing = 1 }``: a piece's own, in place of the scene's, key by key."""

    place: Deviation | None = Field(None, description="a number of mm, 0 or more")
    """The standard deviation, along x and along y, of where a model stands, in mm."""
    facing: Deviation | None = Field(None, description="a number of degrees, 0 or more")
    """The standard deviation of where a model faces, in degrees."""
    eye: Deviation | None = Field(None, description="a number of mm, 0 or more")
    """The standard deviation of an eye along each axis of the model, in mm."""
    surface: Deviation | None = Field(None, description="a number of mm, 0 or more")
    """The standard deviation of how far the outline of a scan may lie from the truth, all along it, in mm."""


class DoubtEntry(PieceDoubtEntry):
    """``[doubt]``: standard deviations for all pieces, and how a verdict in doubt is decided."""

    rule: BenefitOfDoubt = Field("roll off", description='"roll off", "attacker", "target" or "as measured"')
    """The player who has the benefit of doubt where no verdict is sure enough."""
    guard: Annotated[float, Field(strict=True, gt=0, le=1)] = Field(0.95, description="a share above 0, at most 1")
    """A verdict stands by itself where its odds are at least this."""


class QuestionEntry(Entry):
    """A ``[[question]]`` that a scan could not settle; it is read when the scan is made into a scene again."""

    key: Name = Field(description="a name in quotes")
    """The key by which the answer is found again."""
    text: Name = Field(description="a text in quotes")
    """The question."""
    answers: tuple[Name, ...] = Field((), description="a list of texts in quotes")
    """The answers that there are, the likeliest first."""
    answer: Name | None = Field(None, description="one of the answers, in quotes")
    """The answer of a player. Without it the likeliest is taken."""
    about: tuple[Name, ...] = Field((), description="a list of names of pieces")
    """The pieces that it is about."""
    at: tuple[Number, Number] | None = Field(None, description="two numbers of mm")
    """The place on the table where there is something to look at, in mm."""
