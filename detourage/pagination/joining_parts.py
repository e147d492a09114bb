"""Join the parts of an article.

Links are followed from each part to the next, as long as the next part confirms that it belongs to
the article: it links back, or has the headline of the first part and the URL of the first part with
a number added. No page can make itself part of an article that does not link to the page.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from detourage.pagination.links_to_parts import Pagination
from detourage.pagination.page_numbers import Address
from detourage.text.words import tokens

MAX_PARTS = 50  # maximum number of parts that are joined
MAX_BYTES = 8 * 1024 * 1024  # total size of the parts' messages, in bytes
MIN_REPEATED = 0.8  # a page with at least this share of text from earlier parts only repeats them
MIN_CONTAINED = 0.8  # minimum share of the first part's text on a page with the whole article
SEPARATOR = "\n\n"
_LOCATION_KEYS = frozenset(["xpath", "texts", "location"])
_SEPARATE_KINDS = frozenset(["forum", "listing", "collection", "product"])
_FIRST_KINDS = frozenset(["article", "gallery"])


@dataclass(frozen=True)
class Member:
    """A page that may be a part of an article; `read` returns its message, of `size` bytes."""

    page_id: int
    url: str
    links: Pagination
    read: Callable[[], Mapping[str, Any]]
    size: int = 0

    @cached_property
    def message(self) -> Mapping[str, Any]:
        """The article message, read on first use."""
        return self.read()

    @cached_property
    def key(self) -> str:
        """The `key_of` the page's URL."""
        return key_of(self.url)

    @cached_property
    def is_first(self) -> bool:
        """Whether the page's own links show that it is the first part."""
        return (
            self.links.previous is None
            and self.links.number in {None, 1}
            and bool(self.links)
            and kind_of(self.message) in _FIRST_KINDS
        )


def kind_of(message: Mapping[str, Any]) -> str:
    """Return the kind of a page, as given in its article message."""
    return str((message.get("metadata") or {}).get("kind", "article"))


def may_be_part(kind: str) -> bool:
    """Return whether pages of this kind can be parts of an article; threads and lists cannot."""
    return kind not in _SEPARATE_KINDS


def key_of(url: str) -> str:
    """Return a key that is the same for URLs that differ only in details, such as a session ID."""
    return Address(url).plain or url


def chain_of(first: Member, members: Collection[Member]) -> list[Member]:
    """Return the parts of an article in order and without gaps; only `first` if no part follows.

    `members` are pages of the same site, and may or may not include `first`.
    """
    by_key = {member.key: member for member in members}
    chain, keys, size = [first], {first.key}, first.size
    earlier_texts = _normalised_blocks(first)
    while len(chain) < MAX_PARTS:
        candidate = _find_next(chain, by_key)
        if candidate is None or candidate.key in keys or size + candidate.size > MAX_BYTES:
            break
        if not may_be_part(kind_of(candidate.message)) or not _confirms(chain, candidate):
            break
        share = _repeated_share(candidate, earlier_texts)
        if share is None or share >= MIN_REPEATED:
            break
        chain.append(candidate)
        size += candidate.size
        keys.add(candidate.key)
        earlier_texts |= _normalised_blocks(candidate)
    return chain


def _find_next(chain: Sequence[Member], by_key: Mapping[str, Member]) -> Member | None:
    """Return the page to which the last part, or else the first, links as the following part."""
    number = len(chain) + 1
    last = chain[-1].links
    addresses = (last.next, last.pages.get(number), chain[0].links.pages.get(number))
    members = (by_key.get(key_of(url)) for url in addresses if url is not None)
    return next(filter(None, members), None)


def _confirms(chain: Sequence[Member], candidate: Member) -> bool:
    """Return whether a page confirms that it is the next part; see the module's description."""
    first, last, links = chain[0], chain[-1], candidate.links
    if links.previous is not None:
        return key_of(links.previous) == last.key
    if links.number not in {None, len(chain) + 1}:
        return False
    for number, member in ((len(chain), last), (1, first)):
        address = links.pages.get(number)
        if address is not None:
            return key_of(address) == member.key
    title, candidate_title = (
        tokens(str(member.message.get("title") or "")) for member in (first, candidate)
    )
    relation = Address(first.url).relation(Address(candidate.url))
    return relation is not None and bool(title) and title == candidate_title


def _normalised_blocks(member: Member) -> set[str]:
    """Return the texts of a page's blocks, headline and lead, as lower-case words."""
    message = member.message
    texts = [block["text"] for block in message["blocks"]]
    texts += [message.get(name) or "" for name in ("title", "lead")]
    return {_normalise(text) for text in texts} - {""}


def _normalise(text: str) -> str:
    return " ".join(tokens(text))


