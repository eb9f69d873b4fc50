"""DRAW: Necromunda's eye view as one PNG with a caption, for both players; it needs no matplotlib."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from silhouette.drawing.page import FINE, MARGIN, WIDTH, check_png_path, save_png
from silhouette.drawing.table.eye_image import image_of
from silhouette.drawing.table.eye_view import coloured
from silhouette.renderers.protocol import Renderer
from silhouette.rules.necromunda.caption import add_caption, label
from silhouette.rules.necromunda.results import NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene

PICTURE = (WIDTH - 2 * MARGIN, 720 * FINE)
"""Pixels: width and height of the picture above the caption."""


def draw_eye_view(scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer, path: Path) -> None:
    """Writes the eye view of a verdict as a PNG with a caption.

    The seen parts of the target have one colour; its obscured parts have another, are hatched, and are drawn over the
    blockers; the other pieces are shaded. The text chunk "silhouette" is JSON: the verdict's row, and the name of the
    scene's file.

    Args:
        scene: the scene that was judged.
        verdict: the verdict, with its observation.
        renderer: renders the picture; it need not be the one that measured.
        path: of the picture, ending in .png, in a folder that exists.

    Raises:
        FileError: where the file cannot be written; then none is left behind.
        ValueError: where the verdict has not kept its observation.
    """
    check_png_path(path)
    observation = verdict.evidence
    image = image_of(scene, observation, renderer, *PICTURE)
    blocking = {blocker.name for blocker in verdict.blockers if blocker.obscures}
    picture = Image.fromarray(coloured(image, scene, observation.sight.target, blocking))
    label(picture, image, scene, verdict)
    page = add_caption(picture, image, scene, verdict, renderer)
    save_png(page, path, {"scene": scene.path.name, **verdict.row()})
