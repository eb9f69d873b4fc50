"""TELL: one part of the tutorial: its scene judged and drawn into the folder, and its text with the results."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from silhouette.common.geometry import INCH
from silhouette.common.text import Progress, in_a_sentence
from silhouette.drawing.animation.film import Animation, animate
from silhouette.drawing.figures import FigureOptions, figures_of, file_name, write_figure
from silhouette.drawing.maps import write_map_picture
from silhouette.drawing.odds_chart import figures_of_odds
from silhouette.drawing.sheet import settings
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.judging import Judged, JudgingOptions, Selection, content_with, judge_all, load_scene, mapped
from silhouette.judging.calls import in_hundred
from silhouette.judging.maps import MapRequest
from silhouette.judging.monte_carlo import Odds
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasDescription
from silhouette.rules.base import Level, Measurement, Verdict, blocker_shares
from silhouette.scans.keep import SCENE
from silhouette.scans.scan import ScanRequest, scan_table
from silhouette.scans.write import PICTURE, write_folder
from silhouette.scenes.places import Motion, length
from silhouette.scenes.scene import Check, Scene


class Walking(Entry):
    """An animation in which the target of a part's first check walks, to a place in mm."""

    walk: tuple[float, ...]
    frames: int
    fps: float


class ScannedScene(Entry):
    """A scan that is made into a scene first; it and the known models are seen from the folder of scenes."""

    file: str
    figures: str
    pairs: tuple[tuple[str, str], ...]
    caption: str


class Mapped(Entry):
    """A map of where a model could stand, and who looks at it; places ``grid`` mm apart, at most ``within`` mm away."""

    move: str
    attackers: tuple[str, ...]
    grid: float
    within: float
    caption: str


class PagePart(Entry):
    """A part of a page: one scene, with what is to be learned from it."""

    heading: str
    scene: str  # its file, seen from the folder of scenes; for a scan its name on the page
    scan: ScannedScene | None = None
    checks: tuple[int, ...] = (1,)  # the numbers of those that are shown, from 1
    figures: tuple[str, ...]  # the kinds of figure that are shown of each
    text: tuple[str, ...]
    steps: str | None = None  # the name of the list of steps that work it out, or None
    after: tuple[str, ...] = ()
    animate: Walking | None = None  # what moves at the end, or None
    odds: bool = False  # whether the odds of each verdict are worked out and shown, as the figure "odds"
    map: Mapped | None = None
    gestures: tuple[tuple[str, str], ...] = ()  # keys and gestures, each with what it does
    command: str = "check"  # what a reader can try with the scene's file

    @property
    def count(self) -> int:
        """How many checks are shown."""
        return len(self.checks) if self.scan is None else len(self.scan.pairs)


class PageText(Entry):
    """A page: the name of its file without the ending, its titles, a sentence, first paragraphs, its parts."""

    name: str
    short: str
    title: str
    summary: str
    lead: tuple[str, ...]
    part: tuple[PagePart, ...]


class Texts(Entry):
    """All of the tutorial's text in one language."""

    # title, lead, about: of the first page: its heading, a sentence, paragraphs
    title: str
    home: str
    lead: str
    about: tuple[str, ...]
    # reading_heading, reading: how figures are read
    reading_heading: str
    reading: tuple[str, ...]
    words: dict[str, str]  # small words by what they are for
    figures: dict[str, str]
    steps: dict[str, tuple[str, ...]]  # lists of steps, by name
    page: tuple[PageText, ...]  # the other pages, in order
    above: tuple[tuple[str, str], ...] = ()  # where it is part of a site: the address and the name of pages of that


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


# ---- results in the text


