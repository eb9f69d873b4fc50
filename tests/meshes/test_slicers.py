"""3MF as slicers write it: what they do not print as body is left out and named; what does not fit is a warning."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import MeshFile, read_mesh
from silhouette.scans.read import read_scan
from tests.support.mesh_files import CORNERS, FACES, expected, model, pyramid, triangles_of

PRUSA, BAMBU = "Metadata/Slic3r_PE_model.config", "Metadata/model_settings.config"
FAR = 'transform="1 0 0 0 1 0 0 0 1 50 0 0"'


def archive(root: str, **entries: str) -> bytes:
    """A 3MF file of a root model and entries by their names, of which each "__" is a slash and each "_DOT_" a dot."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("3D/3dmodel.model", root)
        for name, content in entries.items():
            written.writestr(name, content)
    return packed.getvalue()


def read(path: Path, root: str, entries: dict[str, str] | None = None) -> MeshFile:
    path.write_bytes(archive(root, **(entries or {})))
    file = read_mesh(path, Cache(None))
    scan = read_scan(path)
    assert [sentence for sentence in file.warnings if sentence in scan.warnings] == list(scan.warnings)
    assert len(scan.faces) == len(file.mesh.faces)
    return file


def two_in_one(offset: float = 50.0) -> str:
    """An object whose first four triangles are one pyramid and whose last four are another, so far beside it."""
    points = np.concatenate([CORNERS, CORNERS + np.array([offset, 0, 0])])
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in points)
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in np.concatenate([FACES, FACES + 4]))
    mesh = f"<mesh><vertices>{vertices}</vertices><triangles>{faces}</triangles></mesh>"
    return f'<object id="1" type="model">{mesh}</object>'


ITEM = '<item objectid="1"/>'


def prusa(*volumes: str, number: str = "1") -> dict[str, str]:
    return {PRUSA: f'<?xml version="1.0"?><config><object id="{number}">{"".join(volumes)}</object></config>'}


def volume(first: object, last: object, *properties: tuple[str, str]) -> str:
    told = "".join(f'<metadata type="volume" key="{key}" value="{value}"/>' for key, value in properties)
    return f'<volume firstid="{first}" lastid="{last}">{told}</volume>'


BODY = volume(0, 3, ("name", "figure"), ("volume_type", "ModelPart"))


@pytest.mark.parametrize(
    "properties, kind",
    [
        ([("volume_type", "ParameterModifier")], "modifier"),
        ([("modifier", "1")], "modifier"),  # as before PrusaSlicer 1.42
        ([("modifier", "1"), ("volume_type", "SupportEnforcer")], "support enforcer"),
        ([("volume_type", "SupportBlocker")], "support blocker"),
        ([("volume_type", "NegativeVolume")], "negative volume"),
        ([("volume_type", "parameter_modifier")], "modifier"),
        ([("Volume_Type", "SUPPORTBLOCKER")], "support blocker"),
        ([("volume_type", "SeamPositionCenterZ")], "seam modifier"),
    ],
)
def test_ranges_of_triangles_that_are_not_body_are_left_out(tmp_path, properties, kind):
    config = prusa(BODY, volume(4, 7, ("name", "helper"), *properties))
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM), config)
    assert triangles_of(file.mesh) == expected()
    assert file.warnings == (f"left out, because it is not printed as body: {kind} 'helper' (4 triangles)",)


@pytest.mark.parametrize(
    "properties", [[("volume_type", "ModelPart")], [("modifier", "0")], [("name", "modifier")], []]
)
def test_ranges_that_are_body_stay(tmp_path, properties):
    config = prusa(BODY, volume(4, 7, *properties))
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM), config)
    assert (len(file.mesh.faces), file.warnings) == (8, ())


