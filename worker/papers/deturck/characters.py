"""The set distance on characters that Deturck (2015) tried before words (algorithm 6)."""

from collections import Counter
from string import ascii_lowercase


def character_similarity(first: str, second: str) -> float:
    """Compare how often two texts have each letter from a to z (algorithm 6).

    The similarity of a letter in either text is 1 minus the difference of its counts, relative to
    the larger one; the result is the mean over these letters.

    Returns
    -------
    float
        1 if all letters are equally frequent; 0 if no letter is in both, or if there are none at
        all, as in other scripts than Latin, whose texts thus never count as the same.

    Notes
    -----
    As printed, the algorithm resets the sum to 0 at each letter that neither text has, but must
    mean to add nothing. It is case-sensitive and counts only lower-case letters.
    """
    mine, others = Counter(first), Counter(second)
    shares = [
        1 - abs(mine[letter] - others[letter]) / larger
        for letter in ascii_lowercase
        if (larger := max(mine[letter], others[letter]))
    ]
    return sum(shares) / len(shares) if shares else 0.0
