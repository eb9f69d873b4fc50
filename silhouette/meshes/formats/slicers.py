"""3MF: what slicers say of the volumes in an archive: which are body, and which only steer the print.

PrusaSlicer, SuperSlicer and Slic3r join all volumes of an object to one mesh and tell them apart by ranges of
triangles; Bambu Studio and OrcaSlicer keep each as an object and name its subtype; Cura writes settings beside it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from silhouette.meshes.formats.base import MAX_MESH_PARTS, MAX_PART_NAME_LENGTH, MeshRefused

CONFIG = re.compile(r"metadata/[^/]*model[^/]*\.config")  # names, in lower case, of the entries in which slicers say it

AS_BODY = ""
NEGATIVE = "negative volume"
NOT_PRINTED = "item that is not printed"

_VOLUME_KINDS = {
    "": AS_BODY, "0": AS_BODY, "modelpart": AS_BODY, "normalpart": AS_BODY, "model": AS_BODY, "normal": AS_BODY,
    "1": "modifier", "modifier": "modifier", "parametermodifier": "modifier", "modifierpart": "modifier",
    "negativevolume": NEGATIVE, "negativepart": NEGATIVE,
    "supportenforcer": "support enforcer", "supportblocker": "support blocker",
}  # fmt: skip
_STEERS = (("seam", "seam modifier"), ("brim", "brim patch"))  # SuperSlicer has several of each
_KEYS = ("volumetype", "parttype", "subtype")
_CURA = {
    "supportmesh": "support mesh", "antioverhangmesh": "support blocker",
    "cuttingmesh": "cutting mesh", "infillmesh": "infill mesh",
}  # fmt: skip
MAX_SLICER_ENTRIES = 10 * MAX_MESH_PARTS
_TRUE = ("1", "true", "yes", "on")


@dataclass
class Volume:
    """A volume as a slicer describes it: its kind in words, `AS_BODY` where it is printed as it stands or nothing known
    is said, or ``unknown`` as it is written; its name, maybe empty; and its first and last triangle in the mesh of its
    object.
    """

    kind: str = AS_BODY
    name: str = ""
    first: int = 0
    last: int = -1
    unknown: str = ""

    def within(self, triangles: int) -> tuple[int, int]:
        """The range of its triangles, start and stop, in an object of so many; empty if the stop is no larger."""
        return max(self.first, 0), min(self.last + 1, triangles)

    def describe(self, key: str, value: str) -> None:
        """Takes in a property; the last that says a kind holds, as in the slicers."""
        short = plain(key)
        if short == "name":
            self.name = value.strip()[:MAX_PART_NAME_LENGTH]
        elif short == "modifier" and plain(value) in _TRUE:
            self.kind = "modifier"
        elif short in _KEYS:
            meaning = _VOLUME_KINDS.get(plain(value))
            if meaning is None:
                meaning = next((kind for start, kind in _STEERS if plain(value).startswith(start)), None)
            self.kind, self.unknown = (AS_BODY, value.strip()[:40]) if meaning is None else (meaning, "")


@dataclass
class ObjectDescription:
    """What is said of one object: volumes in it, volumes below it by number, whether the build list places it."""

    ranges: list[Volume] = field(default_factory=list)
    parts: dict[str, Volume] = field(default_factory=dict)
    used: bool = False


class Configuration:
    """Takes in the elements of slicers' configurations: what is said of each object of the first model, by number."""

    def __init__(self) -> None:
        self.objects: defaultdict[str, ObjectDescription] = defaultdict(ObjectDescription)
        self.warnings: list[str] = []
        self._object = ""
        self._volume: Volume | None = None
        self._elements = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._elements += 1
        if self._elements > MAX_SLICER_ENTRIES:
            raise MeshRefused(f"has over {MAX_SLICER_ENTRIES} entries")
        words = {plain(key.rpartition(":")[2]): value for key, value in attributes.items()}
        match plain(tag.rpartition(":")[2]):
            case "object":
                self._object = words.get("id", "").strip()
            case "volume" | "part":
                self._open(words)
            case "metadata" if self._volume is not None:
                self._volume.describe(words.get("key", ""), words.get("value", ""))

    def _open(self, words: Mapping[str, str]) -> None:
        self._volume = volume = Volume()
        for key in _KEYS:
            volume.describe(key, words.get(key, ""))
        description = self.objects[self._object]
        if "firstid" in words or "lastid" in words:
            try:
                volume.first, volume.last = int(words["firstid"]), int(words["lastid"])
            except (KeyError, ValueError):
                self.warnings.append(
                    f"a slicer's volume of object {self._object[:40]!r} has no whole numbers firstid and lastid; "
                    "its triangles count as body"
                )
                return
            description.ranges.append(volume)
        else:
            description.parts[words.get("id", "").strip()] = volume

    def end(self, tag: str) -> None:
        """An element ends."""
        match plain(tag.rpartition(":")[2]):
            case "volume" | "part":
                self._volume = None
            case "object":
                self._object = ""


def kind_of_setting(key: str, value: str) -> str:
    """What a setting of Cura makes of the object that it stands beside; `AS_BODY` where it leaves it body.

    >>> kind_of_setting("cura:support_mesh", "True"), kind_of_setting("cura:infill_mesh", "False")
    ('support mesh', '')
    """
    return _CURA.get(plain(key.rpartition(":")[2]), AS_BODY) if plain(value) in _TRUE else AS_BODY


def plain(word: str) -> str:
    """A word in lower case, without what joins its syllables.

    >>> plain("Parameter_Modifier"), plain("ParameterModifier")
    ('parametermodifier', 'parametermodifier')
    """
    return re.sub(r"[^a-z0-9]", "", word[:MAX_PART_NAME_LENGTH].lower())


def left_out_in_words(triangles: Mapping[tuple[str, str], int]) -> str:
    """The volumes that are left out of an archive, by their kinds and names, with how many triangles each has.

    >>> left_out_in_words({("modifier", "hull"): 12})
    "modifier 'hull' (12 triangles)"
    """
    named = [f"{kind} {name!r} ({count} triangles)" for (kind, name), count in triangles.items()]
    return ", ".join(named[:6]) + (f" and {len(named) - 6} more" if len(named) > 6 else "")
