"""Join the parts of an article.

Parts are followed from one to the next as long as each confirms that it belongs to the article.
Either it links back, or it has both the first part's headline and the first part's URL with a
number. A page cannot claim to be part of an article that does not link to it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from detourage.pagination.addresses import Address
from detourage.pagination.reading import Pagination
from detourage.text.words import tokens

MAX_PARTS = 50  # parts joined
MAX_BYTES = 8 * 1024 * 1024  # total size of the parts' messages, in bytes
MIN_REPEATED = 0.8  # share of text from earlier parts on a page that is a mere repetition
MIN_CONTAINED = 0.8  # share of the first part's text on a page that shows the whole article

SEPARATOR = "\n\n"

_LOCATION_KEYS = frozenset(["xpath", "texts", "location"])

_SEPARATE_KINDS = frozenset(["forum", "listing", "collection", "product"])
_FIRST_KINDS = frozenset(["article", "gallery"])


@dataclass(frozen=True)
class Member:
    """A page that may be a part of an article; `read` returns its own message, of `size` bytes."""

    page_id: int
    url: str
    links: Pagination
    read: Callable[[], Mapping[str, Any]]
    size: int = 0

    @cached_property
    def message(self) -> Mapping[str, Any]:
        """The article message, which is read once, and only if it is needed."""
        return self.read()

    @cached_property
    def key(self) -> str:
        """The key by which the page's URL is recognised."""
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
    metadata = message.get("metadata") or {}
    return str(metadata.get("kind", "article"))


def may_be_part(kind: str) -> bool:
    """Return whether pages of this kind can be parts of an article, unlike threads and lists."""
    return kind not in _SEPARATE_KINDS


def key_of(url: str) -> str:
    """Return a key shared by all URLs of a page that differ only in scheme or session ID."""
    return Address(url).plain or url


def chain_of(first: Member, members: Collection[Member]) -> list[Member]:
    """Return the parts of an article in order and without gaps; only `first` if none follows.

    `members` are pages of the same site, and may or may not include `first`.
    """
    by_key = {member.key: member for member in members}
    chain, keys, size = [first], {first.key}, first.size
    seen = _blocks_seen(first)
    while len(chain) < MAX_PARTS:
        after = _following(chain, by_key)
        if after is None or after.key in keys or size + after.size > MAX_BYTES:
            break
        if not may_be_part(kind_of(after.message)) or not _agree(chain, after):
            break
        share = _share_seen(after, seen)
        if share is None or share >= MIN_REPEATED:
            break
        chain.append(after)
        size += after.size
        keys.add(after.key)
        seen |= _blocks_seen(after)
    return chain


def _following(chain: Sequence[Member], by_key: Mapping[str, Member]) -> Member | None:
    number = len(chain) + 1
    last = chain[-1].links
    addresses = (last.next, last.pages.get(number), chain[0].links.pages.get(number))
    members = (by_key.get(key_of(each)) for each in addresses if each is not None)
    return next(filter(None, members), None)


def _agree(chain: Sequence[Member], after: Member) -> bool:
    """Return whether a page confirms that it is the next part of a chain."""
    first, before, links = chain[0], chain[-1], after.links
    if links.previous is not None:
        return key_of(links.previous) == before.key
    if links.number not in {None, len(chain) + 1}:
        return False
    for number, member in ((len(chain), before), (1, first)):
        address = links.pages.get(number)
        if address is not None:
            return key_of(address) == member.key
    title = tokens(str(first.message.get("title") or ""))
    relation = Address(first.url).relation(Address(after.url))
    return (
        relation is not None
        and bool(title)
        and title == tokens(str(after.message.get("title") or ""))
    )


def _blocks_seen(member: Member) -> set[str]:
    message = member.message
    texts = [block["text"] for block in message["blocks"]]
    texts += [message.get(name) or "" for name in ("title", "lead")]
    return {_normalised(text) for text in texts} - {""}


def _normalised(text: str) -> str:
    return " ".join(tokens(text))


def _share_seen(member: Member, seen: Collection[str]) -> float | None:
    """Return the share of a page's text in blocks that were seen; None if it has no text."""
    texts = [block["text"] for block in member.message["blocks"]]
    total = sum(map(len, texts))
    return sum(len(text) for text in texts if _normalised(text) in seen) / total if total else None