def test_a_negative_volume_that_reaches_into_the_body_is_told(tmp_path):
    config = prusa(BODY, volume(4, 7, ("name", "hole"), ("volume_type", "NegativeVolume")))
    file = read(tmp_path / "a.3mf", model(two_in_one(1.0), ITEM), config)
    assert triangles_of(file.mesh) == expected()
    assert any(sentence.startswith("a negative volume reaches into the body") for sentence in file.warnings)
    part = '<config><object id="3"><part id="1"/><part id="2" subtype="negative_part"/></object></config>'
    group = '<object id="3"><components><component objectid="1"/><component objectid="2"/></components></object>'
    root = model(pyramid(1, "figure") + pyramid(2, "hole") + group, '<item objectid="3"/>')
    file = read(tmp_path / "b.3mf", root, {BAMBU: part})
    assert triangles_of(file.mesh) == expected()
    assert any(sentence.startswith("a negative volume reaches into the body") for sentence in file.warnings)


@pytest.mark.parametrize(
    "config, faces, says",
    [
        (prusa(BODY, volume(4, 99, ("modifier", "1"))), 4, "triangles 4 to 99 of object 1 a modifier, and it has 8"),
        (prusa(BODY, volume(-5, 1, ("modifier", "1"))), 8, "both body and something else"),
        (prusa(volume(-5, 1, ("modifier", "1"))), 6, "calls triangles -5 to 1 of object 1 a modifier, and it has 8"),
        (prusa(volume(20, 30, ("modifier", "1"))), 8, "calls triangles 20 to 30"),
        (prusa(BODY, volume(2, 7, ("modifier", "1"))), 4, "2 triangles of object 1 both body and something else"),
        (prusa(volume("x", 7, ("modifier", "1"))), 8, "no whole numbers firstid and lastid"),
        (prusa(volume("", "", ("modifier", "1"))), 8, "no whole numbers firstid and lastid"),
        (prusa(volume(0, 3, ("modifier", "1")), number="7"), 8, "object '7' a modifier, and the file has no such"),
        (prusa(volume(4, 7, ("volume_type", "Hologram"))), 8, "a 'Hologram', which is unknown; it counts as body"),
        ({PRUSA: "<config><object"}, 8, "what its slicer says of modifiers and supports is not known"),
        ({PRUSA: "<!DOCTYPE x><config/>"}, 8, "what its slicer says of modifiers and supports is not known"),
        ({PRUSA: ""}, 8, "what its slicer says of modifiers and supports is not known"),
        ({BAMBU: '<config><object id="1"><part id="9" subtype="modifier_part"/></object></config>'}, 8, "no such"),
    ],
)  # fmt: skip
def test_a_configuration_that_does_not_fit_is_a_warning(tmp_path, config, faces, says):
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM), config)
    assert len(file.mesh.faces) == faces
    assert says in " ".join(file.warnings)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {PRUSA: "<config/>"},
        prusa(BODY, volume(4, 7), number="7"),  # names another object, of which all is body
        prusa(volume(5, 4, ("modifier", "1"))),  # an empty volume
        {"Metadata/Slic3r_PE.config": "; modifier = 1"},
    ],
)
def test_a_configuration_that_says_nothing_of_it_changes_nothing(tmp_path, config):
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM), config)
    assert (len(file.mesh.faces), file.warnings) == (8, ())


def test_a_file_of_which_all_is_helper_is_refused_and_says_so(tmp_path):
    config = prusa(volume(0, 7, ("name", "all"), ("modifier", "1")))
    (tmp_path / "a.3mf").write_bytes(archive(model(two_in_one(), ITEM), **config))
    with pytest.raises(MeshError, match=r"no triangles, only modifier 'all' \(8 triangles\)"):
        read_mesh(tmp_path / "a.3mf", Cache(None))


def test_the_ranges_hold_for_every_copy_and_are_named_once(tmp_path):
    config = prusa(BODY, volume(4, 7, ("name", "helper"), ("modifier", "1")))
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM + f'<item objectid="1" {FAR}/>'), config)
    assert triangles_of(file.mesh) == expected() | expected((50, 0, 0))
    assert file.warnings == ("left out, because it is not printed as body: modifier 'helper' (4 triangles)",)


