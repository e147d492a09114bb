"""Strings that texts have in common with names from a fixed list, each as long as possible."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.evaluation.scores.automaton import State, SuffixAutomaton


@dataclass(frozen=True)
class Repeat:
    """A string, with the ascending indices of the texts and of the names that contain it."""

    text: str
    texts: tuple[int, ...]
    names: tuple[int, ...]


@dataclass(frozen=True)
class _Occurrences:
    """Occurrences of a state's strings in the names.

    `holders` are the indices of the names that contain the strings, and `shortest` is the length of
    the shortest of these names. `follower` is the only character that follows the strings in the
    names; None if there are several, or if a name ends with the strings.
    """

    holders: tuple[int, ...]
    shortest: int
    follower: str | None


class NameRepeats:
    """Finder of the maximal repeats in texts and names that occur in at least one name.

    A repeat is maximal if every longer string has fewer occurrences (D. Gusfield, Algorithms on
    Strings, Trees, and Sequences, 1997, section 7.12). The beginning and end of a text or name
    count as characters that occur nowhere else. Each text is processed in linear time. Raises
    ValueError if a name is empty.
    """

    def __init__(self, names: Sequence[str]) -> None:
        if not all(names):
            raise ValueError("a name is empty")
        self._joined = "".join(names)
        self._automaton = SuffixAutomaton()
        starts = [0]
        for name in names:
            self._automaton.add(name, starts[-1])
            starts.append(starts[-1] + len(name))
        # The indices of the names that contain the strings of a state, and states at a name's end.
        holders: dict[State, set[int]] = {}
        finals: set[State] = set()
        for index, name in enumerate(names):
            for state, _ in self._automaton.read(name):
                for suffix in _suffixes(state):
                    if index in holders.setdefault(suffix, set()):
                        break
                    holders[suffix].add(index)
            finals.update(_suffixes(state))
        self._occurrences = {
            state: _Occurrences(
                holders=tuple(sorted(held)),
                shortest=min(len(names[index]) for index in held),
                follower=(
                    str(*state.targets) if len(state.targets) == 1 and state not in finals else None
                ),
            )
            for state, held in holders.items()
        }

    def find(self, texts: Sequence[str]) -> Iterator[tuple[float, Repeat]]:
        """Yield the maximal repeats that occur in a text and in a name.

        Each repeat comes with the largest share of any name that it covers (0 to 1); repeats are in
        descending order of this share.
        """
        candidates = [
            (length / self._occurrences[state].shortest, state, length, text_mask)
            for state, lengths in self._left_maximal_strings(texts).items()
            for length, text_mask in lengths.items()
        ]
        candidates.sort(key=lambda item: -item[0])
        for share, state, length, text_mask in candidates:
            text = self._joined[state.end - length : state.end]
            text_indices = tuple(index for index in range(len(texts)) if text_mask >> index & 1)
            if self._cannot_grow_right(text, state, [texts[index] for index in text_indices]):
                yield share, Repeat(text, text_indices, self._occurrences[state].holders)

    def _left_maximal_strings(self, texts: Sequence[str]) -> dict[State, dict[int, int]]:
        """Find the strings in texts and names that cannot be extended to the left.

        These are the longest string of each state, and shorter strings that are the longest match
        at some position of a text. Returns, by state and length of the string, a bit mask of the
        texts that contain it.
        """
        matches: dict[State, dict[int, int]] = {}
        for index, text in enumerate(texts):
            for state, length in self._automaton.read(text):
                lengths = matches.setdefault(state, {})
                lengths[length] = lengths.get(length, 0) | 1 << index
        matches.pop(self._automaton.initial, None)
        masks_of_longer: dict[State, int] = {}
        for state, lengths in matches.items():
            text_mask = 0
            for mask in lengths.values():
                text_mask |= mask
            for suffix in _suffixes(state.link):
                masks_of_longer[suffix] = masks_of_longer.get(suffix, 0) | text_mask
        strings: dict[State, dict[int, int]] = {}
        for state in matches | masks_of_longer:
            lengths = matches.get(state, {})
            text_mask = masks_of_longer.get(state, 0)
            strings[state] = {}
            # Texts that contain a longer string of the state also contain its shorter strings.
            for length in sorted(
                lengths.keys() | ({state.length} if text_mask else set()), reverse=True
            ):
                text_mask |= lengths.get(length, 0)
                strings[state][length] = text_mask
        return strings

    def _cannot_grow_right(self, text: str, state: State, holders: Sequence[str]) -> bool:
        """Return whether no single character follows the string at all of its occurrences."""
        follower = self._occurrences[state].follower
        return follower is None or any(
            holder[end : end + 1] != follower
            for holder in holders
            for end in _end_positions(text, holder)
        )


def _suffixes(state: State | None) -> Iterator[State]:
    """Yield a state and the states of its shorter suffixes, except the empty string."""
    while state is not None and state.link is not None:
        yield state
        state = state.link


def _end_positions(text: str, holder: str) -> Iterator[int]:
    """Yield the end of each occurrence of a text in a longer one, including overlapping ones."""
    start = holder.find(text)
    while start >= 0:
        yield start + len(text)
        start = holder.find(text, start + 1)
