"""The doctor: every renderer and how fast it is; and a GPU that is there but unusable, with what stands in the way."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from silhouette.cli import doctor
from silhouette.renderers import RENDERERS
from silhouette.renderers import probe as probing
from silhouette.renderers.cuda import devices as cuda_devices
from silhouette.renderers.cuda.devices import Device
from silhouette.renderers.gl import context
from silhouette.renderers.gl.context import EGLDevice
from silhouette.renderers.gl.gpus import NVIDIA_LIBRARY, Drawn, Sighting, System, obstacles, sighted
from silhouette.renderers.probe import Probe, answer_apart, describe
from silhouette.renderers.registry import RendererEntry, RendererTrial
from silhouette.rules.necromunda.rule import NECROMUNDA
from tests.cli.test_documents import stamped
from tests.support.commands import run
from tests.support.rulings import ruled

SOFTWARE = Drawn(0, True, False, "EGL: llvmpipe (LLVM 15.0.6, 256 bits)")
ON_GPU = Drawn(0, True, True, "EGL: NVIDIA H200")
NO_EGL = Drawn(None, False, False, "no EGL: libEGL.so.1 is not installed")

CPU_DEVICE = Device("cpu", "CPU", "", None)

Chip = Callable[..., None]


@pytest.fixture
def chip(tmp_path: Path) -> Chip:
    """Puts a chip on the bus of a made-up system, with the device files that its driver makes."""

    def put(vendor: str = "0x10de", kind: str = "0x030200", *files: str) -> None:
        place = tmp_path / "sys/bus/pci/devices/0000:19:00.0"
        place.mkdir(parents=True)
        for name, word in {"vendor": vendor, "device": "0x2335", "class": kind}.items():
            (place / name).write_text(f"{word}\n")
        for file in files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).touch()

    return put


def tell_egl_of(root: Path, library: str, folder: str = "usr/share/glvnd/egl_vendor.d") -> Path:
    """A file by which EGL's loader finds a driver."""
    file = root / folder / "10_driver.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": {"library_path": library}}))
    return file


def system(
    root: Path, environment: dict[str, str] | None = None, *, closed: str = "", missing: str = "", smi: str = ""
) -> System:
    return System(
        root, environment or {}, lambda file: file.name != closed, lambda library: library != missing, lambda: smi
    )


def why(made: System, *drawn: Drawn) -> list[str]:
    return obstacles(made, sighted(made), drawn)


# ---- what is seen


def test_a_system_without_a_gpu_shows_none_and_nothing_is_in_the_way(tmp_path: Path) -> None:
    assert sighted(system(tmp_path)).is_empty
    assert why(system(tmp_path), SOFTWARE) == []
    assert why(system(tmp_path), NO_EGL) == []


@pytest.mark.parametrize(
    ("vendor", "kind"), [("0x1a03", "0x030000"), ("0x1234", "0x030000"), ("0x10de", "0x040300"), ("0x8086", "0x060000")]
)
def test_consoles_and_other_cards_of_a_maker_are_no_gpus(tmp_path: Path, chip: Chip, vendor: str, kind: str) -> None:
    """A server's console, a virtual machine's screen, a graphics card's sound, a bridge."""
    chip(vendor, kind)
    assert sighted(system(tmp_path)).is_empty


@pytest.mark.parametrize(("vendor", "maker"), [("0x10de", "NVIDIA"), ("0x1002", "AMD"), ("0x8086", "Intel")])
def test_a_chip_on_the_bus_is_named_with_its_maker(tmp_path: Path, chip: Chip, vendor: str, maker: str) -> None:
    chip(vendor, "0x038000", "dev/dri/renderD128")
    assert sighted(system(tmp_path)) == Sighting(
        frozenset({maker}), (f"{maker} {vendor[2:]}:2335 at 0000:19:00.0",), (tmp_path / "dev/dri/renderD128",)
    )


def test_a_device_file_is_a_sign_where_the_bus_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/nvidiactl").touch()
    assert sighted(system(tmp_path)).is_empty
    (tmp_path / "dev/nvidia0").touch()
    assert sighted(system(tmp_path)).makers == {"NVIDIA"}


