"""TELL: the tutorial: pages that work through the scenes, with the verdicts, the figures and the numbers of one run.

texts, scenes -> each part judged and drawn -> pages, figures and facts in one folder, whole or not at all

The folder is changed in place when all pages are there, and it never has files of the user in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from silhouette.common.version import document
from silhouette.drawing.figures import warm_up
from silhouette.drawing.saving import DRAWN
from silhouette.drawing.sheet import settings
from silhouette.errors import FileError, RequestError
from silhouette.files.changing import changing_folder, check_folder
from silhouette.files.reading import examples_folder
from silhouette.files.writing import PARTIAL, write_file
from silhouette.pages.tutorial.html import INDEX, index_of, page_of
from silhouette.pages.tutorial.parts import PartResult, Run, build_part, frames_of
from silhouette.pages.tutorial.words import PageText, Part, texts
from silhouette.text import Progress, json_text
from silhouette.workers import parallel_map

__all__ = ["INDEX", "Run", "scenes_folder", "write_tutorial"]


# ---- the folder

FACTS = "tutorial.json"
"""The file by which a tutorial's folder is recognised: all results on its pages, and the names of its files."""

MAKER = "silhouette tutorial"


@contextmanager
def whole_folder(out: Path, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """A new folder to write a tutorial into, whose files go to ``out`` at the end of the block, unless it raises.

    Args:
        out: a folder that is not there, is empty, or holds an earlier tutorial and nothing else.
        inputs: what is read for it.

    Raises:
        FileError: where it holds anything else, or cannot be written; its files then stay as they were.
    """
    check_folder(out, inputs)
    earlier = _check(out)
    making = TemporaryDirectory(prefix="silhouette-tutorial-", ignore_cleanup_errors=True)
    with making as made, changing_folder(out, out / FACTS) as change:
        folder = Path(made)
        try:
            yield folder
        except FileError as error:
            raise FileError(error.path.replace(made, str(out)), error.problem) from None
        names = files_in(folder)
        for name in names:
            if name != FACTS:
                change.put(out / name, (folder / name).read_bytes())
        for name in earlier.difference(names):
            change.drop(out / name)
        change.commit((folder / FACTS).read_bytes())


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """Writes the results on the pages, with the names of all files, into a folder whose other files are written."""
    names = [*files_in(folder), FACTS]
    content = document({"maker": MAKER, **facts, "files": sorted(names)})
    write_file(folder / FACTS, json_text(content, indent=1) + "\n")


def files_in(folder: Path) -> list[str]:
    """The files in a folder and in those in it, by their paths from it with ``/``; none of those of a killed run."""
    files = (file for file in folder.rglob("*") if not file.is_dir() and file.suffix != PARTIAL)
    return sorted(file.relative_to(folder).as_posix() for file in files)


def _check(out: Path) -> set[str]:
    """Refuses a folder that holds anything else than an earlier tutorial; gives the names of its files."""
    there = set(files_in(out)) if out.exists() else set()
    if not there:
        return there
    own = _own_files(out / FACTS)
    if own is None:
        raise FileError(out, "holds files, and no tutorial; give a folder that is empty or not there yet")
    others = sorted(there - own)
    if others:
        raise FileError(
            out, f"holds {others[0]}, which is no part of the tutorial there; move it, or give another folder"
        )
    return there


def _own_files(facts: Path) -> set[str] | None:
    """The files of the tutorial that facts belong to; None where there is none."""
    try:
        earlier = json.loads(facts.read_text(encoding="utf-8"))
        return set(map(str, earlier["files"])) if earlier["maker"] == MAKER else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


# ---- the pages


def scenes_folder(given: Path | None = None) -> Path:
    """The folder of scenes: the one given, ``scenes`` in the current folder, or that of the shipped examples.

    Raises:
        RequestError: where the folder given has not the first scene of the tutorial, or no examples are installed.
    """
    needed = texts().page[0].part[0].scene  # the folder of scenes is known by it
    if given is not None and not (given / needed).is_file():
        raise RequestError(f"{given}: has no {needed}; give the folder 'scenes' of Silhouette's source")
    if given is not None:
        return given
    here = Path("scenes")
    return here if (here / needed).is_file() else examples_folder() / here


def write_tutorial(out: Path, run: Run, progress: Progress = lambda done, total: None) -> list[dict[str, Any]]:
    """Writes the whole tutorial into a folder, and gives the results of all checks, as the pages build them.

    Args:
        out: a folder that does not exist, is empty, or holds an earlier tutorial, which is replaced at the end.
        run: the settings of the tutorial.
        progress: called with the number of steps done, and of all steps.

    Returns:
        For every page ``name``, ``title`` and ``parts``; for each part ``scene`` and its ``checks``: their rows, with
        ``check``, their number, and ``figures``, the paths of these; and ``frames``, where it has an animation.

    Raises:
        FileError: where a scene cannot be used or the folder cannot be written; its files then stay as they were.
        RequestError: where matplotlib is not installed.
    """
    words, renderer = run.texts, run.renderer.name
    with whole_folder(out, [run.scenes]) as folder:
        done = dict(_build_parts(run, folder, progress))
        pages, covers = [], []
        for text in words.page:
            parts = [done[text.name, number] for number in range(len(text.part))]
            write_file(folder / f"{text.name}.html", page_of(text, parts, words, renderer))
            covers.append(next(path for part in parts for check in part.checks for _, path, _ in check.figures))
            pages.append(_facts(text, parts))
        write_file(folder / INDEX, index_of(covers, words, renderer))
        write_facts(folder, {"renderer": renderer, "pages": pages})
    return pages


def _build_parts(run: Run, folder: Path, progress: Progress) -> Iterator[tuple[tuple[str, int], PartResult]]:
    """The result of every part, by page and number; several processes make those without an animation."""
    order = [((text.name, number), part) for text in run.texts.page for number, part in enumerate(text.part)]
    order.sort(
        key=lambda numbered: -frames_of(numbered[1], run)
    )  # an animation takes all processes: it goes first, alone
    total, done = sum(part.count + frames_of(part, run) for _, part in order), 0
    still = [numbered for numbered in order if not frames_of(numbered[1], run)]
    progress(done, total)

    def build(numbered: tuple[tuple[str, int], Part]) -> PartResult:
        return build_part(numbered[1], run, folder)

    for key, part in order[: len(order) - len(still)]:
        frames = frames_of(part, run)
        start = done

        def within(now: int, all_of_it: int, start: int = start, frames: int = frames) -> None:
            progress(start + now * frames // all_of_it, total)

        yield key, build_part(part, run, folder, within)
        done += part.count + frames
    together = run.workers > 1 and run.renderer.share([])
    if together:
        with settings():
            warm_up(tables=True, writing=DRAWN)
    answers = parallel_map(build, still, run.workers) if together else map(build, still)
    for (key, part), answer in zip(still, answers, strict=True):
        yield key, answer
        done += part.count
        progress(done, total)


def _facts(text: PageText, parts: list[PartResult]) -> dict[str, Any]:
    """The results of a page, ready for JSON."""
    listed = []
    for part, result in zip(text.part, parts, strict=True):
        numbers = part.checks if part.scan is None else range(1, part.count + 1)
        pairs = zip(numbers, result.checks, strict=True)
        rows = [
            {"check": number, **check.judged.row(), "figures": [path for _, path, _ in check.figures]}
            for number, check in pairs
        ]
        film = {} if result.film is None else {"animation": result.film.path, "frames": result.film.frames}
        listed.append({"scene": part.scene, "checks": rows, **film})
    return {"name": text.name, "title": text.title, "parts": listed}