def test_slic3r_names_its_ranges_in_the_mesh_itself(tmp_path):
    told = '<s:volumes><s:volume ts="0" te="3" modifier="0"/><s:volume ts="4" te="7" modifier="1"/></s:volumes></mesh>'
    root = model(two_in_one().replace("</mesh>", told), ITEM, more='xmlns:s="http://schemas.slic3r.org/3mf/2017/06"')
    file = read(tmp_path / "a.3mf", root)
    assert triangles_of(file.mesh) == expected()
    assert "modifier 'of object 1' (4 triangles)" in file.warnings[0]


@pytest.mark.parametrize(
    "told, kind",
    [
        ('subtype="modifier_part"', "modifier"),
        ('subtype="negative_part"', "negative volume"),
        ('subtype="support_enforcer"', "support enforcer"),
        ('subtype="support_blocker"', "support blocker"),
        ('Subtype="Modifier_Part"', "modifier"),
        ('subtype="ParameterModifier"', "modifier"),
    ],
)
@pytest.mark.parametrize("is_split", [True, False])
def test_parts_of_bambu_studio_and_orcaslicer(tmp_path, told, kind, is_split):
    """In one model, or, as they write it today, with the meshes in models of their own, whose numbers repeat."""
    parts = f'<part id="1" subtype="normal_part"/><part id="2" {told}><metadata key="name" value="Cube"/></part>'
    config = {BAMBU: f'<config><object id="3"><metadata key="name" value="x"/>{parts}</object></config>'}
    path = 'p:path="/3D/Objects/object_1.model"' if is_split else ""
    components = f'<component {path} objectid="1"/><component {path} objectid="2" {FAR}/>'
    meshes = pyramid(1, "") + pyramid(2, "")
    if is_split:
        config["3D/Objects/object_1.model"] = model(meshes, "")
    group = f'<object id="3" name="figure"><components>{components}</components></object>'
    root = model((pyramid(2, "other") if is_split else meshes) + group, '<item objectid="3" printable="1"/>')
    file = read(tmp_path / "a.3mf", root, config)
    assert triangles_of(file.mesh) == expected()
    assert file.mesh.part_names == ("figure",)
    assert file.warnings == (f"left out, because it is not printed as body: {kind} 'Cube' (4 triangles)",)


@pytest.mark.parametrize("written", ["other", "support", "solidsupport"])
def test_what_a_slicer_calls_a_part_says_more_than_the_type_of_its_object(tmp_path, written):
    """Bambu Studio gives the type "other" to whatever is not body; its configuration says what it is."""
    near = 'transform="1 0 0 0 1 0 0 0 1 0.2 0.2 0.2"'
    group = (
        f'<object id="3"><components><component objectid="1"/><component objectid="2" {near}/></components></object>'
    )
    root = model(pyramid(1, "figure") + pyramid(2, "", written) + group, '<item objectid="3"/>')
    part = '<part id="2" subtype="negative_part"><metadata key="name" value="hole"/></part>'
    config = {BAMBU: f'<config><object id="3"><part id="1" subtype="normal_part"/>{part}</object></config>'}
    file = read(tmp_path / "a.3mf", root, config)
    assert triangles_of(file.mesh) == expected()
    left, reaches = file.warnings
    assert left == "left out, because it is not printed as body: negative volume 'hole' (4 triangles)"
    assert reaches.startswith("a negative volume reaches into the body")


def test_two_configurations_that_say_the_same_name_it_once(tmp_path):
    """As SuperSlicer writes them: one of its own, and one for PrusaSlicer."""
    config = prusa(BODY, volume(4, 7, ("name", "helper"), ("volume_type", "SupportEnforcer")))
    own = {"Metadata/SuperSlicer_model.config": config[PRUSA]}
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM), config | own)
    assert triangles_of(file.mesh) == expected()
    assert file.warnings == ("left out, because it is not printed as body: support enforcer 'helper' (4 triangles)",)


