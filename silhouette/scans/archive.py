"""SCAN: the mesh in a zip archive with its materials and pictures, as phones' apps export it; all stays in memory."""

from __future__ import annotations

import posixpath

from silhouette.files.archives import Archive, ArchiveError, collision_key
from silhouette.meshes.formats.base import Refused, referred
from silhouette.meshes.opening import FORMATS, Source, check_signature

USD = ("usdz", "usd", "usdc", "usda")  # the endings of what Apple's apps write

NO_USD = (
    "is USD, which is not read; export it as GLB: in the app, or in Blender by File, Import, USD, then Export, glTF"
)


def mesh_in(data: bytes) -> Source:
    """The one mesh of a zip archive, with what fetches its materials and pictures; of several the one OBJ.

    Raises:
        Refused: where the archive holds no mesh or several, is encrypted or damaged, or is made to harm: names that
            lead out of it, links, far more than it seems to hold.
    """
    try:
        archive = Archive(data, "export the scan again")
        name = _mesh(archive.names())
        content = archive.read(name)
    except ArchiveError as error:
        raise Refused(str(error)) from None
    ending = _ending(name)
    check_signature(content, ending)
    folder = posixpath.dirname(name)
    return Source(ending, content, lambda reference: _fetched(archive, folder, reference))


def _mesh(names: dict[str, str]) -> str:
    """The name of the one mesh, among names as `Archive.names` gives them."""
    every = sorted(name for name in names if _ending(name) in FORMATS)
    meshes = [name for name in every if _ending(name) == "obj"]
    meshes = meshes if len(meshes) == 1 else every  # an OBJ beside the same scan in other formats
    if len(meshes) > 1:
        listed = ", ".join(posixpath.basename(names[name])[:60] for name in meshes[:3])
        raise Refused(f"is an archive of {len(meshes)} meshes ({listed}); unpack it and name the one that is meant")
    if not meshes:
        if any(_ending(name) in USD for name in names):
            raise Refused(NO_USD)
        raise Refused("is an archive without a mesh in it; an OBJ with its materials, a GLB or a PLY can be read")
    return meshes[0]


def _fetched(archive: Archive, folder: str, reference: str) -> bytes:
    """The bytes of a file that the mesh in a folder refers to: anywhere in the archive, by its path from there."""
    name = collision_key(posixpath.join(folder, referred(reference)))
    if name not in archive.names():
        raise Refused(f"refers to {reference[:80]!r}, which its archive lacks")
    try:
        return archive.read(name)
    except ArchiveError as error:
        raise Refused(str(error)) from None


def _ending(name: str) -> str:
    return posixpath.splitext(name)[1].lower().removeprefix(".")
