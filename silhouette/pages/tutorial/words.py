"""TELL: the tutorial's text, written in one file for each language: pages, their parts, and what these show."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files

from silhouette.files.schema import Entry


class Walking(Entry):
    """An animation in which the target of a part's first check walks.

    Attributes:
        walk: where to, mm.
        frames: how many.
        fps: frames a second.
    """

    walk: tuple[float, ...]
    frames: int
    fps: float


class Scanned(Entry):
    """A scan that is made into a scene first.

    Attributes:
        file: the scan, seen from the folder of scenes.
        figures: the folder of known models, seen from there.
        pairs: attacker and target of each check, by the names that the scan gives them.
        caption: the words below the picture of the table.
    """

    file: str
    figures: str
    pairs: tuple[tuple[str, str], ...]
    caption: str


class Mapped(Entry):
    """A map of where a model could stand.

    Attributes:
        move: the name of the model.
        attackers: who looks at it.
        grid: mm between two places.
        within: mm: how far from where it stands they lie at most.
        caption: the words below the picture.
    """

    move: str
    attackers: tuple[str, ...]
    grid: float
    within: float
    caption: str


class Part(Entry):
    """A part of a page: one scene, with what is to be learned from it.

    Attributes:
        heading: of the part.
        scene: its file, seen from the folder of scenes; for a scan its name on the page.
        scan: the scan of which the scene is made, or None.
        checks: the numbers of those that are shown, from 1.
        figures: the kinds of figure that are shown of each.
        text: paragraphs before the verdicts.
        steps: the name of the list of steps that work it out, or None.
        after: paragraphs below.
        animate: what moves at the end, or None.
        odds: whether the odds of each verdict are worked out and shown, as the figure "odds".
        map: a map that is made of the scene, or None.
        gestures: keys and gestures, each with what it does.
        command: what a reader can try with the scene's file.
    """

    heading: str
    scene: str
    scan: Scanned | None = None
    checks: tuple[int, ...] = (1,)
    figures: tuple[str, ...]
    text: tuple[str, ...]
    steps: str | None = None
    after: tuple[str, ...] = ()
    animate: Walking | None = None
    odds: bool = False
    map: Mapped | None = None
    gestures: tuple[tuple[str, str], ...] = ()
    command: str = "check"

    @property
    def count(self) -> int:
        """How many checks are shown."""
        return len(self.checks) if self.scan is None else len(self.scan.pairs)


class PageText(Entry):
    """A page.

    Attributes:
        name: of its file, without the ending.
        short: its title where there is little room.
        title: its heading.
        summary: a sentence about it.
        lead: paragraphs at its beginning.
        part: its parts, in order.
    """

    name: str
    short: str
    title: str
    summary: str
    lead: tuple[str, ...]
    part: tuple[Part, ...]


class Texts(Entry):
    """All of the tutorial's text in one language.

    Attributes:
        title, lead, about: of the first page: its heading, a sentence, paragraphs.
        home: the short title of the first page.
        reading_heading, reading: how figures are read.
        words: small words by what they are for.
        figures: what each kind of figure shows.
        steps: lists of steps, by name.
        page: the other pages, in order.
    """

    title: str
    home: str
    lead: str
    about: tuple[str, ...]
    reading_heading: str
    reading: tuple[str, ...]
    words: dict[str, str]
    figures: dict[str, str]
    steps: dict[str, tuple[str, ...]]
    page: tuple[PageText, ...]


@lru_cache(maxsize=1)
def texts(language: str = "en") -> Texts:
    """The tutorial's text in a language: its file, and after that the pages of games by data, each in its own file.

    >>> texts().page[0].part[0].scene.endswith(".toml")
    True
    """
    folder = files("silhouette.pages.tutorial").joinpath("texts")
    document = tomllib.loads(folder.joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    for file in sorted(folder.joinpath(language).iterdir(), key=lambda file: file.name):
        document["page"].append(tomllib.loads(file.read_text(encoding="utf-8")))
    return Texts.model_validate(document)
