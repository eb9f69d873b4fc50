"""USD, as Apple's capture writes it (USDZ): the meshes that its stage shows at its default time.

bytes -> the layers of the file in a temporary folder, with every reference to what is not among them taken out
-> one stage -> its meshes in place, in metres with y up, as glTF has them

Pixar's library reads it, which is an extra and is imported when the first such file is read. It opens files by their
paths alone, so that the layers are written to a folder of their own, which is gone afterwards; pictures stay in memory.

Sources: the documentation of UsdGeom (Mesh: orientation, subdivision scheme and hole indices; Imageable: visibility and
purpose; metrics: metersPerUnit and upAxis), of UsdShade (UsdPreviewSurface), and the specification of USDZ (the first
file of the package is its default layer).
"""

from __future__ import annotations

import importlib
import math
import os
import posixpath
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.common.installation import extra_command
from silhouette.files.archives import Archive, ArchiveError, collision_key
from silhouette.meshes.formats.base import (
    MAX_MESH_PARTS,
    MAX_MESH_TRIANGLES,
    MAX_MESH_VERTICES,
    MAX_PART_NAME_LENGTH,
    MAX_TEXT_BYTES,
    MeshContent,
    MeshRefused,
    PartSurface,
    Skin,
    carried,
    no_triangles,
    too_many_parts,
)
from silhouette.meshes.formats.colours import as_bytes
from silhouette.meshes.formats.polygons import fans, mended, origins
from silhouette.meshes.health import misdirected

USD = ("usdz", "usd", "usda", "usdc")
"""The endings of USD files: USDZ is a zip archive of the others with their pictures, USDA is text, USDC is binary."""

MAX_USD_PRIMS = 100_000  # prims of a stage, each counted as often as references repeat it; so many nodes has a glTF
MAX_USD_LEVELS = 200
_MAX_BRACKETS = 4 * MAX_USD_LEVELS  # brackets of a text in each other: the parser of texts calls itself for each
_BLOCK_BYTES = 1 << 24
_OMISSION = " were left out"
_Y_UP_FROM_Z_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
_EXPORT = "export it as GLB: in the app, or in Blender by File, Import, USD, then Export, glTF"
_DAMAGED = f"is truncated or no USD file that can be read; {_EXPORT}"


def read(data: bytes, ending: str, whole: bool = False) -> MeshContent:
    """The meshes of a USD file at its default time, in metres with y up; in its own unit if it declares none.

    ``whole`` if colours are wanted: those of vertices, corners and faces, and the picture of a plain material.

    Raises MeshRefused, also where Pixar's library is not installed.
    """
    pixar = _pixar()
    _refuse_fatal(data, ending, whole)
    return _read(pixar, data, ending, whole)


def try_out(ending: str, whole: bool) -> None:
    """Reads a file from the standard input for nothing: Pixar's library ends the process on some damaged files."""
    with suppress(Exception):  # which the reader proper will raise again
        _read(_pixar(), sys.stdin.buffer.read(), ending, whole)


def _refuse_fatal(data: bytes, ending: str, whole: bool) -> None:
    """Refuses a file that ends the process which reads it; another process finds out."""
    code = f"from {__name__} import try_out; try_out({ending!r}, {whole})"
    with TemporaryDirectory(prefix="silhouette-") as folder:
        trial = subprocess.run(
            [sys.executable, "-P", "-c", code],  # -P: no module of the folder in which one happens to work
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": folder},
            check=False,
        )
    if trial.returncode not in (0, 1):  # 1 is of Python itself, and no fault of the file
        raise MeshRefused(_DAMAGED)


def _read(pixar: Any, data: bytes, ending: str, whole: bool) -> MeshContent:
    quiet = pixar.UsdUtils.CoalescingDiagnosticDelegate()  # while it lives, nothing is printed
    try:
        with TemporaryDirectory(prefix="silhouette-") as folder:
            layers = _Layers(pixar, Path(folder))
            try:
                layers.open(data, ending)
                return _StageReader(pixar, layers, whole).content()
            finally:
                layers.close()
    except pixar.Tf.ErrorException:
        raise MeshRefused(_DAMAGED) from None
    finally:
        quiet.TakeUncoalescedDiagnostics()  # or it would print them after all
        del quiet


