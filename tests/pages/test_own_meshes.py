"""A visitor's own meshes: the page sizes and stands them as Silhouette does, and what is taken away is judged the same.

``own_meshes.json`` has files, what is said of them, and what comes of it, worked out by hand: it tests both languages.
So does ``own_shapes.json``, which has figures that are made here, what Silhouette finds in their shape, and whether the
page finds it too: a base where it is plain, and always the places of an eye.
"""

from __future__ import annotations

import base64
import json
import shutil
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.drawing.words.words import LANGUAGES
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.mesh import read_mesh
from silhouette.models.frame import DECLARED_UNITS
from silhouette.models.inspection import model_at
from silhouette.models.model import Model
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import folder_of
from silhouette.pages.site.own import OWN_SCRIPT, head_weights, own_page
from silhouette.pages.site.writing import site_scripts
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from tests.conftest import PROJECT
from tests.meshes.test_slicers import BAMBU, BODY, FAR, archive, prusa, two_in_one, volume
from tests.support.browsing import DESKTOP, PHONE, Browser, Visit
from tests.support.mesh_files import glb, gltf, model, pyramid
from tests.support.model_files import as_obj
from tests.support.page_judge import ASK, disagreement, judged, random_poses
from tests.support.random_figures import based, baseless
from tests.support.report_pages import quiet
from tests.support.rulings import ruled
from tests.support.sculpted_figures import sculpted_figure
from tests.support.varied_figures import varied_figure

pytestmark = pytest.mark.slow

MODELS = PROJECT / "models"
CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("own_meshes.json").read_text(encoding="utf-8"))
IDS = [case["about"] for case in CASES]
NEAR = 1e-4  # mm: files hold float32


def bytes_of(case: dict[str, Any]) -> bytes:
    return case["text"].encode() if "text" in case else base64.b64decode(case["base64"])


def toml_of(case: dict[str, Any]) -> str:
    """The scene file of a case, with a second figure for the rules."""
    keys = case["keys"]
    lines = ['rules = "necromunda"', f"[[{keys['kind']}]]", f'name = "{keys["name"]}"', f'mesh = "{case["file"]}"']
    lines += [f'units = "{keys["units"]}"', f'up = "{keys["up"]}"', f"at = {keys['at']}"]
    lines.append(f"{'turn' if keys['kind'] == 'terrain' else 'facing'} = {keys['facing']}")
    if keys["kind"] != "terrain":
        wide = "" if keys["diameter"] is None else f", diameter = {keys['diameter']}"
        lines.append('base = "none"' if keys["height"] is None else f"base = {{ height = {keys['height']}{wide} }}")
        lines.append(f"eye = {keys['eye']}")
    lines += ["[[fighter]]", 'name = "other"', "figure = { base = 25, height = 36 }", "at = [900, 900]", "facing = 0"]
    return "\n".join(lines)


def as_expected(case: dict[str, Any], size: Any, body: Any, play: dict[str, Any]) -> None:
    """Compares what came of a case: its size, the box of its body in the world, and what the rules say of it."""
    expect = case["expect"]
    assert np.allclose(size, expect["size"], atol=NEAR)
    assert np.allclose(body, expect["body"], atol=NEAR)
    assert np.allclose(play["base"]["span"], expect["span"], atol=NEAR)
    assert play["asks"] is None
    if case["keys"]["kind"] == "terrain":
        assert play["looks"] == []
        return
    assert play["base"]["radius"] == pytest.approx(expect["radius"])
    assert_same_points(play["base"]["core"], expect["core"])
    (look,) = play["looks"]
    (arc,) = look["arcs"]
    assert np.allclose(look["eye"], expect["eye"], atol=NEAR)
    assert look["facing"] == case["keys"]["facing"]
    for key in ("apex", "right", "left"):
        assert np.allclose(arc[key], expect[key], atol=NEAR), key


