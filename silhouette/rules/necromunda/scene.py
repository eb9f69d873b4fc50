"""PLACE: a Necromunda scene: a table of models, and the chosen readings of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.rules.on_table import ModelScene
from silhouette.scenes.table import load_table_scene, looked_over, table_fields


class Readings(Entry):
    """``[readings]``: the chosen readings of the rules, where several are possible."""

    share: Literal["whole target", "in arc"] = Field("whole target", description='"whole target" or "in arc"')
    """What the obscured share is a share of (A1): the whole target, since what lies out of the arc is not "obscured by
    terrain or models"; or its part in the vision arc, since nothing else of it can be seen.
    """
    friends_in_contact: Literal["disregarded", "block sight"] = Field(
        "disregarded", description='"disregarded" or "block sight"'
    )
    """Whether friendly fighters in base contact block line of sight (A7): they are disregarded, as for cover, since of
    vehicles in base contact it is said that they "will still block line of sight"; or they block it, since they are
    disregarded "when checking to see if the target is in cover". They never give cover.
    """
    ignored_parts_block: bool = Field(False, description="true or false")
    """Whether the bases and insignificant parts of other models block (A6): they do not, since the footnote that
    excludes them stands at the models in the way too; or they do, since the section on cover excludes only the
    target's.
    """


OTHERWISE = {  # what a reason adds for each reading that the scene did not choose
    "share = in arc": "if the part of {target} in the vision arc alone counted",
    "share = whole target": "if all of {target} counted",
    "friends_in_contact = block sight": "if friends in base contact blocked line of sight",
    "friends_in_contact = disregarded": "if friends in base contact were disregarded",
    "ignored_parts_block = true": "if bases and insignificant parts in the way blocked",
    "ignored_parts_block = false": "if bases and insignificant parts in the way did not block",
}


@dataclass(frozen=True, eq=False, repr=False)
class NecromundaScene(ModelScene):
    """A table of fighters, vehicles and terrain, with the chosen readings of the rules."""

    readings: Readings


def load_scene(path: Path, document: Mapping[str, Any], cache: Cache) -> NecromundaScene:
    """The scene that a document describes. FileError where it or a model file is not valid; MeshError for its mesh."""
    scene = NecromundaScene(**table_fields(load_table_scene(path, document, Readings, cache, weapons=True)))
    return looked_over(scene, faces=True)
