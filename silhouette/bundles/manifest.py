"""KEEP: what a bundle says of itself, in its file bundle.json: versions, settings, files with checksums, results."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from silhouette.common.errors import FileError
from silhouette.common.installation import SCHEMA_VERSION, VERSION, document, version_of
from silhouette.common.text import json_text
from silhouette.files.documents import MAX_DOCUMENT_BYTES, document_of
from silhouette.files.schema import Location, validated

MANIFEST = "bundle.json"  # the manifest's name in the archive
SCENE_FOLDER = "table"  # the folder of the archive in which the scene and what it rests on lie
PICTURE_FOLDER = "pictures"  # the folder of the archive in which the figures lie

VERDICT_PACKAGES = (
    *("numpy", "scipy", "shapely", "trimesh", "mapbox_earcut", "DracoPy", "pydantic"),
    *("embreex", "pyrender2", "PyOpenGL", "warp-lang"),
)
"""The packages on which a number in a verdict can rest."""

Role = Literal["scene", "model", "mesh", "buffer", "picture"]

_READ_CONFIG = ConfigDict(extra="ignore", frozen=True)


class FileRecord(BaseModel):
    """A file of a bundle, as it was written."""

    model_config = _READ_CONFIG

    path: str = Field(description="a path in the bundle", max_length=2000)
    role: Role = Field(description="scene, model, mesh, buffer or picture")
    size: int = Field(description="a size in bytes", ge=0, alias="bytes")
    sha256: str = Field(description="64 hexadecimal digits", pattern="^[0-9a-f]{64}$")

    @classmethod
    def of(cls, path: str, role: Role, content: bytes) -> FileRecord:
        """The record of a file with this content."""
        digest = hashlib.sha256(content).hexdigest()
        return cls.model_validate({"path": path, "role": role, "bytes": len(content), "sha256": digest})


class SettingsRecord(BaseModel):
    """How a scene was judged: what its file does not say itself."""

    model_config = _READ_CONFIG

    renderer: str = Field(description="the name of a renderer")
    device: str | None = Field(None, description="the device of the renderer, or null")
    pixel: float | None = Field(None, description="mm above 0 and at most 10, or null for the scene's", gt=0, le=10)
    error: float | None = Field(
        None, description="a share above 0 and at most 0.05, or null for the scene's", gt=0, le=0.05
    )
    attacker: str | None = Field(None, description="who looks, or null for the scene's checks", alias="from")
    target: str | None = Field(None, description="the name of who is looked at, or null for everyone", alias="to")
    at: dict[str, list[float]] = Field({}, description="a table of places that were tried, by the names of pieces")
    readings: dict[str, Any] = Field({}, description="a table of readings of the rules")


class Manifest(BaseModel):
    """All that a bundle says of itself; keys as in its file."""

    model_config = _READ_CONFIG

    silhouette: str = Field(description="the version of Silhouette that wrote it", max_length=100)
    schema_: Annotated[int, Field(description="a whole number", alias="schema")]
    bundle: str = Field(description="the path of the scene in the bundle", max_length=2000)
    title: str | None = Field(None, description="the scene's title")
    rules: str = Field(description="the name of a game")
    versions: dict[str, str | None] = Field(description="a table of versions")
    settings: SettingsRecord = Field(description="a table of settings")
    files: tuple[FileRecord, ...] = Field(description="a list of files")
    results: tuple[dict[str, Any], ...] = Field(description="a list of results")
    warnings: tuple[str, ...] = Field((), description="a list of sentences")
    left_out: tuple[str, ...] = Field((), description="a list of what is named and was not there")


def versions() -> dict[str, str | None]:
    """The versions of Python and of `VERDICT_PACKAGES` here, and the kind of machine; None for what is not
    installed.
    """
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: version_of(name) for name in VERDICT_PACKAGES},
    }


def manifest_bytes(about: Mapping[str, Any]) -> bytes:
    """The content of the manifest's file, given the keys of a `Manifest` but for versions."""
    manifest = Manifest.model_validate(document({**about, "versions": versions()}))
    exclude = {} if manifest.settings.at else {"settings": {"at"}}
    return (
        json_text(manifest.model_dump(by_alias=True, exclude=exclude), indent=1, ensure_ascii=False) + "\n"
    ).encode()


def read_manifest(archive: Path, content: bytes) -> Manifest:
    """The manifest in the content of bundle.json; FileError where it is no manifest, or one of a later kind."""
    path = archive / MANIFEST
    if len(content) > MAX_DOCUMENT_BYTES:
        raise FileError(path, f"is larger than {MAX_DOCUMENT_BYTES >> 20} MiB; bundle the scene again")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(path, "not UTF-8 text; bundle the scene again") from None
    document = document_of(path, text)
    kind = document.get("schema")
    if isinstance(kind, int) and kind > SCHEMA_VERSION:
        raise FileError(
            archive,
            f"was written by a later Silhouette, {document.get('silhouette')!s:.40}; this is {VERSION}: update it",
        )
    return validated(Manifest, document, Location(path))
