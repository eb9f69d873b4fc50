"""DRAW: games with models on a table: eye view, plan and side view of a check, the table from above and in 3D."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from silhouette.drawing.games import GameDrawing
from silhouette.drawing.in_3d.shapes import check_available
from silhouette.drawing.in_3d.stage import Stage, models_of, stage_of_table
from silhouette.drawing.sheet import TWO_COLUMNS, Figure, Sheet
from silhouette.drawing.table.eye_view import draw_eye_frame
from silhouette.drawing.table.plan_view import draw_plan_view
from silhouette.drawing.table.side_view import draw_side_view
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.table.table_view import draw_table
from silhouette.files.cache import Cache
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import MeasuredVerdict, Verdict
from silhouette.rules.on_table import OfTable
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene


def table_figures(
    scene: TableScene,
    verdict: MeasuredVerdict,
    renderer: Renderer,
    overlay: Callable[[Sheet, Sightline], None] | None = None,
) -> list[Figure]:
    """The eye view, with what only one game shows over it, the plan and the side view of a verdict, drawn from its
    observation; the renderer need not be the one that measured. ValueError where the observation was not kept.
    """
    line = Sightline(scene, verdict, verdict.evidence, renderer)
    return [
        Figure("eye", lambda sheet: draw_eye_frame(sheet, line, overlay)),
        Figure("plan", lambda sheet: draw_plan_view(sheet, line)),
        Figure("side", lambda sheet: draw_side_view(sheet, line)),
    ]


class TableDrawing(GameDrawing[OfTable]):
    """What is drawn of a game with models on a table; ``are_facings_shown`` on a whole table."""

    are_facings_shown = True

    def figures(self, scene: OfTable, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
        """Eye view, plan and side view."""
        return table_figures(scene, verdict, renderer)

    def overview(self, scene: OfTable, *, as_ground: bool = False) -> Figure:
        """The table from above, on a grid in inches."""
        show = partial(draw_table, scene=scene, facings=self.are_facings_shown, as_ground=as_ground)
        return Figure("table", show, width=TWO_COLUMNS)

    def stage(self, scene: OfTable, judged: Sequence[tuple[Check, Verdict]], cache: Cache) -> Stage:
        """The table with its models, and the line of sight, arcs and blockers of each check."""
        return stage_of_table(scene, [verdict for _, verdict in judged], cache)

    def check_stage(self, scene: OfTable) -> None:
        """Checks that the library that simplifies meshes is there, if it is needed."""
        models, most = models_of(scene)
        if any(len(model.mesh.faces) > most for model in models):
            check_available()
