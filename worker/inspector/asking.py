"""What a browser asks for: parameters of addresses and of forms, within bounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.requests import Request

from worker.inspector.deployment import Deployment

T = TypeVar("T")

LONGEST_VALUE = 1000
"""Characters of a parameter that are read."""

LARGEST_NUMBER = 2**63 - 1
"""Beyond it the database knows no id."""


@dataclass(frozen=True)
class Asked:
    """One request.

    Parameters
    ----------
    request
        The request itself.
    deployment
        What is inspected.
    fields
        What the form has, of an action.
    """

    request: Request
    deployment: Deployment
    fields: Mapping[str, list[str]]

    def read(self, query: Callable[[Session], T]) -> T:
        """Return what a query finds in one snapshot of the database."""
        return self.deployment.read(query)

    def known(self, query: Callable[[Session], T | None]) -> T:
        """Return what a query finds; there is no such page where it finds nothing."""
        found = self.read(query)
        if found is None:
            raise HTTPException(404)
        return found

    def place(self, name: str) -> int:
        """Return a number of the path."""
        number = int(self.request.path_params[name])
        if number > LARGEST_NUMBER:
            raise HTTPException(404)
        return number

    def text(self, name: str) -> str | None:
        """Return a parameter without the blanks around it; None where it is not given, or blank."""
        value = self.request.query_params.get(name, "")[:LONGEST_VALUE]
        return value.replace("\x00", "").strip() or None

    def choice(self, name: str, choices: Mapping[str, Any] | tuple[str, ...]) -> str | None:
        """Return a parameter that is one of some choices, else None."""
        value = self.text(name)
        return value if value in choices else None

    def number(self, name: str) -> int | None:
        """Return a parameter that is a whole number, else None."""
        value = self.text(name) or ""
        is_number = value.isascii() and value.isdigit() and len(value) < len(str(LARGEST_NUMBER))
        return int(value) if is_number else None

    def share(self, name: str) -> float | None:
        """Return a parameter that is a number from 0 to 1, else None."""
        try:
            value = float(self.text(name) or "")
        except ValueError:
            return None
        return value if 0 <= value <= 1 else None

    def day(self, name: str) -> datetime | None:
        """Return the beginning, in UTC, of a day that is given as ISO 8601, else None."""
        try:
            return datetime.combine(date.fromisoformat(self.text(name) or ""), time(), UTC)
        except ValueError:
            return None

    def address(self, **changes: object) -> str:
        """Return the address asked for with some parameters changed; None removes one."""
        kept = {**self.request.query_params, **changes}
        query = urlencode({name: value for name, value in kept.items() if value not in (None, "")})
        path = self.request.url.path
        return f"{path}?{query}" if query else path

    @cached_property
    def twin(self) -> str:
        """Address of what is shown, as JSON."""
        query = self.request.url.query
        return f"{self.request.url.path}.json" + (f"?{query}" if query else "")


def read_fields(body: bytes) -> dict[str, list[str]]:
    """Return the fields of a form, as browsers encode those without files."""
    try:
        return parse_qs(body.decode("ascii"), max_num_fields=1000, errors="replace")
    except ValueError:
        raise HTTPException(400, "This is no form.") from None
