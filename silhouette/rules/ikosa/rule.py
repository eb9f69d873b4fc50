"""JUDGE: the Ikosa Framework as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from silhouette.common.text import coordinates
from silhouette.rules.abilities import HasDescription, HasFirstScene
from silhouette.rules.base import ExactRule, PieceTable
from silhouette.rules.ikosa.judge import LEVELS, NAME, IkosaVerdict, ruling
from silhouette.rules.ikosa.phrases import PHRASES, short_reason
from silhouette.rules.ikosa.scene import CellScene, CellSceneEntry, Readings, in_words, load_cell_scene


class Ikosa(ExactRule[CellScene, IkosaVerdict], HasDescription[CellScene], HasFirstScene):
    """The Ikosa Framework's rules for cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "Ikosa Framework"
    reads = ("solid_cells", "boxes", "effects", "creature", "check")
    example = "scenes/ikosa/down_from_a_block.toml"
    scene_entry = CellSceneEntry
    readings_entry = Readings
    verdict_type = IkosaVerdict
    phrases = PHRASES
    levels = LEVELS
    kind_of_lookers = "creatures"
    without_arcs = "creatures in cells have no vision arcs; ask without an arc"

    read = staticmethod(load_cell_scene)

    def lookers(self, scene: CellScene) -> list[str]:
        """The names of the creatures."""
        return [creature.name for creature in scene.creatures]

    ruling = staticmethod(ruling)

    short_reason = staticmethod(short_reason)

    def basis(self, scene: CellScene) -> list[tuple[str, str]]:
        """How creatures attack."""
        return [("mode", scene.mode)]

    def pieces(self, scene: CellScene) -> PieceTable:
        """Creatures, then solid cells and boxes, with their places."""
        rows = list[tuple[str, ...]]()
        for creature in scene.creatures:
            cells = " ".join(f"[{', '.join(map(str, cell))}]" for cell in creature.cells)
            gravity = f"gravity {'+' if creature.gravity.high else '-'}{'xyz'[creature.gravity.axis]}"
            how = ", flying" if creature.flying else ""
            how += ", gives cover" if creature.name in scene.effect_names else ""
            rows.append((creature.name, "creature", cells, f"{gravity}{how}"))
        whole = len(scene.solid_cells)
        for number, (low, high) in enumerate(scene.solids.boxes, 1):
            name = "solid cell" if number <= whole else f"box {number - whole}"
            rows.append((name, "solid", f"{coordinates(low)} to {coordinates(high)}", ""))
        rows += [("effect", "effect", in_words(cell), "gives cover, blocks nothing") for cell in scene.effect_cells]
        return PieceTable(("name", "kind", "where", "how"), rows)


IKOSA = Ikosa()
