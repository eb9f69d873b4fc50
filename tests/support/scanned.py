"""A small scanned table whose pieces are known: a crate, and a figure on a round base, on a table of 300 x 200 mm."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from silhouette.common.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Cylinder, Solid, solid
from silhouette.models.frame import DEFAULT_FRONT_DEG
from silhouette.models.model import Model
from silhouette.scans.bases import Disc
from silhouette.scans.classify import Blob, LabelledPieces
from silhouette.scans.identify import Surroundings
from silhouette.scans.keep import Earlier
from silhouette.scans.match import Match
from silhouette.scans.models import KnownModel
from silhouette.scans.place import ScannedTable, remarks, scanned_pieces
from silhouette.scans.read import Scan
from silhouette.scans.scale import Scale

CRATE = Solid(Box((40.0, 30.0, 25.0)), at=(-60.0, 20.0, 0.0))
BASE = Solid(Cylinder(25.0, 3.0), at=(70.0, -30.0, 0.0))
BODY = Solid(Cylinder(12.0, 30.0), at=(70.0, -30.0, 3.0))
DISC = Disc((70.0, -30.0), 0.0, 3.0, 25.1, 0.1, 0.95)


def surfaces() -> tuple[Floats, Integers, Integers]:
    """Vertices (n, 3) mm, faces (m, 3) and labels (n,): 0 the table, 1 the figure, 2 the crate, -1 a speck."""
    table = Mesh(
        np.array([[-150.0, -100, 0], [150, -100, 0], [150, 100, 0], [-150, 100, 0]]),
        np.array([[0, 1, 2], [0, 2, 3]], np.int32),
        np.zeros(2, np.int32),
    )
    speck = Mesh(np.eye(3) + np.array([0.0, 0.0, 90.0]), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    vertices, faces, labels = [], [], []
    count = 0
    for mesh, label in ((table, 0), (solid(BASE), 1), (solid(BODY), 1), (solid(CRATE), 2), (speck, -1)):
        vertices.append(mesh.vertices)
        faces.append(mesh.faces + count)
        labels.append(np.full(len(mesh.vertices), label, np.int32))
        count += len(mesh.vertices)
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int32), np.concatenate(labels)


def known(path: str = "minis/oswald.stl", front: float = 90.0) -> KnownModel:
    """A known figure: a cylinder on a base."""
    mesh = solid(Solid(Cylinder(25.0, 3.0)))
    model = Model(
        path, "fighter", mesh, np.zeros(len(mesh.faces), np.uint8), None, None, front, False,
        "stl", "mm", "given", "z", True, 0, (), front_from="given" if front != DEFAULT_FRONT_DEG["z"] else "default",
    )  # fmt: skip
    return KnownModel(path, model)


def matched(*, sure: bool, path: str = "minis/oswald.stl", turn: float = 31.0) -> Match:
    """The known figure at the place of the scanned one."""
    return Match(known(path), (70.2, -29.9, 0.1), turn, 0.41, 1.3, sure, 0.2, 0.9, np.ones(3, bool))


def scanned_table(
    match: Match | None = None,
    earlier: Earlier | None = None,
    odd: bool = False,
    colours: bool = False,
    several: bool = False,
    on_crate: bool = False,
    file: Path = Path("table.ply"),
) -> ScannedTable:
    """The table as the steps before would have told it apart."""
    vertices, faces, labels = surfaces()
    tints = np.full((len(vertices), 3), 90, np.uint8) if colours else None
    scan = Scan(file, "ply", vertices / 1000.0, faces, tints, None, np.ones(len(vertices), bool), "z", None)
    blobs = (
        Blob("fighter", DISC, 0.0, 2 if on_crate else None, several, False, match=match),
        Blob("terrain", None, 0.0, None, False, odd, "a mug" if odd else ""),
    )
    around = Surroundings(scan, vertices, 0.3, 1.2)
    labels, pieces, asked = scanned_pieces(LabelledPieces(labels, blobs), around, earlier or Earlier())
    to_table = np.diag([1000.0, 1000.0, 1000.0, 1.0])
    return ScannedTable(
        scan, Scale(1000.0, "units", 0.0), to_table, (300.0, 200.0), 0.4, 0.2, 0.3, 1.2, labels, pieces, asked,
        tuple(remarks(pieces)), earlier or Earlier(),
    )  # fmt: skip
