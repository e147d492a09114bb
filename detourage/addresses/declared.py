"""URLs declared by a page, which of them are believed, and digests of the page's wording."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from detourage.addresses.form import canonical_form
from detourage.addresses.refusal import is_front
from detourage.addresses.variants import MAX_TARGETS, Kind, Target, targets_by_form
from detourage.html import Page, publisher_of
from detourage.html.addresses import split_url
from detourage.html.flat import FlatDocument
from detourage.html.head import Head, text_of
from detourage.html.text import INLINE, UNSEEN
from detourage.text import words
from detourage.text.words import squash

MAX_HEADLINES = 8  # stored wordings of headings, and of titles with and without the site
MAX_PASSAGES = 32  # stored passages: those with the lowest digests, so that equal pages agree

MIN_PASSAGE = 40
"""Minimum length of a passage without white space; menus are shorter.

Characters of scripts that are written without spaces count twice."""

MIN_SHARED = 0.5
"""Minimum share of text in common passages, as measured in `benchmarks.stories.addresses`."""

_LENGTHS = (1 << 12) - 1  # low bits of a passage's digest, which encode its length


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
    kept = {
        digest(text) & ~_LENGTHS | min(len(text), _LENGTHS)
        for text in squashed
        if len(text) + words.count_unspaced(text) >= MIN_PASSAGE
    }
    return tuple(sorted(kept)[:MAX_PASSAGES])


def share_passages(some: Sequence[int], others: Sequence[int]) -> bool:
    """Return whether two pages share most of their stored passages, or both have none."""
    if not some or not others:
        return not some and not others
    # A page with `MAX_PASSAGES` stored passages may have more, with higher digests.
    ends = [each[-1] for each in (some, others) if len(each) == MAX_PASSAGES]
    last = min(ends, default=max(some[-1], others[-1]))
    ours = {each for each in some if each <= last}
    theirs = {each for each in others if each <= last}
    our_length, their_length, common = (
        sum(passage & _LENGTHS for passage in passages)
        for passages in (ours, theirs, ours & theirs)
    )
    fewer = min(our_length, their_length)
    return fewer > 0 and common >= MIN_SHARED * fewer


MAX_HEADINGS = 3  # first-level headings read
MIN_PART_WORDS = 3  # words in a part of a title that may be the headline; sections have fewer

_SEPARATOR = re.compile(
    r"(?<!\s)\s*+(?:[|｜]|::|//|--)\s*|(?<!\s)\s++[-–—·•»«>/:]+\s+|:\s+|(?<=\S)_(?=\S)"
)


@dataclass(frozen=True)
class DeclaredUrls:
    """The publisher's URLs that a page is a variant of, and ascending digests of its wording."""

    targets: tuple[Target, ...] = ()
    headlines: tuple[int, ...] = ()
    passages: tuple[int, ...] = ()

    @property
    def kind(self) -> Kind | None:
        """The kind of variant that the page's URL is; None if the URL may be canonical."""
        kinds = {target.kind for target in self.targets}
        order: tuple[Kind, ...] = ("amp", "print", "mobile", "canonical")
        return next((kind for kind in order if kind in kinds), None)

    @property
    def own(self) -> str | None:
        """The URL that the page declares as its own; None if it declares no other URL."""
        declared = (each for each in self.targets if each.is_declared)
        return next((target.address for target in declared), None)


NOTHING_DECLARED = DeclaredUrls()
"""Declarations of a page that was not parsed."""


def read_declared(page: Page) -> DeclaredUrls:
    """Read the URLs that a page declares, and digests of its wording.

    A declared URL counts if it belongs to the page's publisher and is not a front page (unless the
    page is one). A redirect overrides declarations, which override the form of the page's own URL.
    Links to variants (``rel=amphtml``) do not count, because otherwise any page could claim
    another as its variant.
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
    by_form = targets_by_form(own)
    kind: Kind = "amp" if head.is_amp else by_form[0].kind if by_form else "canonical"
    declared = canonical_form(head.canonical or head.open_graph)
    if redirected is not None and _is_believable(redirected, own):
        declared = redirected
    if declared and _is_believable(declared, own):
        yield Target(declared, kind, is_declared=True)
        return
    for each in by_form[:MAX_TARGETS]:
        if _is_believable(each.address, own):
            yield Target(each.address, "amp" if head.is_amp else each.kind)


def _is_believable(address: str, own: str) -> bool:
    if address == own or publisher_of(address) != publisher_of(own):
        return False
    return not is_front(address) or is_front(own)


def _headlines(flat: FlatDocument, head: Head, url: str) -> Iterator[str]:
    sites = {squash(head.site_name), ""}
    host = squash(split_url(url).hostname or "")
    headings = np.flatnonzero(flat.having({"h1"}))[:MAX_HEADINGS].tolist()
    # Headings may also contain logos and section names, which are short.
    shown = (text_of(flat, index) for index in headings)
    shown = (each for each in shown if len(words.tokens(each)) >= MIN_PART_WORDS)
    for each in (*_wordings(head.open_graph_title), *_wordings(head.title), *shown):
        squashed = squash(each)
        if squashed not in sites and squashed not in host:
            yield each


def _wordings(title: str) -> Iterator[str]:
    """Yield a title, and the title without the parts at either end that may name the site."""
    yield title
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return
    cut = (
        title[: separators[0].start()],
        title[: separators[-1].start()],
        title[separators[0].end() :],
        title[separators[-1].end() :],
    )
    # The site's name is usually shorter than the headline.
    for part in dict.fromkeys(cut):
        if 2 * len(part) >= len(title) and len(words.tokens(part)) >= MIN_PART_WORDS:
            yield part


def _paragraphs(flat: FlatDocument) -> Iterator[str]:
    """Yield the texts between block boundaries, except those that consist mostly of links."""
    if not flat.texts:
        return
    unseen = flat.within(flat.having(UNSEEN))[flat.text_parents]
    linked = flat.within(flat.having({"a"}))[flat.text_parents]
    lengths = np.where(unseen, 0, [len(text) for text in flat.texts])
    blocks = ~flat.having(INLINE)
    bounds = np.union1d(flat.text_starts[blocks], flat.text_ends[blocks])
    bounds = bounds[bounds < len(flat.texts)]
    totals = np.add.reduceat(lengths, bounds)
    in_links = np.add.reduceat(lengths * linked, bounds)
    kept = np.flatnonzero((2 * totals >= MIN_PASSAGE) & (2 * in_links < totals))
    ends = np.append(bounds[1:], len(flat.texts))
    seen = (~unseen).tolist()
    for start, end in zip(bounds[kept].tolist(), ends[kept].tolist(), strict=True):
        yield "".join(compress(flat.texts[start:end], seen[start:end]))