def assert_same_points(some: Any, others: Any) -> None:
    first, second = (np.array(sorted(np.round(np.asarray(points), 3).tolist())) for points in (some, others))
    assert first.shape == second.shape
    assert np.allclose(first, second, atol=2e-3)


def scene_of(case: dict[str, Any], text: str, folder: Path, name: str) -> NecromundaScene:
    """A scene whose file, and that of the case's mesh as it calls it, are written."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(bytes_of(case))
    (folder / "scene.toml").write_text(text, encoding="utf-8")
    scene = load_scene(folder / "scene.toml")
    assert isinstance(scene, NecromundaScene)
    return scene


def check_scene(case: dict[str, Any], scene: NecromundaScene) -> None:
    """What Silhouette itself makes of a case."""
    piece = scene.piece(case["keys"]["name"])
    points = piece.pose.place(bounding_points(piece.model.significant))
    low, high = piece.model.mesh.bounds
    as_expected(
        case, high - low, [points.min(axis=0), points.max(axis=0)], NECROMUNDA.play(scene)["pieces"][piece.index]
    )


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_silhouette_makes_of_a_file_what_is_expected(case: dict[str, Any], tmp_path: Path) -> None:
    check_scene(case, scene_of(case, toml_of(case), tmp_path, case["file"]))


# ---- what is found in a shape

SHAPES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("own_shapes.json").read_text(encoding="utf-8"))
SHAPE_IDS = [f"{shape['made']} {shape['which']}" for shape in SHAPES]
SAME_SHAPE = 1e-6  # mm, and of a likelihood: by how much the two languages may round


def file_of(shape: dict[str, Any], folder: Path) -> Path:
    """The file of a figure: one that ships, or made here."""
    which = shape["which"]
    if shape["made"] == "shipped":
        return MODELS / f"{which}.glb"
    makers = {"based": based, "baseless": baseless, "sculpted": sculpted_figure, "varied": varied_figure}
    file = folder / f"{shape['made']}_{which}.obj"
    file.write_text(as_obj(makers[shape["made"]](which)[0]), encoding="utf-8")
    return file


def found_in(file: Path, **keys: Any) -> Model:
    """The figure of a file, by keys of a model file."""
    return model_at(file, {"units": "mm", **keys}, Cache(None))


def places_of(model: Model) -> list[list[float]]:
    return [[*place.eye.tolist(), place.likelihood] for place in model.eye_candidates]


@pytest.mark.parametrize("shape", SHAPES, ids=SHAPE_IDS)
def test_silhouette_finds_in_a_shape_what_is_written(shape: dict[str, Any], tmp_path: Path) -> None:
    """Its base by itself; its eye, where the scene file has the base that the page found."""
    file = file_of(shape, tmp_path)
    base = found_in(file).base
    assert (base and base.height) == pytest.approx(shape["base"], abs=SAME_SHAPE)
    written = found_in(file, base={"height": base.height} if base and shape["plain"] else "none")
    assert np.allclose(places_of(written), shape["eyes"], atol=SAME_SHAPE)


# ---- in the page

MADE = """async ([file, text, keys]) => {
    const { meshOf, modelOf, entriesOf, packed, sceneOf } = silhouetteOwn;
    const own = { ...keys, isBaseClear: true };
    const model = modelOf(await meshOf(file, Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))), own);
    const entries = entriesOf(model, own, 0);
    const { shapes, bytes } = packed([model]);
    const { points, corners } = silhouetteJudge.judgedMesh(bytes, shapes[0]);
    const counting = corners.subarray(0, corners.length - 3 * shapes[0].ghosts);
    const m = entries.stage.pose;
    const placed = [...counting].map((at) => [0, 4, 8].map((row) =>
        [0, 1, 2].reduce((sum, axis) => sum + m[row + axis] * points[3 * at + axis], m[row + 3])));
    const of = (act) => [0, 1, 2].map((axis) => act(...placed.map((point) => point[axis])));
    const size = [0, 1, 2].map((axis) => model.box[1][axis] - model.box[0][axis]);
    const scene = sceneOf([{ ...own, file: `meshes/${file}` }], [], { title: "a \\"case\\"", rules: "necromunda" });
    return { size, body: [of(Math.min), of(Math.max)], play: entries.play, scene };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Any]:
    scripts = [
        files("silhouette.pages.html").joinpath("assets", name).read_text(encoding="utf-8")
        for name in ("judge.min.js", OWN_SCRIPT)
    ]
    with browser.visit("data:text/html,<title>own</title>") as visit:
        for script in scripts:
            visit.page.add_script_tag(content=script)
        yield visit.page


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_page_makes_of_a_file_what_is_expected(case: dict[str, Any], page: Any, tmp_path: Path) -> None:
    """Also after its mesh was packed for the judge; and the scene file that it writes says the same to Silhouette."""
    text = base64.b64encode(bytes_of(case)).decode()
    made = page.evaluate(MADE, [case["file"], text, case["keys"]])
    as_expected(case, made["size"], made["body"], made["play"])
    assert made["scene"].startswith('title = "a \\"case\\""\n')
    check_scene(case, scene_of(case, made["scene"], tmp_path, f"meshes/{case['file']}"))


