"""MANY, from Python: rows for a notebook, each a flat table of plain values, of which pandas makes a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any

from silhouette.batches.export import SCENE_FIELD, failed
from silhouette.batches.run import Pool, check_settings, judge_scenes, make_pool
from silhouette.batches.schedule import RowsInMemory
from silhouette.batches.settings import BatchSettings
from silhouette.common.errors import SilhouetteError
from silhouette.common.text import strict
from silhouette.judging import JudgingOptions, Selection, content_with, judge_all, load_scene
from silhouette.renderers import started
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.finding import scenes_of
from silhouette.scenes.scene import Scene
from silhouette.workers import cores, starting

WORTH_A_BATCH = 200
"""Checks of a matrix from which on it is worth to start processes anew, which takes them about a second."""


def matrix(
    scene: Scene | str | PathLike[str],
    *,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Everyone against everyone: a row for each pair, as the contract names its keys.

    Args:
        scene: a scene from `silhouette.load_scene`, or the path of a scene file.
        renderer: "auto", "embree", "cuda", "gl" or "reference", or one that is started already, from
            `silhouette.choose`.
        pixel: mm per pixel at the target, above 0 and at most 10; by default the value in the scene, else 0.1.
        error: how large the stated error may stay where no other verdict is near; see `silhouette.check`.
        workers: processes that judge at the same time; by default as many as there are cores. A process with threads,
            such as a notebook, is not forked: there a scene that is given by its path, with `WORTH_A_BATCH` checks or
            more, is judged as a batch, by processes started anew, and any other in this process.

    Raises:
        FileError: where the scene cannot be read.
        RequestError: where fewer than two stand there, a renderer is not there, or a number is out of bounds.
        RendererUnavailable: where the chosen renderer cannot run on this machine.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "duel.toml")
    >>> _ = path.write_text('''
    ... rules = "necromunda"
    ... fighter = [
    ...   { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
    ...   { name = "Vex", at = [0, 200], facing = 270, parts = [{ box = [12, 12, 30] }], eye = [0, 6, 26] },
    ... ]
    ... terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]
    ... ''')
    >>> for row in matrix(path, renderer="reference", pixel=0.2):
    ...     print(row["attacker"], row["target"], row["verdict"], round(row["occluded"], 2))
    Kal Vex partial cover 0.33
    Vex Kal open 0.0
    >>> folder.cleanup()
    """
    read = content_with(scene if isinstance(scene, Scene) else load_scene(scene), error)
    checks = Selection(everyone=True).checks(read)
    starts_anew = workers != 1 and len(checks) >= WORTH_A_BATCH and starting.start_method() == "execute"
    if starts_anew and not isinstance(scene, Scene) and isinstance(renderer, str):
        rows = list(batch(scene, everyone=True, renderer=renderer, pixel=pixel, error=error, workers=workers))
        if not any(map(failed, rows)):
            return rows  # else the error is raised below
    options = JudgingOptions(started(renderer), pixel=pixel, workers=cores() if workers is None else workers)
    results = judge_all([(read, check) for check in checks], options)
    return [{SCENE_FIELD.key: read.path.as_posix(), **strict(result.row())} for result in results]


def batch(  # noqa: PLR0913  # the options of a command
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    everyone: bool = False,
    renderer: str = "auto",
    pixel: float | None = None,
    error: float | None = None,
    workers: int | None = None,
    timeout: float | None = None,
    cluster: str | None = None,
    cached: bool = True,
    device: str | None = None,
) -> Iterator[dict[str, Any]]:
    """A row for each check of many scenes, in their order, as they come; what goes wrong is a row with ``problem``.

    Worker processes judge while the caller iterates. Nothing is kept on the disk: for batches that take hours there is
    ``silhouette batch``, which can be resumed.

    Args:
        paths: scene files, folders, globs, or one of these; without any there are no rows.
        everyone: everyone against everyone, instead of the checks in each scene.
        renderer: "auto", "embree", "cuda", "gl" or "reference".
        pixel: mm per pixel at the target, above 0 and at most 10; by default the value in each scene, else 0.1.
        error: how large the stated error may stay where no other verdict is near; see `silhouette.check`.
        workers: processes; by default as many as there are cores.
        timeout: seconds that reading one scene, or one check, may take; then it is a row with ``problem``.
        cluster: the address of a Dask scheduler, whose workers are taken instead.
        cached: whether meshes are kept on disk.
        device: for ``cuda`` and ``gl``, its name as ``silhouette doctor`` lists it; by default the workers share the
            GPUs.

    Raises:
        SilhouetteError: where the paths mean no scene, or no scene could be judged with such options.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> for height in (10, 40):
    ...     _ = Path(folder.name, f"wall {height}.toml").write_text(f'''
    ...     rules = "necromunda"
    ...     fighter = [
    ...       {{ name = "Kal", at = [0, 0], parts = [{{ box = [12, 12, 30] }}], eye = [0, 6, 15] }},
    ...       {{ name = "Vex", at = [0, 200], parts = [{{ box = [12, 12, 30] }}] }},
    ...     ]
    ...     terrain = [{{ name = "wall", at = [0, 185], parts = [{{ box = [60, 5, {height}] }}] }}]
    ...     check = [{{ attacker = "Kal", target = "Vex" }}]
    ...     ''')
    >>> for row in batch([folder.name, "gone.toml"], renderer="reference", pixel=0.5, workers=1):
    ...     print(Path(row["scene"]).name, row.get("verdict"), row["error"])
    wall 10.toml partial cover 0.0...
    wall 40.toml hidden 0.0
    gone.toml None gone.toml: there is no such file; give the path of one that is there
    >>> folder.cleanup()
    """
    settings = BatchSettings(renderer, pixel, everyone, cached, device, error)
    check_settings(settings)
    scenes = scenes_of([paths] if isinstance(paths, str | PathLike) else paths)
    return _in_order(scenes, make_pool(settings, workers, timeout, cluster))


def _in_order(scenes: list[str], workers: AbstractContextManager[Pool]) -> Iterator[dict[str, Any]]:
    memory = RowsInMemory()
    if not scenes:
        return
    order = _numbers(scenes, memory)
    following = next(order)
    for _ in judge_scenes(scenes, workers, memory):
        while following in memory.rows:
            yield {SCENE_FIELD.key: following[0], **memory.rows.pop(following)}
            following = next(order, ("", 0))
    if memory.rows:
        raise SilhouetteError("not every check was judged")


def _numbers(scenes: list[str], memory: RowsInMemory) -> Iterator[tuple[str, int]]:
    """The scene and number of each row, in order; the first row of a scene before the scene is opened."""
    for scene in scenes:
        yield scene, 0
        for check in range(1, memory.scenes[scene].checks):
            yield scene, check
