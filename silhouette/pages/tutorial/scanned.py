"""TELL: a scan of the tutorial is made into a scene, with the facts that its text tells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from silhouette.files.cache import Cache
from silhouette.pages.tutorial.words import Scanned
from silhouette.scans.folder import PICTURE, write_folder
from silhouette.scans.keeping import SCENE
from silhouette.scans.scan import ScanRequest, scan_table


@dataclass(frozen=True)
class ScanFacts:
    """What a scan came to, in words and files.

    Attributes:
        scene: the scene that was made.
        picture: the picture of the table from above.
        triangles, size, noise, figures, known, terrain, residual: how many, how large (mm) and how rough (mm) it is; of
            how many figures it is sure which they are, and how far off (mm, root mean square) these are at most.
        open_questions: how many questions it leaves.
    """

    scene: Path
    picture: Path
    triangles: str
    size: str
    noise: str
    figures: str
    known: str
    terrain: str
    residual: str
    open_questions: str


def scan_scene(scanned: Scanned, scenes: Path, cache: Cache, folder: Path) -> ScanFacts:
    """Makes a scan into a scene.

    Args:
        scanned: which scan, and the known models.
        scenes: the folder from which both are seen.
        cache: keeps meshes that are read.
        folder: a new one, for the scene.

    Raises:
        FileError: where the scan cannot be used.
    """
    table = scan_table(ScanRequest(scenes / scanned.file, (scenes / scanned.figures,)), cache)
    write_folder(table, folder)
    figures = [piece for piece in table.pieces if piece.kind != "terrain"]
    sure = [piece.match.residual for piece in figures if piece.match is not None and piece.match.sure]
    size = table.size or (0.0, 0.0)
    return ScanFacts(
        scene=folder / SCENE,
        picture=folder / PICTURE,
        triangles=f"{len(table.scan.faces):,}",
        size=f"{size[0]:.0f} by {size[1]:.0f} mm",
        noise=f"{table.noise:.1g} mm",
        figures=str(len(figures)),
        known=str(len(sure)),
        terrain=str(len(table.pieces) - len(figures)),
        residual=f"{max(sure, default=0.0):.1f} mm",
        open_questions=str(len(table.questions)),
    )
