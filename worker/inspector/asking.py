"""What a browser asks for: parameters of addresses and of forms, within bounds."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TypeVar
from urllib.parse import parse_qs, urlencode

from sqlalchemy.orm import Session
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request

from worker.inspector.deployment import Deployment
from worker.text.terminal import printable

T = TypeVar("T")

LONGEST_VALUE = 500
"""Characters of a parameter: a longer one is refused."""

MOST_DIGITS = 18
"""Digits of a number: the database knows no id with more."""

QUOTED_CHARACTERS = 40
"""Characters of a refused value that are quoted."""


class Number(Convertor[int]):
    """A number in a path: one with more digits leads nowhere."""

    regex = f"[0-9]{{1,{MOST_DIGITS}}}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return it as it stands in a path."""
        return str(value)


register_url_convertor("number", Number())


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
        number: int = self.request.path_params[name]
        return number

    def text(self, name: str) -> str | None:
        """Return a parameter without the blanks around it; None where it is not given, or blank.

        Raises
        ------
        HTTPException
            With status 400, as all that read a parameter, where it cannot be what is asked for.
        """
        value = self.request.query_params.get(name, "").strip()
        if len(value) > LONGEST_VALUE:
            raise HTTPException(400, f"{name} has more than {LONGEST_VALUE} characters.")
        if "\x00" in value:
            raise HTTPException(400, f"{name} has a NUL character.")
        return value or None

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """Return a parameter that is one of some choices; None where it is not given."""
        value = self.text(name)
        if value is not None and value not in choices:
            raise refused(name, value, f"one of {', '.join(choices)}")
        return value

    def number(self, name: str) -> int | None:
        """Return a parameter that is a whole number; None where it is not given."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS):
            raise refused(name, value, f"a whole number of at most {MOST_DIGITS} digits")
        return int(value)

    def share(self, name: str) -> float | None:
        """Return a parameter that is a number from 0 to 1; None where it is not given."""
        value = self.text(name)
        if value is None:
            return None
        with suppress(ValueError):
            if 0 <= (share := float(value)) <= 1:
                return share
        raise refused(name, value, "a number from 0 to 1, such as 0.8")

    def day(self, name: str) -> date | None:
        """Return a parameter that is a day; None where it is not given."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refused(name, value, "a day, such as 2026-11-24") from None

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


def refused(name: str, value: str, wanted: str) -> HTTPException:
    """Return the answer to a parameter that is not what is asked for."""
    is_long = len(value) > QUOTED_CHARACTERS
    quoted = printable(value[:QUOTED_CHARACTERS]) + ("…" if is_long else "")
    return HTTPException(400, f"{name} is “{quoted}”; it has to be {wanted}.")


def read_fields(body: bytes) -> dict[str, list[str]]:
    """Return the fields of a form, as browsers encode those without files."""
    try:
        return parse_qs(body.decode("ascii"), max_num_fields=1000, errors="replace")
    except ValueError:
        raise HTTPException(400, "This is no form.") from None