def test_what_counts_as_body_is_not_called_left_out(tmp_path):
    """Two configurations that contradict each other, and a range of which a part is body."""
    config = prusa(BODY, volume(2, 7, ("name", "helper"), ("modifier", "1")))
    other = prusa(BODY, volume(6, 7, ("volume_type", "ModelPart")))
    file = read(
        tmp_path / "a.3mf", model(two_in_one(), ITEM), config | {"Metadata/SuperSlicer_model.config": other[PRUSA]}
    )
    assert len(file.mesh.faces) == 6
    assert file.warnings[:2] == (
        "left out, because it is not printed as body: modifier 'helper' (2 triangles)",
        "its slicer calls 4 triangles of object 1 both body and something else; they count as body",
    )


BOOLEANS = 'xmlns:bo="http://schemas.3mf.io/3dmanufacturing/booleans/2023/07"'
CUT = '<object id="3"><bo:booleanshape objectid="1"><bo:boolean objectid="2"/></bo:booleanshape></object>'
BEAMS = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"


def test_shapes_of_extensions_that_are_not_read_are_told(tmp_path):
    """The file need not require the extension; what it describes is not there without it."""
    item = '<item objectid="3"/>'
    root = model(pyramid(1) + pyramid(2) + CUT, ITEM + item, more=BOOLEANS)
    (sentence,) = read(tmp_path / "a.3mf", root).warnings
    assert sentence.startswith("left out, because it is not read: shapes cut from others (booleans)")
    lattice = f'<b:beamlattice xmlns:b="{BEAMS}" radius="1"><b:beams><b:beam v1="0" v2="1"/></b:beams></b:beamlattice>'
    (sentence,) = read(tmp_path / "b.3mf", model(pyramid().replace("</mesh>", f"{lattice}</mesh>"), ITEM)).warnings
    assert sentence.startswith("left out, because it is not read: beams")
    (tmp_path / "c.3mf").write_bytes(archive(model(pyramid(1) + pyramid(2) + CUT, item, more=BOOLEANS)))
    with pytest.raises(MeshError, match=r"no triangles, only shapes cut from others \(booleans\)"):
        read_mesh(tmp_path / "c.3mf", Cache(None))


def test_a_prefix_that_prusaslicer_does_not_declare(tmp_path):
    """Its configuration has a tag slic3rpe:text for embossed letters, and no namespace of that name."""
    letters = '<volume firstid="0" lastid="3"><slic3rpe:text text="Kal" style_name="x"/></volume>'
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM), prusa(letters, volume(4, 7, ("modifier", "1"))))
    assert triangles_of(file.mesh) == expected()
    assert file.warnings == ("left out, because it is not printed as body: modifier 'of object 1' (4 triangles)",)


def test_an_object_of_the_number_of_one_of_its_parts_is_no_part_of_itself(tmp_path):
    parts = '<part id="1" subtype="normal_part"/><part id="2" subtype="modifier_part"/>'
    components = "".join(
        f'<component p:path="/3D/Objects/a.model" objectid="{n}" {m}/>' for n, m in ((1, ""), (2, FAR))
    )
    config = {
        BAMBU: f'<config><object id="2">{parts}</object></config>',
        "3D/Objects/a.model": model(pyramid(1, "") + pyramid(2, "helper"), ""),
    }
    group = f'<object id="2" name="figure"><components>{components}</components></object>'
    file = read(tmp_path / "a.3mf", model(group, '<item objectid="2"/>'), config)
    assert triangles_of(file.mesh) == expected()
    assert "modifier 'helper' (4 triangles)" in file.warnings[0]


def test_a_part_that_is_an_assembly_takes_all_below_it_along(tmp_path):
    inner = f'<object id="3"><components><component objectid="2" {FAR}/></components></object>'
    group = '<object id="4"><components><component objectid="1"/><component objectid="3"/></components></object>'
    root = model(pyramid(1, "figure") + pyramid(2, "inner") + inner + group, '<item objectid="4"/>')
    config = {BAMBU: '<config><object id="4"><part id="3" subtype="support_blocker"/></object></config>'}
    file = read(tmp_path / "a.3mf", root, config)
    assert triangles_of(file.mesh) == expected()
    assert "support blocker 'inner' (4 triangles)" in file.warnings[0]


