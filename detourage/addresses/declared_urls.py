"""Canonical URLs that a page declares, their credibility, and digests of the page's wording."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from detourage.addresses.refused_responses import is_front
from detourage.addresses.url_normalisation import canonical_form
from detourage.addresses.variants import MAX_TARGETS, Kind, Target, targets_by_form
from detourage.html import Page, publisher_of
from detourage.html.flat import FlatDocument
from detourage.html.head import Head, text_of
from detourage.html.urls import split_url
from detourage.html.visible_text import INLINE, UNSEEN
from detourage.text import words
from detourage.text.words import squash

MAX_HEADLINES = 8  # stored wordings of headings, and of titles with and without the site's name
MAX_PASSAGES = 32  # stored passages: those with the lowest digests, which are the same on copies
# Characters of a passage without white space; those of scripts without spaces count twice.
MIN_PASSAGE = 40
# Minimum share of the shorter page's passages on both pages (`benchmarks.stories.addresses`).
MIN_SHARED = 0.5
_LENGTH_BITS = (1 << 12) - 1  # low bits of a passage's digest, which encode its length


def digest(text: str) -> int:
    """Return a 63-bit digest of a text."""
    raw = hashlib.blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw) >> 1


def headline_digests(headlines: Iterable[str]) -> tuple[int, ...]:
    """Return digests of the first distinct headlines, ignoring case and punctuation."""
    normalised = dict.fromkeys(" ".join(words.tokens(headline)) for headline in headlines)
    normalised.pop("", None)
    return tuple(sorted(digest(headline) for headline in list(normalised)[:MAX_HEADLINES]))


def passage_digests(texts: Iterable[str]) -> tuple[int, ...]:
    """Return the lowest digests of the texts that are long enough, ignoring white space."""
    unspaced = {"".join(text.split()) for text in texts}
    digests = {
        digest(text) & ~_LENGTH_BITS | min(len(text), _LENGTH_BITS)
        for text in unspaced
        if len(text) + words.count_unspaced(text) >= MIN_PASSAGE
    }
    return tuple(sorted(digests)[:MAX_PASSAGES])


def share_passages(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two pages share half of the shorter one's passages, or neither has any."""
    if not one or not other:
        return not one and not other
    # A page with `MAX_PASSAGES` stored passages may have more passages with higher digests, so
    # compare only up to its highest stored digest.
    full = [passages[-1] for passages in (one, other) if len(passages) == MAX_PASSAGES]
    highest = min(full, default=max(one[-1], other[-1]))
    ours, theirs = ({each for each in passages if each <= highest} for passages in (one, other))
    our_length, their_length, common_length = (
        sum(passage & _LENGTH_BITS for passage in passages)
        for passages in (ours, theirs, ours & theirs)
    )
    smaller = min(our_length, their_length)
    return smaller > 0 and common_length >= MIN_SHARED * smaller


MAX_HEADINGS = 3  # first-level headings read
MIN_PART_WORDS = 3  # words in a part of a title that may be the headline; sections have fewer
_SEPARATOR = re.compile(  # " | ", " - ", ": " and the like between the parts of a title
    r"(?<!\s)\s*+(?:[|｜]|::|//|--)\s*|(?<!\s)\s++[-–—·•»«>/:]+\s+|:\s+|(?<=\S)_(?=\S)"
)


class DeclaredUrls(NamedTuple):
    """The URLs of which a page is a variant (`targets`), and sorted digests of its wording."""

    targets: tuple[Target, ...] = ()
    headlines: tuple[int, ...] = ()
    passages: tuple[int, ...] = ()

    @property
    def kind(self) -> Kind | None:
        """The kind of variant of the page's URL; None if the URL may be canonical."""
        kinds = {target.kind for target in self.targets}
        order: tuple[Kind, ...] = ("amp", "print", "mobile", "canonical")
        return next((kind for kind in order if kind in kinds), None)

    @property
    def own(self) -> str | None:
        """The declared canonical URL, or None if absent or equal to the page's URL."""
        return next((target.address for target in self.targets if target.is_declared), None)


