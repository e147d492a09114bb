"""The names that the fault tests replace in the service exist."""

from importlib import import_module

import pytest

from tests.faults.hostile.measured.sitecustomize import INTAKE, MEASURED
from tests.faults.sabotage.sitecustomize import SABOTAGED
from worker.service.intake import Intake


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (module, name)
        for each in (SABOTAGED, MEASURED)
        for module, names in each.items()
        for name in names
    ],
)
def test_a_replaced_name_exists(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize("name", INTAKE)
def test_a_measured_method_of_the_intake_exists(name: str) -> None:
    assert hasattr(Intake, name)