CURA = "http://software.ultimaker.com/xml/cura/3mf/2015/10"


@pytest.mark.parametrize(
    "setting, kind",
    [
        ("support_mesh", "support mesh"),
        ("anti_overhang_mesh", "support blocker"),
        ("cutting_mesh", "cutting mesh"),
        ("infill_mesh", "infill mesh"),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        '<metadatagroup><metadata name="cura:{}" preserve="true" type="xs:string">{}</metadata></metadatagroup>',
        f'<settings xmlns="{CURA}"><setting key="{{}}">{{}}</setting></settings>',
    ],
)
@pytest.mark.parametrize("value, leaves", [("True", True), ("true", True), ("False", False), ("", False)])
def test_meshes_that_cura_does_not_print(tmp_path, setting, kind, form, value, leaves):
    """Settings of an object: in the form of today, and in that of Cura before 3.0."""
    helper = pyramid(2, "helper").replace("</object>", form.format(setting, value) + "</object>")
    others = form.format("support_mesh_drop_down", "True") + form.format("extruder_nr", "1")
    root = model(
        pyramid(1, "figure").replace("<mesh>", f"{others}<mesh>") + helper, f'{ITEM}<item objectid="2" {FAR}/>'
    )
    file = read(tmp_path / "a.3mf", root)
    assert len(file.mesh.faces) == (4 if leaves else 8)
    sentence = f"left out, because it is not printed as body: {kind} 'helper' (4 triangles)"
    assert file.warnings == ((sentence,) if leaves else ())


def test_items_that_are_not_printed_and_objects_that_only_support(tmp_path):
    objects = (
        pyramid(1, "figure") + pyramid(2, "spare") + pyramid(3, "pad", "support") + pyramid(4, "prop", "solidsupport")
    )
    objects += pyramid(5, "note", "other")
    items = (
        f'{ITEM}<item objectid="2" printable="0" {FAR}/><item objectid="3"/><item objectid="4"/><item objectid="5"/>'
    )
    file = read(tmp_path / "a.3mf", model(objects, items))
    assert triangles_of(file.mesh) == expected()
    (sentence,) = file.warnings
    assert sentence == (
        "left out, because it is not printed as body: item that is not printed 'spare' (4 triangles), support 'pad' "
        "(4 triangles), solid support 'prop' (4 triangles), object of type 'other' 'note' (4 triangles)"
    )


@pytest.mark.parametrize("told", ['printable="1"', 'printable="true"', 's:printable="1" xmlns:s="urn:x"', ""])
def test_items_that_are_printed_stay(tmp_path, told):
    file = read(tmp_path / "a.3mf", model(pyramid(), f'<item objectid="1" {told}/>'))
    assert (len(file.mesh.faces), file.warnings) == (4, ())


def test_many_volumes_and_many_copies_are_looked_at_once(tmp_path):
    config = prusa(*(volume(4, 7, ("modifier", "1")) for _ in range(3000)))
    start = time.process_time()
    file = read(tmp_path / "a.3mf", model(two_in_one(), ITEM * 300), config)
    assert triangles_of(file.mesh) == expected()
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize(
    ("root", "says"),
    [
        (model(pyramid().replace('x="', 'x="0,5" was="', 1), ITEM), "with a decimal comma; export it with"),
        (model(pyramid(), '<item objectid="1" transform="1,0 0 0 0 1 0 0 0 1 0 0 0"/>'), "writes '1,0' with a decimal"),
        (model(pyramid().replace('x="', 'x="a', 1), ITEM), "'3D/3dmodel.model' has an element without a number"),
        (model(pyramid().replace('v1="', 'v="', 1), ITEM), "'3D/3dmodel.model' has an element without a number"),
    ],
)
def test_numbers_that_are_none(tmp_path, root, says):
    (tmp_path / "a.3mf").write_bytes(archive(root))
    with pytest.raises(MeshError, match=says):
        read_mesh(tmp_path / "a.3mf", Cache(None))