def _repeated_share(member: Member, others: Collection[str]) -> float | None:
    """Return the share of a page's text in blocks that occur in `others`; None without text."""
    texts = [block["text"] for block in member.message["blocks"]]
    total = sum(map(len, texts))
    repeated = sum(len(text) for text in texts if _normalise(text) in others)
    return repeated / total if total else None


def is_contained_in(first: Member, whole: Mapping[str, Any]) -> bool:
    """Return whether an article message contains the first part's text and more."""
    share = _repeated_share(first, {_normalise(block["text"]) for block in whole["blocks"]})
    is_longer = len(whole["text"]) > len(first.message["text"])
    return is_longer and share is not None and share >= MIN_CONTAINED


def urls_of(chain: Sequence[Member]) -> dict[int, str]:
    """Return the URLs of a chain's known parts by number, even of parts not fetched."""
    urls: dict[int, str] = {number: member.url for number, member in enumerate(chain, 1)}
    for member in chain:
        for number in sorted(member.links.pages)[:MAX_PARTS]:
            if number >= 1:
                urls.setdefault(number, member.links.pages[number])
    next_url = chain[-1].links.next
    if next_url is not None and key_of(next_url) not in set(map(key_of, urls.values())):
        urls.setdefault(len(chain) + 1, next_url)
    return {number: urls[number] for number in sorted(urls)}


def joined_values(chain: Sequence[Member]) -> dict[str, Any]:
    """Return the values of the article message that change if the parts of a chain are joined.

    Blocks at the start or end of a part are omitted if an earlier part contains them or has them as
    its headline or lead.
    """
    text = ""
    blocks: list[dict[str, Any]] = []
    media: dict[str, dict[str, dict[str, Any]]] = {"images": {}, "embeds": {}}
    earlier_texts: set[str] = set()
    for number, member in enumerate(chain):
        first, end = _new_blocks(member.message["blocks"], earlier_texts)
        kept = member.message["blocks"][first:end]
        if number:
            # Locations refer to the first page, so those of later pages are dropped.
            kept = [without_location(block) for block in kept]
        for name, by_url in media.items():
            shift = len(blocks) - first
            items = map(without_location, member.message[name]) if number else member.message[name]
            least, most = len(blocks), len(blocks) + len(kept)
            for item in items:
                block = item.get("block")
                if block is not None:
                    item = {**item, "block": min(max(block + shift, least), most)}
                by_url.setdefault(item["url"], item)
        earlier_texts |= _normalised_blocks(member)
        if not kept:
            continue
        start, end = kept[0]["start"], kept[-1]["end"]
        text += SEPARATOR if text else ""
        blocks += [_shift_block(block, len(text) - start) for block in kept]
        text += member.message["text"][start:end]
    messages = [member.message for member in chain]
    return {
        "text": text,
        "blocks": blocks,
        **{name: [*by_url.values()] for name, by_url in media.items()},
        "comments": _joined_comments(messages),
        "confidence": min(message["confidence"] for message in messages),
    }


def without_location(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON values of a block, image, embed or comment without its location."""
    return {key: value for key, value in part.items() if key not in _LOCATION_KEYS}


def _shift_block(block: dict[str, Any], shift: int) -> dict[str, Any]:
    """Return a block with the text offsets of itself, its links and its emphasis shifted."""
    shifted = {**block, "start": block["start"] + shift, "end": block["end"] + shift}
    for name in ("links", "emphasis"):
        if name in block:
            shifted[name] = [
                {**each, "start": each["start"] + shift, "end": each["end"] + shift}
                for each in block[name]
            ]
    return shifted


def _new_blocks(blocks: Sequence[dict[str, Any]], earlier: Collection[str]) -> tuple[int, int]:
    """Return the range of blocks that remain if those of earlier parts are cut off at both ends."""
    start, end = 0, len(blocks)
    while start < end and _normalise(blocks[start]["text"]) in earlier:
        start += 1
    while end > start and _normalise(blocks[end - 1]["text"]) in earlier:
        end -= 1
    return start, end


def _joined_comments(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the comments of all parts without duplicates; each part may show all comments."""
    comments: list[dict[str, Any]] = []
    index_by_identity: dict[tuple[Any, ...], int] = {}
    for number, message in enumerate(messages):
        new_indices: list[int] = []
        for comment in message["comments"]:
            parent = comment["parent"]
            is_known = parent is not None and parent < len(new_indices)
            new_parent = new_indices[parent] if is_known else None
            identity = (comment["author"], comment["date"], comment["text"], new_parent)
            if identity not in index_by_identity:
                index_by_identity[identity] = len(comments)
                kept = without_location(comment) if number else comment
                comments.append({**kept, "parent": new_parent})
            new_indices.append(index_by_identity[identity])
    return comments
