"""TELL: the tutorial: pages that work through the scenes, with the verdicts, the figures and the numbers of one run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from silhouette.common.errors import RequestError
from silhouette.common.installation import VERSION
from silhouette.common.text import Progress, obscured, sentence, verdict_in_words
from silhouette.drawing.figures import warm_up
from silhouette.drawing.saving import DRAWN
from silhouette.drawing.sheet import settings
from silhouette.files.publishing import Publication
from silhouette.files.reading import examples_folder
from silhouette.files.writing import write_file
from silhouette.pages.html.page import Head, Markup, element, joined, page, plate, table, verdict_mark
from silhouette.pages.html.page import text as plain
from silhouette.pages.tutorial.parts import (
    CheckResult,
    FilmResult,
    PagePart,
    PageText,
    PartResult,
    Texts,
    TutorialRun,
    build_part,
    frames_of,
    texts,
)
from silhouette.workers import parallel_map

INDEX = "index.html"

FIGURE_STYLE = "max-width:38rem"  # the width of a figure: in a wider one letters would be larger than the text

TALL_FIGURE_STYLE = f"{FIGURE_STYLE};grid-row:span 2"
"""The style of the first of three figures: the others stand to its right, one below the other."""

NO_WRAP_STYLE = "white-space:nowrap"

TABLE_STYLE = "break-inside:avoid"  # the style of a table of verdicts on paper


def page_of(text: PageText, parts: Sequence[PartResult], texts: Texts, renderer: str) -> str:
    """A page of the tutorial, with the results of its parts and the name of the renderer that measured."""
    contents = [element("li", element("a", part.heading, href=f"#part-{n}")) for n, part in enumerate(text.part, 1)]
    pairs = enumerate(zip(text.part, parts, strict=True), 1)
    return _whole(
        f"{text.name}.html",
        f"{text.title} · {texts.title}",
        text.summary,
        [
            element("h1", text.title),
            *(element("p", paragraph) for paragraph in text.lead),
            element("nav", element("ul", contents), aria_label=texts.words["parts"]),
            *(_section(f"part-{number}", part, result, texts) for number, (part, result) in pairs),
            _neighbour_links(text, texts),
        ],
        texts,
        renderer,
    )


def index_of(covers: Sequence[str], texts: Texts, renderer: str) -> str:
    """The first page, with a figure of each of the others, in their order."""
    cards = []
    for text, cover in zip(texts.page, covers, strict=True):
        image = element("img", src=cover, alt="", class_="drawing")
        link = element("a", text.title, href=f"{text.name}.html")
        caption = element("figcaption", element("strong", link), element("br"), text.summary)
        cards.append(element("figure", image, caption, style=FIGURE_STYLE))
    content = [
        element("h1", texts.title),
        element("p", texts.lead),
        element("div", cards, class_="figures"),
        *(element("p", paragraph) for paragraph in texts.about),
        element("h2", texts.reading_heading),
        *(element("p", paragraph) for paragraph in texts.reading),
    ]
    return _whole(INDEX, texts.title, texts.lead, content, texts, renderer)


def _whole(name: str, title: str, summary: str, content: Sequence[Markup], texts: Texts, renderer: str) -> str:
    made = element("p", texts.words["made"].format(version=VERSION, renderer=renderer))
    top = _navigation(name, texts)
    skip = texts.words["skip"]
    return page(Head(title, summary), content, top=top, foot=made, skip=skip, local_pictures=True)


def _navigation(current: str, texts: Texts) -> Markup:
    pages = [*texts.above, (INDEX, texts.home), *((f"{text.name}.html", text.short) for text in texts.page)]
    links = [
        element("li", element("a", words, href=name, aria_current="page" if name == current else None))
        for name, words in pages
    ]
    return element("nav", element("ul", links), aria_label=texts.words["pages"])


def _neighbour_links(text: PageText, texts: Texts) -> Markup:
    place = texts.page.index(text)
    links = []
    for key, relation, neighbour in (("before", "prev", place - 1), ("next", "next", place + 1)):
        if 0 <= neighbour < len(texts.page):
            link = element("a", texts.page[neighbour].title, href=f"{texts.page[neighbour].name}.html", rel=relation)
            links.append(element("li", f"{texts.words[key]}: ", link))
    return element("nav", element("ul", links), aria_label=texts.words["beside"])


def _section(mark: str, part: PagePart, result: PartResult, texts: Texts) -> Markup:
    steps, words = [element("li", step) for step in result.steps], texts.words
    image = element("img", src=result.picture, alt=result.caption, class_="drawing", loading="lazy")
    figure = element("figure", image, element("figcaption", result.caption), style="max-width:52rem")
    return element(
        "section",
        element("h2", part.heading, id=f"{mark}-heading"),
        [element("p", paragraph) for paragraph in result.text],
        figure if result.picture else "",
        _verdicts(result.checks, texts),
        _figures(result.checks),
        joined(element("h3", texts.words["steps"]), element("ol", steps)) if steps else "",
        table(words["gestures"], [words["gesture"], words["does"]], part.gestures) if part.gestures else "",
        [element("p", paragraph) for paragraph in result.after],
        _film(result.film, result.checks[0], texts) if result.film is not None else "",
        _source(part, result, texts),
        id=mark,
        aria_labelledby=f"{mark}-heading",
    )


def _verdicts(results: Sequence[CheckResult], texts: Texts) -> Markup:
    """The verdicts as a table, and a note for each result that is not as the scene expects."""
    words = texts.words
    measured = any(check.share for check in results)
    keys = ["check", "verdict", *(["share"] if measured else []), "why", "rule"]
    rows, notes = list[list[Any]](), list[Markup]()
    for check in results:
        share = [element("span", check.share, style=NO_WRAP_STYLE)] if measured else []
        rows.append(
            [
                check.who,
                plate(check.judged, words["marginal"]),
                *share,
                sentence(check.judged.reason),
                str(check.judged.verdict.rule),
            ]
        )
        if check.judged.unmet:
            note = words["unexpected"].format(unmet="; ".join(check.judged.unmet))
            notes.append(element("p", note, class_="note bad"))
    return joined(table(words["verdicts"], [words[key] for key in keys], rows, style=TABLE_STYLE), notes)


def _figures(results: Sequence[CheckResult]) -> Markup:
    figures = []
    for check in results:
        for number, (_, path, meaning) in enumerate(check.figures):
            alt = f"{meaning}. {check.who}: {check.judged.verdict.verdict}. {sentence(check.judged.reason)}"
            image = element("img", src=path, alt=alt, class_="drawing", loading="lazy")
            tall = number == 0 and len(check.figures) == 3
            caption = element("figcaption", f"{meaning}: {check.who}" if len(results) > 1 else meaning)
            figures.append(element("figure", image, caption, style=TALL_FIGURE_STYLE if tall else FIGURE_STYLE))
    return element("div", figures, class_="figures") if figures else Markup()


def _film(film: FilmResult, first: CheckResult, texts: Texts) -> Markup:
    """The animation, with its frames as a table; a still picture for readers who prefer reduced motion."""
    words = texts.words
    image = element("img", src=film.path, alt=film.caption, loading="lazy")
    calm = element("source", srcset=first.figures[0][1], media="(prefers-reduced-motion: reduce)")
    measured = any(map(_share_in, film.frames))
    headings = [words[key] for key in ("frame", "where", "verdict", *(["share"] if measured else []))]
    rows = [
        [
            str(row["frame"]),
            ", ".join(f"{value:g}" for value in row["at"]),
            verdict_mark(verdict_in_words(row["verdict"], row.get("in_arc")), film.levels.get(row["verdict"])),
            _share_in(row),
        ][: len(headings)]
        for row in film.frames
    ]
    listed = element("details", element("summary", words["frames"]), table(film.caption, headings, rows))
    return joined(element("figure", element("picture", calm, image), element("figcaption", film.caption)), listed)


def _share_in(frame: Mapping[str, Any]) -> str:
    """The share obscured in a frame, with its error; empty if nothing was measured."""
    part, whole = frame.get("occluded_pixels", 0), frame.get("target_pixels", 0)
    return obscured(part, whole, frame["error"]) if whole else ""


def _source(part: PagePart, result: PartResult, texts: Texts) -> Markup:
    command = f"silhouette {part.command} {quote(f'scenes/{part.scene}')}"
    if part.scan is not None:
        attacker, target = part.scan.pairs[0]
        pair = f"--from {quote(attacker)} --to {quote(target)}"
        figures = Path(os.path.normpath(Path("scenes", part.scan.figures))).as_posix()
        command = f"silhouette scan {quote(f'scenes/{part.scan.file}')} --out game --figures {quote(figures)} {pair}"
    return element(
        "details",
        element("summary", f"{texts.words['scene_file']} {part.scene}"),
        element("p", f"{texts.words['try']} ", element("code", command)),
        element("pre", Markup("\n".join(map(plain, result.source.splitlines())))),
    )


__all__ = ["INDEX", "TUTORIAL", "TutorialRun", "scenes_folder", "write_tutorial"]


# ---- the folder

TUTORIAL = Publication("tutorial")


# ---- the pages


def scenes_folder(given: Path | None = None) -> Path:
    """The folder of scenes: the one given, ``scenes`` in the current folder, or that of the shipped examples.

    Raises RequestError if the folder given has not the first scene of the tutorial, or no examples are installed.
    """
    needed = texts().page[0].part[0].scene  # the folder of scenes is known by it
    if given is not None and not (given / needed).is_file():
        raise RequestError(f"{given}: has no {needed}; give the folder 'scenes' of Silhouette's source")
    if given is not None:
        return given
    here = Path("scenes")
    return here if (here / needed).is_file() else examples_folder() / here


def write_tutorial(out: Path, run: TutorialRun, progress: Progress = lambda done, total: None) -> list[dict[str, Any]]:
    """Writes the whole tutorial into a folder, and gives the results of all checks, as the pages build them.

    ``progress`` is called with the number of steps done, and of all steps.

    Returns:
        For every page ``name``, ``title`` and ``parts``; for each part ``scene`` and its ``checks``: their rows, with
            ``check``, their number, and ``figures``, the paths of these; and ``frames``, where it has an animation.

    Raises FileError if a scene cannot be used or the folder cannot be written; its files then stay as they were;
    RequestError if matplotlib is not installed.
    """
    words, renderer = run.texts, run.renderer.name
    with TUTORIAL.whole_folder(out, [run.scenes]) as folder:
        done = dict(_build_parts(run, folder, progress))
        pages, covers = [], []
        for text in words.page:
            parts = [done[text.name, number] for number in range(len(text.part))]
            write_file(folder / f"{text.name}.html", page_of(text, parts, words, renderer))
            covers.append(next(path for part in parts for check in part.checks for _, path, _ in check.figures))
            pages.append(_facts(text, parts))
        write_file(folder / INDEX, index_of(covers, words, renderer))
        TUTORIAL.write_facts(folder, {"renderer": renderer, "pages": pages})
    return pages


def _build_parts(run: TutorialRun, folder: Path, progress: Progress) -> Iterator[tuple[tuple[str, int], PartResult]]:
    """The result of every part, by page and number; several processes make those without an animation."""
    order = [((text.name, number), part) for text in run.texts.page for number, part in enumerate(text.part)]
    order.sort(
        key=lambda numbered: -frames_of(numbered[1], run)
    )  # an animation takes all processes: it goes first, alone
    total, done = sum(part.count + frames_of(part, run) for _, part in order), 0
    still = [numbered for numbered in order if not frames_of(numbered[1], run)]
    progress(done, total)

    def build(numbered: tuple[tuple[str, int], PagePart]) -> PartResult:
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
