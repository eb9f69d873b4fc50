"""TELL, assistants: the arguments of each tool. Their JSON Schemas are those that the assistant reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from silhouette.common.geometry import INCH
from silhouette.files.schema import Entry, Name, Number, Size
from silhouette.models.entries import ArcName

SceneName = Annotated[Name, Field(max_length=1000, description="the path of a scene file, as list_scenes gives it")]
Names = Annotated[tuple[Name, ...], Field(max_length=2000, description="a list of names of pieces")]
TrialPlace = Annotated[list[Number], Field(min_length=2, max_length=3)]


class ScenesArguments(Entry):
    """Which scenes are listed."""

    folder: str = Field("", max_length=1000, description="the path of a folder, as seen from the one that is served")
    """Only scenes in this folder and in those below it."""


class SceneArguments(Entry):
    """A scene."""

    scene: SceneName
    """The scene."""


class TrialArguments(SceneArguments):
    """A scene, with pieces elsewhere if that is wanted; nothing is written into the file."""

    at: dict[Name, TrialPlace] = Field(
        {}, max_length=2000, description="by the name of a piece, [x, y] or [x, y, facing in degrees]"
    )
    """Places to try instead of those in the file, in the scene's own units: what if Vex stood here, or faced there?"""


class PairArguments(TrialArguments):
    """Who looks at whom."""

    attacker: Name | None = Field(None, description="the name of a piece")
    """Who looks. Left out, the checks that the scene itself lists are judged."""
    target: Name | None = Field(None, description="the name of a piece")
    """Who is looked at. Left out, everyone else is."""
    arc: ArcName | None = None
    """The vision arc that the attacker looks into, in games that have such; left out, any that it has."""


class JudgeArguments(PairArguments):
    """Who looks at whom."""

    everyone: bool = Field(False, strict=True)
    """Everyone against everyone; attacker and target are left out then."""


class OddsArguments(PairArguments):
    """Who looks at whom, and the seed of the trials."""

    seed: int = Field(0, strict=True, ge=0, le=2**53, description="a whole number, 0 or more")
    """The same seed gives the same odds."""


class MapArguments(TrialArguments):
    """Who is moved over the table."""

    move: Name = Field(description="the name of a model")
    """The model that is put on each place of a grid."""
    attackers: Names = ()
    """Who looks at it. Left out, everyone who is not of its gang."""
    targets: Names = ()
    """Instead of attackers: whom it looks at from each place, facing each."""
    grid: Size = Field(INCH, description="a number of mm above zero")
    """mm between two places; no finer than 1."""
    within: Size | None = Field(None, description="a number of mm above zero")
    """Only places so near, in mm, to where it stands."""
    under: Number | None = Field(None, description="a number of mm")
    """It stands on the floor below this height in mm, not on the highest."""
    cells: bool = Field(True, strict=True)
    """Whether each place is listed, which is long; false leaves the counts and the nearest places."""


class DrawArguments(PairArguments):
    """What is drawn."""

    figure: Name | None = Field(None, description="the name of a figure, such as eye, plan, side or table")
    """Left out, what the attacker sees, or the main figure of a game that looks from no eye. Table is all of it,
    without a pair; an answer about a name that there is not says which there are.
    """


class GamesArguments(Entry):
    """Which game."""

    name: Name | None = Field(None, max_length=1000, description="the name of a game, or the path of a game file")
    """Left out, all games are listed."""
