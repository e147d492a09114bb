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
    found = _lower_case_words(text)
    wanted = _lower_case_words(gold)
    remaining_found = Counter(word for line in found for word in line)
    remaining_wanted = Counter(word for line in wanted for word in line)
    total_found, total_wanted = remaining_found.total(), remaining_wanted.total()
    common = 0
    for line, covered in zip(wanted, _covered_positions(wanted, found), strict=True):
        for position in sorted(covered):
            word = line[position]
            if remaining_found[word] > 0 and remaining_wanted[word] > 0:
                common += 1
                remaining_found[word] -= 1
                remaining_wanted[word] -= 1
    return PRF.of(common, total_found, total_wanted)


def _lower_case_words(text: str) -> list[list[str]]:
    split = (words(line) for line in text.splitlines())
    return [[word.lower() for word in line] for line in split if line]


def _covered_positions(
    wanted: Sequence[Sequence[str]], found: Sequence[Sequence[str]]
) -> list[set[int]]:
    """Return the positions in each wanted line covered by common subsequences with found lines.

    Wanted lines that are found unchanged are skipped. All others are compared with each found line
    in parallel, as fields of a single integer that are separated by guard bits. After each word of
    the found line, a bit is 0 where the longest common subsequence becomes longer (H. Hyyrö,
    "Bit-parallel LCS-length computation revisited", AWOCA 2004).
    """
    found_lines = {tuple(line) for line in found}
    covered = [set(range(len(line))) if tuple(line) in found_lines else set() for line in wanted]
    starts: dict[int, int] = {}
    bits_of_word: dict[str, int] = {}
    width = fields = 0
    for index, line in enumerate(wanted):
        if covered[index]:
            continue
        starts[index] = width
        fields |= ((1 << len(line)) - 1) << width
        for bit, word in enumerate(line, width):
            bits_of_word[word] = bits_of_word.get(word, 0) | 1 << bit
        width += len(line) + 1
    for line in found:
        rows = [fields]
        for word in line:
            row = rows[-1]
            matches = row & bits_of_word.get(word, 0)
            rows.append(((row + matches) | (row - matches)) & fields)
        changed = rows[-1] ^ fields
        for index, start in starts.items():
            if changed >> start & ((1 << len(wanted[index])) - 1):
                covered[index] |= _trace_subsequence(rows, start, wanted[index], line)
    return covered


def _trace_subsequence(
    rows: Sequence[int], start: int, wanted: Sequence[str], found: Sequence[str]
) -> set[int]:
    """Trace back a longest common subsequence and return its positions in the wanted line."""
    own = [row >> start & ((1 << len(wanted)) - 1) for row in rows]
    positions: set[int] = set()
    i, j = len(wanted), len(found)
    while i and j:
        if wanted[i - 1] == found[j - 1]:
            i, j = i - 1, j - 1
            positions.add(i)
        elif own[j] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
    return positions
