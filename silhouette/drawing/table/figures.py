"""DRAW: the three figures of a check on a table: eye view, plan and side view."""

from __future__ import annotations

from collections.abc import Callable

from silhouette.drawing.sheet import Sheet
from silhouette.drawing.table.eye_view import draw_eye_frame
from silhouette.drawing.table.plan_view import draw_plan_view
from silhouette.drawing.table.side_view import draw_side_view
from silhouette.drawing.table.sightlines import Sightline
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure, MeasuredVerdict
from silhouette.scenes.table import TableScene


def table_figures(
    scene: TableScene,
    verdict: MeasuredVerdict,
    renderer: Renderer,
    overlay: Callable[[Sheet, Sightline], None] | None = None,
) -> list[Figure]:
    """The eye view, the plan and the side view of a verdict, drawn from its observation.

    Args:
        scene: the scene that was judged.
        verdict: the verdict, with its observation.
        renderer: renders the pieces round the target; it need not be the one that measured.
        overlay: draws what only one game shows over the eye view.

    Raises:
        ValueError: where the verdict has not kept its observation.
    """
    line = Sightline(scene, verdict, verdict.evidence, renderer)
    return [
        Figure("eye", lambda sheet: draw_eye_frame(sheet, line, overlay)),
        Figure("plan", lambda sheet: draw_plan_view(sheet, line)),
        Figure("side", lambda sheet: draw_side_view(sheet, line)),
    ]
