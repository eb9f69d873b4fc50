"""TELL: the folder of the site: all of its pages, and the files that they share, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from silhouette.common.text import Progress, json_text
from silhouette.drawing.four_views import draw_four_views
from silhouette.drawing.words.words import LANGUAGES
from silhouette.files.publishing import Publication
from silhouette.files.writing import make_folder, write_file
from silhouette.models.inspection import model_at
from silhouette.models.model import Model
from silhouette.pages.html.page import asset
from silhouette.pages.report.sections import webp
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import (
    JUDGE_SCRIPT,
    LANGUAGE_SCRIPT,
    MANIFEST_FILE,
    SITE_INDEX,
    SITE_NAME,
    SITE_SCRIPT,
    TUTORIAL_FOLDER,
    VIEWER_SCRIPT,
    SitePage,
)
from silhouette.pages.site.games import gallery_page, games_page, pages_of
from silhouette.pages.site.offline import ICON_SIZES, WORKER_FILE, icon, manifest, service_worker
from silhouette.pages.site.own import OWN_SCRIPT, own_page
from silhouette.pages.site.tables import SiteTable, judged_tables, packed_table, scenes_to_play, table_page
from silhouette.pages.tutorial.pages import write_tutorial
from silhouette.pages.tutorial.parts import TutorialRun

SITE = Publication("site", guests=("manual",))

PICTURES_FOLDER = "models"


@dataclass(frozen=True)
class SiteParts:
    """What a site shows besides the tutorial: the scenes of its tables, at least one, and model files.

    ``manual`` is where the manual begins, a path in the folder or an address, if pages are to link to one.
    """

    scenes: Sequence[Path]
    models: Sequence[Path]
    manual: str | None = None

    @classmethod
    def shipped(cls, scenes: Path) -> SiteParts:
        """The scenes in the folder of example scenes that a page can judge, and the models beside that folder."""
        return cls(scenes_to_play(scenes), sorted((scenes.parent / "models").glob("*.toml")))


@dataclass
class Steps:
    """The steps of writing a site: those of its tutorial, which says how many they are, and those of the rest."""

    progress: Progress
    further: int  # the steps after the tutorial
    before: int = 0

    def tutorial(self, done: int, total: int) -> None:
        """So many steps of the tutorial are done."""
        self.before = total
        self.progress(done, total + self.further)

    def rest(self, done: int) -> None:
        """So many further steps are done."""
        self.progress(self.before + done, self.before + self.further)


def write_site(
    out: Path,
    run: TutorialRun,
    progress: Progress = lambda done, total: None,
    parts: SiteParts | None = None,
) -> dict[str, Any]:
    """Writes the whole site into a folder: the tables, a tutorial as ``run`` says, the games, the gallery.

    Args:
        progress: called with the number of steps done, and of all steps.
        parts: what it shows besides; by default all that ships and that a page can judge.

    Returns:
        ``tables``, for each the path of its page, its scene and the results of its checks; and ``pages``, those of the
        tutorial, as `write_tutorial` gives them.

    Raises FileError if a scene or a model cannot be used or the folder cannot be written; its files then stay as they
    were; RequestError if matplotlib is not installed.
    """
    parts = SiteParts.shipped(run.scenes) if parts is None else parts
    steps = Steps(progress, len(parts.scenes) + len(parts.models))
    with SITE.whole_folder(out, [run.scenes, *parts.models]) as folder:
        texts = run.texts.model_copy(update={"above": ((f"../{SITE_INDEX}", SITE_NAME),)})
        results = write_tutorial(folder / TUTORIAL_FOLDER, replace(run, texts=texts), steps.tutorial)
        tables = _write_tables(folder, parts, run, steps)
        pictures = dict(_draw_models(folder, parts.models, run, steps))
        pages = pages_of(texts, results)
        for words in map(PageWords, LANGUAGES):
            for page in (games_page(pages, words), gallery_page(pages, pictures, words)):
                _write_page(folder, page, parts)
        for name, content in site_scripts().items():
            write_file(folder / name, content)
        write_file(folder / MANIFEST_FILE, manifest())
        for size in ICON_SIZES:
            write_file(folder / f"icon-{size}.png", icon(size))
        write_file(folder / WORKER_FILE, service_worker(folder))
        facts = {"renderer": run.renderer.name, "tables": tables, "pages": results}
        SITE.write_facts(folder, facts)
    return facts


def site_scripts() -> dict[str, str]:
    """The scripts that pages of the site share, by their paths."""
    shared = (VIEWER_SCRIPT, OWN_SCRIPT, SITE_SCRIPT, LANGUAGE_SCRIPT)
    judge = f"self.silhouetteJudgeScript = {json_text(asset('judge.min.js'))};\n"
    return {JUDGE_SCRIPT: judge, **{name: asset(name) for name in shared}}


def _write_tables(folder: Path, parts: SiteParts, run: TutorialRun, steps: Steps) -> list[dict[str, Any]]:
    tables = list[SiteTable]()
    for done, each in enumerate(judged_tables(parts.scenes, run), 1):
        tables.append(each)
        steps.rest(done)
    titles = {each.path: each.title for each in tables}
    languages = [*map(PageWords, LANGUAGES)]
    for words in languages:
        _write_page(folder, own_page(tables[0].scene, words), parts)
    for each in tables:
        packed = packed_table(each, run)
        for words in languages:
            _write_page(folder, table_page(packed, titles, words), parts)
        for path, content in packed.files.items():
            make_folder((folder / path).parent)
            write_file(folder / path, content)
    return [each.facts for each in tables]


def _draw_models(folder: Path, models: Sequence[Path], run: TutorialRun, steps: Steps) -> Iterator[tuple[str, Any]]:
    """The name of each model, with the path of its picture in the folder, and the model."""
    make_folder(folder / PICTURES_FOLDER)
    for done, file in enumerate(models, 1):
        model = model_at(file, {}, run.cache)
        ending, content = _picture(model, run)
        path = f"{PICTURES_FOLDER}/{file.stem}.{ending}"
        write_file(folder / path, content)
        yield file.stem.replace("_", " "), (path, model)
        steps.rest(steps.further - len(models) + done)


def _picture(model: Model, run: TutorialRun) -> tuple[str, bytes]:
    """Four views of a model, smaller than `silhouette inspect` writes them: the file's ending and content."""
    with TemporaryDirectory() as place:
        file = Path(place, "views.png")
        draw_four_views(model, run.renderer, file)
        with Image.open(BytesIO(file.read_bytes())) as picture:
            return webp(picture.convert("RGB"))


def _write_page(folder: Path, page: SitePage, parts: SiteParts) -> None:
    make_folder((folder / page.file).parent)
    write_file(folder / page.file, replace(page, manual=parts.manual).written())
