"""What characters the lines of a page are made of, looked up for all of them at once."""

from collections.abc import Callable, Sequence
from enum import IntFlag, auto
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int64]
_Booleans = npt.NDArray[np.bool_]


class Trait(IntFlag):
    """What a character is."""

    UPPER = auto()
    DECIMAL = auto()
    DIGIT = auto()
    COMMA = auto()
    COLON = auto()
    QUESTION_MARK = auto()
    QUOTE = auto()
    PARTER = auto()
    AT = auto()
    COPYRIGHT = auto()
    START_MARK = auto()
    END_MARK = auto()


_CHARACTERS = {
    Trait.COMMA: ",،，、",
    Trait.COLON: ":：",
    Trait.QUESTION_MARK: "?",
    Trait.QUOTE: '"«“„「',
    Trait.PARTER: "|»›",
    Trait.AT: "@",
    Trait.COPYRIGHT: "©",
    Trait.START_MARK: '([<—–-•*»"“«',
    Trait.END_MARK: ".!?…;。！？»”\"'’)）」』:",
}

_PREDICATES: dict[Trait, Callable[[str], bool]] = {
    Trait.UPPER: str.isupper,
    Trait.DECIMAL: str.isdecimal,
    Trait.DIGIT: str.isdigit,
}

_LAST_WITH_TRAITS = 0x1FFFF
"""No character beyond has a case or is a digit."""

_FIRST_IDEOGRAPH = 0x2E80
_SPACE = ord(" ")


@cache
def _traits_of_all() -> npt.NDArray[np.uint16]:
    """For each character up to `_LAST_WITH_TRAITS` its traits."""
    traits = np.zeros(_LAST_WITH_TRAITS + 1, dtype=np.uint16)
    every = [*map(chr, range(len(traits)))]
    for trait, predicate in _PREDICATES.items():
        traits[np.fromiter(map(predicate, every), np.bool_, len(every))] |= np.uint16(trait)
    for trait, characters in _CHARACTERS.items():
        traits[[*map(ord, characters)]] |= np.uint16(trait)
    return traits


class Characters:
    """The characters of lines.

    Parameters
    ----------
    texts
        The lines, each with at least one character, clean: words are parted by one space.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "".join(texts).encode("utf-32-le", "surrogatepass")
        self._codes = np.frombuffer(joined, dtype=np.uint32)
        self.lengths: _Integers = np.array([*map(len, texts)])
        self._ends = np.cumsum(self.lengths)
        self._starts = self._ends - self.lengths
        self._traits = _traits_of_all()[np.minimum(self._codes, _LAST_WITH_TRAITS)]

    def count(self, trait: Trait) -> _Integers:
        """Count, in each line, the characters of a kind."""
        return self._sum(self._having(trait))

    @cached_property
    def decimals(self) -> _Integers:
        """Number of digits from 0 to 9, of any script, in each line."""
        return self.count(Trait.DECIMAL)

    def starts_with(self, trait: Trait) -> _Booleans:
        """Say of each line whether its first character is of a kind."""
        found: _Booleans = self._having(trait)[self._starts]
        return found

    def ends_with(self, trait: Trait) -> _Booleans:
        """Say of each line whether its last character is of a kind."""
        found: _Booleans = self._having(trait)[self._ends - 1]
        return found

    @cached_property
    def has_ideographs(self) -> _Booleans:
        """Whether there may be characters in a line that are words by themselves."""
        return np.maximum.reduceat(self._codes, self._starts) >= _FIRST_IDEOGRAPH

    @cached_property
    def capitalised(self) -> npt.NDArray[np.float64]:
        """For each line the share of its words, as parted by spaces, that begin with a capital."""
        begins = np.empty(len(self._codes), dtype=np.bool_)
        begins[1:] = self._codes[:-1] == _SPACE
        begins[self._starts] = True
        return self._sum(begins & self._having(Trait.UPPER)) / self._sum(begins)

    def _having(self, trait: Trait) -> _Booleans:
        has: _Booleans = (self._traits & np.uint16(trait)) != 0
        return has

    def _sum(self, chosen: _Booleans) -> _Integers:
        sums: _Integers = np.add.reduceat(chosen, self._starts, dtype=np.int64)
        return sums
