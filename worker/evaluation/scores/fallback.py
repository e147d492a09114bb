"""Ratcliff-Obershelp matching in plain Python, where the native kernel was not built.

The kernel's algorithm, ten to a hundred times slower, and still linear in the lengths
where `difflib` takes their product.
"""

from collections.abc import Iterator, Sequence

from worker.evaluation.scores.automaton import SuffixAutomaton


def matching_blocks(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int, int]]:
    """Find the blocks that two sequences share, in order: (place in a, place in b, size)."""
    blocks: list[tuple[int, int, int]] = []
    pending = [(range(len(a)), range(len(b)))]
    while pending:
        places_a, places_b = pending.pop()
        if not places_a or not places_b:
            continue
        i, j, size = _longest_block(a, places_a, b, places_b)
        if size == 1:
            blocks.extend(_single_symbols(a, places_a, b, places_b))
        elif size:
            blocks.append((i, j, size))
            pending.append((range(places_a.start, i), range(places_b.start, j)))
            pending.append((range(i + size, places_a.stop), range(j + size, places_b.stop)))
    return sorted(blocks)


def _longest_block(
    a: Sequence[int], places_a: range, b: Sequence[int], places_b: range
) -> tuple[int, int, int]:
    """Find the longest block, the first in a of those, the first in b of those."""
    automaton = SuffixAutomaton(places_b.start)
    automaton.add(b[places_b.start : places_b.stop], places_b.start)
    best = (places_a.start, places_b.start, 0)
    matches = automaton.read(a[places_a.start : places_a.stop])
    for end, (state, length) in enumerate(matches, places_a.start + 1):
        if length > best[2]:
            best = (end - length, state.end - length, length)
    return best


def _single_symbols(
    a: Sequence[int], places_a: range, b: Sequence[int], places_b: range
) -> Iterator[tuple[int, int, int]]:
    """Match ranges that share no two neighbours: there, the recursion only goes right."""
    places: dict[int, list[int]] = {}
    for j in reversed(places_b):
        places.setdefault(b[j], []).append(j)
    low = places_b.start
    for i in places_a:
        following = places.get(a[i], [])
        while following and following[-1] < low:
            following.pop()
        if following:
            yield i, following[-1], 1
            low = following[-1] + 1
