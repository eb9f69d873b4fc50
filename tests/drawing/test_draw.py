"""`silhouette draw`: figures say what the verdict says, in every format, whatever the models are called."""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from lxml import etree
from PIL import Image

from silhouette.cli.app import main
from silhouette.common.errors import FileError
from silhouette.common.geometry import INCH
from silhouette.common.installation import package_command
from silhouette.common.text import share_in_words
from silhouette.drawing.captions import Swatch
from silhouette.drawing.figures import FigureOptions, write_figures
from silhouette.drawing.saving import FIGURE_FORMATS, FigureDescription, Format, save
from silhouette.drawing.sheet import COLUMN, Label, Sheet, place_labels, settings
from silhouette.drawing.styles import DARK, PRINT, STYLES
from silhouette.drawing.table.sightlines import PARTLY, UNOBSCURED, WHOLLY, Sightline
from silhouette.drawing.table.tracing import area_of, from_above, outline
from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules import RULES, rule_called
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.table import TableScene
from tests.support.figures import texts, verdict_in
from tests.support.rulings import ruled

SVG = "{http://www.w3.org/2000/svg}"
SCENES = Path(__file__).resolve().parents[2] / "scenes"

FIGURE = [
    {"cylinder": {"diameter": 25, "height": 3}, "base": True},
    {"box": [16, 8, 24], "at": [0, 0, 3]},
    {"box": [2, 20, 2], "at": [6, 8, 20], "insignificant": True},
]
HOSTILE = (
    "</text><script>alert(1)</script>",
    "$\\frac{x}{0}$ $",
    "\"quotes' & <b>amp;</b>",
    "\N{SKULL} Zoë \N{GRINNING FACE} \u202eevil",
    "W" * 80,
    "{0} %s \\ {name}",
    "]]> <!-- -->",
)

SVG_LOOK = FigureOptions()
TAGS = (
    "svg title desc metadata figure RDF Work type format defs style g path use image text tspan clipPath rect pattern"
)

