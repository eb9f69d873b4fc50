"""One check of a scene, from Python."""

from __future__ import annotations

from os import PathLike

from silhouette.judging.loading import content_with, load_scene, pixel_of
from silhouette.judging.selection import Selection
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.base import Settings, Verdict
from silhouette.scenes.scene import Scene


def check(
    scene: Scene | str | PathLike[str],
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> Verdict:
    """The verdict on whether the attacker sees the target, and whether the target is in cover.

    Args:
        scene: from `load_scene`, or the path of one.
        attacker, target: names of two fighters or vehicles of the scene.
        arc: "front", "left", "right" or "rear": the vision arc to look from; by default any that the attacker has.
        renderer: "auto", "embree", "gl" or "reference", or one that is started already, from
            `silhouette.renderers.choose`: for many checks that saves preparing the meshes again.
        pixel: mm per pixel at the target, above 0 and at most 10; by default what the scene says, else 0.1.
        error: how large the stated error may stay where no other verdict is near, a share above 0 and at most 0.05;
            by default what the scene says, else 0.002. More is faster.

    Raises:
        RequestError: where a name, an arc or a renderer is not there, or ``pixel`` or ``error`` is out of bounds.
        RendererUnavailable: where the renderer asked for cannot run on this machine.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from silhouette.files.cache import Cache
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "duel.toml")
    >>> _ = file.write_text('''
    ... rules = "necromunda"
    ... fighter = [
    ...   { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
    ...   { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
    ... ]
    ... terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]
    ... ''')
    >>> scene = load_scene(file, cache=Cache(None))
    >>> verdict = check(scene, "Kal", "Vex", renderer="reference", pixel=0.2)
    >>> verdict.verdict
    'partial cover'
    >>> print(verdict.reason)
    32.8 % of Vex is obscured by the wall; less than half: partial cover
    >>> check(file, "Vex", "Kal", renderer="reference", pixel=0.2).verdict
    'hidden'
    >>> check(scene, "Kal", "Wex")
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: ...duel.toml: nothing is called 'Wex'; did you mean 'Vex'?
    >>> folder.cleanup()
    """
    scene = content_with(scene if isinstance(scene, Scene) else load_scene(scene), error)
    (question,) = Selection(attacker, target, arc).checks(scene)
    fine = pixel_of(scene, pixel)
    ready = choose(renderer) if isinstance(renderer, str) else renderer
    (verdict,) = rule_called(scene.rules).judge(scene, [question], Settings(ready, fine))
    return verdict