NOTHING_DECLARED = DeclaredUrls()  # used for a page that was not parsed


def read_declared(page: Page) -> DeclaredUrls:
    """Read the URLs that a page declares, and digests of its wording.

    A declared URL is ignored if it belongs to another publisher, or is a front page although the
    page is not. A redirect overrides declarations, and a declaration overrides the form of the
    page's URL. Links to variants (``rel=amphtml``) are ignored, because otherwise any page could
    claim another page as its variant.
    """
    flat = page.flat
    own = canonical_form(page.url)
    head = Head.of(flat, page.url)
    final_url = page.response.final_url
    redirected = canonical_form(final_url) if final_url is not None else None
    return DeclaredUrls(
        tuple(_targets(own, head, redirected)),
        headline_digests(_headlines(flat, head, own)),
        passage_digests(_paragraphs(flat)),
    )


def _targets(own: str, head: Head, redirected: str | None) -> Iterator[Target]:
    """Yield the redirected or declared URL, or else the URLs that the form of `own` implies."""
    by_form = targets_by_form(own)
    kind: Kind = "amp" if head.is_amp else by_form[0].kind if by_form else "canonical"
    declared = canonical_form(head.canonical or head.open_graph)
    if redirected is not None and _is_believable(redirected, own):
        declared = redirected
    if declared and _is_believable(declared, own):
        yield Target(declared, kind, is_declared=True)
        return
    for target in by_form[:MAX_TARGETS]:
        if _is_believable(target.address, own):
            yield Target(target.address, "amp" if head.is_amp else target.kind)


def _is_believable(address: str, own: str) -> bool:
    """Return whether the page at `own` may be a variant of `address`, as in `read_declared`."""
    if address == own or publisher_of(address) != publisher_of(own):
        return False
    return not is_front(address) or is_front(own)


def _headlines(flat: FlatDocument, head: Head, url: str) -> Iterator[str]:
    """Yield the wordings of titles and headings, except the name of the site."""
    sites = {squash(head.site_name), ""}
    host = squash(split_url(url).hostname or "")
    h1_elements = np.flatnonzero(flat.having({"h1"}))[:MAX_HEADINGS].tolist()
    headings = (text_of(flat, index) for index in h1_elements)
    # Headings may also contain logos and section names, which are short.
    headings = (each for each in headings if len(words.tokens(each)) >= MIN_PART_WORDS)
    for wording in (*_wordings(head.open_graph_title), *_wordings(head.title), *headings):
        if squash(wording) not in sites and squash(wording) not in host:
            yield wording


def _wordings(title: str) -> Iterator[str]:
    """Yield a title, and the title without the parts at either end that may name the site."""
    yield title
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return
    first, last = separators[0], separators[-1]
    parts = title[: first.start()], title[: last.start()], title[first.end() :], title[last.end() :]
    # The site's name is usually shorter than the headline.
    for part in dict.fromkeys(parts):
        if 2 * len(part) >= len(title) and len(words.tokens(part)) >= MIN_PART_WORDS:
            yield part


def _paragraphs(flat: FlatDocument) -> Iterator[str]:
    """Yield the texts of blocks, except those that consist mostly of links."""
    if not flat.texts:
        return
    is_seen = ~flat.within(flat.having(UNSEEN))[flat.text_parents]
    is_linked = flat.within(flat.having({"a"}))[flat.text_parents]
    lengths = np.where(is_seen, [len(text) for text in flat.texts], 0)
    is_block = ~flat.having(INLINE)
    starts = np.union1d(flat.text_starts[is_block], flat.text_ends[is_block])
    starts = starts[starts < len(flat.texts)]
    ends = np.append(starts[1:], len(flat.texts))
    total_lengths = np.add.reduceat(lengths, starts)
    linked_lengths = np.add.reduceat(lengths * is_linked, starts)
    is_kept = (2 * total_lengths >= MIN_PASSAGE) & (2 * linked_lengths < total_lengths)
    for start, end in zip(starts[is_kept].tolist(), ends[is_kept].tolist(), strict=True):
        yield "".join(compress(flat.texts[start:end], is_seen[start:end].tolist()))