LISTED = """GPU 0: NVIDIA H200 (UUID: GPU-5ebe9fa3-9f19-4ea3-8c4b-8f0d8c2a6d3d)
GPU 1: NVIDIA H200 (UUID: GPU-0dd2c0b8-6a5c-4a5f-9d0f-6c1b54b1a4a7)
"""


def test_nvidia_s_own_tool_knows_the_names(tmp_path: Path, chip: Chip) -> None:
    assert sighted(system(tmp_path, smi=LISTED)).chips == ("NVIDIA H200", "NVIDIA H200")
    chip("0x10de", "0x030200", "dev/nvidia0")
    found = sighted(system(tmp_path, smi=LISTED))
    assert (found.chips, found.complaint) == (("NVIDIA H200", "NVIDIA H200"), "")


def test_nvidia_s_own_tool_where_no_driver_runs_is_no_sign_of_a_gpu(tmp_path: Path) -> None:
    smi = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    assert sighted(system(tmp_path, smi=smi)).is_empty


# ---- what stands in the way


def test_where_it_is_drawn_on_nothing_stands_in_the_way(tmp_path: Path, chip: Chip) -> None:
    chip()
    assert why(system(tmp_path), ON_GPU, SOFTWARE) == []


def test_nvidia_without_its_kernel_driver(tmp_path: Path, chip: Chip) -> None:
    chip()
    assert why(system(tmp_path), SOFTWARE)[0].startswith(
        "there is no /dev/nvidia0: NVIDIA's kernel driver is not loaded"
    )


def test_nvidia_s_own_tool_says_what_is_wrong_with_the_driver(tmp_path: Path, chip: Chip) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0")
    tell_egl_of(tmp_path, NVIDIA_LIBRARY)
    smi = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90\n"
    (only,) = why(system(tmp_path, smi=smi), SOFTWARE)
    assert only == "nvidia-smi says: Failed to initialize NVML: Driver/library version mismatch"


def test_nvidia_in_a_container_that_was_started_without_it(tmp_path: Path, chip: Chip) -> None:
    chip("0x10de", "0x030200", "proc/driver/nvidia/version")
    assert why(system(tmp_path), SOFTWARE)[0].endswith("start the container with its GPU (docker run --gpus all)")


def test_nvidia_of_which_egl_is_not_told(tmp_path: Path, chip: Chip) -> None:
    """As in a container without the capability graphics: the device is there, the driver's files are not."""
    chip("0x10de", "0x030200", "dev/nvidia0")
    tell_egl_of(tmp_path, "libEGL_mesa.so.0")
    (only,) = why(system(tmp_path), SOFTWARE)
    assert re.match(r"EGL is not told of NVIDIA's driver: no .json file in /etc/.* names libEGL_nvidia.so.0", only)
    assert "NVIDIA_DRIVER_CAPABILITIES" in only


@pytest.mark.parametrize("folder", ["etc/glvnd/egl_vendor.d", "usr/share/glvnd/egl_vendor.d"])
@pytest.mark.parametrize("path", [NVIDIA_LIBRARY, f"/usr/lib/x86_64-linux-gnu/{NVIDIA_LIBRARY}"])
def test_nvidia_whose_library_is_missing(tmp_path: Path, chip: Chip, folder: str, path: str) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0")
    tell_egl_of(tmp_path, path, folder)
    (only,) = why(system(tmp_path, missing=NVIDIA_LIBRARY), SOFTWARE)
    assert only.startswith("libEGL_nvidia.so.0, which EGL is told of, is not found")


def test_nvidia_all_there_but_drawn_in_software(tmp_path: Path, chip: Chip) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0")
    tell_egl_of(tmp_path, NVIDIA_LIBRARY)
    (only,) = why(system(tmp_path), SOFTWARE)
    assert only.startswith("EGL's device 0 draws in software (EGL: llvmpipe")


