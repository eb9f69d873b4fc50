"""TELL: the pages of the site about all games, and the gallery, made of what the tutorial has worked out and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from silhouette.common.text import sentence
from silhouette.models.model import Model
from silhouette.pages.html.page import Markup, element, joined, table, verdict_mark
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import GALLERY_PAGE, GAMES_PAGE, TUTORIAL_FOLDER, SitePage, folder_of
from silhouette.pages.tutorial.parts import PageText, Texts
from silhouette.rules import RULES, rule_called
from silhouette.rules.base import Rule, Verdict
from silhouette.rules.data.rule import GameRule
from silhouette.rules.data.telling import in_plain_words

GAMES_TEXT = (
    "What each game asks of a table, and what it answers. Shares, lines and distances are measured, or exact where the "
    "game has a grid or sizes; nothing is estimated by eye."
)
CHECKS_TEXT = (
    "Each figure shows one check, drawn from what was measured for its verdict. It leads to the part of the tutorial "
    "that explains it."
)
MODELS_TEXT = "The models that come with Silhouette, each with its body, base, insignificant parts and eye."

Results = Sequence[Mapping[str, Any]]
"""The results of the pages of a tutorial, as `silhouette.pages.tutorial.pages.write_tutorial` gives them."""


@dataclass(frozen=True)
class TutorialPage:
    """A page of the tutorial, and its results."""

    text: PageText
    results: Mapping[str, Any]

    def link(self, words: PageWords) -> Markup:
        """The link to it, seen from the folder of a language."""
        address = f"{root_of(words)}{TUTORIAL_FOLDER}/{self.text.name}.html"
        return element("a", self.text.title, href=address, hreflang=words.foreign, lang=words.foreign)

    @property
    def games(self) -> set[str]:
        """The names of the games that judged on it."""
        return {row["rules"] for part in self.results["parts"] for row in part["checks"]}

    def pictures(self, words: PageWords) -> Iterator[Markup]:
        """The first figure of the first check of each part, which leads to the part; its texts are English."""
        tutorial = f"{root_of(words)}{TUTORIAL_FOLDER}"
        for number, (part, result) in enumerate(zip(self.text.part, self.results["parts"], strict=True), 1):
            row = next((row for row in result["checks"] if row["figures"]), None)
            if row is None:
                continue
            path = f"{tutorial}/{row['figures'][0]}"
            image = element("img", src=path, alt=sentence(row["reason"]), class_="drawing", loading="lazy")
            address = f"{tutorial}/{self.text.name}.html#part-{number}"
            link = element("a", part.heading, href=address, hreflang=words.foreign)
            yield element("figure", image, element("figcaption", link), lang=words.foreign)


def pages_of(texts: Texts, results: Results) -> list[TutorialPage]:
    """The pages of a tutorial, with their results."""
    return [TutorialPage(text, result) for text, result in zip(texts.page, results, strict=True)]


def root_of(words: PageWords) -> str:
    """What leads from the folder of a language to the site's."""
    return "../" * folder_of(words.language).count("/")


def games_page(pages: Sequence[TutorialPage], words: PageWords) -> SitePage:
    """The page of all games: what each asks, of what its verdicts rest, and where the tutorial explains it."""
    rules = [rule_called(name) for name in RULES]
    listed = element("ul", [element("li", element("a", rule.title, href=f"#{rule.name}")) for rule in rules])
    content = [
        element("h1", words.phrase("The games")),
        element("p", words.phrase(GAMES_TEXT)),
        element("nav", listed, aria_label=words.phrase("Games")),
        *(_game(rule, [page for page in pages if page.games == {rule.name}], words) for rule in rules),
    ]
    summary = words.phrase("What each game asks of a table, and what it answers.")
    return SitePage(GAMES_PAGE, words.phrase("Games"), summary, content, words=words)


