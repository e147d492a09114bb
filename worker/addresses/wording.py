"""What of a page's wording is kept to tell whether another page says the same."""

import hashlib
from collections.abc import Iterable, Sequence

from worker.text import words

MAX_HEADLINES = 8
"""Wordings of its headline that are kept of a page: of the title, with and without the site's
name, and of its headings."""

MAX_PASSAGES = 32
"""Passages that are kept of a page: those of the least digests, so that two pages keep the same."""

MIN_PASSAGE = 40
"""Characters of a paragraph, without white space, from which it is a passage; menus, dates, names
are shorter. A character of a script without spaces counts twice."""

MIN_SHARED = 0.5
"""Share of the passages of the page with fewer of them, in characters, that the other must have.

Of 18,307 pairs of pages of one site 51 agree with it, 12 of which are one page; of 1,658 articles
1,377 agree with a version for printing (`benchmarks.stories.addresses`).
"""

_LENGTH_BITS = 12
"""Of the number that stands for a passage, those that hold its length."""


def digest(text: str) -> int:
    """Return a number of 63 bits that stands for a text."""
    raw = hashlib.blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw) >> 1


def headline_digests(headlines: Iterable[str]) -> tuple[int, ...]:
    """Return what stands for the wordings of a headline, whatever their case and punctuation."""
    spelled = dict.fromkeys(" ".join(words.tokens(each)) for each in headlines)
    spelled.pop("", None)
    return tuple(sorted(digest(each) for each in list(spelled)[:MAX_HEADLINES]))


def passage_digests(texts: Iterable[str]) -> tuple[int, ...]:
    """Return what stands for the passages among some texts, whatever white space is in them."""
    squashed = {"".join(text.split()) for text in texts}
    kept = {_passage(text) for text in squashed if words.count_characters(text) >= MIN_PASSAGE}
    return tuple(sorted(kept)[:MAX_PASSAGES])


def _passage(text: str) -> int:
    most = (1 << _LENGTH_BITS) - 1
    return digest(text) & ~most | min(len(text), most)


def share_passages(some: Sequence[int], others: Sequence[int]) -> bool:
    """Tell whether two pages have most of their passages in common, as far as these are kept.

    Where neither has any, nothing speaks against it.
    """
    if not some or not others:
        return not some and not others
    # Beyond the last one that is kept, nothing is known of a page that has more of them.
    ends = [each[-1] for each in (some, others) if len(each) == MAX_PASSAGES]
    last = min(ends, default=max(some[-1], others[-1]))
    ours = {each for each in some if each <= last}
    theirs = {each for each in others if each <= last}
    fewer = min(_characters(ours), _characters(theirs))
    return fewer > 0 and _characters(ours & theirs) >= MIN_SHARED * fewer


def _characters(passages: Iterable[int]) -> int:
    return sum(passage & ((1 << _LENGTH_BITS) - 1) for passage in passages)
