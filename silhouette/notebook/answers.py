"""PYTHON: verdicts, odds and maps that show themselves: pictures, figures, and HTML for a notebook."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, overload

from PIL import Image

from silhouette.batches.export import SCENE_FIELD
from silhouette.common.errors import RequestError
from silhouette.common.lazy import cached_property
from silhouette.common.text import did_you_mean, strict
from silhouette.drawing.figures import FigureOptions, figure_content, figure_contents, figures_of, main_picture
from silhouette.drawing.maps import Layer, MapLook, map_picture
from silhouette.drawing.odds_chart import ODDS_FIGURE, figures_of_odds
from silhouette.drawing.sheet import settings
from silhouette.drawing.styles import LEVEL_COLOURS, hexadecimal, ink_on, style_called
from silhouette.drawing.words.words import Words
from silhouette.judging import Judged, JudgingOptions, judge_all
from silhouette.judging.calls import in_hundred, stands
from silhouette.judging.counterfactuals import Changes
from silhouette.judging.maps import Map
from silhouette.judging.monte_carlo import Odds
from silhouette.notebook.arguments import python_terms
from silhouette.pages.html.page import Markup, element, joined
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.base import Level, Verdict, blockers_in_words
from silhouette.scenes.scene import Check, Scene


@dataclass(frozen=True)
class Origin:
    """What an answer is about, and how it was measured."""

    scene: Scene
    check: Check
    renderer: Renderer
    pixel: float | None

    def judged(self) -> Judged:
        """The check once more, with what figures need: the same answer."""
        options = JudgingOptions(self.renderer, pixel=self.pixel, keep=True)
        (judged,) = judge_all([(self.scene, self.check)], options)
        return judged


class NotebookVerdict(Verdict):
    """A verdict that shows itself; it is one of its game as well, an instance of its class.

    Its row, under the keys of ``--json``, can be read like a dict: ``verdict["occluded"]``, ``dict(verdict)``.
    """

    _origin: Origin | None = None

    def keys(self) -> Iterable[str]:
        """The keys of its row."""
        return self._judged_row.keys()

    def __getitem__(self, key: str) -> Any:
        if key not in self._judged_row:
            raise KeyError(f"{key!r}; {did_you_mean(key, list(self._judged_row))}")
        return self._judged_row[key]

    def figure_names(self) -> tuple[str, ...]:
        """The names of its figures, the most telling first, for `figure` and `picture`."""
        origin, verdict = self._drawable()
        return tuple(figure.name for figure in figures_of(origin.scene, origin.check, verdict, origin.renderer))

    def figure(
        self,
        name: str | None = None,
        *,
        style: str = "print",
        captions: bool = True,
        names: bool = True,
        language: str = "en",
    ) -> str:
        """A figure as the text of an SVG.

        Args:
            name: such as "eye", "plan" or "side", one of `figure_names`; by default the first.
            style: "print" or "dark".
            captions, names: whether it has a title, a reason and notes, and the names of pieces.
            language: of its words: "en", "de", "fr" or "es".

        Raises RequestError where the verdict has no such figure, or a value is none of these.
        """
        options = FigureOptions("svg", style_called(style), captions, names, Words(language).language, figure=name)
        return self._drawn(options).decode()

    def picture(self, name: str | None = None) -> Image.Image:
        """A figure as a picture, of some `figure_names`; by default what ``silhouette check --picture`` draws.

        Raises RequestError where nothing of the verdict can be drawn, or it has no such figure.
        """
        content = self._main_picture if name is None else self._drawn(FigureOptions("png", figure=name))
        if content is None:
            raise RequestError(f"{self!r}: nothing of it can be drawn")
        return Image.open(BytesIO(content))

    def _repr_png_(self) -> bytes | None:
        return self._main_picture if self._origin else None

    def _repr_html_(self) -> str:
        picture = self._repr_png_()
        words, close = stands(self)
        head = joined(" → ".join(filter(None, (self.attacker, self.target))), " ", mark(words, self.level), " ", close)
        blockers = ", ".join(blockers_in_words(self))
        lines = [self.reason, *([f"in the way: {blockers}"] if blockers else []), *self.warnings]
        shown = [] if picture is None else [image(picture, self.reason)]
        return element("div", element("p", head), [element("p", line) for line in lines], shown)

    @cached_property
    def _judged_row(self) -> dict[str, Any]:
        row = self.row() if self._origin is None else Judged.of(self._origin.check, self).row()
        return {key: strict(value) for key, value in row.items()}

    def _drawable(self) -> tuple[Origin, Verdict]:
        """What it is about, and the same verdict with what figures need."""
        if self._origin is None:
            raise RequestError(f"{self!r} was changed since it was judged; ask for it again to draw it")
        return self._origin, self._origin.judged().verdict

    @cached_property
    def _main_picture(self) -> bytes | None:
        """A notebook asks for it as PNG and within HTML."""
        origin, verdict = self._drawable()
        return main_picture(origin.scene, origin.check, verdict, origin.renderer)

    def _drawn(self, options: FigureOptions) -> bytes:
        origin, verdict = self._drawable()
        request = origin.scene, origin.check, verdict, origin.renderer
        with python_terms():
            if options.figure is None:
                names = [figure.name for figure in figures_of(*request)]
                if not names:
                    raise RequestError(f"{self!r}: nothing of it can be drawn")
                options = replace(options, figure=names[0])
            (content,) = figure_contents(*request, options).values()
        return content


class NotebookOdds(Odds):
    """Odds that show themselves."""

    scene: Scene
    judged: Judged

    def __repr__(self) -> str:
        """In a line, as a player reads it."""
        return f"<Odds {self._words}>"

    @property
    def _words(self) -> str:
        return f"{self.judged.check.label}: {in_hundred(self.odds)}: {self.call}"

    def figure(self, *, style: str = "print", language: str = "en") -> str:
        """The bar of the odds, and how the shares of the trials lie, as the text of an SVG."""
        options = FigureOptions("svg", style_called(style), language=Words(language).language, figure=ODDS_FIGURE)
        with settings():
            (figure,) = figures_of_odds(self.scene, self.judged)
            return figure_content(self.scene, figure, self.judged.verdict, options).decode()

    def _repr_svg_(self) -> str:
        return self.figure()

    def _repr_html_(self) -> str:
        levels = rule_called(self.scene.rules).levels
        rows = [(mark(word, levels.get(word)), f"{100 * part:.1f} %") for word, part in self.odds.items()]
        return element("div", element("p", self._words), table(("verdict", "odds"), rows))


class NotebookMap(Map):
    """A map that shows itself."""

    def figure(self, layer: Layer = "verdict", *, style: str = "print", language: str = "en") -> str:
        """The map as the text of an SVG; see `silhouette.drawing.maps.MapLook` for its layers."""
        return map_picture(self, "svg", MapLook.called(layer, style, language)).decode()

    def picture(self, layer: Layer = "verdict") -> Image.Image:
        """The map as a picture."""
        return Image.open(BytesIO(map_picture(self, "png", MapLook(layer))))

    def _repr_svg_(self) -> str:
        return self.figure()

    def _repr_html_(self) -> str:
        return element("div", element("p", repr(self)[1:-1]), image(map_picture(self, "png"), repr(self)[1:-1]))


class NotebookChanges(Changes):
    """What would change a verdict, in words."""

    def __repr__(self) -> str:
        """In a line, as a player reads it."""
        return f"<Changes: {self.words}>"

    def _repr_html_(self) -> str:
        return element("p", " ".join(filter(None, (self.words, self.one_way))))


class Matrix(Sequence[NotebookVerdict]):
    """The verdicts of everyone on everyone, in order; `rows` gives them as plain values, for pandas."""

    def __init__(self, scene: Scene, verdicts: Sequence[NotebookVerdict]) -> None:
        self.scene, self._verdicts = scene, tuple(verdicts)

    @overload
    def __getitem__(self, index: int) -> NotebookVerdict: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[NotebookVerdict]: ...
    @overload
    def __getitem__(self, index: tuple[str, str]) -> NotebookVerdict: ...
    def __getitem__(self, index: int | slice | tuple[str, str]) -> NotebookVerdict | Sequence[NotebookVerdict]:
        """A verdict by its number, several by a slice, or that of an attacker on a target by their names."""
        if not isinstance(index, tuple):
            return self._verdicts[index]
        pairs = {(verdict.attacker, verdict.target): verdict for verdict in self._verdicts}
        if index not in pairs:
            names = list(dict.fromkeys(name for pair in pairs for name in pair))
            wrong = next((name for name in index if name not in names), None)
            why = "is no pair of two" if wrong is None else f"nothing is called {wrong!r}; {did_you_mean(wrong, names)}"
            raise KeyError(f"{index!r}: {why}")
        return pairs[index]

    def __len__(self) -> int:
        return len(self._verdicts)

    def __iter__(self) -> Iterator[NotebookVerdict]:
        return iter(self._verdicts)

    def __eq__(self, other: object) -> bool:
        """Whether it has the same verdicts, in the same order."""
        return self._verdicts == other._verdicts if isinstance(other, Matrix) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._verdicts)

    def __repr__(self) -> str:
        return f"<Matrix of {self.scene.path.as_posix()}: {len(self)} verdicts>"

    def rows(self) -> list[dict[str, Any]]:
        """A row for each pair, as the contract names its keys."""
        return [{SCENE_FIELD.key: self.scene.path.as_posix(), **dict(verdict)} for verdict in self]

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for verdict in self for name in (verdict.attacker, verdict.target)))
        cells = {(verdict.attacker, verdict.target): _cell(verdict) for verdict in self}
        rows = [(attacker, *(cells.get((attacker, target), "") for target in names)) for attacker in names]
        return table(("looks at", *names), rows)


# ---- HTML for a notebook, whose style sheet is not ours


def mark(words: str, level: Level | None) -> Markup:
    """A verdict as a plate in the colour of its level.

    >>> mark("hidden", Level.BLOCKED)
    '<span style="background:#2b2f36;color:#fdfcf9;padding:0 .4em;border-radius:.2em">hidden</span>'
    """
    ground = LEVEL_COLOURS[level]
    colours = f"background:{hexadecimal(ground)};color:{hexadecimal(ink_on(ground))}"
    return element("span", words, style=f"{colours};padding:0 .4em;border-radius:.2em")


def _cell(verdict: Verdict) -> Markup:
    share, _ = verdict.share
    note = "" if share is None else f"{100 * share:.1f} %"
    return joined(mark(verdict.words + "?" * verdict.marginal, verdict.level), " ", element("small", note))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table of words or markup, its first column headings too.

    >>> table(("verdict", "odds"), [("open", "3 %")])
    '<table><tr><th>verdict</th><th>odds</th></tr><tr><th>open</th><td>3 %</td></tr></table>'
    >>> table(("verdict",), [])
    '<table><tr><th>verdict</th></tr></table>'
    """
    lines = [[element("th", row[0]), *(element("td", cell) for cell in row[1:])] for row in rows]
    head = element("tr", [element("th", heading) for heading in headings])
    return element("table", head, [element("tr", line) for line in lines])


def image(content: bytes, words: str) -> Markup:
    """A PNG within HTML; ``words`` say what it shows."""
    data = f"data:image/png;base64,{b64encode(content).decode()}"
    return element("img", src=data, alt=words, style="max-width:100%;max-height:40em")
