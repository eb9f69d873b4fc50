"""JUDGE, maps: what ``map --json`` prints and a map's .json file holds (contract, section 10)."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

Mm = Annotated[float, Field(description="mm")]
Place = Annotated[
    tuple[float, float, float | None],
    Field(description="x, y and z in mm; z is null where nothing is to stand on"),
]


class ByRecord(TypedDict):
    """The verdict on one pair of models."""

    attacker: str
    target: str
    verdict: str
    occluded: Annotated[
        float | None,
        Field(description="share obscured, roughly where no threshold is near; null where an arc or a plan decides"),
    ]
    marginal: Annotated[bool, Field(description="whether another verdict is too near to rule out")]


class CellRecord(TypedDict):
    """A place of the map."""

    at: Place
    stands: Annotated[bool, Field(description="whether its base stands there")]
    seen_by: Annotated[int, Field(description="how many see it there; or how many it sees, where it is the attacker")]
    verdict: Annotated[str | None, Field(description="the most exposed of all; null where it does not stand")]
    marginal: Annotated[bool, Field(description="whether another verdict is too near to rule out")]
    could_be: Annotated[list[str], Field(description="the verdicts that it could be, from exposed to covered")]
    by: Annotated[list[ByRecord], Field(description="one for each other model; none where it does not stand")]


class NearestRecord(TypedDict):
    """The nearest place at least so well covered from all."""

    at: Place
    mm: Annotated[float, Field(description="mm in plan from where the model stands")]


class MapRecord(TypedDict):
    """A map."""

    scene: Annotated[str, Field(description="the path of the scene, as it was given")]
    rules: str
    move: Annotated[str, Field(description="the model that is moved")]
    as_: Annotated[Literal["target", "attacker"], Field(alias="as", description="what it is")]
    grid: Annotated[float, Field(description="mm between two places")]
    within: Annotated[float | None, Field(description="mm from where it stands; null for all of the table")]
    under: Annotated[float | None, Field(description="mm: the floor below that height; null for the highest")]
    verdicts: Annotated[list[str], Field(description="of the game, from exposed to covered")]
    cells: list[CellRecord]
    nearest: NotRequired[
        Annotated[
            dict[str, NearestRecord],
            Field(description="by verdict, for a target; a verdict that no place has is left out"),
        ]
    ]