Drawn = Callable[..., tuple[TableScene, NecromundaVerdict, dict[str, Path]]]


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return choose("reference")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, renderer: Renderer) -> Drawn:
    """Draws Kal, who looks along y at Vex behind a wall as high as half of it; the same once, if not ``anew``."""
    before: dict[str, Any] = {}

    def draw(
        attacker: str = "Kal",
        target: str = "Vex",
        wall: str = "wall",
        look: FigureOptions = SVG_LOOK,
        anew: bool = False,
        **fighter: Any,
    ) -> Any:
        key = repr((attacker, target, wall, look, fighter))
        if key in before and not anew:
            return before[key]
        document = {
            "title": "Behind the wall",
            "rules": "necromunda",
            "terrain": [{"name": wall, "parts": [{"box": [60, 5, 15]}], "at": [0, 185]}],
            "fighter": [
                {"name": attacker, "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27], **fighter},
                {"name": target, "parts": FIGURE, "at": [0, 200], "facing": 270},
            ],
            "check": [{"attacker": attacker, "target": target}],
        }
        folder = tmp_path_factory.mktemp("drawn")
        (folder / "figures").mkdir()
        scene = NECROMUNDA.load(folder / "duel.toml", document, Cache(None))
        verdict = ruled(NECROMUNDA, scene, scene.checks[0], renderer, 0.3, keep=True)
        files = write_figures(scene, scene.checks[0], verdict, renderer, folder / "figures", 1, look)
        found = scene, verdict, {file.stem.rsplit("-", 1)[-1]: file for file in files}
        return found if anew else before.setdefault(key, found)

    return draw


def said(file: Path) -> str:
    return " ".join(texts(file))


def points_of(file: Path, mark: str) -> np.ndarray[Any, Any]:
    """The points of a line of a plan or side view, in the drawing's own mm, read back from the SVG."""
    frame = verdict_in(file)["frame"]
    (group,) = (one for one in ElementTree.parse(file).iter(f"{SVG}g") if one.get("id") == mark)
    data = next(group.iter(f"{SVG}path")).get("d") or ""
    numbers = np.array(re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", data), dtype=float).reshape(-1, 2)
    left, _, _, top = frame["bounds"]
    paper = numbers * INCH / 72.0 - frame["edge"]
    found: np.ndarray[Any, Any] = np.array([left, top]) + paper * [frame["unit"], -frame["unit"]]
    return found


def test_a_look_has_three_figures(drawn: Drawn) -> None:
    _, _, files = drawn()
    assert [file.name for file in files.values()] == [f"01-kal-vex-{name}.svg" for name in ("eye", "plan", "side")]


def test_figures_say_what_the_verdict_says(drawn: Drawn) -> None:
    _, verdict, files = drawn()
    assert verdict.verdict == "partial cover"
    share = share_in_words(verdict.counts.occluded, verdict.counts.total)
    for file in files.values():
        assert "Kal → Vex: partial cover" in texts(file)
        words = said(file)
        assert share in words
        assert verdict.reason[1:] in words
        assert "Vex" in texts(file) or file is files["eye"]
    (blocker,) = verdict.blockers
    assert f"wall {share_in_words(round(blocker.occluded * 1e9), 10**9)}" in texts(files["eye"])
    assert {"Kal", "Vex", "wall"} <= set(texts(files["plan"]))
    assert {"Kal", "Vex", "wall"} <= set(texts(files["side"]))


def test_each_file_holds_its_verdict(drawn: Drawn) -> None:
    scene, verdict, files = drawn()
    for name, file in files.items():
        data = verdict_in(file)
        assert data["figure"] == name
        assert data["title"] == scene.title
        assert data["scene"] == scene.path.name
        assert {key: data[key] for key in verdict.row()} == json.loads(json.dumps(verdict.row()))


def test_the_line_of_sight_runs_from_the_eye_to_the_middle_of_the_target(drawn: Drawn) -> None:
    scene, _, files = drawn()
    eye, middle = scene.piece("Kal").eye, scene.piece("Vex").body_middle
    start, end = points_of(files["plan"], "sight-line")
    assert start == pytest.approx([0.0, 0.0], abs=0.01)
    assert end == pytest.approx([np.hypot(*(middle - eye)[:2]), 0.0], abs=0.01)


def test_the_wedge_in_plan_touches_the_target(drawn: Drawn) -> None:
    """The target's box is 16 mm wide and 4 mm nearer than its middle, at 193 mm from the eye."""
    _, _, files = drawn()
    for mark, side in (("edge-1", -8.0), ("edge-2", 8.0)):
        start, end = points_of(files["plan"], mark)
        assert start == pytest.approx([0.0, 0.0], abs=0.01)
        assert end == pytest.approx([193.0, side], abs=0.4)


def test_the_limiting_ray_passes_over_the_wall(drawn: Drawn) -> None:
    """From the eye at 27 mm over the far upper edge of a wall 15 mm high, 184.5 mm away."""
    scene, _, files = drawn()
    start, end = points_of(files["side"], "ray-1")
    assert start == pytest.approx([0.0, 27.0], abs=0.01)
    slope = (end - start)[1] / (end - start)[0]
    assert slope == pytest.approx((15.0 - 27.0) / (187.5 - 3.0), abs=0.002)
    low, high = points_of(files["side"], "rim-2"), points_of(files["side"], "rim-3")
    assert low[1] == pytest.approx([193.0, 3.0], abs=0.5)
    assert high[1][1] == pytest.approx(27.0, abs=0.5)
    assert float(scene.piece("Kal").eye[2]) == 27.0


def test_directions_are_clear_partly_or_wholly_obscured_as_they_are(drawn: Drawn, renderer: Renderer) -> None:
    scene, verdict, _ = drawn()
    line = Sightline(scene, verdict, verdict.evidence, renderer)
    assert [sector.level for sector in line.plan_sectors] == [PARTLY]
    assert [sector.level for sector in line.side_sectors] == [WHOLLY, UNOBSCURED]
    wholly, clear = line.side_sectors
    assert wholly.reach == pytest.approx(np.full(len(wholly.reach), 179.5), abs=5.0)
    assert np.median(wholly.reach) == pytest.approx(179.5, abs=0.2)
    assert clear.reach == pytest.approx(clear.end, abs=0.01)


def test_the_vision_arc_is_drawn_from_the_centre_of_the_base(drawn: Drawn) -> None:
    _, _, files = drawn(facing=90)
    corners = points_of(files["plan"], "arc-1")
    assert corners[0] == pytest.approx([-3.0, 0.0], abs=0.01)
    across = corners[1:] - corners[0]
    assert np.degrees(np.arctan2(across[:, 1], across[:, 0])) == pytest.approx([-45.0, 45.0], abs=0.01)
    assert min(np.hypot(*across.T)) > 500.0, "beyond the frame"


@pytest.mark.thinned(quick=5, ci=5)
@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_and_nothing_else(drawn: Drawn, name: str) -> None:
    _, verdict, files = drawn(attacker=name, target=f"{name}2", wall=f"{name}3")
    for file in files.values():
        assert re.fullmatch(r"[a-z0-9-]{1,90}\.svg", file.name)
        tree = etree.parse(str(file), etree.XMLParser(resolve_entities=False))
        tags = {etree.QName(one).localname for one in tree.iter(etree.Element)}
        assert tags <= set(TAGS.split())
        assert verdict_in(file)["attacker"] == name
    assert verdict.attacker == name


@pytest.mark.long
@pytest.mark.parametrize("ending", ["png", "pdf"])
@pytest.mark.parametrize("names", [HOSTILE[:3], HOSTILE[3:6], HOSTILE[4:]], ids=["marks", "braces", "long"])
def test_no_name_breaks_another_format(drawn: Drawn, names: tuple[str, ...], ending: Format) -> None:
    attacker, target, wall = names
    _, verdict, files = drawn(attacker=attacker, target=target, wall=wall, look=FigureOptions(ending))
    assert (verdict.attacker, verdict.target) == (attacker, target)
    for file in files.values():
        assert re.fullmatch(rf"[a-z0-9-]{{1,90}}\.{ending}", file.name)


@pytest.mark.long
def test_every_format_holds_scene_and_verdict(drawn: Drawn) -> None:
    for style in STYLES.values():
        _, verdict, pictures = drawn(look=FigureOptions("png", style))
        for file in pictures.values():
            with Image.open(file) as image:
                data = json.loads(image.info["silhouette"])
                assert image.width == pytest.approx(COLUMN / INCH * 300, abs=1.0)
            assert data["reason"] == verdict.reason
    _, verdict, pages = drawn(look=FigureOptions("pdf"))
    for file in pages.values():
        assert file.read_bytes().startswith(b"%PDF")
        assert _data_of_pdf(file)["occluded"] == verdict.occluded


def _data_of_pdf(file: Path) -> dict[str, Any]:
    content = file.read_bytes()
    raw = re.search(rb"/Silhouette \((.*?)(?<!\\)\)\s*(?:/|>>)", content, re.DOTALL)
    if raw is None:
        packed = [zlib.decompress(one) for one in re.findall(rb"stream\r?\n(x.*?)endstream", content, re.DOTALL)]
        raw = next(found for one in packed if (found := re.search(rb"/Silhouette \((.*?)(?<!\\)\)", one, re.DOTALL)))
    found: dict[str, Any] = json.loads(re.sub(rb"\\([()\\])", rb"\1", raw.group(1)))
    return found


@pytest.mark.long
@pytest.mark.parametrize("ending", FIGURE_FORMATS)
def test_files_are_the_same_every_time(drawn: Drawn, ending: str) -> None:
    first = {name: file.read_bytes() for name, file in drawn(look=FigureOptions(ending))[2].items()}
    again = {name: file.read_bytes() for name, file in drawn(look=FigureOptions(ending), anew=True)[2].items()}
    assert first == again


@pytest.mark.long
def test_words_and_names_can_be_left_out(drawn: Drawn) -> None:
    _, _, files = drawn(look=FigureOptions(captions=False))
    assert "Vex" in texts(files["plan"])
    assert not any("partial cover" in one for one in texts(files["plan"]))
    _, _, files = drawn(look=FigureOptions(captions=False, names=False))
    assert all(texts(file) == [] for file in files.values())


@pytest.mark.long
def test_no_text_is_too_small_to_print(drawn: Drawn) -> None:
    for file in drawn(look=FigureOptions(text=True))[2].values():
        sizes = re.findall(r"font-size: ([0-9.]+)px|font: [^;]*?([0-9.]+)px", file.read_text(encoding="utf-8"))
        assert sizes
        assert min(float(one or other) for one, other in sizes) >= 6.0


def test_names_never_stand_on_each_other() -> None:
    labels = [Label(f"number {n}", (5.0 * n, 20.0), (2.0, 2.0), 7.0, False, "#000000", False, False) for n in range(12)]
    with settings():
        places = place_labels(labels, [], [], (0.0, 0.0, 84.0, 60.0), 1.0)
        from silhouette.drawing import typeface

        boxes = [(one.at, typeface.width(one.label.text, 7.0) / 2, 0.8 * typeface.height(7.0) / 2) for one in places]
    assert len(boxes) == 12
    for number, ((x, y), wide, high) in enumerate(boxes):
        assert x - wide >= 0.0
        assert x + wide <= 84.0
        for (other_x, other_y), other_wide, other_high in boxes[:number]:
            assert abs(x - other_x) >= wide + other_wide or abs(y - other_y) >= high + other_high


def test_outlines_are_true(drawn: Drawn) -> None:
    scene, _, _ = drawn()
    wall = scene.piece("wall")
    area = area_of(from_above(wall.model.mesh))
    assert area.area == pytest.approx(60 * 5, rel=0.03)
    side = area_of(outline(wall.model.mesh, wall.pose, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])))
    assert np.array(side.bounds) == pytest.approx(np.array([-30.0, 0.0, 30.0, 15.0]), abs=0.2)