def test_a_list_of_drivers_in_the_environment_takes_the_place_of_the_system_s(tmp_path: Path, chip: Chip) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0")
    tell_egl_of(tmp_path, NVIDIA_LIBRARY)
    other = tell_egl_of(tmp_path, "libEGL_mesa.so.0", "opt/drivers")
    named = {"__EGL_VENDOR_LIBRARY_FILENAMES": str(other)}, {"__EGL_VENDOR_LIBRARY_DIRS": str(other.parent)}
    for environment in named:
        assert why(system(tmp_path, environment), SOFTWARE)[0].startswith("EGL is not told of NVIDIA's driver")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"ICD": {}}', '{"ICD": "x"}', "\x00"])
def test_a_broken_list_of_drivers_is_as_good_as_none(tmp_path: Path, chip: Chip, text: str) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0")
    tell_egl_of(tmp_path, NVIDIA_LIBRARY).write_text(text)
    assert why(system(tmp_path), SOFTWARE)[0].startswith("EGL is not told of NVIDIA's driver")


@pytest.mark.parametrize("file", ["dev/nvidia0", "dev/nvidiactl"])
def test_nvidia_that_this_user_may_not_open(tmp_path: Path, chip: Chip, file: str) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0", "dev/nvidiactl")
    tell_egl_of(tmp_path, NVIDIA_LIBRARY)
    assert why(system(tmp_path, closed=Path(file).name), SOFTWARE)[0].startswith(f"this user may not open /{file}")


def test_a_card_of_amd_or_intel_without_its_device_file(tmp_path: Path, chip: Chip) -> None:
    chip("0x1002", "0x030000")
    assert re.match(r"there is no /dev/dri/renderD128: .* --device /dev/dri", why(system(tmp_path), SOFTWARE)[0])


