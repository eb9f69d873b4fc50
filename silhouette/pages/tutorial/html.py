"""TELL: the tutorial's pages as HTML, from the results of their parts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from silhouette.common.version import VERSION
from silhouette.doubt.calls import stands
from silhouette.pages.html.markup import Markup, element, joined
from silhouette.pages.html.markup import text as plain
from silhouette.pages.html.skeleton import Head, page, table, verdict_mark
from silhouette.pages.tutorial.parts import CheckResult, Film, PartResult, sentence
from silhouette.pages.tutorial.words import PageText, Part, Texts
from silhouette.text import obscured, verdict_in_words

INDEX = "index.html"

FIGURE_STYLE = "max-width:38rem"
"""The width of a figure: in a wider one letters would be larger than the text."""

TALL = f"{FIGURE_STYLE};grid-row:span 2"
"""The style of the first of three figures: the others stand to its right, one below the other."""

WHOLE = "white-space:nowrap"

TABLE_STYLE = "break-inside:avoid"
"""The style of a table of verdicts on paper."""


def page_of(text: PageText, parts: Sequence[PartResult], texts: Texts, renderer: str) -> str:
    """A page of the tutorial.

    Args:
        text: the text of the page.
        parts: the results of its parts.
        texts: all texts of the tutorial.
        renderer: the name of the renderer that measured.
    """
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
    pages = [(INDEX, texts.home), *((f"{text.name}.html", text.short) for text in texts.page)]
    links = [
        element("li", element("a", words, href=name, aria_current="page" if name == current else None))
        for name, words in pages
    ]
    return element("nav", element("ul", links), aria_label=texts.words["pages"])


def _neighbour_links(text: PageText, texts: Texts) -> Markup:
    """Links to the pages before and after one."""
    place = texts.page.index(text)
    links = []
    for key, relation, neighbour in (("before", "prev", place - 1), ("next", "next", place + 1)):
        if 0 <= neighbour < len(texts.page):
            link = element("a", texts.page[neighbour].title, href=f"{texts.page[neighbour].name}.html", rel=relation)
            links.append(element("li", f"{texts.words[key]}: ", link))
    return element("nav", element("ul", links), aria_label=texts.words["beside"])


def _section(mark: str, part: Part, result: PartResult, texts: Texts) -> Markup:
    steps = [element("li", step) for step in result.steps]
    return element(
        "section",
        element("h2", part.heading, id=f"{mark}-heading"),
        [element("p", paragraph) for paragraph in result.text],
        _picture(result),
        _verdicts(result.checks, texts),
        _figures(result.checks),
        joined(element("h3", texts.words["steps"]), element("ol", steps)) if steps else "",
        _gestures(part, texts),
        [element("p", paragraph) for paragraph in result.after],
        _film(result.film, result.checks[0], texts) if result.film is not None else "",
        _source(part, result, texts),
        id=mark,
        aria_labelledby=f"{mark}-heading",
    )


def _picture(result: PartResult) -> Markup:
    """The picture of a scanned table, or of a map; nothing for other parts."""
    if not result.picture:
        return Markup()
    image = element("img", src=result.picture, alt=result.caption, class_="drawing", loading="lazy")
    return element("figure", image, element("figcaption", result.caption), style="max-width:52rem")


def _gestures(part: Part, texts: Texts) -> Markup:
    """The keys and gestures as a table; nothing where there are none."""
    words = texts.words
    if not part.gestures:
        return Markup()
    return table(words["gestures"], [words["gesture"], words["does"]], part.gestures)


def _verdicts(results: Sequence[CheckResult], texts: Texts) -> Markup:
    """The verdicts as a table, and a note for each result that is not as the scene expects."""
    words = texts.words
    measured = any(check.share for check in results)
    keys = ["check", "verdict", *(["share"] if measured else []), "why", "rule"]
    rows, notes = list[list[Any]](), list[Markup]()
    for check in results:
        share = [element("span", check.share, style=WHOLE)] if measured else []
        rows.append(
            [
                check.who,
                _stands(check, words["marginal"]),
                *share,
                sentence(check.judged.reason),
                str(check.judged.verdict.rule),
            ]
        )
        if check.judged.unmet:
            note = words["unexpected"].format(unmet="; ".join(check.judged.unmet))
            notes.append(element("p", note, class_="note bad"))
    return joined(table(words["verdicts"], [words[key] for key in keys], rows, style=TABLE_STYLE), notes)


def _stands(check: CheckResult, marginal: str) -> Markup:
    """The plate of a verdict, with a word where it is too close to call; where there are odds, that of the call."""
    judged = check.judged
    words, note = stands(judged.verdict, judged.call)
    plate = verdict_mark(words, judged.level)
    beside = marginal if judged.call is None else note
    return joined(plate, " ", element("span", beside, class_="close")) if note else plate


def _figures(results: Sequence[CheckResult]) -> Markup:
    figures = []
    for check in results:
        for number, (_, path, meaning) in enumerate(check.figures):
            alt = f"{meaning}. {check.who}: {check.judged.verdict.verdict}. {sentence(check.judged.reason)}"
            image = element("img", src=path, alt=alt, class_="drawing", loading="lazy")
            tall = number == 0 and len(check.figures) == 3
            caption = element("figcaption", f"{meaning}: {check.who}" if len(results) > 1 else meaning)
            figures.append(element("figure", image, caption, style=TALL if tall else FIGURE_STYLE))
    return element("div", figures, class_="figures") if figures else Markup()


def _film(film: Film, first: CheckResult, texts: Texts) -> Markup:
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


def _source(part: Part, result: PartResult, texts: Texts) -> Markup:
    """The scene's file, and the command that a reader can try with it, or that makes it of a scan."""
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