def test_a_figure_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figure.svg"
    file.write_text("before")
    with settings():
        figure = Sheet().finish()

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.replace", fail)
        with pytest.raises(FileError, match="cannot be written"):
            save(figure, file, FigureDescription("title"))
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.long
def test_a_users_own_settings_change_nothing(drawn: Drawn) -> None:
    import matplotlib

    plain = drawn()[2]["plan"].read_bytes()
    with matplotlib.rc_context({"lines.linewidth": 9.0, "font.size": 30.0, "svg.fonttype": "path"}):
        assert drawn(anew=True)[2]["plan"].read_bytes() == plain
        assert matplotlib.rcParams["font.size"] == 30.0


def test_legend_entries_stand_once() -> None:
    with settings():
        sheet = Sheet(style=DARK)
        sheet.legend(Swatch("seen", DARK.seen), Swatch("seen", DARK.seen))
        assert [text.get_text() for text in sheet.finish().texts] == ["seen"]
    assert PRINT != DARK


def run(*words: str) -> int:
    return main(["draw", *words, "--renderer", "reference", "--pixel", "0.5", "--no-cache"])


@pytest.fixture
def scene_file(tmp_path: Path) -> Path:
    file = tmp_path / "duel.toml"
    file.write_text(
        """
        rules = "necromunda"
        fighter = [
          { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
          { name = "Vex", at = [0, 120], parts = [{ box = [12, 12, 30] }] },
        ]
        [[check]]
        attacker = "Kal"
        target = "Vex"
        [[check]]
        attacker = "Vex"
        target = "Kal"
        expect = { verdict = "open" }
        """
    )
    return file


