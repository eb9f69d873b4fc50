from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from silhouette.common.errors import FileError
from silhouette.drawing.four_views import draw_four_views
from silhouette.drawing.games.necromunda import draw_eye_view, shares_in_words
from silhouette.drawing.page import PAGE_WIDTH_PX, TypeFace
from silhouette.drawing.table.eye_image import EyeImage, image_of
from silhouette.drawing.table.eye_view import coloured
from silhouette.files.cache import Cache
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN
from silhouette.models.model import BASE, BODY, INSIGNIFICANT, load_model
from silhouette.models.thin_parts import Suggestion
from silhouette.renderers.protocol import Body, Renderer
from silhouette.renderers.views import fit_view
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.table import TableScene
from tests.conftest import started
from tests.support.rulings import ruled

FIGURE = [
    {"cylinder": {"diameter": 25, "height": 3}, "base": True},
    {"box": [16, 8, 24], "at": [0, 0, 3]},
    {"sphere": {"diameter": 9}, "at": [0, 0, 26]},
    {"box": [2, 20, 2], "at": [6, 8, 20], "insignificant": True},
]
WALL = {"name": "wall", "parts": [{"box": [60, 5, 18]}], "at": [6, 120]}

Judged = tuple[TableScene, NecromundaVerdict]


@pytest.fixture
def judged(tmp_path: Path, renderer: Renderer) -> Callable[..., Judged]:
    def judge(changes: dict[str, Any] | None = None, attacker: str = "Kal", target: str = "Vex", **pose: Any) -> Judged:
        document = {
            "rules": "necromunda",
            "terrain": [WALL],
            "fighter": [
                {"name": attacker, "gang": "Orlock", "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27], **pose},
                {"name": target, "gang": "Goliath", "parts": FIGURE, "at": [0, 240], "facing": 270},
            ],
            "check": [{"attacker": attacker, "target": target}],
        } | (changes or {})
        scene = NECROMUNDA.load(tmp_path / "duel.toml", document, Cache(None))
        return scene, ruled(NECROMUNDA, scene, scene.checks[0], renderer, 0.2, keep=True)

    return judge


def looked(scene: TableScene, verdict: NecromundaVerdict, renderer: Renderer) -> EyeImage:
    return image_of(scene, verdict.evidence, renderer, 480, 320)


def obscured_share(image: EyeImage) -> float:
    """The share of the target's pixels that are obscured, in a picture that shows some of the target."""
    return np.count_nonzero(image.kinds == OBSCURED) / np.count_nonzero(image.kinds)


def painted(image: EyeImage, scene: TableScene, verdict: NecromundaVerdict) -> NDArray[np.uint8]:
    blocking = {blocker.name for blocker in verdict.blockers if blocker.alone > 0}
    return coloured(image, scene, scene.piece(verdict.target), blocking)


@pytest.mark.parametrize(
    "changes, pose",
    [
        ({}, {}),
        ({"terrain": []}, {}),
        ({"terrain": [{**WALL, "parts": [{"box": [200, 5, 80]}]}]}, {}),
        ({"terrain": [{**WALL, "at": [30, 200]}]}, {"facing": 43}),
        ({}, {"at": [60, 30], "facing": 200}),
        ({"terrain": [{**WALL, "at": [0, 60, 20]}]}, {"at": [0, 0, 60]}),
    ],
    ids=["behind a wall", "in the open", "hidden", "across the arc's edge", "behind the back", "from above"],
)
def test_the_picture_shows_the_share_that_the_verdict_names(
    judged: Callable[..., Judged], renderer: Renderer, changes: dict[str, Any], pose: dict[str, Any]
) -> None:
    scene, verdict = judged(changes, **pose)
    image = looked(scene, verdict, renderer)
    total = np.count_nonzero(image.kinds)
    assert obscured_share(image) == pytest.approx(verdict.occluded, abs=0.01)
    assert np.count_nonzero(image.kinds == SEEN) / total == pytest.approx(
        verdict.measurement.seen / verdict.counts.total, abs=0.01
    )


def test_every_pixel_of_the_target_and_no_other_has_a_kind(judged: Callable[..., Judged], renderer: Renderer) -> None:
    scene, verdict = judged()
    image = looked(scene, verdict, renderer)
    alone = renderer.render(image.view, [Body(1, scene.piece("Vex").model.significant, scene.piece("Vex").pose)])
    assert np.array_equal(image.kinds != NOTHING, alone.ids == 1)
    shown = image.kinds != NOTHING
    agree = np.isin(image.kinds, (SEEN, OUTSIDE))[shown] == (image.front.ids == 1)[shown]
    assert agree.mean() > 0.98  # the masks' own pixels are wider than the picture's, so that edges lie askew
    assert set(np.unique(image.kinds)) == {NOTHING, SEEN, OBSCURED}


def test_the_target_fills_about_half_of_the_height_and_its_surroundings_are_seen(
    judged: Callable[..., Judged], renderer: Renderer
) -> None:
    scene, verdict = judged()
    rows = np.flatnonzero((looked(scene, verdict, renderer).kinds != NOTHING).any(axis=1))
    assert 0.45 < len(rows) / 320 < 0.6
    assert rows[0] > 40
    assert rows[-1] < 280


def test_base_and_insignificant_parts_are_ghosts_and_never_seen_or_obscured(
    judged: Callable[..., Judged], renderer: Renderer
) -> None:
    scene, verdict = judged({"terrain": []})
    image = looked(scene, verdict, renderer)
    assert (image.ghosts.ids > 0).any()
    assert not (image.front.ids[image.kinds == NOTHING] == 1).any()
    before = (image.ghosts.ids > 0) & (image.kinds == SEEN)
    assert before.any(), "the barrel stands before the body and hides nothing of it"


def test_what_does_not_block_of_a_model_in_the_way_is_a_ghost_before_the_target_and_solid_elsewhere(
    judged: Callable[..., Judged], renderer: Renderer
) -> None:
    banner = [{"box": [4, 4, 2]}, {"box": [40, 1, 60], "insignificant": True}]
    bystander = {"name": "Bo", "gang": "Goliath", "parts": banner}
    scene, verdict = judged({"terrain": [], "fighter": [
        {"name": "Kal", "gang": "Orlock", "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27]},
        {"name": "Vex", "gang": "Goliath", "parts": FIGURE, "at": [0, 240]},
        {**bystander, "at": [0, 120]},
        {**bystander, "name": "Cy", "at": [45, 240]},
    ]})  # fmt: skip
    image = looked(scene, verdict, renderer)
    number = {piece.name: index for index, piece in enumerate(scene.pieces, 2)}
    assert verdict.verdict == "open"
    assert (image.kinds[image.ghosts.ids == number["Bo"]] == SEEN).any()
    assert not (image.ghosts.ids == number["Cy"]).any()
    assert (image.front.ids == number["Cy"]).any()


def test_a_friend_in_base_contact_is_a_faint_ghost_and_an_enemy_there_blocks(
    judged: Callable[..., Judged], renderer: Renderer
) -> None:
    def against(gang: str) -> EyeImage:
        scene, verdict = judged({"terrain": [], "fighter": [
            {"name": "Kal", "gang": "Orlock", "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27]},
            {"name": "Vex", "gang": "Goliath", "parts": FIGURE, "at": [0, 240]},
            {"name": "Ann", "gang": gang, "parts": FIGURE, "at": [0, 25.5]},
        ]})  # fmt: skip
        return looked(scene, verdict, renderer)

    friendly, hostile = against("Orlock"), against("Goliath")
    assert (friendly.disregarded.ids > 0).any()
    assert obscured_share(friendly) == 0.0
    assert not (hostile.disregarded.ids > 0).any()
    assert obscured_share(hostile) > 0.5


def test_a_target_all_round_the_eye_is_drawn_as_the_quarter_turn_ahead(
    judged: Callable[..., Judged], renderer: Renderer
) -> None:
    arch = [{"box": [10, 60, 60], "at": [side, 0, 0]} for side in (-40, 40)] + [{"box": [90, 60, 10], "at": [0, 0, 60]}]
    scene, verdict = judged({"terrain": [], "fighter": [
        {"name": "Kal", "parts": FIGURE, "at": [0, 0], "eye": [0, 3, 27]},
    ], "vehicle": [{"name": "Vex", "parts": arch, "at": [0, 0]}]})  # fmt: skip
    image = looked(scene, verdict, renderer)
    kal, vex = scene.piece("Kal"), scene.piece("Vex")
    assert len(fit_view(kal.eye, vex.body_middle, vex.body_box, 0.1, facing=kal.facing)) == 6
    assert verdict.counts.total > 6 * 24**2
    assert image.surrounds
    assert image.view.step * image.view.width == pytest.approx(2.0)


@pytest.mark.long
def test_a_picture_carries_its_verdict_is_alone_in_its_folder_and_the_same_every_time(
    judged: Callable[..., Judged], renderer: Renderer, tmp_path: Path
) -> None:
    scene, verdict = judged()
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    draw_eye_view(scene, verdict, renderer, one)
    draw_eye_view(scene, verdict, renderer, two)
    with Image.open(one) as picture:
        told = json.loads(picture.text["silhouette"])
        assert picture.size[0] == 1200
    assert told == {"scene": scene.path.name, **json.loads(json.dumps(verdict.row()))}
    assert sorted(tmp_path.iterdir()) == [one, two]
    assert one.read_bytes() == two.read_bytes()


NASTY = ['<b> & "quotes" \n\t\u202e\u0301 Élodie Вера 中 → % \\ {}', "😀" * 80, "a" * 80]


@pytest.mark.thinned(quick=0, ci=16)
@pytest.mark.parametrize("name", NASTY, ids=["signs", "emoji", "one long word"])
def test_no_name_breaks_a_picture(judged: Callable[..., Judged], renderer: Renderer, tmp_path: Path, name: str) -> None:
    scene, verdict = judged({"terrain": [{**WALL, "name": "wall " + name}]}, attacker=name, target=name + "!")
    path = tmp_path / "duel.png"
    draw_eye_view(scene, verdict, renderer, path)
    with Image.open(path) as picture:
        assert json.loads(picture.text["silhouette"])["attacker"] == name
        assert picture.size[1] < 1300


@settings(max_examples=50)
@given(st.text(max_size=120), st.integers(60, 600), st.integers(1, 4))
def test_wrapped_text_never_leaves_its_column(text: str, width: int, most: int) -> None:
    face = TypeFace(16)
    lines = face.wrapped(face.printable(text), width, most)
    assert len(lines) <= most
    assert all(face.width(line) <= width for line in lines)


def test_type_prints_what_the_captions_need_and_replaces_the_rest() -> None:
    face = TypeFace(16)
    assert face.printable("31.2 % ± 0.2 % · Kal → Vex") == "31.2 % ± 0.2 % · Kal → Vex"
    assert face.printable("two\nlines 😀") == "two lines ?"


def test_the_caption_never_rounds_to_nothing_or_half_or_all(judged: Callable[..., Judged]) -> None:
    scene, verdict = judged()
    assert shares_in_words(verdict, scene).startswith(f"{100 * verdict.occluded:.1f} % ± ")
    assert " obscured · wall " in shares_in_words(verdict, scene)
    open_scene, in_the_open = judged({"terrain": []})
    assert shares_in_words(in_the_open, open_scene) == "0 % obscured"


@pytest.mark.parametrize(
    "path, right",
    [
        ("nowhere/duel.png", "no folder"),
        ("duel.jpg", "ends in .png"),
        ("duel", "ends in .png"),
        ("sub.png", "a folder"),
    ],
)
def test_a_picture_that_cannot_be_written_is_refused_and_nothing_is_written(
    judged: Callable[..., Judged], renderer: Renderer, tmp_path: Path, path: str, right: str
) -> None:
    scene, verdict = judged()
    (tmp_path / "sub.png").mkdir()
    with pytest.raises(FileError, match=right):
        draw_eye_view(scene, verdict, renderer, tmp_path / path)
    model = scene.piece("Vex").model
    with pytest.raises(FileError, match=right):
        draw_four_views(model, renderer, tmp_path / path)
    assert [each.name for each in tmp_path.rglob("*")] == ["sub.png"]


@pytest.mark.long
def test_a_failure_while_writing_leaves_the_old_picture(
    judged: Callable[..., Judged], renderer: Renderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, verdict = judged()
    path = tmp_path / "duel.png"
    path.write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    with pytest.raises(FileError, match="no space left on device"):
        draw_eye_view(scene, verdict, renderer, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_seen_and_obscured_differ_in_hue_and_in_lightness(
    judged: Callable[..., Judged], renderer: Renderer, tmp_path: Path
) -> None:
    scene, verdict = judged()
    image = looked(scene, verdict, renderer)
    colours = painted(image, scene, verdict).astype(float)
    seen, obscured = (colours[image.kinds == kind].mean(axis=0) for kind in (SEEN, OBSCURED))
    assert seen[2] > seen[0] + 60
    assert obscured[0] > obscured[2] + 60
    assert abs(seen @ [0.3, 0.59, 0.11] - obscured @ [0.3, 0.59, 0.11]) > 15


@pytest.mark.parametrize("name", ["gl", "reference"])
def test_another_renderer_draws_the_same_picture_but_for_a_few_pixels_on_edges(
    judged: Callable[..., Judged], renderer: Renderer, name: str
) -> None:
    other = started(name)
    scene, verdict = judged()
    pictures = [painted(looked(scene, verdict, one), scene, verdict).astype(int) for one in (renderer, other)]
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 12).mean() < 0.01


@pytest.mark.long
def test_four_views_tell_roles_apart_and_are_the_same_every_time(
    judged: Callable[..., Judged], renderer: Renderer, tmp_path: Path
) -> None:
    scene, _ = judged()
    model = scene.piece("Vex").model
    assert set(np.unique(model.role)) == {BODY, BASE, INSIGNIFICANT}
    barrel = Suggestion(np.array([9.0, -2.0, 20.0]), np.array([11.0, 18.0, 22.0]), model.role == BODY, 0.04, 2.0, 20.0)
    for name in ("one.png", "two.png"):
        draw_four_views(model, renderer, tmp_path / name, [barrel])
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    with Image.open(tmp_path / "one.png") as picture:
        assert picture.size[0] == PAGE_WIDTH_PX // 2
        assert json.loads(picture.text["silhouette"])["eye_from"] == "estimated"
        colours = np.asarray(picture).reshape(-1, 3).astype(int)
    blue, orange = colours[:, 2] - colours[:, 0], colours[:, 0] - colours[:, 2]
    grey = np.ptp(colours, axis=1) < 20
    assert (blue > 50).sum() > 5000
    assert (orange > 100).sum() > 500
    assert (grey & (colours[:, 0] > 90) & (colours[:, 0] < 185)).sum() > 2000


@pytest.mark.long
def test_four_views_of_real_meshes_are_drawn(shared: Path, renderer: Renderer, tmp_path: Path) -> None:
    for name, kind in (
        ("miniatures/rpg.scad/mini_axeman.stl", "fighter"),
        ("terrain/cqterrain/barrier.stl", "terrain"),
    ):
        model = load_model(shared / "meshes" / name, Cache(None), kind)  # type: ignore[arg-type]
        draw_four_views(model, renderer, tmp_path / f"{kind}.png")
        with Image.open(tmp_path / f"{kind}.png") as picture:
            picture.load()
            assert picture.size[0] == 1200
