"""Generation of text from handwritten grammars, whose rules are alternatives with slots."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SLOT = re.compile(r"\{(\^?)([^{}]+)\}")
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?-(\d+)(?:\.\d+)?(?:/(\d+))?")


class GrammarError(ValueError):
    """A slot names an unknown rule, or a rule has no alternatives."""


@dataclass(frozen=True)
class NumberStyle:
    """Number format of a language."""

    decimal: str
    thousands: str

    def integer(self, value: int) -> str:
        """Format ``value``, with thousands separators if it has five or more digits."""
        return f"{value:,}".replace(",", self.thousands) if value >= 10_000 else str(value)

    def real(self, value: float, places: int) -> str:
        """Format ``value`` with ``places`` decimals."""
        return f"{value:.{places}f}".replace(".", self.decimal)


class Voice:
    """An author's voice, which expands rules, dealing each rule's alternatives like cards.

    An alternative recurs only once all other alternatives of its rule have been used, so that an
    article does not repeat itself. In an alternative, ``{name}`` is replaced by the name in `cast`
    (which remains the same throughout the text) or the rule ``name``, ``{.name}`` by the rule
    ``name`` of the `topic` (a prefix of rules), ``{20-80}`` by a whole number, ``{20-80/5}`` by a
    multiple of five, and ``{1.0-9.9}`` by a number with the same number of decimals; ``{^name}``
    starts with a capital letter. `tell` raises `GrammarError` if a slot names no rule.
    """

    def __init__(
        self,
        rules: Mapping[str, Sequence[str]],
        numbers: NumberStyle,
        rng: random.Random,
        *,
        topic: str = "",
        cast: Mapping[str, str] | None = None,
    ) -> None:
        self._rules = rules
        self._numbers = numbers
        self._rng = rng
        self._topic = topic
        self._cast = dict(cast or {})
        self._decks: dict[str, list[str]] = {}

    @property
    def cast(self) -> Mapping[str, str]:
        """Names that remain the same throughout the text."""
        return self._cast

    def engage(self, roles: Mapping[str, str]) -> None:
        """Expand each role once, and add the result to the cast."""
        for role, text in roles.items():
            self._cast[role] = self.fill(text)

    def tell(self, rule: str) -> str:
        """Return an expansion of ``rule``."""
        if rule.startswith("."):
            rule = self._topic + rule
        deck = self._decks.get(rule)
        if not deck:
            deck = self._decks[rule] = list(self._rules.get(rule, ()))
            if not deck:
                raise GrammarError(f"unknown rule: {rule}")
            self._rng.shuffle(deck)
        return self.fill(deck.pop())

    def fill(self, text: str) -> str:
        """Fill the slots in ``text``."""
        return _SLOT.sub(self._slot, text)

    def _slot(self, match: re.Match[str]) -> str:
        capital, name = match.groups()
        number = _NUMBER.fullmatch(name)
        if number:
            return self._number(number)
        words = self._cast.get(name) or self.tell(name)
        return words[:1].upper() + words[1:] if capital else words

    def _number(self, match: re.Match[str]) -> str:
        low, places, high, step = match.groups()
        if places:
            scale: int = 10 ** len(places)
            value = self._rng.randint(int(low) * scale, int(high) * scale + scale - 1) / scale
            return self._numbers.real(value, len(places))
        return self._numbers.integer(self._rng.randrange(int(low), int(high) + 1, int(step or 1)))
