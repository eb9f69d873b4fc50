"""TELL: the pages of the site about all games, and the gallery, made of what the tutorial has worked out and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from silhouette.common.text import sentence
from silhouette.models.model import Model
from silhouette.pages.html.page import Markup, element, joined, table, verdict_mark
from silhouette.pages.site.frame import GALLERY_PAGE, GAMES_PAGE, TUTORIAL_FOLDER, SitePage
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

    @property
    def link(self) -> Markup:
        """The link to it, seen from the site's folder."""
        return element("a", self.text.title, href=f"{TUTORIAL_FOLDER}/{self.text.name}.html")

    @property
    def games(self) -> set[str]:
        """The names of the games that judged on it."""
        return {row["rules"] for part in self.results["parts"] for row in part["checks"]}

    def pictures(self) -> Iterator[Markup]:
        """The first figure of the first check of each part, which leads to the part."""
        for number, (part, result) in enumerate(zip(self.text.part, self.results["parts"], strict=True), 1):
            row = next((row for row in result["checks"] if row["figures"]), None)
            if row is None:
                continue
            path = f"{TUTORIAL_FOLDER}/{row['figures'][0]}"
            image = element("img", src=path, alt=sentence(row["reason"]), class_="drawing", loading="lazy")
            link = element("a", part.heading, href=f"{TUTORIAL_FOLDER}/{self.text.name}.html#part-{number}")
            yield element("figure", image, element("figcaption", link))


def pages_of(texts: Texts, results: Results) -> list[TutorialPage]:
    """The pages of a tutorial, with their results."""
    return [TutorialPage(text, result) for text, result in zip(texts.page, results, strict=True)]


def games_page(pages: Sequence[TutorialPage]) -> SitePage:
    """The page of all games: what each asks, of what its verdicts rest, and where the tutorial explains it."""
    rules = [rule_called(name) for name in RULES]
    listed = element("ul", [element("li", element("a", rule.title, href=f"#{rule.name}")) for rule in rules])
    content = [
        element("h1", "The games"),
        element("p", GAMES_TEXT),
        element("nav", listed, aria_label="Games"),
        *(_game(rule, [page for page in pages if page.games == {rule.name}]) for rule in rules),
    ]
    return SitePage(GAMES_PAGE, "Games", "What each game asks of a table, and what it answers.", content)


def _game(rule: Rule[Any, Verdict], pages: Sequence[TutorialPage]) -> Markup:
    verdicts = joined(*(joined(verdict_mark(word, level), " ") for word, level in rule.levels.items()))
    explained = joined(*chain.from_iterable((" · ", page.link) for page in pages))[3:]
    facts = [
        ("verdicts", verdicts),
        ("in a scene", element("code", f'rules = "{rule.name}"')),
        ("what it reads", ", ".join(rule.reads)),
        *([("in the tutorial", Markup(explained))] if pages else []),
    ]
    about = pages[0].text.summary if pages else ""
    clauses = Markup()
    if isinstance(rule, GameRule):
        about, clauses = rule.game.about, _clauses(rule)
    picture = next(chain.from_iterable(page.pictures() for page in pages), Markup())
    return element(
        "section",
        element("h2", rule.title, id=f"{rule.name}-title"),
        element("p", about),
        element("div", picture, _listed(facts), class_="game"),
        clauses,
        id=rule.name,
        aria_labelledby=f"{rule.name}-title",
    )


def _listed(facts: Sequence[tuple[str, str]]) -> Markup:
    return element("dl", [joined(element("dt", name), element("dd", value)) for name, value in facts], class_="facts")


def _clauses(rule: GameRule) -> Markup:
    """The clauses and the verdicts of a game that is a file, folded away."""
    content = in_plain_words(rule.game)
    clauses = [[each["number"], each["text"], each["source"]] for each in content["clauses"]]
    verdicts = [
        [verdict_mark(each["verdict"], rule.levels.get(each["verdict"])), each["choice"] or each["when"]]
        for each in content["verdicts"]
    ]
    return element(
        "details",
        element("summary", "Its clauses in plain words"),
        table("The clauses.", ["clause", "holds if", "by"], clauses),
        table("Its verdicts: the first that holds is given.", ["verdict", "if"], verdicts),
        element("p", f"Source: {content['source']}", class_="small"),
    )


def gallery_page(pages: Sequence[TutorialPage], models: Mapping[str, tuple[str, Model]]) -> SitePage:
    """The gallery: figures of every game as the tutorial has them, and the example models.

    Args:
        models: each with the path of its picture, by its name.
    """
    drawn = [joined(element("h3", page.text.title), _figures([*page.pictures()])) for page in pages]
    content = [
        element("h1", "Gallery"),
        element("p", CHECKS_TEXT),
        element("h2", "Checks"),
        *drawn,
        element("h2", "Models"),
        element("p", MODELS_TEXT),
        _figures([_model(name, path, model) for name, (path, model) in models.items()]),
    ]
    return SitePage(GALLERY_PAGE, "Gallery", "Figures of checks of every game, and the example models.", content)


def _figures(figures: Sequence[Markup]) -> Markup:
    return element("div", figures, class_="figures small-ones")


def _model(name: str, path: str, model: Model) -> Markup:
    width, depth, height = (f"{length:.0f}" for length in model.mesh.bounds[1] - model.mesh.bounds[0])
    triangles = f"{len(model.mesh.faces):,}".replace(",", " ")
    about = f"{model.kind}, {width} × {depth} × {height} mm, {triangles} triangles"
    image = element("img", src=path, alt=f"Four views of the model {name}", class_="drawing", loading="lazy")
    return element("figure", image, element("figcaption", element("strong", name), element("br"), about))
