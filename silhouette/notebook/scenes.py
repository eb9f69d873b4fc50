"""PYTHON: a scene that is asked: who sees whom, with what odds, from where; built of keys and meshes, or read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict

from PIL import Image
from typing_extensions import Unpack

from silhouette.common.text import counted, did_you_mean
from silhouette.drawing.figures import FigureOptions, overview_content
from silhouette.drawing.games import drawing_of
from silhouette.drawing.styles import style_called
from silhouette.drawing.words.words import Words
from silhouette.files.cache import Cache
from silhouette.notebook import questions
from silhouette.notebook.answers import (
    Matrix,
    NotebookChanges,
    NotebookMap,
    NotebookOdds,
    NotebookVerdict,
    image,
    table,
)
from silhouette.notebook.arguments import in_python, python_terms
from silhouette.notebook.building import write_scene
from silhouette.notebook.methods import plain, with_methods
from silhouette.notebook.questions import MOVED, Places, places_of, scene_of
from silhouette.pages.html.page import element
from silhouette.renderers.protocol import Renderer
from silhouette.rules import DEFAULT_GAME, rule_called
from silhouette.rules.abilities import HasDescription
from silhouette.rules.base import Rule, Verdict
from silhouette.scenes.scene import Scene as PlainScene
from silhouette.scenes.table import Piece, TableScene


class MeasuringArguments(TypedDict, total=False):
    """How is measured; see `silhouette.check`."""

    renderer: str | Renderer
    pixel: float | None
    error: float | None


class CheckArguments(MeasuringArguments, total=False):
    """The arguments of `silhouette.check` but for the scene and the pair."""

    arc: str | None
    at: Places | None


class PlaceMapArguments(MeasuringArguments, total=False):
    """The arguments of `silhouette.map_of` but for the scene and the model."""

    attackers: str | Sequence[str]
    targets: str | Sequence[str]
    grid: float
    within: float | None
    under: float | None
    workers: int | None


def load_scene(
    source: str | PathLike[str] | Mapping[str, Any], *, cache: Cache | None = None, at: Places | None = None
) -> Scene:
    """The scene of a TOML or JSON file, or of the keys of one, with its models loaded and standing in their places.

    Args:
        source: the path of a file, paths in which are seen from its own folder; or its keys, as of `Scene.build`.
        cache: keeps what takes long to work out about meshes; by default in the user's cache folder.
        at: places to try in place of those in the file, by the names of pieces: x, y and, if wanted, the facing in
            degrees; in the scene's units. A piece keeps its height, or what it stands on; expectations are left out.

    Raises FileError where the scene or one of its models cannot be used; one line that says what would be right;
    RequestError where ``at`` names nothing in the scene, or gives no place.
    """
    with python_terms():
        return with_methods(scene_of(source, at, cache), Scene, **{MOVED: at or {}})


class Scene(PlainScene):
    """A scene with its checks, which answers questions; it is one of its game as well.

    >>> scene = Scene.build(
    ...     rules="necromunda",
    ...     fighter=[
    ...         {"name": "Kal", "at": (0, 0), "parts": [{"box": (12, 12, 30)}], "eye": (0, 6, 15)},
    ...         {"name": "Vex", "at": (0, 200), "parts": [{"box": (12, 12, 30)}]},
    ...     ],
    ...     terrain=[{"name": "wall", "at": (0, 185), "parts": [{"box": (60, 5, 10)}]}],
    ... )
    >>> scene["Vex"], scene.names
    (<Piece Vex: fighter at 0, 200, 0 mm>, ('Kal', 'Vex'))
    >>> scene.check("Kal", "Vex")
    <NecromundaVerdict Kal to Vex: partial cover, 32.7 % ± 0.01 % obscured>
    >>> scene.moved({"Vex": (100, 200)}).check("Kal", "Vex").verdict
    'open'
    >>> scene["Wex"]
    Traceback (most recent call last):
    ...
    KeyError: "nothing is called 'Wex'; did you mean 'Vex'?"
    """

    @classmethod
    def build(cls, rules: str = DEFAULT_GAME, *, folder: str | PathLike[str] | None = None, **keys: Any) -> Scene:
        """A scene of the keys of a scene file, as `silhouette schema scene` lists them.

        ``mesh`` of a piece may be a path, seen from the current folder, a `trimesh.Trimesh`, a `trimesh.Scene`, whose
        nodes become parts, or (vertices (n, 3), faces (m, 3)); ``units``, ``up`` and ``base`` say what they say of a
        file. Arrays may stand wherever numbers do; a key that is None is left out.

        Args:
            rules: the game, or the path of a game file.
            folder: where the scene is kept, as scene.toml with its meshes; by default only as long as the scene.
            keys: such as ``fighter``, ``terrain``, ``table`` and ``checks``, lists of dicts or values.

        Raises RequestError where a value is none that a scene can have; FileError as of `load_scene`.
        """
        with python_terms():
            document = {"rules": rules, **keys}
            if folder is None:
                return load_scene(document)
            return load_scene(write_scene(document, Path(folder)))

    def __repr__(self) -> str:
        """In a line; of one that is in memory only, without a path."""
        return in_python(super().__repr__())

    def __getitem__(self, name: str) -> Piece | dict[str, str]:
        """What is called so: a piece or, in a game without meshes, what `silhouette report` lists of it."""
        if isinstance(self, TableScene):
            pieces = {piece.name: piece for piece in self.pieces}
            if name in pieces:
                return pieces[name]
            names = list(pieces)
        else:
            headings, rows = self._table
            listed = {row[0]: dict(zip(headings, row, strict=True)) for row in rows}
            if name in listed:
                return listed[name]
            names = list(listed)
        raise KeyError(f"nothing is called '{name}'; {did_you_mean(str(name), names)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that can look and be looked at."""
        return tuple(rule_called(self.rules).lookers(plain(self)))

    def moved(self, at: Places) -> Scene:
        """The same scene with pieces elsewhere, by name: x, y and, if wanted, the facing; see `load_scene`."""
        with python_terms():
            return with_methods(scene_of(self, at), Scene, **{MOVED: places_of(self, at)}, _origin=self)

    def check(self, attacker: str, target: str, **how: Unpack[CheckArguments]) -> NotebookVerdict:
        """Whether the attacker sees the target, and whether the target is in cover; see `silhouette.check`."""
        return questions.check(self, attacker, target, **how)

    def odds(self, attacker: str, target: str, *, seed: int = 0, **how: Unpack[CheckArguments]) -> NotebookOdds:
        """How likely each verdict is, by the scene's doubt; see `silhouette.odds`."""
        return questions.odds(self, attacker, target, seed=seed, **how)

    def changes(self, attacker: str, target: str, **how: Unpack[CheckArguments]) -> NotebookChanges:
        """What would change the verdict; see `silhouette.changes`."""
        return questions.changes(self, attacker, target, **how)

    def matrix(self, **how: Unpack[MeasuringArguments]) -> Matrix:
        """Everyone against everyone; see `silhouette.matrix`."""
        return questions.matrix(self, **how)

    def map_of(self, move: str, **how: Unpack[PlaceMapArguments]) -> NotebookMap:
        """Where a model could stand, and the verdict there; see `silhouette.map_of`."""
        return questions.map_of(self, move, **how)

    def figure(self, *, style: str = "print", names: bool = True, language: str = "en") -> str:
        """The whole scene from above, as the text of an SVG. RequestError where the game has no such figure."""
        options = FigureOptions("svg", style_called(style), names=names, language=Words(language).language)
        return overview_content(plain(self), options)[1].decode()

    def picture(self) -> Image.Image:
        """The whole scene from above. RequestError where the game has no such figure."""
        return Image.open(BytesIO(overview_content(plain(self), FigureOptions("png"))[1]))

    def _repr_svg_(self) -> str | None:
        return None if drawing_of(self.rules).overview(plain(self)) is None else self.figure()

    def _repr_html_(self) -> str:
        headings, rows = self._table
        head = f"{self.title or self.path.stem}: {rule_called(self.rules).title}, {counted(len(rows), 'piece')}"
        drawing = drawing_of(self.rules).overview(plain(self))
        shown = [] if drawing is None else [image(overview_content(plain(self), FigureOptions("png"))[1], head)]
        warnings = [element("p", warning) for warning in self.warnings]
        return element("div", element("p", head), shown, table(headings, rows), warnings)

    @property
    def _table(self) -> tuple[Sequence[str], Sequence[tuple[str, ...]]]:
        rule: Rule[Any, Verdict] = rule_called(self.rules)
        if not isinstance(rule, HasDescription):
            return ("name",), [(name,) for name in self.names]
        listed = rule.pieces(plain(self))
        shown = [number for number, heading in enumerate(listed.headings) if heading not in listed.code]
        rows = [tuple(row[number] for number in shown) for row in listed.rows]
        return [listed.headings[number] for number in shown], rows