def _pixar() -> Any:
    """Pixar's library; it is imported here, for it is an extra."""
    try:
        pixar = importlib.import_module("pxr")
        for module in ("Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdUtils", "Work"):
            importlib.import_module(f"pxr.{module}")
    except ImportError:
        raise MeshRefused(f"is USD, which is not read; {_EXPORT}; or install: {extra_command('usd')}") from None
    pixar.Work.SetConcurrencyLimit(1)  # threads of its own would not be there in a process that forks
    return pixar


# ---- layers


@dataclass(eq=False)
class _Layers:
    """The layers of one file, which refer to each other and to nothing else."""

    pixar: Any
    folder: Path
    root: Any = None
    warnings: list[str] = field(default_factory=list)
    archive: Archive | None = None
    # Each layer by its name in the archive, as `collision_key` gives it
    _by_name: dict[str, Any] = field(default_factory=dict)

    def open(self, data: bytes, ending: str) -> None:
        """Takes the file apart; refuses what is damaged, and what would compose to more than a stage may have."""
        if ending == "usdz":
            self._unpack(data)
        else:
            self._add("", data)
        self.root = next(iter(self._by_name.values()))
        for name, layer in self._by_name.items():
            self._keep_inside(name, layer)
        _PrimCount(self).check()

    def close(self) -> None:
        """Lets go of all layers, so that their files can be removed."""
        self.root = None
        self._by_name.clear()

    def name_of(self, layer: Any) -> str:
        """The name of a layer in the archive; empty if it is in none."""
        return next((name for name, own in self._by_name.items() if own == layer), "")

    def of_reference(self, path: str) -> Any:
        """The layer of a reference, as it stands in the layers now; None for what cannot be."""
        return next((layer for layer in self._by_name.values() if layer.identifier == path), None)

    def _unpack(self, data: bytes) -> None:
        try:
            self.archive = Archive(data, "export the scan again")
            for key, name in self.archive.names().items():
                if posixpath.splitext(key)[1].removeprefix(".") in USD[1:]:
                    self._add(key, self.archive.read(name))
        except ArchiveError as error:
            raise MeshRefused(str(error)) from None
        if not self._by_name:
            raise MeshRefused(f"is a USDZ archive without a layer of USD in it; {_EXPORT}")

    def _add(self, name: str, data: bytes) -> None:
        if len(self._by_name) >= MAX_MESH_PARTS:
            raise too_many_parts(len(self._by_name) + 1)
        is_binary = data.startswith(b"PXR-USDC")
        if not is_binary:
            _check_text(data)
        # Its own name could be anything; the layers that refer to it get the new one.
        path = self.folder / f"{len(self._by_name)}.{'usdc' if is_binary else 'usda'}"
        with path.open("wb") as file:
            file.write(data)
        layer = self.pixar.Sdf.Layer.FindOrOpen(path.as_posix())
        if layer is None:
            raise MeshRefused(_DAMAGED)
        self._by_name[name] = layer

    def _keep_inside(self, name: str, layer: Any) -> None:
        """Has a layer refer to other layers of the file by their paths in the folder, and to nothing else."""
        for reference in filter(None, layer.GetCompositionAssetDependencies()):  # an empty one is of the layer itself
            key = collision_key(posixpath.join(posixpath.dirname(name), reference))
            target = self._by_name.get(key) if name else None
            if target is None:
                self.warnings.append(f"refers to {reference[-80:]!r}, which is not in it; what is there is left out")
            layer.UpdateCompositionAssetDependency(reference, target.identifier if target else "")
        own = {other.identifier for other in self._by_name.values()}
        if not (own | {""}).issuperset(layer.GetCompositionAssetDependencies()):
            raise MeshRefused("refers to other files, which is not supported; export it as one file")


