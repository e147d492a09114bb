"""ROUGE-LSum: how much of each line of a gold text is covered by common subsequences."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.words import words


def rouge_lsum(text: str, gold: str) -> PRF:
    """Score a text line by line against a gold text, with words in lower case.

    The words found in a line of the gold text are the union of its longest common subsequences with
    the lines of the text. No word counts more often than it occurs in either text.

    See C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", ACL workshop 2004,
    section 3.2. The choice among equally long subsequences and the clipped counts follow Google's
    ``rouge-score`` package.
    """
    found = _lines(text)
    wanted = _lines(gold)
    left_found = Counter(word for line in found for word in line)
    left_wanted = Counter(word for line in wanted for word in line)
    total_found, total_wanted = left_found.total(), left_wanted.total()
    common = 0
    for line, covered in zip(wanted, _covered(wanted, found), strict=True):
        for place in sorted(covered):
            word = line[place]
            if left_found[word] > 0 and left_wanted[word] > 0:
                common += 1
                left_found[word] -= 1
                left_wanted[word] -= 1
    return PRF.of(common, total_found, total_wanted)


def _lines(text: str) -> list[list[str]]:
    split = (words(line) for line in text.splitlines())
    return [[word.lower() for word in line] for line in split if line]


def _covered(wanted: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> list[set[int]]:
    """Return the positions in each wanted line covered by common subsequences with found lines.

    Wanted lines that are found unchanged are skipped. All others are compared with each found line
    in parallel, as fields of a single integer that are separated by guard bits. After each word of
    the found line, a bit is 0 where the longest common subsequence becomes longer (H. Hyyrö,
    "Bit-parallel LCS-length computation revisited", AWOCA 2004).
    """
    known = {tuple(line) for line in found}
    covered = [set(range(len(line))) if tuple(line) in known else set() for line in wanted]
    starts: dict[int, int] = {}
    places: dict[str, int] = {}
    width = fields = 0
    for index, line in enumerate(wanted):
        if covered[index]:
            continue
        starts[index] = width
        fields |= ((1 << len(line)) - 1) << width
        for place, word in enumerate(line, width):
            places[word] = places.get(word, 0) | 1 << place
        width += len(line) + 1
    for line in found:
        rows = [fields]
        for word in line:
            row = rows[-1]
            matches = row & places.get(word, 0)
            rows.append(((row + matches) | (row - matches)) & fields)
        changed = rows[-1] ^ fields
        for index, start in starts.items():
            if changed >> start & ((1 << len(wanted[index])) - 1):
                covered[index] |= _subsequence(rows, start, wanted[index], line)
    return covered


def _subsequence(
    rows: Sequence[int], start: int, wanted: Sequence[str], found: Sequence[str]
) -> set[int]:
    """Trace back a longest common subsequence and return its positions in the wanted line."""
    own = [row >> start & ((1 << len(wanted)) - 1) for row in rows]
    places: set[int] = set()
    i, j = len(wanted), len(found)
    while i and j:
        if wanted[i - 1] == found[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif own[j] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
    return places