class Facts:
    """One check's result, and the facts that follow from it, as text by name: ``{c1.verdict}``, ``{c1.share}``.

    Every key of the result is there in words. Further names are: ``sentence`` (the reason, with a capital), ``share``
    (with its error), ``blockers`` (names, with shares where there are several), ``twice_occluded`` and ``compared`` (to
    the whole), ``sight``, and the facts of the rule system (`silhouette.rules.abilities.HasDescription.facts`). If odds
    were worked out, there are also ``odds``, ``call``, ``trials``, and ``least`` and ``most``, between which the middle
    95 % of the shares lie.
    """

    def __init__(self, scene: Scene, judged: Judged, words: Mapping[str, str]) -> None:
        verdict = judged.verdict
        self._facts = {key: in_words(value) for key, value in verdict.row().items()}
        self._facts["sentence"] = verdict.reason[:1].upper() + verdict.reason[1:]
        self._facts |= {"attacker": verdict.attacker, "target": verdict.target}
        if verdict.measurement is not None:
            self._facts |= _measured(verdict, verdict.measurement, words)
        rule = rule_called(scene.rules)
        if isinstance(rule, HasDescription):
            self._facts |= rule.facts(scene, verdict, words)
        if judged.odds is not None:
            self._facts |= _likely(judged.odds)

    def __getattr__(self, name: str) -> str:
        try:
            return self._facts[name]
        except KeyError:
            raise AttributeError(f"no check has a '{name}' to tell of") from None


def filled(text: str, facts: Sequence[Facts], scan: object = None, chart: object = None) -> str:
    """A text with the facts put into its places: ``{c1.verdict}`` is the verdict of the first check.

    ``{scan.figures}`` is a fact of the scan of which the scene was made, where it was, ``{map.places}`` one of the map
    that was made of the scene.
    """
    return text.format(scan=scan, map=chart, **{f"c{number}": fact for number, fact in enumerate(facts, 1)})


def in_words(value: Any) -> str:
    """A value of a result in a sentence.

    >>> in_words(18204), in_words(0.10000000000000002), in_words([1, 0, 2]), in_words("open"), in_words(None)
    ('18,204', '0.1', '1, 0, 2', 'open', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}"
    return ", ".join(map(in_words, value)) if isinstance(value, list | tuple) else str(value)


def _measured(verdict: Verdict, measured: Measurement, words: Mapping[str, str]) -> dict[str, str]:
    part, whole = measured.occluded_pixels, measured.target_pixels
    return {
        "share": measured.words if whole else "",
        "pixel": f"{measured.pixel:.2g}",
        "blockers": _in_the_way(verdict, words),
        "twice_occluded": in_words(2 * part),
        "compared": words["less" if 2 * part < whole else "not_less"],
        "sight": words["sight_yes" if verdict.line_of_sight else "sight_no"],
    }


def _likely(odds: Odds) -> dict[str, str]:
    least, most = odds.occluded_interval or (0.0, 1.0)
    return {
        "odds": in_hundred(odds.odds),
        "call": odds.call,
        "trials": in_words(odds.trials),
        "least": f"{100.0 * least:.0f} %",
        "most": f"{100.0 * most:.0f} %",
    }


def _in_the_way(verdict: Verdict, words: Mapping[str, str]) -> str:
    """The names of the blockers, with shares if there are several."""
    some = [(blocker.name, share) for blocker, share in blocker_shares(verdict) if blocker.share]
    if len(some) < 2:
        return in_a_sentence(some[0][0]) if some else words["nothing"]
    phrases = [f"{in_a_sentence(name)} ({share})" for name, share in some]
    return f"{', '.join(phrases[:-1])} {words['and']} {phrases[-1]}"


# ---- maps


@dataclass(frozen=True)
class MapFacts:
    """At how many places a model could stand, at how many its base fits, and the nearest with each cover, inches."""

    places: str
    fits: str
    nearest: str


def map_scene(text: Mapped, scene: Scene, renderer: Renderer, path: Path) -> MapFacts:
    """Makes a map of a scene, and draws it at a path; FileError where the picture cannot be written."""
    request = MapRequest(text.move, text.attackers, grid=text.grid, within=text.within)
    made = mapped(scene, request, renderer)
    write_map_picture(made, path)
    near = [f'{verdict} at {away / INCH:.1f}"' for verdict, (_, away) in made.nearest.items()]
    return MapFacts(f"{len(made.index):,}", f"{int(made.cells.stands.sum()):,}", ", ".join(near))


# ---- scans


@dataclass(frozen=True)
class ScanFacts:
    """What a scan came to, in words and files."""

    scene: Path
    picture: Path
    # triangles, size, noise, figures, known, terrain, residual: how many, how large (mm) and how rough (mm) it is; of
    # how many figures it is sure which they are, and how far off (mm, root mean square) these are at most
    triangles: str
    size: str
    noise: str
    figures: str
    known: str
    terrain: str
    residual: str
    open_questions: str


def scan_scene(scanned: ScannedScene, scenes: Path, cache: Cache, folder: Path) -> ScanFacts:
    """Makes a scan into a scene in a new folder; scan and known models are seen from ``scenes``.

    Raises FileError if the scan cannot be used.
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