FOUND = """async ([file, text, heads]) => {
    const { foundBase, foundEyes, meshOf, modelOf } = silhouetteOwn;
    const mesh = await meshOf(file, Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
    const own = { kind: "fighter", units: "mm", up: mesh.up };
    const height = foundBase(mesh, own);
    const eyes = foundEyes(modelOf(mesh, { ...own, height }), own, heads);
    return [height, eyes.map(({ eye, likelihood }) => [...eye, likelihood])];
}"""


@pytest.mark.parametrize("shape", SHAPES, ids=SHAPE_IDS)
def test_the_page_finds_a_plain_base_and_every_eye(shape: dict[str, Any], page: Any, tmp_path: Path) -> None:
    file = file_of(shape, tmp_path)
    text = base64.b64encode(file.read_bytes()).decode()
    height, eyes = page.evaluate(FOUND, [file.name, text, head_weights()])
    assert height == pytest.approx(shape["base"] if shape["plain"] else None, abs=SAME_SHAPE)
    assert np.allclose(eyes, shape["eyes"], atol=SAME_SHAPE)


TABLE = """async ([files, play, heads]) => {
    const { entriesOf, foundBase, foundEyes, meshOf, modelOf, packed, sceneOf } = silhouetteOwn;
    const [pieces, models, entries] = [[], [], []];
    for (const [file, text, keys] of files) {
        const mesh = await meshOf(file, Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
        const own = { ...keys, file, units: "mm", up: mesh.up, diameter: null, height: null, eye: null };
        own.isBaseClear = true;
        if (own.kind === "fighter") own.height = foundBase(mesh, own);
        const model = modelOf(mesh, own);
        if (own.kind === "fighter") own.eyes = foundEyes(model, own, heads);
        entries.push(entriesOf(model, own, models.length));
        pieces.push(own);
        models.push(model);
    }
    const told = { ...packed(models), pieces: entries.map(({ stage }) => stage) };
    const table = { ...told, play: { ...play, pieces: entries.map(({ play }) => play) } };
    window.tables = [await silhouetteJudge.tableOf(table)];
    return sceneOf(pieces, [], { title: "own", rules: "necromunda" });
}"""
PAIRS = [(SHAPES[first], SHAPES[second]) for first, second in ((11, 12), (1, 8), (6, 9), (10, 3))]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(f"{shape['made']}{shape['which']}" for shape in pair))
def test_figures_of_which_nothing_is_said_are_judged_as_their_scene_file(
    pair: tuple[dict[str, Any], dict[str, Any]], page: Any, tmp_path: Path
) -> None:
    """Their bases and eyes are found in the page; the scene file leaves the eyes to Silhouette."""
    files = [(MODELS / "barricade.glb", "terrain", "wall"), (MODELS / "crate.glb", "terrain", "crate")]
    files += [(file_of(shape, tmp_path), "fighter", name) for shape, name in zip(pair, ("Kal", "Vex"), strict=True)]
    sent = []
    for number, (file, kind, name) in enumerate(files):
        (tmp_path / f"{number}-{file.name}").write_bytes(file.read_bytes())
        keys = {"kind": kind, "name": name, "gang": name, "at": [30.0 * number, 60.0 * number, 0.0], "facing": 0.0}
        sent.append([f"{number}-{file.name}", base64.b64encode(file.read_bytes()).decode(), keys])
    play = NECROMUNDA.play(load_scene(PROJECT / "scenes/necromunda/two_blockers.toml"))
    text = page.evaluate(TABLE, [sent, {**play, "pieces": [], "contacts": None, "asks": None}, head_weights()])
    (tmp_path / "scene.toml").write_text(text, encoding="utf-8")
    scene = load_scene(tmp_path / "scene.toml")
    assert isinstance(scene, NecromundaScene)
    posed = random_poses(scene, 10, seed=len(text))
    answers = judged(page, 0, scene, posed)
    assert [disagreement(answer, each.ruling(scene)) for answer, each in zip(answers, posed, strict=True)] == [
        None
    ] * 10
    assert any(answer["word"] != ASK for answer in answers)