def is_contained_in(first: Member, whole: Mapping[str, Any]) -> bool:
    """Return whether an article message contains the first part's text and more."""
    share = _share_seen(first, {_normalised(block["text"]) for block in whole["blocks"]})
    is_longer = len(whole["text"]) > len(first.message["text"])
    return is_longer and share is not None and share >= MIN_CONTAINED


def urls_of(chain: Sequence[Member]) -> dict[int, str]:
    """Return the URLs of all known parts of a chain by number, including unfetched parts."""
    known: dict[int, str] = {number: member.url for number, member in enumerate(chain, 1)}
    for member in chain:
        for number in sorted(member.links.pages)[:MAX_PARTS]:
            if number >= 1:
                known.setdefault(number, member.links.pages[number])
    after = chain[-1].links.next
    if after is not None and key_of(after) not in {key_of(each) for each in known.values()}:
        known.setdefault(len(chain) + 1, after)
    return {number: known[number] for number in sorted(known)}


def joined_values(chain: Sequence[Member]) -> dict[str, Any]:
    """Return the keys of the article message for the joined parts of a chain.

    The headline and lead are not repeated for later parts, nor is anything at the start or end of a
    part that occurs in an earlier part.
    """
    text = ""
    blocks: list[dict[str, Any]] = []
    media: dict[str, dict[str, dict[str, Any]]] = {"images": {}, "embeds": {}}
    seen: set[str] = set()
    for number, member in enumerate(chain):
        first, end = _new_blocks(member.message["blocks"], seen)
        kept = member.message["blocks"][first:end]
        if number:
            # The locations are dropped, because later parts are other pages.
            kept = [without_location(each) for each in kept]
        for name, found in media.items():
            moved = len(blocks) - first
            placed = map(without_location, member.message[name]) if number else member.message[name]
            least, most = len(blocks), len(blocks) + len(kept)
            for each in placed:
                block = each.get("block")
                if block is not None:
                    each = {**each, "block": min(max(block + moved, least), most)}
                found.setdefault(each["url"], each)
        seen |= _blocks_seen(member)
        if not kept:
            continue
        begin = len(text) + len(SEPARATOR) if text else 0
        start, end = kept[0]["start"], kept[-1]["end"]
        text += (SEPARATOR if text else "") + member.message["text"][start:end]
        shift = begin - start
        blocks += [_shifted(block, shift) for block in kept]
    messages = [member.message for member in chain]
    return {
        "text": text,
        "blocks": blocks,
        **{name: [*found.values()] for name, found in media.items()},
        "comments": _comments(messages),
        "confidence": min(message["confidence"] for message in messages),
    }


def without_location(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON values of a block, image, embed or comment without its location."""
    return {key: value for key, value in part.items() if key not in _LOCATION_KEYS}


def _shifted(block: dict[str, Any], shift: int) -> dict[str, Any]:
    """Return a block and its marks with their text offsets shifted."""
    moved = {**block, "start": block["start"] + shift, "end": block["end"] + shift}
    for name in ("links", "emphasis"):
        if name in block:
            moved[name] = [
                {**each, "start": each["start"] + shift, "end": each["end"] + shift}
                for each in block[name]
            ]
    return moved


def _new_blocks(blocks: Sequence[dict[str, Any]], seen: Collection[str]) -> tuple[int, int]:
    """Return the range of blocks that remains after trimming blocks seen in earlier parts."""
    start, end = 0, len(blocks)
    while start < end and _normalised(blocks[start]["text"]) in seen:
        start += 1
    while end > start and _normalised(blocks[end - 1]["text"]) in seen:
        end -= 1
    return start, end


def _comments(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the comments of all parts without duplicates: each part may show all comments."""
    comments: list[dict[str, Any]] = []
    place_of: dict[tuple[Any, ...], int] = {}
    for number, message in enumerate(messages):
        places: list[int] = []
        for comment in message["comments"]:
            parent = comment["parent"]
            moved = places[parent] if parent is not None and parent < len(places) else None
            identity = (comment["author"], comment["date"], comment["text"], moved)
            if identity not in place_of:
                place_of[identity] = len(comments)
                kept = without_location(comment) if number else comment
                comments.append({**kept, "parent": moved})
            places.append(place_of[identity])
    return comments