def test_a_card_that_this_user_may_not_open_names_the_group_that_may(
    tmp_path: Path, chip: Chip, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip("0x8086", "0x030000", "dev/dri/renderD128", "dev/dri/renderD129")
    tell_egl_of(tmp_path, "libEGL_mesa.so.0")
    monkeypatch.setattr(Path, "group", lambda file: "render")
    (first, second) = why(system(tmp_path, closed="renderD128"), SOFTWARE, Drawn(1, False, False, "it said nothing"))
    assert first.startswith("this user may not open /dev/dri/renderD128; it is open to the group render: sudo usermod")
    assert second == "EGL's device 1: it said nothing"


def test_a_card_without_mesa(tmp_path: Path, chip: Chip) -> None:
    chip("0x1002", "0x030000", "dev/dri/renderD128")
    told = why(system(tmp_path), NO_EGL)
    assert told[0].startswith("EGL is not told of Mesa's drivers; on Debian or Ubuntu: apt install libegl-mesa0")
    assert told[1] == "no EGL: libEGL.so.1 is not installed"


def test_windows_own_linux_has_one_device_file(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/dxg").touch()
    tell_egl_of(tmp_path, "libEGL_mesa.so.0")
    (only,) = why(system(tmp_path), SOFTWARE)
    assert "draws in software" in only


@pytest.mark.parametrize(
    ("name", "value"),
    [("PYOPENGL_PLATFORM", "osmesa"), ("LIBGL_ALWAYS_SOFTWARE", "1"), ("LIBGL_ALWAYS_SOFTWARE", "true")],
)
def test_an_environment_that_asks_for_software_is_named_first(
    tmp_path: Path, chip: Chip, name: str, value: str
) -> None:
    chip()
    assert why(system(tmp_path, {name: value}), SOFTWARE)[0].startswith(f"{name} is ")
    assert why(system(tmp_path, {name: value}), ON_GPU)[0].endswith("; unset it")
    assert not why(system(tmp_path, {name: ""} if name.startswith("LIBGL") else {name: "egl"}), ON_GPU)


# ---- the whole


PROBES = [
    Probe("embree", True, "CPU, embreex 4.4", ""),
    Probe("gl", True, "EGL: NVIDIA H200", "", "0", "NVIDIA Corporation, OpenGL 4.6", True, "egl"),
    Probe("gl", True, "EGL: llvmpipe", "", "1", "Mesa, OpenGL 4.5", False, "egl"),
    Probe("gl", False, "OSMesa", "no OSMesa: libOSMesa.so.8 is not installed", platform="osmesa"),
    Probe("reference", True, "numpy", ""),
]


def test_the_doctor_measures_what_works_and_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, steps = [], []

    def measured(name: str, platform: str, device: str) -> float:
        asked.append((name, platform, device))
        return 12.5

    monkeypatch.setattr(doctor, "probe_renderers", lambda step: PROBES)
    monkeypatch.setattr(doctor, "checks_per_second", measured)
    found = doctor.examination(step=lambda done, total: steps.append((done, total)))
    assert asked == [("embree", "", ""), ("gl", "egl", "0"), ("gl", "egl", "1"), ("reference", "", "")]
    assert [one["checks_per_second"] for one in found["renderers"]] == [12.5, 12.5, 12.5, None, 12.5]
    assert [one["device_option"] for one in found["renderers"]] == [None, "0", "1", None, None]
    assert found["renderers"][1]["driver"] == "NVIDIA Corporation, OpenGL 4.6"
    assert steps == [(5, 10), (6, 10), (7, 10), (8, 10), (9, 10)]
    asked.clear()
    quick = doctor.examination(quick=True)
    assert not asked
    assert {one["checks_per_second"] for one in quick["renderers"]} == {None}


def test_the_table_has_numbers_for_device_and_the_driver(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "probe_renderers", lambda step: PROBES)
    monkeypatch.setattr(doctor, "checks_per_second", lambda *what: 1234.5 if what[0] == "gl" else 99.0)
    told = run(capsys, "doctor")
    assert (told.status, told.err) == (0, "")
    assert re.search(r"gl +yes +0 +EGL: NVIDIA H200 +1,23\d +NVIDIA Corporation", told.out)
    assert re.search(r"gl +no +OSMesa +no OSMesa: libOSMesa.so.8 is not installed", told.out)
    assert "checks/s" not in run(capsys, "doctor", "--quick").out


def test_a_gpu_that_is_there_but_unusable_is_told_plainly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chip: Chip
) -> None:
    chip("0x10de", "0x030200", "dev/nvidia0")
    monkeypatch.setattr(doctor, "probe_renderers", lambda step: [PROBES[0], PROBES[2]])
    monkeypatch.setattr(doctor, "System", lambda: system(tmp_path))
    document = run(capsys, "doctor", "--quick", "--json").document
    assert stamped(document)
    found = document["gpu"]
    assert found["seen"] == ["NVIDIA 10de:2335 at 0000:19:00.0", "/dev/nvidia0"]
    assert not found["used"]
    assert len(found["obstacles"]) == 1
    told = run(capsys, "doctor", "--quick").out
    assert "GPU: NVIDIA 10de:2335 at 0000:19:00.0, /dev/nvidia0; gl cannot draw on it" in told
    assert "  - EGL is not told of NVIDIA's driver" in told
    monkeypatch.setattr(doctor, "probe_renderers", lambda step: PROBES)
    assert "/dev/nvidia0; gl draws on it" in run(capsys, "doctor", "--quick").out
    monkeypatch.setattr(doctor, "System", lambda: system(tmp_path, {"LIBGL_ALWAYS_SOFTWARE": "1"}))
    assert "/dev/nvidia0; gl cannot draw on it" in run(capsys, "doctor", "--quick").out
    monkeypatch.setattr(doctor, "System", lambda: system(tmp_path / "empty"))
    monkeypatch.setattr(doctor, "probe_renderers", lambda step: PROBES[:1])
    assert "GPU: this system shows none" in run(capsys, "doctor", "--quick").out


def test_every_device_that_cuda_and_egl_list_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def tell(entry: RendererEntry, trial: RendererTrial) -> Probe:
        tried.append((entry.name, trial.platform, trial.device))
        return Probe(entry.name, True, trial.label, "", trial.device)

    monkeypatch.setattr(context, "listed_devices", lambda: [EGLDevice(0, False), EGLDevice(1, True)])
    monkeypatch.setattr(cuda_devices, "listed_devices", lambda: [Device("cuda:0", "H200", "", None), CPU_DEVICE])
    monkeypatch.setattr(cuda_devices, "is_installed", lambda: True)
    monkeypatch.setattr(probing, "_probe_in_process", tell)
    steps: list[tuple[int, int]] = []
    found = probing.probe_renderers(lambda done, total: steps.append((done, total)))
    assert tried == [
        ("cuda", "", "cuda:0"),
        ("cuda", "", "cpu"),
        ("gl", "egl", "0"),
        ("gl", "egl", "1"),
        ("gl", "osmesa", ""),
    ]
    assert [one.device_option for one in found] == ["", "cuda:0", "cpu", "0", "1", "", ""]
    assert steps == [(done, 7) for done in range(7)]


def test_a_missing_extra_is_one_line_and_a_missing_gpu_leaves_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = (one for one in RENDERERS if one.name == "cuda")
    monkeypatch.setattr(cuda_devices, "is_installed", lambda: False)
    assert entry.trials() == [RendererTrial("CUDA")]
    monkeypatch.setattr(cuda_devices, "is_installed", lambda: True)
    monkeypatch.setattr(cuda_devices, "listed_devices", lambda: [CPU_DEVICE])
    assert entry.trials() == [RendererTrial("CUDA"), RendererTrial("CPU", device="cpu")]


ANSWERING = """
import os, signal, sys, time
from silhouette.common.errors import SilhouetteError

def answer():
    print("a library's banner")
    return {"rate": 2.5, "name": "<ä>"}

def refuse():
    raise SilhouetteError("not here")

def fail():
    return {"rate": 1 / 0}

def end():
    print("[1]", flush=True)
    os._exit(3)

def crash():
    print("a first line\\nthe driver's last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)

def hang():
    time.sleep(600.0)

def platform():
    return {"platform": os.environ["PYOPENGL_PLATFORM"]}
"""


@pytest.mark.long
def test_a_function_answers_in_a_fresh_python_or_the_reason_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answering.py").write_text(ANSWERING, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    answering = import_module("answering")
    assert answer_apart(answering.answer) == {"rate": 2.5, "name": "<ä>"}
    assert answer_apart(answering.refuse) == {"reason": "not here"}
    assert answer_apart(answering.fail)["reason"].endswith("status 1: ZeroDivisionError: division by zero")
    assert answer_apart(answering.end) == {"reason": "its process ended with status 3: it said nothing"}
    assert answer_apart(answering.crash)["reason"].endswith(f"status -{signal.SIGSEGV}: the driver's last words")
    assert answer_apart(answering.platform, "osmesa") == {"platform": "osmesa"}
    monkeypatch.setattr(probing, "PROBE_SECONDS", 2.0)
    assert answer_apart(answering.hang) == {"reason": "it was not done within a minute"}
    assert capfd.readouterr() == ("", "")


def test_a_renderer_is_probed_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("raise ImportError('of the current folder')")
    monkeypatch.chdir(tmp_path)
    answer = answer_apart(partial(describe, "reference", None))
    assert answer == {"device": "numpy", "driver": "", "hardware": False, "memory": 0}
    assert "has no devices" in answer_apart(partial(describe, "reference", "1"))["reason"]


def test_the_scene_that_is_measured_has_something_to_measure() -> None:
    from silhouette.files.cache import Cache
    from silhouette.renderers import choose
    from silhouette.scenes.scene import Check

    scene = NECROMUNDA.load(Path("solids.toml"), doctor.solids(), Cache(None))
    renderer = choose("reference")
    verdicts = {
        ruled(NECROMUNDA, scene, Check("figure 0", f"figure {other}"), renderer, 1.0).verdict for other in range(1, 6)
    }
    assert verdicts == {"partial cover", "hidden"}


@pytest.mark.long
def test_a_rate_is_measured_in_a_process_of_its_own() -> None:
    found = doctor.checks_per_second("reference", seconds=0.0)
    assert found is not None
    assert found > 0.0
    assert doctor.checks_per_second("no such renderer") is None