WINDOW = "v 0 0 0\nv 9 0 0\nv 9 0 9\nv 6 0 9\nv 6 0 3\nv 3 0 3\nv 3 0 6\nv 3 0 9\nv 0 0 9\nf 1 2 3 4 5 6 7 8 9\n"
PARTS = '<object id="3"><components><component objectid="1"/><component objectid="2" {}/></components></object>'
PLACED = '<item objectid="3" transform="0 1 0 -1 0 0 0 0 1 5 6 7"/>'
APART = PARTS.format('p:path="/3D/b.model" transform="2 0 0 0 2 0 0 0 2 50 0 0"')
READ = {
    "dart.obj": b"v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nf 1 2 3 4\n",
    "window.obj": WINDOW.encode(),
    "turned.obj": WINDOW.replace("f 1 2 3 4 5 6 7 8 9", "f 5 4 3 2 1 9 8 7 6").encode(),
    "parts.3mf": archive(model(pyramid() + pyramid(2) + PARTS.format(FAR), PLACED, "inch")),
    "models.3mf": archive(model(pyramid() + APART, PLACED), **{"3D/b.model": model(pyramid(2), "")}),
    "prusa.3mf": archive(model(two_in_one(), '<item objectid="1"/>'), **prusa(BODY, volume(4, 7, ("name", "other")))),
    "bambu.3mf": archive(
        model(pyramid() + pyramid(2) + PARTS.format(FAR), PLACED),
        **{BAMBU: '<config><object id="3"><part id="1" subtype="normal_part"/></object></config>'},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_the_page_reads_of_a_file_what_silhouette_reads(name: str, page: Any, tmp_path: Path) -> None:
    """The same area everywhere: triangles that lie in one plane may be cut otherwise."""
    (tmp_path / name).write_bytes(READ[name])
    file = read_mesh(tmp_path / name, Cache(None))
    points, units = page.evaluate(
        """async ([file, text]) => {
            const mesh = await silhouetteOwn.meshOf(file, Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
            const { corners, points, units } = mesh;
            return [[...corners].map((corner) => [...points.subarray(3 * corner, 3 * corner + 3)]), units];
        }""",
        [name, base64.b64encode(READ[name]).decode()],
    )
    found, own = np.array(points).reshape(-1, 3, 3), file.mesh.vertices[file.mesh.faces]
    assert units == (None if file.declared_units is None else DECLARED_UNITS[file.declared_units])
    assert np.allclose(moments(found), moments(own))


def moments(triangles: Any) -> Any:
    """(10,) the area of triangles (m, 3, 3), its first and second moments, and which way it looks."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2.0
    areas = np.linalg.norm(normals, axis=1)
    middles, sides = triangles.mean(axis=1), (triangles + np.roll(triangles, 1, axis=1)) / 2.0
    second = (areas[:, None] * (sides**2).mean(axis=1)).sum(axis=0)
    return np.concatenate([[areas.sum()], areas @ middles, normals.sum(axis=0), second])


REFUSED = {
    "many.ply": (b"ply", "STL, OBJ, GLB and 3MF"),
    "empty.obj": (b"v 0 0 0\n", "no triangles"),
    "short.stl": (b"\0" * 90, "neither text nor as long as it says"),
    "bent.obj": (b"v 0 0 0\nv 4 0 0\nv 4 4 1\nv 0 4 0\nf 1 2 3 4\n", "not flat, or cross themselves"),
    "crossed.obj": (b"v 0 0 0\nv 4 4 0\nv 4 0 0\nv 0 3 0\nf 1 2 3 4\n", "not flat, or cross themselves"),
    "missing.obj": (b"v 0 0 0\nv 4 0 0\nf 1 2 3\n", "faces of vertices that it lacks"),
    "wrong.glb": (b"glTF but not really, and long enough", "version"),
    "draco.glb": (glb(gltf(extensionsUsed=["KHR_draco_mesh_compression"])), "by Draco"),
    "skeleton.glb": (glb(gltf(nodes=[{"mesh": 0, "skin": 0}])), "a skeleton: apply its pose"),
    "modifier.3mf": (archive(two_in_one(), **prusa(BODY, volume(4, 7, ("modifier", "1")))), "no body"),
    "negative.3mf": (archive(two_in_one(), **{BAMBU: '<part id="2" subtype="negative_part"/>'}), "no body"),
    "lost.3mf": (archive(model(pyramid(), '<item objectid="1" p:path="/3D/b.model"/>')), "a model that it lacks"),
    "wrong.3mf": (b"PK and no archive at all, though long", "no zip archive"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_page_cannot_read_is_refused_with_a_sentence(name: str, page: Any) -> None:
    content, sentence = REFUSED[name]
    text = base64.b64encode(content).decode()
    said = page.evaluate(
        """async ([file, text]) => {
            const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
            try { await silhouetteOwn.meshOf(file, bytes); return "read"; } catch (error) { return error.message; }
        }""",
        [name, text],
    )
    assert sentence in said


# ---- the whole page

DRACO = {
    "en": "draco.glb: this GLB is compressed by Draco, which is not read here: export it again without compression, "
    "or ask the desk, which reads it as it is.",
    "de": "draco.glb: diese GLB-Datei ist mit Draco komprimiert, was hier nicht gelesen wird: ohne Komprimierung neu "
    "exportieren, oder am Rechner fragen, der sie so liest, wie sie ist.",
    "fr": "draco.glb : ce GLB est compressé par Draco, qui ne se lit pas ici : exportez-le de nouveau sans "
    "compression, ou demandez à l’ordinateur, qui le lit tel quel.",
    "es": "draco.glb: este GLB está comprimido con Draco, que aquí no se lee: expórtelo de nuevo sin compresión, o "
    "pregunte al ordenador, que lo lee tal cual.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_refused_names_the_way_out_in_the_language_of_the_page(
    language: str, folder: Path, browser: Browser, tmp_path: Path
) -> None:
    for name in ("draco.glb", "wrong.3mf"):
        (tmp_path / name).write_bytes(REFUSED[name][0])
    with browser.visit(folder / folder_of(language) / "own.html") as visit:
        visit.page.set_input_files("#own-files", str(tmp_path / "draco.glb"))
        visit.until("document.getElementById('own-told').textContent.includes('Draco')")
        assert visit.page.locator("#own-told").inner_text() == DRACO[language]
        visit.page.set_input_files("#own-files", [str(tmp_path / "draco.glb"), str(tmp_path / "wrong.3mf")])
        visit.until("document.getElementById('own-told').textContent.includes('inspect')")
        lines = visit.page.locator("#own-told").inner_text().splitlines()
        desk = PageWords(language).phrase("Ask the desk: silhouette inspect FILE says more.")
        assert [lines[0], lines[2]] == [DRACO[language], desk]
        quiet(visit)


ANSWERED = "window.silhouette?.play && !silhouette.play.isBusy && document.getElementById('play-answer').textContent"
FIELDS = {"height": "4.1", "diameter": "25", "eyeHeight": "30"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("own")
    scene = load_scene(PROJECT / "scenes/necromunda/two_blockers.toml")
    assert isinstance(scene, NecromundaScene)
    for words in map(PageWords, LANGUAGES):
        page = own_page(scene, words)
        (out / page.file).parent.mkdir(exist_ok=True)
        (out / page.file).write_text(page.written(), encoding="utf-8")
    for name, content in site_scripts().items():
        (out / name).write_text(content, encoding="utf-8")
    return out


def set_up(visit: Visit, *names: str) -> None:
    """Chooses models that ship, and says of the two figures what a scene file would."""
    visit.page.set_input_files("#own-files", [str(MODELS / name) for name in names])
    visit.until(ANSWERED)
    # One field by hand: each change sets the table anew, which takes seconds where WebGL is drawn in software.
    given = ", ".join(f"{key}: {value}" for key, value in FIELDS.items())
    visit.page.evaluate(
        "const [first, second] = silhouetteOwnTable.pieces;"
        f"Object.assign(first, {{ base: 'given', {given}, eyeHeight: null }});"
        f"Object.assign(second, {{ base: 'given', {given} }})"
    )
    visit.page.fill("#own-0-eyeHeight", FIELDS["eyeHeight"])
    visit.page.locator("#own-0-eyeHeight").dispatch_event("change")
    visit.until(ANSWERED)


def taken(visit: Visit, folder: Path) -> NecromundaScene:
    """The scene that the page gives away, unpacked."""
    shutil.rmtree(folder, ignore_errors=True)
    with visit.page.expect_download() as download:
        visit.page.click("#own-take")
    folder.mkdir()
    download.value.save_as(folder / "scene.zip")
    with zipfile.ZipFile(folder / "scene.zip") as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    scene = load_scene(folder / "scene.toml")
    assert isinstance(scene, NecromundaScene)
    return scene


@pytest.mark.parametrize("size", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["desktop", "phone"])
def test_a_table_of_own_meshes_is_judged_as_what_is_taken_away(
    folder: Path, browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    with browser.visit(folder / "own.html", size) as visit:
        assert visit.page.locator("#own-take").is_disabled()
        set_up(visit, "ganger_rifle.glb", "ganger_blade.glb", "crate.glb", "barricade.glb")
        visit.page.fill("#own-3-x", "-12.5")
        visit.page.locator("#own-3-x").dispatch_event("change")
        visit.until(ANSWERED)
        visit.page.select_option("#play-piece", label="barricade")  # terrain moves as figures do
        for way in ("away", "clockwise"):
            visit.page.click(f"#play-{way}")
        visit.page.select_option("#play-piece", label="ganger_rifle")
        visit.until(ANSWERED)
        answers = 0
        for step in ("", "left", "clockwise"):
            if step:
                visit.page.click(f"#play-{step}")
                visit.until(ANSWERED)
            answer = visit.page.evaluate(
                "silhouette.play.answers.get(silhouette.play.pieces[silhouette.play.target].name)"
            )
            scene = taken(visit, tmp_path / "taken")
            assert scene.piece("barricade").pose.translation.tolist() == [-12.5, 112.7, 0.0]
            check = scene.checks[0]
            assert disagreement(answer, ruled(NECROMUNDA, scene, check)) is None
            answers += answer["word"] != ASK
            visit.until(ANSWERED)
        assert answers >= 2
        quiet(visit)


def test_what_is_found_in_shapes_is_judged_as_what_is_taken_away(
    folder: Path, browser: Browser, tmp_path: Path
) -> None:
    """Nothing is said of two figures: their bases are plain, and their eyes are estimated, here and by Silhouette."""
    with browser.visit(folder / "own.html") as visit:
        visit.page.set_input_files("#own-files", [str(MODELS / f"{name}.glb") for name in ("ganger_rifle", "leader")])
        visit.until(ANSWERED)
        assert "found: 3.0 mm" in visit.page.locator("#own-0-base").inner_text()
        assert visit.page.locator("#own-1-eyeHeight").get_attribute("placeholder") == "30.0 estimated"
        visit.page.set_input_files("#own-files", str(MODELS / "barricade.glb"))
        visit.until("document.querySelectorAll('#own-pieces fieldset').length === 3")
        visit.until(ANSWERED)
        assert "eye is estimated" in visit.page.locator("#play-answer").inner_text()
        answer = visit.page.evaluate("silhouette.play.answers.get('leader')")
        assert answer["word"] != ASK
        scene = taken(visit, tmp_path / "taken")
        attacker = scene.piece("ganger_rifle")
        assert (attacker.eye_from, attacker.model.base and attacker.model.base.source) == ("estimated", "height")
        assert disagreement(answer, ruled(NECROMUNDA, scene, scene.checks[0])) is None


def test_what_is_not_plain_is_asked_of_the_desk(folder: Path, browser: Browser) -> None:
    with browser.visit(folder / "own.html") as visit:
        visit.page.set_input_files("#own-files", [str(MODELS / name) for name in ("ganger_rifle.glb", "crate.glb")])
        visit.until("document.getElementById('play-answer').textContent.includes('a base is not plain')")
        assert "ask the desk" in visit.page.locator("#play-answer").inner_text()


def test_pieces_are_told_apart_removed_and_become_terrain(folder: Path, browser: Browser) -> None:
    with browser.visit(folder / "own.html") as visit:
        twice = [str(MODELS / "crate.glb")] * 2
        for _ in range(2):
            visit.page.set_input_files("#own-files", twice[:1])
            visit.page.wait_for_timeout(300)
        visit.page.set_input_files("#own-files", [str(MODELS / "leader.glb")])
        visit.until("document.querySelectorAll('#own-pieces fieldset').length === 3")
        assert visit.page.evaluate("silhouetteOwnTable.pieces.map(({ name }) => name)") == [
            "crate",
            "crate 2",
            "leader",
        ]
        assert visit.page.evaluate("silhouetteOwnTable.pieces.map(({ kind }) => kind)")[2] == "terrain"
        visit.page.select_option("#own-1-kind", "terrain")
        visit.page.select_option("#own-2-kind", "fighter")
        visit.until(ANSWERED)
        assert "crate → leader" in visit.page.locator("#play-answer").inner_text()
        visit.page.click("#own-pieces fieldset:nth-child(2) button")
        visit.until("document.querySelectorAll('#own-pieces fieldset').length === 2")
        visit.until(ANSWERED)
        visit.page.set_input_files("#own-files", [{"name": "x.obj", "mimeType": "", "buffer": b"v 0 0 0"}])
        visit.until("document.getElementById('own-told').textContent.includes('no triangles')")
        quiet(visit)


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (PHONE, "dark"),
        pytest.param(PHONE, "light", marks=pytest.mark.long),
        pytest.param(DESKTOP, "dark", marks=pytest.mark.long),
        pytest.param(DESKTOP, "light", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing(folder: Path, browser: Browser, size: tuple[int, int], scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with browser.visit(folder / "own.html", size, color_scheme=scheme) as visit:
        assert (found := axe.run(visit.page)).violations_count == 0, found.generate_report()
        set_up(visit, "ganger_rifle.glb", "ganger_blade.glb", "crate.glb")
        assert (found := axe.run(visit.page)).violations_count == 0, found.generate_report()
        quiet(visit)