# ---- parts

ODDS_SEED = 0  # of the odds on the pages


@dataclass(frozen=True)
class TutorialRun:
    """The settings with which the tutorial is made."""

    scenes: Path
    renderer: Renderer
    cache: Cache
    workers: int = 1  # the number of processes that work at the same time, where that is possible
    moving: bool = True  # whether there are animations
    pixel: float | None = None  # mm; None for the default of each scene
    error: float | None = None  # the error goal, a share; None for the default of each scene
    texts: Texts = field(default_factory=texts)


@dataclass(frozen=True)
class CheckResult:
    """The result of a check: who, in words, and the kind, the path in the folder and the caption of each figure."""

    who: str
    judged: Judged
    figures: tuple[tuple[str, str, str], ...]

    @property
    def share(self) -> str:
        """The share obscured, with its error; empty if nothing was measured."""
        measured = self.judged.verdict.measurement
        return measured.words if measured is not None and measured.counts.total else ""


@dataclass(frozen=True)
class FilmResult:
    """An animation of the first check of a part: its caption, each frame's result, the levels that these may have."""

    path: str
    caption: str
    frames: list[dict[str, Any]]
    levels: Mapping[str, Level]


@dataclass(frozen=True)
class PartResult:
    """The content of a part once its checks are judged and drawn: its paragraphs and steps, with the results put in."""

    text: list[str]
    steps: list[str]
    after: list[str]
    checks: list[CheckResult]
    film: FilmResult | None
    source: str
    picture: str = ""  # the path of the picture of a scanned table, or of a map; empty for other parts
    caption: str = ""


def build_part(
    part: PagePart, run: TutorialRun, folder: Path, progress: Progress = lambda done, total: None
) -> PartResult:
    """Judges and draws the checks of a part into a folder, and puts the results into its text.

    Raises FileError if the scene cannot be used or a figure cannot be written.
    """
    place = Path("figures", *Path(part.scene).with_suffix("").parts)
    (folder / place).mkdir(parents=True, exist_ok=True)
    if part.scan is None:
        scene = content_with(load_scene(run.scenes / part.scene, cache=run.cache), run.error)
        return _of_scene(scene, part, run, folder, place, progress)
    with TemporaryDirectory() as made:
        scan = scan_scene(part.scan, run.scenes, run.cache, Path(made, "scan"))
        shutil.copy(scan.picture, folder / place / scan.picture.name)
        scene = content_with(load_scene(scan.scene, cache=run.cache), run.error)
        result = _of_scene(scene, part, run, folder, place, progress, scan)
        return replace(result, picture=(place / scan.picture.name).as_posix(), caption=part.scan.caption)