def _check_text(data: bytes) -> None:
    """Refuses what is no text of USD, too long, or so deep that its parser would run out of its stack."""
    if not data.startswith(b"#usda"):
        raise MeshRefused(_DAMAGED)
    if len(data) > MAX_TEXT_BYTES:
        raise MeshRefused(f"is a text of over {MAX_TEXT_BYTES >> 20} MiB; export it as USDZ or USDC")
    step = np.zeros(256, dtype=np.int8)
    step[list(b"([{")], step[list(b")]}")] = 1, -1
    level = 0
    for start in range(0, len(data), _BLOCK_BYTES):
        steps = step[np.frombuffer(data, np.uint8, min(_BLOCK_BYTES, len(data) - start), start)]
        levels = level + np.cumsum(steps[steps != 0], dtype=np.int64)
        if len(levels):
            level = int(levels[-1])
            if levels.max() > _MAX_BRACKETS:
                raise MeshRefused(f"has more than {_MAX_BRACKETS} brackets in each other; {_EXPORT}")


class _PrimCount:
    """Bounds how many prims the layers compose to: references that repeat references grow without limit."""

    def __init__(self, layers: _Layers) -> None:
        self._layers = layers
        self._counts: dict[tuple[str, str], int] = {}
        self._open: set[tuple[str, str]] = set()

    def check(self) -> None:
        """Refuses layers that compose to too many prims, or go in a circle."""
        root = self._layers.root
        self._of(root, root.pseudoRoot.path)

    def _of(self, layer: Any, path: Any) -> int:
        """The prims at a path of a layer, and below; where there is none, those of the nearest one above."""
        spec = layer.GetPrimAtPath(path)  # of the path of a variant, the prim in it
        while spec is None and not path.isEmpty and path != layer.pseudoRoot.path:
            path = path.GetParentPath()
            spec = layer.GetPrimAtPath(path)
        key = layer.identifier, str(path)
        if key in self._counts:
            return self._counts[key]
        if key in self._open:
            raise MeshRefused("is malformed: prims of it refer to each other in a circle")
        if path.pathElementCount > MAX_USD_LEVELS or len(self._open) > 4 * MAX_USD_LEVELS:
            raise MeshRefused(f"has more than {MAX_USD_LEVELS} levels of prims; {_EXPORT}")
        if spec is not None and spec.HasInfo("clips"):
            spec.ClearInfo("clips")  # files of values at other times than the default one
        self._open.add(key)
        count = 1
        for target, below in self._below(layer, spec):
            count += self._of(target, below)
            if count > MAX_USD_PRIMS:
                raise MeshRefused(f"has more than {MAX_USD_PRIMS} prims, copies of them counted; {_EXPORT}")
        self._open.discard(key)
        self._counts[key] = count
        return count

    def _below(self, layer: Any, spec: Any) -> Iterator[tuple[Any, Any]]:
        """What adds to a prim: its children, those of its variants, and what it refers to."""
        if spec is None:
            return
        for child in spec.nameChildren.values():  # to step through them takes the square of their number
            yield layer, child.path
        for path in layer.subLayerPaths:
            sub = self._layers.of_reference(path)
            if sub is not None and sub != layer:
                yield sub, spec.path
        if spec.path == layer.pseudoRoot.path:
            return
        for variants in spec.variantSets.values():
            for variant in variants.variants.values():
                yield layer, variant.primSpec.path
        for reference in (*spec.referenceList.GetAppliedItems(), *spec.payloadList.GetAppliedItems()):
            target = self._layers.of_reference(reference.assetPath) if reference.assetPath else layer
            if target is not None:
                yield target, reference.primPath or self._default(target)
        for path in (*spec.inheritPathList.GetAppliedItems(), *spec.specializesList.GetAppliedItems()):
            yield layer, path

    def _default(self, layer: Any) -> Any:
        return self._layers.pixar.Sdf.Path.absoluteRootPath.AppendChild(layer.defaultPrim or "none")


# ---- the stage


