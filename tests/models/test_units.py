"""Units, the upright axis and the scale of a model: given, declared by its file, or guessed from its size."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.meshes.primitives import Box, Solid
from silhouette.models.frame import units_of
from tests.support.model_files import Written, load


def test_keys_are_applied_in_the_order_units_up_scale_origin(written: Written) -> None:
    model = load(
        written((Solid(Box((1.0, 2.0, 3.0)), at=(0.0, 0.0, 7.0)),), units="cm", up="y", scale=2.0, base="none")
    )
    # 2 cm high, as y was up, and 3 cm deep
    assert model.mesh.bounds == pytest.approx(np.array([[-10.0, -30.0, 0.0], [10.0, 30.0, 40.0]]))
    assert (model.units, model.units_from, model.up) == ("cm", "given", "y")


def test_y_up_turns_about_x_as_modelling_programs_do(written: Written) -> None:
    tip = (Solid(Box((2.0, 30.0, 2.0))), Solid(Box((1.0, 1.0, 5.0)), at=(0.0, 14.0, 2.0), name="nose"))
    model = load(written(tip, up="y", base="none", origin="keep"))
    nose = model.mesh.subset(model.mesh.part == model.mesh.part_names.index("nose")).bounds
    assert nose[0] == pytest.approx([-0.5, -7.0, 13.5])


@pytest.mark.thinned(quick=42)
@pytest.mark.parametrize("factor, units", [(1.0, "mm"), (0.1, "cm"), (0.001, "m"), (1 / 25.4, "inch")])
def test_units_are_guessed_from_the_size_of_a_figure(written: Written, factor: float, units: str) -> None:
    model = load(written(factor=factor))
    assert (model.units, model.units_from) == (units, "guessed")
    assert model.mesh.bounds[1, 2] == pytest.approx(40.0, abs=0.1)
    said = [warning for warning in model.warnings if "taken to be in" in warning]
    assert len(said) == (units != "mm")


@pytest.mark.parametrize(
    "extents, kind, declared, units, source",
    [
        ((0.3, 0.4, 1.8), "fighter", None, "inch", "guessed"),
        ((25.0, 25.0, 3.0), "fighter", None, "mm", "guessed"),
        ((60.0, 60.0, 70.0), "fighter", None, "mm", "guessed"),
        ((1.0, 1.0, 1.5), "fighter", "inch", "inch", "declared"),
        ((30.0, 30.0, 30.0), "fighter", "meter", "mm", "guessed"),
        ((100.0, 100.0, 100.0), "fighter", "millimeter", "mm", "declared"),
        ((0.15, 0.15, 0.1), "vehicle", None, "m", "guessed"),
        ((4.0, 1.0, 4.0), "terrain", None, "inch", "guessed"),
        ((150.0, 150.0, 4.0), "terrain", None, "mm", "guessed"),
        ((0.0, 0.0, 0.0), "terrain", None, "mm", "guessed"),
    ],
)
def test_units_fit_what_is_on_a_table(
    extents: tuple[float, ...], kind: str, declared: str | None, units: str, source: str
) -> None:
    taken = units_of(np.array(extents), kind, declared)  # type: ignore[arg-type]
    assert (taken.units, taken.source) == (units, source)


def test_a_scale_that_makes_a_life_size_figure_fit_is_understood() -> None:
    assert units_of(np.array([0.5, 0.5, 1.8]), "fighter", scale=1000 / 56).units == "mm"


def test_life_size_figures_are_guessed_and_the_guess_is_said() -> None:
    taken = units_of(np.array([500.0, 400.0, 1800.0]), "fighter")
    assert taken.warning is not None
    assert "unusual for a fighter (25 to 60 mm); give units or scale" in taken.warning


def test_a_size_that_is_of_no_table_is_refused(written: Written) -> None:
    with pytest.raises(FileError, match=r"comes out 4e\+07 mm across; give units or scale"):
        load(written(units="m", scale=1000.0))