@pytest.mark.long
def test_the_command_draws_each_check(scene_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "figures"
    assert run(str(scene_file), "--out", str(out), "--format", "png", "--check", "1") == 0
    assert sorted(file.name for file in out.iterdir()) == [f"01-kal-vex-{one}.png" for one in ("eye", "plan", "side")]
    assert "Kal to Vex: open" in capsys.readouterr().out
    assert run(str(scene_file), "--out", str(out), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert [one["check"] for one in document["checks"]] == [1, 2]
    assert all(Path(file).is_file() for one in document["checks"] for file in one["figures"])
    assert document["checks"][1]["unmet"] == ["verdict is 'hidden', not 'open'"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "jpg"], "no format 'jpg'"),
        (["--style", "drak"], "did you mean 'dark'?"),
        (["--check", "3"], "there is no check 3; it has 2"),
        (["--pixel", "0"], "pixel is 0"),
    ],
)
def test_bad_words_are_one_line(
    scene_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["draw", str(scene_file), "--out", str(tmp_path / "out"), "--no-cache", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file_is_one_line(scene_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(scene_file), "--out", str(scene_file)) == 2
    assert "is a file; give the name of a folder" in capsys.readouterr().err


def test_without_matplotlib_the_error_says_how_to_install_it(
    scene_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(str(scene_file), "--out", str(tmp_path / "out")) == 2
    error = capsys.readouterr().err
    assert error == (
        f"error: drawing needs matplotlib, which is not installed; install it with: {package_command('matplotlib')}\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.parametrize("system", sorted(RULES))
def test_every_system_has_figures(system: str, tmp_path: Path, renderer: Renderer) -> None:
    rule = rule_called(system)
    file = SCENES.parent / rule.example
    assert main(["draw", str(file), "--out", str(tmp_path), "--pixel", "0.5", "--check", "1"]) == 0
    assert list(tmp_path.iterdir())