class _StageReader:
    """Reads the meshes that a stage shows at its default time."""

    def __init__(self, pixar: Any, layers: _Layers, whole: bool) -> None:
        self._pixar, self._layers, self._whole = pixar, layers, whole
        self._stage = pixar.Usd.Stage.Open(layers.root)
        self._places = pixar.UsdGeom.XformCache(pixar.Usd.TimeCode.Default())
        self._notes: dict[str, int] = {}

    def content(self) -> MeshContent:
        """The surfaces of all meshes that are shown."""
        geometry = self._pixar.UsdGeom
        frame, units = self._frame()
        surfaces, triangles, vertices = list[PartSurface](), 0, 0
        for prim in self._shown():
            mesh = _MeshReader(self._pixar, geometry.Mesh(prim), self._notes)
            surface = mesh.surface(_UsdMaterials(self._pixar, self._layers) if self._whole else None)
            if surface is None:
                continue
            triangles += len(surface.faces)
            vertices += len(surface.vertices)
            if len(surfaces) >= MAX_MESH_PARTS:
                raise too_many_parts(len(surfaces) + 1)
            if triangles > MAX_MESH_TRIANGLES or vertices > MAX_MESH_VERTICES:
                raise MeshRefused(f"holds over {MAX_MESH_TRIANGLES} triangles, or {MAX_MESH_VERTICES} vertices")
            # Its matrices act on rows, from the left to the right.
            world = np.array(self._places.GetLocalToWorldTransform(prim), dtype=np.float64).T
            surfaces.append(carried(surface, frame @ world))
        if not any(len(surface.faces) for surface in surfaces):
            left_out = [what.removesuffix(_OMISSION) for what in self._notes if what.endswith(_OMISSION)]
            raise no_triangles(" and ".join(left_out))
        notes = [f"{count} {what}" for what, count in self._notes.items()]
        return MeshContent(surfaces, [*self._layers.warnings, *notes], units, _Pictures(self._layers.archive).get)

    def _frame(self) -> tuple[Floats, str | None]:
        """The matrix (4, 4) from the stage's axes and unit to glTF's, and the unit that this makes."""
        geometry = self._pixar.UsdGeom
        frame = _Y_UP_FROM_Z_UP.copy() if geometry.GetStageUpAxis(self._stage) == "Z" else np.eye(4)
        if not geometry.StageHasAuthoredMetersPerUnit(self._stage):
            return frame, None  # by the book it is cm; programs that do not say so meant any unit
        unit = float(geometry.GetStageMetersPerUnit(self._stage))
        if not (math.isfinite(unit) and 1e-9 <= unit <= 1e9):
            raise MeshRefused(f"is malformed: its unit (metersPerUnit) is {unit:g} m")
        frame[:3] *= unit
        return frame, "meter"

    def _shown(self) -> Iterator[Any]:
        """The prims of meshes that are shown; of each shape that is not read a note."""
        usd, geometry = self._pixar.Usd, self._pixar.UsdGeom
        prims = iter(self._pixar.Usd.PrimRange.Stage(self._stage, usd.TraverseInstanceProxies()))
        for number, prim in enumerate(prims):
            if number > MAX_USD_PRIMS:
                raise MeshRefused(f"has more than {MAX_USD_PRIMS} prims, copies of them counted; {_EXPORT}")
            if not prim.IsA(geometry.Imageable):
                continue
            shown = geometry.Imageable(prim)
            if shown.ComputePurpose() not in (geometry.Tokens.default_, geometry.Tokens.render):
                continue
            if shown.ComputeVisibility(usd.TimeCode.Default()) == geometry.Tokens.invisible:
                self._note(prim.IsA(geometry.Gprim), "shapes that are hidden" + _OMISSION)
                continue
            moving = prim.IsA(geometry.Xformable) and geometry.Xformable(prim).TransformMightBeTimeVarying()
            self._note(moving, "things that move stand as they do at the default time")
            if prim.IsA(geometry.PointInstancer):
                self._note(True, "sets of copies (point instancers)" + _OMISSION)
                prims.PruneChildren()  # what is copied
                continue
            if prim.IsA(geometry.Mesh):
                yield prim
            else:
                self._note(prim.IsA(geometry.Gprim), "shapes that are no meshes" + _OMISSION)

    def _note(self, applies: bool, what: str) -> None:
        if applies:
            self._notes[what] = self._notes.get(what, 0) + 1


@dataclass(frozen=True, eq=False)
class _Pictures:
    """The pictures of a file, which are those of its archive."""

    archive: Archive | None

    def get(self, name: str) -> bytes:
        """The bytes of a picture, by its name in the archive."""
        if self.archive is None or name not in self.archive.names():
            raise MeshRefused(f"refers to {name[:80]!r}, which its archive lacks")
        try:
            return self.archive.read(name)
        except ArchiveError as error:
            raise MeshRefused(str(error)) from None


