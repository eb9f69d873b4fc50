"""JUDGE: Necromunda's eye view as one picture with a caption, for both players; it needs no matplotlib."""

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
"""Width and height of the view itself, in the pixels that it is rendered with."""


def draw_eye_view(scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer, path: Path) -> None:
    """Writes what the attacker sees as a PNG with a caption: the evidence of a verdict, for both players.

    What is seen of the target has one colour; what is obscured has another, hatched, and is drawn through what hides
    it; the rest of the table is shaded from the depth image. The verdict, with the scene's path, lies as JSON in the
    text chunk "silhouette".

    Args:
        scene: what was judged.
        verdict: the ruling, with its observation.
        renderer: draws the picture; it need not be the one that measured.
        path: of the picture, ending in .png, in a folder that is there.

    Raises:
        FileError: where it cannot be written; then nothing is.
        ValueError: where the verdict has not kept its observation.
    """
    check_png_path(path)
    observation = verdict.evidence
    image = image_of(scene, observation, renderer, *PICTURE)
    blocking = {blocker.name for blocker in verdict.blockers if blocker.alone > 0}
    picture = Image.fromarray(coloured(image, scene, observation.sight.target, blocking))
    label(picture, image, scene, verdict)
    page = add_caption(picture, image, scene, verdict, renderer)
    save_png(page, path, {"scene": str(scene.path), **verdict.row()})
