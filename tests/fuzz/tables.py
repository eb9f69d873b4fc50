"""Tables from elsewhere and bundles to start from, small and whole, and bundles of which one file is damaged."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

from silhouette.bundles.writing import bundled
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection
from silhouette.renderers import choose
from tests.fuzz.damage import damaged, varied
from tests.support.gltf_scenes import glb, node, wedge
from tests.support.mesh_files import obj as pyramid

ADDRESS = "http://cloud-3.steamusercontent.com/ugc/77312/ABCDEF0123456789/"
MESH = "httpcloud3steamusercontentcomugc77312ABCDEF0123456789.obj"


def save() -> bytes:
    """A save of Tabletop Simulator: a figure with a part and another state, tilted terrain, a bag, a counter."""

    def thing(name: str, at: tuple[float, float, float], turn: tuple[float, float, float], **more: Any) -> Any:
        place = dict(zip(("posX", "posY", "posZ", "rotX", "rotY", "rotZ"), (*at, *turn), strict=True))
        return {
            "Name": "Custom_Model",
            "Nickname": name,
            "GUID": "a1b2c3",
            "Transform": {**place, "scaleX": 1.0, "scaleY": 1.0, "scaleZ": 1.0},
            "CustomMesh": {"MeshURL": ADDRESS, "ColliderURL": "", "TypeIndex": 1},
            **more,
        }

    arm = thing("arm", (0.1, 0.5, 0.0), (0.0, 10.0, 0.0))
    kal = thing("Kal 32mm", (1.5, 0.0, -3.25), (0.0, 45.0, 0.0), Tags=["gang: Orlock"], ChildObjects=[arm])
    kal["States"] = {"2": thing("Kal, down", (0.0, 0.0, 0.0), (90.0, 0.0, 0.0))}
    ruin = thing("ruin", (0.0, 1.0, 4.5), (0.0, 30.0, 12.5), Tags=["terrain"])
    bag = thing("bag", (9.0, 0.0, 9.0), (0.0, 0.0, 0.0), ContainedObjects=[arm])
    counter = {"Name": "BlockSquare", "Transform": arm["Transform"]}
    return json.dumps({"SaveName": "fight", "ObjectStates": [kal, ruin, bag, counter]}, indent=1).encode()


def gltf_scene() -> bytes:
    """A glTF scene: a fighter with keys in a group, tilted terrain, a camera, checks."""
    tree = wedge()
    fighters = [node("Kal", fighter=True, facing=90, base="none"), node("Vex", fighter=True, at=(0.0, 0.0, 0.2))]
    ruin = node("ruin", at=(0.0, 0.0, 0.1), rotation=(0.3, 0.1, 0.0, 0.95), scale=(1.0, 2.0, 1.0))
    tree["nodes"] += [*fighters, ruin, {"name": "Orlock", "children": [1]}, {"name": "Camera", "camera": 0}]
    checks = [{"attacker": "Kal", "target": "Vex"}]
    tree["scenes"] = [{"nodes": [4, 2, 3, 5], "extras": {"silhouette": {"title": "Duel", "check": checks}}}]
    return glb(tree)


def with_meshes(folder: Path) -> Path:
    """A folder as the game keeps meshes, with the one that the save names."""
    folder.mkdir()
    (folder / MESH).write_text(pyramid())
    return folder


def bundle(scene: Path) -> bytes:
    """The bundle of a scene, without pictures."""
    options = JudgingOptions(choose(), Cache(None))
    return bundled(scene, Selection(), options, pictures=False).content


def with_damage_inside(content: bytes, random: Random) -> bytes:
    """A bundle of which one file is damaged, or has other numbers, in a sound archive."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(held, "w") as written:
        chosen = random.choice(["bundle.json", random.choice(archive.namelist())])
        for name in archive.namelist():
            data = archive.read(name)
            written.writestr(name, random.choice([damaged, varied])(data, random) if name == chosen else data)
    return held.getvalue()