def _of_scene(
    scene: Scene,
    part: PagePart,
    run: TutorialRun,
    folder: Path,
    place: Path,
    progress: Progress,
    scan: ScanFacts | None = None,
) -> PartResult:
    """The result of a part whose scene is loaded, with the facts of the scan of which that is made."""
    facts, checks = list[Facts](), list[CheckResult]()
    numbers, questions = zip(*_questions(scene, part), strict=True)
    options = JudgingOptions(run.renderer, pixel=run.pixel, keep=True, seed=ODDS_SEED if part.odds else None)
    rulings = judge_all([(scene, check) for check in questions], options)
    for number, ruling in zip(numbers, rulings, strict=True):
        figures = _drawn(scene, part, ruling, number, run, folder, place)
        facts.append(Facts(scene, ruling, run.texts.words))
        checks.append(_check_result(ruling, figures, run.texts))
    steps = run.texts.steps[part.steps] if part.steps else ()
    picture, there = place / "map.svg", None
    if part.map is not None:
        there = map_scene(part.map, scene, run.renderer, folder / picture)
    film = _film(scene, part, run, folder, place, progress)
    return PartResult(
        text=[filled(paragraph, facts, scan, there) for paragraph in part.text],
        steps=[filled(step, facts, scan, there) for step in steps],
        after=[filled(paragraph, facts, scan, there) for paragraph in part.after],
        checks=checks,
        film=film,
        source=scene.path.read_text(encoding="utf-8"),
        picture="" if part.map is None else picture.as_posix(),
        caption="" if part.map is None else part.map.caption,
    )


def frames_of(part: PagePart, run: TutorialRun) -> int:
    """The number of frames of the animation of a part."""
    return part.animate.frames if part.animate is not None and run.moving else 0


def _questions(scene: Scene, part: PagePart) -> list[tuple[int, Check]]:
    """The checks that a part shows, with their numbers: the scene's own, or the pairs of a scan."""
    if part.scan is None:
        return [(number, scene.checks[number - 1]) for number in part.checks]
    pairs = [Selection(attacker, target).checks(scene)[0] for attacker, target in part.scan.pairs]
    return list(enumerate(pairs, 1))


def _drawn(
    scene: Scene, part: PagePart, ruling: Judged, number: int, run: TutorialRun, folder: Path, place: Path
) -> dict[str, str]:
    """The paths of the figures of a verdict, drawn from the measurement that it rests on."""
    options, verdict, written = FigureOptions(), ruling.verdict, dict[str, str]()
    if not part.figures:
        return written
    with settings():
        for figure in [*figures_of(scene, ruling.check, verdict, run.renderer), *figures_of_odds(scene, ruling)]:
            if figure.name in part.figures:
                name = file_name(number, verdict.attacker, verdict.target, figure.name, options.format)
                write_figure(scene, figure, verdict, folder / place / name, options, part.scene)
                written[figure.name] = (place / name).as_posix()
    return {kind: written[kind] for kind in part.figures if kind in written}


def _check_result(ruling: Judged, figures: dict[str, str], texts: Texts) -> CheckResult:
    verdict = ruling.verdict
    who = f"{verdict.attacker} → {verdict.target}" if verdict.attacker else ruling.check.label
    captions = {kind: texts.figures[kind].format(attacker=verdict.attacker, target=verdict.target) for kind in figures}
    drawn = tuple((kind, path, captions[kind]) for kind, path in figures.items())
    return CheckResult(who, ruling, drawn)


def _film(
    scene: Scene, part: PagePart, run: TutorialRun, folder: Path, place: Path, progress: Progress
) -> FilmResult | None:
    if part.animate is None or not run.moving:
        return None
    moving, number = part.animate, part.checks[0]
    path = place / f"{number:02d}-walk.gif"
    motion = Motion(walk=moving.walk, frames=moving.frames)
    animation = Animation(run.scenes / part.scene, number, motion, moving.fps, run.pixel, run.error)
    frames = animate(animation, folder / path, run.renderer, run.cache, run.workers, progress)
    rule = rule_called(scene.rules)
    row, units = frames[0], rule.units(scene) or "mm"
    names = {
        "attacker": row["attacker"],
        "target": row["target"],
        "distance": f"{length(row['at'], frames[-1]['at']):.0f} {units}",
    }
    return FilmResult(path.as_posix(), run.texts.words["animation"].format(**names), frames, rule.levels)
