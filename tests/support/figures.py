"""Figures drawn for tests, and read back from their SVG."""

from __future__ import annotations

import json
import re
import tomllib
from base64 import b64decode
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from silhouette.common.errors import RendererUnavailable
from silhouette.drawing.figures import figures_of
from silhouette.drawing.saving import FIGURE_NAMESPACE, FigureDescription, save
from silhouette.drawing.sheet import Sheet, settings
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from tests.support.rulings import ruled

SCENES = Path(__file__).resolve().parents[2] / "scenes"
SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"

COLOURS = {(86, 180, 233): "seen", (213, 94, 0): "obscured", (240, 228, 66): "outside"}
"""What the colours mean in which the pixels that were counted lie over an eye view."""


@lru_cache(maxsize=1)
def cpu_renderer() -> Renderer:
    """Embree, or where it has no wheels the reference."""
    try:
        return choose()
    except RendererUnavailable:
        return choose("reference")


@lru_cache(maxsize=4)
def scene_at(path: Path) -> Any:
    """The scene of a file; some are kept, as tests of one scene follow each other, and all take 140 MB."""
    return load_scene(path)


def drawn(
    scene: Any,
    number: int,
    folder: Path,
    pixel: float = 0.1,
    *,
    only: str | None = None,
    text: bool = True,
    **look: Any,
) -> dict[str, Path]:
    """The figures of a check of a scene as SVG, by their names.

    Args:
        scene: from `silhouette.judging.load_scene`, or the path of one.
        number: of the check, from 1.
        folder: for the files.
        pixel: mm per pixel.
        only: the name of the one figure to draw.
        text: whether its words stay text, as with ``draw --text``.
        look: options of `silhouette.drawing.sheet.Sheet`.
    """
    scene = scene_at(scene) if isinstance(scene, Path) else scene
    check = scene.checks[number - 1]
    renderer = cpu_renderer()
    verdict = ruled(rule_called(scene.rules), scene, check, renderer, pixel, keep=True)
    files = {}
    with settings():
        chosen = [one for one in figures_of(scene, check, verdict, renderer) if only in (None, one.name)]
        for figure in chosen:
            sheet = Sheet(**look)
            figure.draw(sheet)
            files[figure.name] = folder / f"{figure.name}.svg"
            told = FigureDescription(figure.name, sheet.about, {**verdict.row(), **sheet.data})
            save(sheet.finish(), files[figure.name], told, text=text)
    return files


def loaded(document: dict[str, Any], folder: Path) -> Any:
    """The scene of a document; paths in it are seen from ``folder``."""
    return rule_called(document["rules"]).load(folder / "scene.toml", document, Cache(None))


def document_of(path: Path) -> dict[str, Any]:
    """What a scene file says."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def checks_in(*folders: str) -> list[tuple[Path, int]]:
    """Every check of the scenes in some folders of scenes/."""
    return [
        (path, number)
        for folder in folders
        for path in sorted((SCENES / folder).glob("*.toml"))
        for number in range(1, len(document_of(path)["check"]) + 1)
    ]


def case_id(case: tuple[Path, int]) -> str:
    """A case in words."""
    return f"{case[0].parent.name}-{case[0].stem}-{case[1]}"


def texts(file: Path) -> list[str]:
    """What a figure says, text by text, whether its words are text or outlines."""
    tree = ElementTree.parse(file)
    outlined = [group.get("aria-label") or "" for group in tree.iter(f"{SVG}g") if group.get("aria-label")]
    return outlined + ["".join(one.itertext()).strip() for one in tree.iter(f"{SVG}text")]


def verdict_in(file: Path) -> dict[str, Any]:
    """The verdict that a figure was drawn from."""
    (data,) = ElementTree.parse(file).iter(f"{{{FIGURE_NAMESPACE}}}figure")
    found: dict[str, Any] = json.loads(data.text or "")
    return found


def rasters(file: Path) -> dict[str, NDArray[np.uint8]]:
    """The rasters in a figure, (height, width, 4), by their id; one that has none of its own is "picture"."""
    found = {}
    for image in ElementTree.parse(file).iter(f"{SVG}image"):
        kind, data = re.split(r";base64,\s*", image.get(HREF) or "", maxsplit=1)
        assert kind in ("data:image/png", "data:image/jpeg")
        with Image.open(BytesIO(b64decode(data))) as picture:
            name = image.get("id") or ""
            found["picture" if name.startswith("image") else name] = np.asarray(picture.convert("RGBA"))
    return found


def pixel_counts(file: Path) -> dict[str, int]:
    """How many pixels of each kind lie over an eye view."""
    pixels = rasters(file)["counted"].reshape(-1, 4)
    shown = pixels[pixels[:, 3] > 0, :3]
    colours, counts = np.unique(shown, axis=0, return_counts=True)
    found = {COLOURS[tuple(colour)]: int(count) for colour, count in zip(colours.tolist(), counts, strict=True)}
    return {kind: found.get(kind, 0) for kind in COLOURS.values()}


def renamed(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A scene in which everything has a hostile name, a number behind it to tell them apart."""
    kinds = ("terrain", "fighter", "vehicle", "unit", "cover", "character", "object", "creature")
    names: dict[str, str] = {}
    for kind in kinds:
        for one in document.get(kind, []):
            names[one["name"]] = f"{name}{len(names)}"
    renamed = {
        kind: [
            {**one, "name": names[one["name"]], **({"on": names[one["on"]]} if "on" in one else {})}
            for one in document[kind]
        ]
        for kind in kinds
        if kind in document
    }
    checks = [
        {key: names.get(value, value) if isinstance(value, str) and key in ("attacker", "target") else value
         for key, value in check.items() if key != "expect"}
        for check in document["check"]
    ]  # fmt: skip
    return {**document, **renamed, "check": checks}