def _game(rule: Rule[Any, Verdict], pages: Sequence[TutorialPage], words: PageWords) -> Markup:
    of_game = words.of(rule.name)
    marks = (verdict_mark(of_game.verdict(word), level) for word, level in rule.levels.items())
    verdicts = joined(*(joined(mark, " ") for mark in marks))
    explained = joined(*chain.from_iterable((" · ", page.link(words)) for page in pages))[3:]
    facts = [
        (words.phrase("verdicts"), verdicts),
        (words.phrase("in a scene"), element("code", f'rules = "{rule.name}"')),
        (words.phrase("what it reads"), element("span", ", ".join(rule.reads), lang=words.foreign)),
        *([(words.phrase("in the tutorial"), Markup(explained))] if pages else []),
    ]
    about = pages[0].text.summary if pages else ""
    clauses = Markup()
    if isinstance(rule, GameRule):
        about, clauses = rule.game.about, _clauses(rule, words)
    picture = next(chain.from_iterable(page.pictures(words) for page in pages), Markup())
    return element(
        "section",
        element("h2", rule.title, id=f"{rule.name}-title"),
        element("p", about, lang=words.foreign),
        element("div", picture, _listed(facts), class_="game"),
        clauses,
        id=rule.name,
        aria_labelledby=f"{rule.name}-title",
    )


def _listed(facts: Sequence[tuple[str, str]]) -> Markup:
    return element("dl", [joined(element("dt", name), element("dd", value)) for name, value in facts], class_="facts")


def _clauses(rule: GameRule, words: PageWords) -> Markup:
    """The clauses and the verdicts of a game that is a file, folded away; they are English."""
    content = in_plain_words(rule.game)
    clauses = [[each["number"], each["text"], each["source"]] for each in content["clauses"]]
    verdicts = [
        [verdict_mark(each["verdict"], rule.levels.get(each["verdict"])), each["choice"] or each["when"]]
        for each in content["verdicts"]
    ]
    return element(
        "details",
        element("summary", words.phrase("Its clauses in plain words"), lang=words.foreign and words.language),
        table("The clauses.", ["clause", "holds if", "by"], clauses),
        table("Its verdicts: the first that holds is given.", ["verdict", "if"], verdicts),
        element("p", f"Source: {content['source']}", class_="small"),
        lang=words.foreign,
    )


def gallery_page(pages: Sequence[TutorialPage], models: Mapping[str, tuple[str, Model]], words: PageWords) -> SitePage:
    """The gallery: figures of every game as the tutorial has them, and the example models.

    Args:
        models: each with the path of its picture, by its name.
    """
    drawn = [
        joined(element("h3", page.text.title, lang=words.foreign), _figures([*page.pictures(words)])) for page in pages
    ]
    title = words.phrase("Gallery")
    content = [
        element("h1", title),
        element("p", words.phrase(CHECKS_TEXT)),
        element("h2", words.phrase("Checks")),
        *drawn,
        element("h2", words.phrase("Models")),
        element("p", words.phrase(MODELS_TEXT)),
        _figures([_model(name, path, model, words) for name, (path, model) in models.items()]),
    ]
    summary = words.phrase("Figures of checks of every game, and the example models.")
    return SitePage(GALLERY_PAGE, title, summary, content, words=words)


def _figures(figures: Sequence[Markup]) -> Markup:
    return element("div", figures, class_="figures small-ones")


def _model(name: str, path: str, model: Model, words: PageWords) -> Markup:
    width, depth, height = (f"{length:.0f}" for length in model.mesh.bounds[1] - model.mesh.bounds[0])
    triangles = f"{len(model.mesh.faces):,} {words.phrase('triangles')}".replace(",", " ")
    about = f"{words.phrase(model.kind)}, {width} × {depth} × {height} mm, {triangles}"
    alt = words.phrase("Four views of the model {name}", name=name)
    image = element("img", src=f"{root_of(words)}{path}", alt=alt, class_="drawing", loading="lazy")
    return element("figure", image, element("figcaption", element("strong", name), element("br"), about))
