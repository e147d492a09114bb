"""Digests of a page's wording, used to compare it with other pages."""

import hashlib
from collections.abc import Iterable, Sequence

from detourage.text import words

MAX_HEADLINES = 8
"""Maximum number of headline wordings stored per page: headings, and titles with and without the
site's name."""

MAX_PASSAGES = 32
"""Maximum number of passages stored per page. Those with the lowest digests are stored, so that
equal pages have the same ones."""

MIN_PASSAGE = 40
"""Minimum length of a passage in characters without white space (those of scripts without spaces
count twice); menus, dates and names are shorter."""

MIN_SHARED = 0.5
"""Minimum share of characters in common passages, relative to the page with fewer characters
(measured in `benchmarks.stories.addresses`)."""

_LENGTH_BITS = 12
"""Number of low bits of a passage's digest that encode its length."""


def digest(text: str) -> int:
    """Return a 63-bit digest of a text."""
    raw = hashlib.blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw) >> 1


def headline_digests(headlines: Iterable[str]) -> tuple[int, ...]:
    """Return the digests of headline wordings, ignoring case and punctuation."""
    spelled = dict.fromkeys(" ".join(words.tokens(each)) for each in headlines)
    spelled.pop("", None)
    return tuple(sorted(digest(each) for each in list(spelled)[:MAX_HEADLINES]))


def passage_digests(texts: Iterable[str]) -> tuple[int, ...]:
    """Return the digests of the texts that are passages, ignoring white space."""
    squashed = {"".join(text.split()) for text in texts}
    kept = {_passage(text) for text in squashed if words.count_characters(text) >= MIN_PASSAGE}
    return tuple(sorted(kept)[:MAX_PASSAGES])


def _passage(text: str) -> int:
    most = (1 << _LENGTH_BITS) - 1
    return digest(text) & ~most | min(len(text), most)


def share_passages(some: Sequence[int], others: Sequence[int]) -> bool:
    """Return whether two pages share most of their stored passages, or both have none."""
    if not some or not others:
        return not some and not others
    # A page with `MAX_PASSAGES` stored passages may have more, with higher digests.
    ends = [each[-1] for each in (some, others) if len(each) == MAX_PASSAGES]
    last = min(ends, default=max(some[-1], others[-1]))
    ours = {each for each in some if each <= last}
    theirs = {each for each in others if each <= last}
    fewer = min(_characters(ours), _characters(theirs))
    return fewer > 0 and _characters(ours & theirs) >= MIN_SHARED * fewer


def _characters(passages: Iterable[int]) -> int:
    return sum(passage & ((1 << _LENGTH_BITS) - 1) for passage in passages)
