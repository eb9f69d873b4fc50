"""The command line, tables of other programs: ``silhouette import`` and ``silhouette export``."""

from __future__ import annotations

from silhouette.cli.commands import ExportOptions, ImportOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import cache_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.exchange.folder import SCENE_FILE, read_table, write_table
from silhouette.exchange.gltf_export import write_glb
from silhouette.exchange.gltf_extras import EXTRAS_UNITS
from silhouette.exchange.tts_export import write_saved_object
from silhouette.files.changing import check_folder
from silhouette.judging.loading import load_scene

EXPORT_FORMATS = ("glb", "tts")  # what a scene can be written as


def import_(given: ImportOptions) -> int:
    """Makes a scene of a table."""
    if given.units is not None and given.units not in EXTRAS_UNITS:
        raise RequestError(f"no unit '{given.units}'; {did_you_mean(given.units, EXTRAS_UNITS)}")
    check_folder(given.out, [given.file, *([] if given.meshes is None else [given.meshes])])
    cache = cache_of(given)
    with Waiting(f"importing {given.file}", quiet=given.quiet or given.as_json, forking=True):
        table = read_table(given.file, given.meshes, cache, stand_ins=given.stand_ins, units=given.units)
        written = write_table(table, given.out, cache)
    kinds = [entry.piece.kind for entry in written.pieces]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("fighter", "vehicle", "terrain") if kind in kinds)
    lines = [f"{given.out / SCENE_FILE}: {counts or 'no piece at all'}; {len(written.left_out)} left out"]
    if not given.quiet:
        lines += [f"left out: {entry.name}: {entry.why}" for entry in written.left_out]
        lines += [f"warning: {warning}" for warning in written.warnings]
    show_result(written.record(), *lines, as_json=given.as_json)
    return ExitStatus.OK


def export(given: ExportOptions) -> int:
    """Writes a scene as a table of another program."""
    kind = given.kind or given.to
    if kind is None:
        raise RequestError("--format is missing; silhouette export --help says what there is")
    if kind not in EXPORT_FORMATS:
        raise RequestError(f"no format '{kind}'; {did_you_mean(kind, EXPORT_FORMATS)}")
    cache = cache_of(given)
    with Waiting(f"exporting {given.scene}", quiet=given.quiet or given.as_json):
        scene = load_scene(given.scene, cache=cache)
        if kind == "glb":
            file, meshes, count = given.out, None, write_glb(scene, given.out)
        else:
            written = write_saved_object(scene, given.out, cache)
            file, meshes, count = written.file, written.meshes, written.pieces
    content = {"file": str(file), **({} if meshes is None else {"meshes": str(meshes)}), "pieces": count}
    line = f"{file}: pieces: {count}" + ("" if meshes is None else f"; their meshes are in {meshes}")
    show_result(content, line, as_json=given.as_json)
    return ExitStatus.OK