@dataclass(frozen=True, eq=False)
class _Values:
    """Colours or places in a picture, and for each corner (k,) of all polygons which of them it has."""

    rows: NDArray[Any]
    corners: NDArray[np.int64]


class _MeshReader:
    """Reads one mesh, in its own axes."""

    def __init__(self, pixar: Any, mesh: Any, notes: dict[str, int]) -> None:
        self._pixar, self._mesh, self._notes = pixar, mesh, notes

    def surface(self, materials: _UsdMaterials | None) -> PartSurface | None:
        """The surface of the mesh; None if it has no points or no faces at the default time."""
        points = _array(self._mesh.GetPointsAttr().Get(), np.float64).reshape(-1, 3)
        counts = _array(self._mesh.GetFaceVertexCountsAttr().Get(), np.int64)
        corners = _array(self._mesh.GetFaceVertexIndicesAttr().Get(), np.int64)
        if not len(points) or not len(counts):
            self._note("meshes without faces at the default time" + _OMISSION)
            return None
        if counts.min() < 0 or int(counts.sum()) != len(corners):
            raise MeshRefused("is malformed: its faces have other numbers of corners than they announce")
        if int(np.maximum(counts - 2, 0).sum()) > MAX_MESH_TRIANGLES:
            raise MeshRefused(f"holds over {MAX_MESH_TRIANGLES} triangles; reduce them")
        if len(corners) and (problem := misdirected(corners, len(points))):
            raise MeshRefused(problem)
        name = self._mesh.GetPrim().GetName()[:MAX_PART_NAME_LENGTH]
        skin = None
        if materials is not None:
            points, corners, skin = self._painted(materials, points, counts, corners)
        faces = self._faces(points, corners, counts)
        return PartSurface(name, points, faces, skin)

    def _faces(self, points: Floats, corners: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        origin = origins(counts)
        faces = mended(points, fans(corners, counts), origin)
        tokens = self._pixar.UsdGeom.Tokens
        if self._mesh.GetSubdivisionSchemeAttr().Get() != tokens.none:
            self._note("subdivision surfaces are taken as their cages")
            holes = _array(self._mesh.GetHoleIndicesAttr().Get(), np.int64)
            faces = faces[~np.isin(origin, holes)] if len(holes) else faces
        return faces[:, ::-1] if self._mesh.GetOrientationAttr().Get() == tokens.leftHanded else faces

    def _painted(
        self, materials: _UsdMaterials, points: Floats, counts: NDArray[np.int64], corners: NDArray[np.int64]
    ) -> tuple[Floats, NDArray[np.int64], Skin | None]:
        """The points, corners and skin of a mesh, where a point is several if its corners differ in colour or place."""
        material = materials.of(self._mesh.GetPrim())
        shades = None if material.picture or material.factor else self._values("displayColor", points, counts, corners)
        places = self._values(material.places, points, counts, corners) if material.picture else None
        skin = Skin(factor=material.factor or (1.0, 1.0, 1.0))
        if shades is None and places is None:
            return points, corners, skin if material.factor else None
        if shades is not None and len(shades.rows) == 1:
            red, green, blue = shades.rows[0].tolist()
            return points, corners, Skin(factor=(red, green, blue))
        values = shades or places
        assert values is not None
        pairs, corners = np.unique(corners * len(values.rows) + values.corners, return_inverse=True)
        point, row = np.divmod(pairs, len(values.rows))
        rows = values.rows[row]
        if shades is not None:
            return points[point], corners, Skin(as_bytes(rows))
        uv = np.column_stack([rows[:, 0], 1.0 - rows[:, 1]])  # its v goes up from the lower left corner
        return points[point], corners, Skin(picture=material.picture, uv=uv)

    def _values(
        self, name: str, points: Floats, counts: NDArray[np.int64], corners: NDArray[np.int64]
    ) -> _Values | None:
        """The values of a primvar; None without any, or if they are not as many as they should be."""
        primvar = self._pixar.UsdGeom.PrimvarsAPI(self._mesh).FindPrimvarWithInheritance(name)
        stored = primvar.Get() if primvar else None
        width = 3 if name == "displayColor" else 2
        if stored is None or not len(stored) or np.shape(stored[0]) != (width,):
            return None
        rows = np.asarray(stored, dtype=np.float64).reshape(-1, width)
        corner = _elements(str(primvar.GetInterpolation()), counts, corners)
        if primvar.IsIndexed():
            indices = _array(primvar.GetIndices(), np.int64)
            corner = indices[corner] if len(corner) and corner.max() < len(indices) else corner[:0]
        else:
            rows, number = np.unique(rows, axis=0, return_inverse=True)
            number = number.reshape(-1)
            corner = number[corner] if len(corner) and corner.max() < len(number) else corner[:0]
        if len(corner) != len(corners) or not len(corner) or corner.min() < 0 or corner.max() >= len(rows):
            self._note(f"meshes have other numbers of {name[:80]!r} than they need, and are shown without")
            return None
        return _Values(rows, corner)

    def _note(self, what: str) -> None:
        self._notes[what] = self._notes.get(what, 0) + 1


def _elements(interpolation: str, counts: NDArray[np.int64], corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each corner (k,) of all polygons which value of a primvar it has, by the token that says how these lie."""
    if interpolation == "constant":
        return np.zeros(len(corners), np.int64)
    if interpolation == "uniform":
        return np.repeat(np.arange(len(counts)), counts)
    return np.arange(len(corners)) if interpolation == "faceVarying" else corners


def _array(values: Any, kind: type) -> NDArray[Any]:
    return np.zeros(0, kind) if values is None else np.asarray(values).astype(kind)


# ---- materials


@dataclass(frozen=True)
class _UsdMaterial:
    """What a material says: the name of its picture in the archive, the primvar of places in it, or one colour."""

    picture: str | None = None
    places: str = "st"
    factor: tuple[float, float, float] | None = None


class _UsdMaterials:
    """Knows the plain materials of a file: a UsdPreviewSurface with one colour, or with one picture as it is."""

    def __init__(self, pixar: Any, layers: _Layers) -> None:
        self._pixar, self._layers = pixar, layers

    def of(self, prim: Any) -> _UsdMaterial:
        """What the material of a mesh says; nothing where it is not so plain."""
        shade = self._pixar.UsdShade
        material = shade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        surface = material.ComputeSurfaceSource()[0] if material else None
        if not surface or surface.GetIdAttr().Get() != "UsdPreviewSurface":
            return _UsdMaterial()
        colour = surface.GetInput("diffuseColor")
        if not colour:
            return _UsdMaterial()
        texture = self._source(colour)
        if texture is None:
            value = None if colour.HasConnectedSource() else colour.Get()
            return (
                _UsdMaterial()
                if value is None
                else _UsdMaterial(factor=(float(value[0]), float(value[1]), float(value[2])))
            )
        reader = self._source(texture.GetInput("st"))
        picture = self._picture(texture.GetInput("file"))
        if texture.GetIdAttr().Get() != "UsdUVTexture" or picture is None or reader is None:
            return _UsdMaterial()
        if reader.GetIdAttr().Get() != "UsdPrimvarReader_float2":  # what moves the places, for one
            return _UsdMaterial()
        places = reader.GetInput("varname").GetValueProducingAttributes() if reader.GetInput("varname") else []
        return _UsdMaterial(picture, str(places[0].Get() or "st") if places else "st")

    def _source(self, entry: Any) -> Any:
        """The shader that feeds an input, through the inputs of what is round it; None without."""
        for attribute in entry.GetValueProducingAttributes() if entry else []:
            shader = self._pixar.UsdShade.Shader(attribute.GetPrim())
            if shader and attribute.GetName().startswith("outputs:"):
                return shader
        return None

    def _picture(self, entry: Any) -> str | None:
        """The name of a picture in the archive, by the layer that names it; None if it is none of the archive."""
        attributes = entry.GetValueProducingAttributes() if entry else []
        asset = attributes[0].Get() if attributes else None
        if asset is None or self._layers.archive is None:
            return None
        stack = attributes[0].GetPropertyStack(self._pixar.Usd.TimeCode.Default())
        named = next((spec for spec in stack if spec.HasDefaultValue()), None)
        with suppress(AttributeError, ValueError):
            folder = posixpath.dirname(self._layers.name_of(named.layer)) if named is not None else ""
            key = collision_key(posixpath.join(folder, asset.path))
            return key if key in self._layers.archive.names() else None
        return None
