"""TELL: a map of the tutorial is made and drawn, with the facts that its text tells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from silhouette.doubt.maps import MapRequest
from silhouette.drawing.maps import write_map_picture
from silhouette.judging import mapped
from silhouette.pages.tutorial.words import Mapped
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.scene import Scene
from silhouette.units import INCH


@dataclass(frozen=True)
class MapFacts:
    """What a map came to, in words.

    Attributes:
        places: how many places the model could stand at.
        fits: at how many of them its base fits.
        nearest: how far away the nearest place with each cover is, in inches.
    """

    places: str
    fits: str
    nearest: str


def map_scene(wanted: Mapped, scene: Scene, renderer: Renderer, path: Path) -> MapFacts:
    """Makes a map of a scene, and draws it.

    Args:
        wanted: what the map is of.
        scene: the scene.
        renderer: measures.
        path: of the picture.

    Raises:
        FileError: where the picture cannot be written.
    """
    request = MapRequest(wanted.move, wanted.attackers, grid=wanted.grid, within=wanted.within)
    made = mapped(scene, request, renderer)
    write_map_picture(made, path)
    near = [f'{verdict} at {away / INCH:.1f}"' for verdict, (_, away) in made.nearest.items()]
    return MapFacts(f"{len(made.index):,}", f"{int(made.cells.stands.sum()):,}", ", ".join(near))
