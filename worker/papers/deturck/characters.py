"""Letter-frequency similarity that Deturck (2015, algorithm 6) tried before comparing words."""

from collections import Counter
from string import ascii_lowercase


def character_similarity(first: str, second: str) -> float:
    """Compare the frequencies of the letters from a to z in two texts (algorithm 6).

    The similarity of a letter is 1 minus the difference between its two counts, relative to the
    larger count. The result is the mean over the lower-case letters that occur in either text, or 0
    if there are none, as in non-Latin scripts.

    As printed, the algorithm resets the sum to 0 at each letter absent from both texts. This is
    read as adding nothing.
    """
    mine, others = Counter(first), Counter(second)
    shares = [
        1 - abs(mine[letter] - others[letter]) / larger
        for letter in ascii_lowercase
        if (larger := max(mine[letter], others[letter]))
    ]
    return sum(shares) / len(shares) if shares else 0.0
