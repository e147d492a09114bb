"""Text fingerprints: an exact key, shingles, and a banded MinHash signature."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from unicodedata import is_normalized, normalize
from zlib import crc32

import numpy as np
import numpy.typing as npt

from detourage.text.words import count_unspaced, tokens

MAX_CHARACTERS: Final = 200_000
"""Maximum number of characters read, to bound the time spent on hostile pages."""

SHINGLE_TOKENS: Final = 4
"""Number of tokens per shingle."""

UNSPACED_SHINGLE_TOKENS: Final = 6
"""Number of tokens per shingle for texts in which most tokens are single characters."""

BANDS: Final = 32
"""Number of bands in a signature."""

ROWS: Final = 2
"""Number of minima per band."""

MIN_SHINGLES: Final = 24
"""Minimum number of shingles for a text to be compared with other texts."""

Shingles = npt.NDArray[np.uint32]
"""Distinct shingles as 32-bit digests, in ascending order."""

# Multipliers of a polynomial hash, and random factors and summands of the MinHash functions
_POWERS: Final = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(8)]
_PERMUTATIONS: Final = np.random.Generator(np.random.PCG64(1)).integers(
    0, 2**64, (2, BANDS * ROWS), dtype=np.uint64
)


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """The distinct shingles of a text, and a key that identifies the text.

    The key is a 16-byte digest of the tokens in order, equal for texts that differ only in case,
    punctuation and white space.
    """

    key: bytes
    shingles: Shingles

    @property
    def is_comparable(self) -> bool:
        """Whether the text is long enough to be compared with other texts."""
        return len(self.shingles) >= MIN_SHINGLES

    @cached_property
    def bands(self) -> npt.NDArray[np.int32]:
        """Digests of the MinHash signature's bands; none if the text has no shingles.

        Texts with resemblance ``s`` share a band with probability ``1 - (1 - s**ROWS)**BANDS``
        (Broder 1997; Leskovec et al. 2014, section 3.4).
        """
        if not len(self.shingles):
            return np.empty(0, dtype=np.int32)
        factors, summands = _PERMUTATIONS
        # Multiply-add-shift (Dietzfelbinger 1996) is universal for 32-bit keys in 64-bit words.
        permuted = self.shingles.astype(np.uint64)[None, :] * (factors | np.uint64(1))[:, None]
        permuted += summands[:, None]
        minima = permuted.min(axis=1) >> np.uint64(32)
        minima_by_band = minima.reshape(BANDS, ROWS)
        hashes = np.arange(BANDS, dtype=np.uint64) * _POWERS[ROWS + 1]
        for row in range(ROWS):
            hashes += minima_by_band[:, row] * _POWERS[row + 1]
        _scatter(hashes)
        return (hashes >> np.uint64(32)).astype(np.uint32).view(np.int32)


def fingerprint_of(text: str) -> Fingerprint:
    """Return the fingerprint of a text."""
    text = text[:MAX_CHARACTERS]
    normalised = tokens(text if is_normalized("NFKC", text) else normalize("NFKC", text))
    encoded = [token.encode("utf-8", "surrogatepass") for token in normalised]
    key = hashlib.blake2b(b" ".join(encoded), digest_size=16).digest()
    is_unspaced = 2 * count_unspaced(text) > len(normalised)
    length = UNSPACED_SHINGLE_TOKENS if is_unspaced else SHINGLE_TOKENS
    digests = np.fromiter(map(crc32, encoded), dtype=np.uint64, count=len(encoded))
    return Fingerprint(key, _shingles(digests, length))


def _shingles(token_digests: npt.NDArray[np.uint64], length: int) -> Shingles:
    """Hash each run of `length` tokens, such as "the prime minister said"."""
    number = len(token_digests) - length + 1
    if number < 1:
        return np.empty(0, dtype=np.uint32)
    hashes = token_digests[:number] * _POWERS[0]
    for offset in range(1, length):
        hashes += token_digests[offset : number + offset] * _POWERS[offset]
    _scatter(hashes)
    hashes ^= hashes >> np.uint64(32)
    return np.unique(hashes.astype(np.uint32))


def _scatter(sums: npt.NDArray[np.uint64]) -> None:
    """Mix the bits of each number in place, so that similar sums differ widely, like SplitMix64."""
    sums ^= sums >> np.uint64(31)
    sums *= np.uint64(0xBF58476D1CE4E5B9)
