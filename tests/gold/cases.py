"""Which figures are kept as accepted, and how they are drawn: on the CPU, with the type that comes with the project."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from silhouette.drawing.figures import write_main_figure
from silhouette.drawing.styles import DARK
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from tests.support.counting_figure import draw_counting
from tests.support.figures import SCENES, cpu_renderer, drawn, scene_at

FOLDER = Path(__file__).resolve().parent

PIXEL = 0.2
"""mm: half as fine as by default."""

SMALLER = 3
"""Rasters are kept this many times smaller than they are drawn."""


@dataclass(frozen=True)
class Case:
    """A check of a scene, and which of its figures are kept.

    Attributes:
        scene: in scenes/, without its ending.
        figures: their names; "picture" is the PNG of `silhouette check --picture`.
        number: of the check.
        look: options of `silhouette.drawing.sheet.Sheet`.
    """

    scene: str
    figures: tuple[str, ...]
    number: int = 1
    look: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of its files, but for the figure and the ending."""
        return f"{self.scene.replace('/', '-')}-{self.number}"

    def files(self, folder: Path) -> list[Path]:
        """Where its figures lie in a folder."""
        return [folder / f"{self.name}-{one}.{'png' if one == 'picture' else 'svg'}" for one in self.figures]

    def draw(self, folder: Path) -> list[Path]:
        """Draws its figures into a folder."""
        place, files = SCENES / f"{self.scene}.toml", self.files(folder)
        for figure, file in zip(self.figures, files, strict=True):
            if figure == "picture":
                _draw_picture(place, self.number, file)
            else:
                drawn(place, self.number, folder, PIXEL, only=figure, **self.look)[figure].rename(file)
        return files


def _draw_picture(place: Path, number: int, file: Path) -> None:
    scene = scene_at(place)
    check, renderer = scene.checks[number - 1], cpu_renderer()
    (verdict,) = rule_called(scene.rules).judge([(scene, check)], Settings(renderer, PIXEL, keep=True))
    write_main_figure(scene, check, verdict, renderer, file)
    with Image.open(file) as picture:
        size = picture.width // SMALLER, picture.height // SMALLER
        picture.convert("RGB").resize(size, Image.Resampling.BOX).save(file, optimize=True)


@dataclass(frozen=True)
class CountingCase:
    """How a check is counted, as `.github/docs/pages/answers.md` shows it."""

    scene: str = "necromunda/counting"
    figures: tuple[str, ...] = ()
    name: str = "counting"

    def files(self, folder: Path) -> list[Path]:
        """Where its figure lies in a folder."""
        return [folder / "counting.png"]

    def draw(self, folder: Path) -> list[Path]:
        """Draws its figure into a folder."""
        draw_counting(*self.files(folder))
        return self.files(folder)


GERMAN, FRENCH, SPANISH = ({"language": language} for language in ("de", "fr", "es"))

CASES = (
    Case("necromunda/two_blockers", ("eye", "plan", "side", "picture")),
    Case("necromunda/across_the_arc", ("plan",), look={**GERMAN, "style": DARK}),
    Case("necromunda/down_from_the_gantry", ("side",), look=SPANISH),
    Case("necromunda/example_3_vehicle_in_partial_cover", ("plan",), look={"names": False}),
    Case("skirmishcorps/elevation", ("eye", "plan", "side")),
    Case("skirmishcorps/prone_behind_walls", ("eye", "picture"), 2, look={**FRENCH, "style": DARK}),
    Case("crisis_protocol/in_cover", ("plan", "picture")),
    Case("crisis_protocol/red_skull_behind_terrain", ("plan",), look=GERMAN),
    Case("crisis_protocol/ultron_on_terrain", ("plan",), look={"style": DARK}),
    Case("tide_of_iron/blind_hexes_from_level_1", ("board", "map", "picture")),
    Case("tide_of_iron/hex_edge_blocked", ("board",), look={**SPANISH, "style": DARK}),
    Case("tide_of_iron/smoke_and_building", ("board", "map"), look=FRENCH),
    Case("ikosa/round_a_corner", ("cells", "picture")),
    Case("ikosa/shot_at_a_giant", ("cells",), look={**GERMAN, "style": DARK}),
    Case("ikosa/gravity_along_the_wall", ("cells",), look={"captions": False}),
    Case("dnd_5e/example", ("plan",)),
    CountingCase(),
)
