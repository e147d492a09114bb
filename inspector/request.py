"""Requests to the inspector, and validation of their parameters."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import urlencode

from sqlalchemy.orm import Session
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request

from detourage.text.plural import shorten
from detourage.text.terminal import printable
from inspector.deployment import Deployment

P = ParamSpec("P")
T = TypeVar("T")

MAX_VALUE_CHARACTERS = 500
"""Maximum length of a parameter."""

MAX_DIGITS = 18
"""Maximum number of digits in a number; no database ID has more."""


class Number(IntegerConvertor):
    """Converter for numbers in paths; numbers with too many digits do not match."""

    regex = f"[0-9]{{1,{MAX_DIGITS}}}"


register_url_convertor("number", Number())


@dataclass(frozen=True)
class InspectorRequest:
    """An HTTP request, with its validated parameters and access to the inspected deployment."""

    http: Request
    deployment: Deployment

    def read(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Return the result of a query against one snapshot of the database."""
        return self.deployment.read(query, *args, **options)

    def read_existing(
        self, query: Callable[Concatenate[Session, P], T | None], *args: P.args, **options: P.kwargs
    ) -> T:
        """Return the result of a query; respond with 404 if it is None, as for an unknown ID."""
        result = self.read(query, *args, **options)
        if result is None:
            raise HTTPException(404)
        return result

    def path_number(self, name: str) -> int:
        """Return a number from the path."""
        number: int = self.http.path_params[name]
        return number

    def text(self, name: str) -> str | None:
        """Return a parameter, or None if it is blank; respond with 400 if it is invalid."""
        value = self.http.query_params.get(name, "").strip()
        if len(value) > MAX_VALUE_CHARACTERS:
            raise HTTPException(400, f"{name} has more than {MAX_VALUE_CHARACTERS} characters.")
        if "\x00" in value:
            raise HTTPException(400, f"{name} has a NUL character.")
        return value or None

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """Return a parameter that must be one of the given choices, or None if it is missing."""
        value = self.text(name)
        if value is not None and value not in choices:
            raise invalid_parameter(name, value, f"one of {', '.join(choices)}")
        return value

    def number(self, name: str) -> int | None:
        """Return a parameter that must be a whole number, or None if it is missing."""
        return self._parse(name, _parse_number, f"a whole number of at most {MAX_DIGITS} digits")

    def share(self, name: str) -> float | None:
        """Return a parameter that must be a number from 0 to 1, or None if it is missing."""

        def parse(value: str) -> float:
            share = float(value)
            if not 0 <= share <= 1:
                raise ValueError
            return share

        return self._parse(name, parse, "a number from 0 to 1, such as 0.8")

    def day(self, name: str) -> date | None:
        """Return a parameter that must be a date, or None if it is missing."""
        return self._parse(name, date.fromisoformat, "a day, such as 2026-11-24")

    def _parse(self, name: str, parse: Callable[[str], T], expected: str) -> T | None:
        """Parse a parameter; respond with 400 if `parse` raises ValueError."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return parse(value)
        except ValueError:
            raise invalid_parameter(name, value, expected) from None

    def address(self, **changes: object) -> str:
        """Return the current URL with the given parameters changed; None removes a parameter."""
        values = {**self.http.query_params, **changes}
        given = {name: value for name, value in values.items() if value not in (None, "")}
        query = urlencode(given)
        path = self.http.url.path
        return f"{path}?{query}" if query else path

    @cached_property
    def json_address(self) -> str:
        """The URL of the view's JSON version."""
        query = self.http.url.query
        return f"{self.http.url.path}.json" + (f"?{query}" if query else "")


def _parse_number(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS):
        raise ValueError
    return int(value)


def invalid_parameter(name: str, value: str, expected: str) -> HTTPException:
    """Return the error response for an invalid parameter."""
    quoted = shorten(printable(value), 41)
    return HTTPException(400, f"{name} is “{quoted}”; it has to be {expected}.")
