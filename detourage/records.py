"""Dataclasses that are neither compared nor printed."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def record(cls: type[_Class]) -> type[_Class]:
    """Make a class a dataclass that has only a constructor; mypy ensures that fields do not change.

    Python would need four times as long to generate the other methods of a frozen dataclass, which
    would be a tenth of the time until the first article.
    """
    return dataclass(eq=False, repr=False)(cls)
