"""The set distance on characters that Deturck (2015) tried before words (algorithm 6)."""

from collections import Counter
from string import ascii_lowercase


def character_similarity(first: str, second: str) -> float:
    """Compare how often two texts have each letter from a to z (algorithm 6).

    A letter of either text counts for one less the difference of its counts, as a share of the
    larger one; the result is the mean over these letters.

    Returns
    -------
    float
        1 where all letters are as frequent, 0 where no letter is in both, and where there is none
        at all: so it is for scripts other than Latin, whose texts never pass for the same.

    Notes
    -----
    As it is printed the algorithm sets the sum back to 0 at each letter that neither text has,
    where it must mean to add nothing. It tells capitals from small letters and counts these alone.
    """
    mine, others = Counter(first), Counter(second)
    shares = [
        1 - abs(mine[letter] - others[letter]) / larger
        for letter in ascii_lowercase
        if (larger := max(mine[letter], others[letter]))
    ]
    return sum(shares) / len(shares) if shares else 0.0
