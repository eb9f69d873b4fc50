"""MANY, from Python: rows for a notebook, each a flat table of plain values, of which pandas makes a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any

from silhouette.batches.export import SCENE_FIELD
from silhouette.batches.run import Pool, check_settings, judge_scenes, make_pool
from silhouette.batches.schedule import RowsInMemory
from silhouette.batches.settings import BatchSettings
from silhouette.common.errors import SilhouetteError
from silhouette.scenes.finding import scenes_of


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
