"""Text from hand-written grammars: rules of alternatives with slots."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SLOT = re.compile(r"\{(\^?)([^{}]+)\}")
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?-(\d+)(?:\.\d+)?(?:/(\d+))?")


class GrammarError(ValueError):
    """A slot names no rule, or a rule has no alternative."""


@dataclass(frozen=True)
class NumberStyle:
    """How a language writes numbers."""

    decimal: str
    thousands: str

    def integer(self, value: int) -> str:
        """Write ``value`` with its thousands parted, from five digits on."""
        return f"{value:,}".replace(",", self.thousands) if value >= 10_000 else str(value)

    def real(self, value: float, places: int) -> str:
        """Write ``value`` with ``places`` decimals."""
        return f"{value:.{places}f}".replace(".", self.decimal)


class Voice:
    """One author's text: expands rules, dealing the alternatives of each like cards.

    An alternative comes back only when its rule has none left, so that an article does not
    repeat its turns of phrase.

    Parameters
    ----------
    rules
        Alternatives of each rule. In an alternative, ``{name}`` stands for the cast member or
        the rule ``name``, ``{.name}`` for the rule ``name`` of the topic, ``{20-80}`` for a whole
        number, ``{20-80/5}`` for a multiple of five, ``{1.0-9.9}`` for a number with as many
        decimals; ``{^name}`` begins with a capital.
    numbers
        How numbers are written.
    rng
        Where chance comes from.
    topic
        Prefix of the rules that ``{.name}`` means.
    cast
        Who and what the text is about: words that are the same each time they are named.

    Raises
    ------
    GrammarError
        From `tell`, if a slot names nothing.
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
        """Who and what the text is about."""
        return self._cast

    def engage(self, roles: Mapping[str, str]) -> None:
        """Expand each role once and keep the result as a member of the cast."""
        for role, text in roles.items():
            self._cast[role] = self.fill(text)

    def tell(self, rule: str) -> str:
        """Return one expansion of ``rule``."""
        if rule.startswith("."):
            rule = self._topic + rule
        deck = self._decks.get(rule)
        if not deck:
            deck = self._decks[rule] = list(self._rules.get(rule, ()))
            if not deck:
                raise GrammarError(f"no such rule: {rule}")
            self._rng.shuffle(deck)
        return self.fill(deck.pop())

    def fill(self, text: str) -> str:
        """Return ``text`` with its slots filled."""
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
