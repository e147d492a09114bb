"""Suffix automaton: all substrings of a set of sequences, in a graph of linear size."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class State:
    """The substrings that end at the same positions in the sequences.

    The longest one has `length` symbols, and its first occurrence ends before position `end`; the
    others are suffixes of it. `link` is the state of the longest suffix that is shorter than all of
    these substrings; it is None for the initial state, which represents the empty string. `targets`
    maps each symbol that can follow to the next state.
    """

    length: int
    end: int
    link: "State | None" = None
    targets: dict[Hashable, "State"] = field(default_factory=dict)


class SuffixAutomaton:
    """All substrings of the sequences added so far; positions begin at `start`.

    See A. Blumer et al., "The smallest automaton recognizing the subwords of a text", Theoretical
    Computer Science 40, 1985, and, for several sequences, "Complete inverted files for efficient
    text retrieval and analysis", Journal of the ACM 34(3), 1987.
    """

    def __init__(self, start: int = 0) -> None:
        self.initial = State(0, start)

    def add(self, symbols: Iterable[Hashable], start: int) -> State:
        """Add a sequence that begins at position `start`; return the state that represents it."""
        last = self.initial
        for end, symbol in enumerate(symbols, start + 1):
            last = self._extend(last, symbol, end)
        return last

    def read(self, symbols: Iterable[Hashable]) -> Iterator[tuple[State, int]]:
        """Yield, for each symbol, the state and length of the longest known substring ending there.

        For an unknown symbol, these are the initial state and 0.
        """
        state, length = self.initial, 0
        for symbol in symbols:
            target = state.targets.get(symbol)
            while target is None and state.link is not None:
                state = state.link
                length = state.length
                target = state.targets.get(symbol)
            if target is not None:
                state = target
                length += 1
            yield state, length

    def _extend(self, last: State, symbol: Hashable, end: int) -> State:
        """Add the suffixes of `last` followed by a symbol; return the state of the longest one."""
        known = last.targets.get(symbol)
        if known is not None:
            return self._state_after(last, symbol, known)
        current = State(last.length + 1, end)
        state: State | None = last
        while state is not None and symbol not in state.targets:
            state.targets[symbol] = current
            state = state.link
        if state is None:
            current.link = self.initial
        else:
            current.link = self._state_after(state, symbol, state.targets[symbol])
        return current

    def _state_after(self, state: State, symbol: Hashable, target: State) -> State:
        """Return the state of the longest string of `state` followed by a symbol.

        If `target` also has longer strings, that string gets its own state, a copy of `target`.
        """
        if target.length == state.length + 1:
            return target
        copy = State(state.length + 1, target.end, target.link, target.targets.copy())
        source: State | None = state
        while source is not None and source.targets.get(symbol) is target:
            source.targets[symbol] = copy
            source = source.link
        target.link = copy
        return copy
