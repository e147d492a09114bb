"""The names that the fault tests replace in the service exist."""

from importlib import import_module

import pytest

from tests.faults.hostile.measured.sitecustomize import MEASURED
from tests.faults.sabotage.sitecustomize import SABOTAGED


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
