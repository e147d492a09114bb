"""Comments in a page's JSON-LD (schema.org) or in the JSON state of a web application.

Other data looks similar, such as a list of frequently asked questions, or recent comments on other
pages. Therefore, each comment must have an author, and comments on other pages are excluded.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from detourage.comments.comment import Comment
from detourage.html.page import plain_paragraphs
from detourage.html.urls import absolute
from detourage.html.visible_text import unescape
from detourage.text.dates import parse_moment
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import clean

MAX_VALUES = 100_000  # JSON values examined per page
MAX_DEPTH = 100  # nesting depth of values
MAX_DECLARED = 1_000  # comments read per page; parsing the text of each as HTML takes time
MAX_CHARACTERS = 50_000  # length of a comment's text, in characters
MAX_SHORT = 300  # length of a name, date, ID or URL, in characters
_COMMENT_TYPES = frozenset(["comment", "answer", "usercomments"])
_POST_TYPES = frozenset(["discussionforumposting", "question"])  # types of a thread's first post
_OTHER_COMMENT_KEYS = lazy_pattern(r"recent|latest|popular|related|config|setting")
_ARTICLE_KEYS = frozenset(["headline", "slug", "standfirst", "excerpt", "teaser"])
_URL_START = lazy_pattern(r"(?:https?:)?//|/\S", re.IGNORECASE)
_NON_LETTERS = lazy_pattern(r"[^a-z]+")
# Keys of the parts of a comment, as returned by `_plain_key`.
_TEXT_KEYS = (
    *("text", "body", "content", "message", "comment", "commenttext", "commentbody", "bodyhtml"),
    *("articlebody", "description"),
)
_FORMAT_KEYS = ("html", "rendered", "raw", "plain", *_TEXT_KEYS)
_AUTHOR_KEYS = ("author", "user", "creator", "createdby", "commenter", "owner", "profile", "member")
_NAME_KEYS = ("name", "displayname", "fullname", "username", "nickname", "screenname", "login")
_AUTHOR_NAME_KEYS = ("authorname", "username", "displayname", "nickname", "commentername")
_DATE_KEYS = (
    *("createdat", "created", "createddate", "createdon", "creationdate", "datecreated", "date"),
    *("dategmt", "datepublished", "publishedat", "published", "postedat", "commenttime"),
    *("timestamp", "time"),
)
_ID_KEYS = ("id", "commentid", "uuid")
_PARENT_KEYS = ("parentid", "parentcommentid", "parent", "inreplyto", "replyto", "parentitem")
_UPVOTE_KEYS = ("upvotes", "upvotecount", "likes", "likecount", "likescount", "score", "points")
_DOWNVOTE_KEYS = ("downvotes", "downvotecount", "dislikes", "dislikecount")
_Object = Mapping[str, Any]
_Value = TypeVar("_Value")


class _RawComment(NamedTuple):
    """A comment in JSON; `enclosing` is the index of the comment around this one, if any."""

    text: str
    author: str
    date: str | None
    id: str | None
    parent_id: str | None
    url: str | None
    votes: int | None
    enclosing: int | None = None


@dataclass
class _Thread:
    """The comments on one item, such as an article or the first post of a discussion."""

    location: tuple[str, ...] = ()  # the item's URLs in JSON-LD, or the keys on the item's path
    first_post: _RawComment | None = None
    comments: list[_RawComment] = field(default_factory=list)


_CONTAINERS = dict, list  # JSON values that contain others


def comments_in_data(values: Iterable[Any], url: str) -> tuple[Comment, ...]:
    """Return the comments, or the posts of a thread with replies, in a page's JSON-LD, in order."""
    threads = _find_threads(values, is_declared=True)
    if len(threads) > 1:
        own = _without_fragment(url)
        threads = [each for each in threads if own in map(_without_fragment, each.location)]
    if len(threads) != 1:
        return ()
    (thread,) = threads
    if thread.first_post is None:
        return _to_comments(thread.comments, url)
    # The first post is inserted before the comments, which shifts their indices.
    replies = (
        each if each.enclosing is None else each._replace(enclosing=each.enclosing + 1)
        for each in thread.comments
    )
    return _to_comments([thread.first_post, *replies], url)


def comments_in_state(values: Iterable[Any], url: str) -> tuple[Comment, ...]:
    """Return the comments in a page's state: objects with text, author and date in a list."""
    threads = _find_threads(values, is_declared=False)
    counts = Counter(thread.location for thread in threads)
    # Lists of comments with the same keys on their paths belong to a list of other pages.
    unique = (thread.comments for thread in threads if counts[thread.location] == 1)
    return _to_comments(max(unique, key=len, default=[]), url)


def _without_fragment(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def _find_threads(values: Iterable[Any], *, is_declared: bool) -> list[_Thread]:
    """Return the threads with comments in JSON-LD (`is_declared`) or in an application's state."""
    threads = [_Thread()]
    start = threads[0] if is_declared else None
    # Values to examine, each with the keys on its path, its thread and its enclosing comment
    stack: list[tuple[Any, tuple[str, ...], _Thread | None, int | None]] = [
        (value, ("",), start, None) for value in reversed([*values])
    ]
    for _ in range(MAX_VALUES):
        if not stack:
            break
        value, keys, thread, enclosing = stack.pop()
        if thread is None and "comment" in keys[-1] and not _OTHER_COMMENT_KEYS.search(keys[-1]):
            thread = _Thread(keys)
            threads.append(thread)
        children: Iterable[tuple[str, Any]] = ()
        if isinstance(value, list):
            children = (("", child) for child in value)
        elif isinstance(value, dict):
            children = value.items()
            types = _types(value) if is_declared else frozenset()
            if is_declared and not types & _COMMENT_TYPES:
                has_comments = any(_plain_key(key) in {"comment", "comments"} for key in value)
                if enclosing is None and (types & _POST_TYPES or has_comments):
                    post = _read_comment(value, None, is_declared) if types & _POST_TYPES else None
                    thread = _Thread(_item_urls(value), post)
                    threads.append(thread)
            elif thread is not None:
                comment = _read_comment(value, enclosing, is_declared)
                if comment is not None:
                    enclosing = len(thread.comments)
                    thread.comments.append(comment)
        if len(keys) <= MAX_DEPTH:
            inner = [
                (child, (*keys, key and _plain_key(key)), thread, enclosing)
                for key, child in children
                if isinstance(child, _CONTAINERS)
            ]
            stack.extend(reversed(inner))
    return [thread for thread in threads if thread.comments]


def _types(node: _Object) -> frozenset[str]:
    value = node.get("@type")
    values = value if isinstance(value, list) else [value]
    return frozenset(
        each.rpartition("/")[2].lower() for each in values[:10] if isinstance(each, str)
    )


def _item_urls(node: _Object) -> tuple[str, ...]:
    values = (node.get(key) for key in ("url", "@id", "mainEntityOfPage"))
    urls = (value.get("@id") if isinstance(value, dict) else value for value in values)
    return tuple(url for url in urls if isinstance(url, str))


def _read_comment(node: _Object, enclosing: int | None, is_declared: bool) -> _RawComment | None:
    """Read a comment; None unless it is declared, or has a date and none of `_ARTICLE_KEYS`."""
    values = _by_plain_key(node)
    text = _first(values, _TEXT_KEYS, _read_formatted_text)
    author = _first(values, _AUTHOR_KEYS, _read_author) or _first(
        values, _AUTHOR_NAME_KEYS, _read_name
    )
    date = _first(values, _DATE_KEYS, _read_short_text)
    if not text or author is None:
        return None
    if not is_declared and (
        not _ARTICLE_KEYS.isdisjoint(values) or date is None or parse_moment(date) is None
    ):
        return None
    upvotes = _first(values, _UPVOTE_KEYS, _read_integer)
    downvotes = _first(values, _DOWNVOTE_KEYS, _read_integer) or 0
    return _RawComment(
        text=text,
        author=author,
        date=date,
        id=_first(values, _ID_KEYS, _read_short_text),
        parent_id=_first(values, _PARENT_KEYS, _read_reference),
        url=_first(values, ("permalink", "url", "id"), _read_short_text),
        votes=None if upvotes is None else upvotes - downvotes,
        enclosing=enclosing,
    )


def _plain_key(key: str) -> str:
    """Return the letters of a key: ``createdat`` for ``createdAt`` and ``created_at``."""
    return _NON_LETTERS.sub("", key[:MAX_SHORT].lower())


def _by_plain_key(node: _Object) -> dict[str, Any]:
    return {_plain_key(key): value for key, value in reversed([*node.items()])}


def _first(
    values: _Object, keys: Iterable[str], read: Callable[[Any], _Value | None]
) -> _Value | None:
    """Apply `read` to the values of the given keys; return the first result that is not None."""
    results = (read(values[key]) for key in keys if key in values)
    return next((result for result in results if result is not None), None)


def _read_text(value: Any) -> str | None:
    is_text = isinstance(value, str) and 0 < len(value) <= MAX_CHARACTERS
    return value if is_text else None


def _read_formatted_text(value: Any) -> str | None:
    """Return a text that is given as a string, or as an object with several formats of the text."""
    if isinstance(value, dict):
        return _first(_by_plain_key(value), _FORMAT_KEYS, _read_text)
    return _read_text(value)


def _read_short_text(value: Any) -> str | None:
    """Return a short text or a number as a cleaned string."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(int(value)) if abs(value) < 1e15 else ""
    if not isinstance(value, str) or len(value) > MAX_SHORT:
        return None
    return clean(unescape(value)) or None


def _read_integer(value: Any) -> int | None:
    text = _read_short_text(value) or ""
    return int(text) if re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else None


def _read_author(value: Any) -> str | None:
    """Return the name of an author, given as a string, an object or a list."""
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            values = _by_plain_key(value)
            name = _first(values, _NAME_KEYS, _read_name)
            if name is not None:
                return name
            value = _first(values, ("profile", "user"), lambda profile: profile)
    return _read_name(value)


def _read_name(value: Any) -> str | None:
    """Return a name, or None if the value is an ID or a URL."""
    name = _read_short_text(value) if isinstance(value, str) else None
    return None if name is None or name.isdecimal() or _URL_START.match(name) else name


def _read_reference(value: Any) -> str | None:
    """Return the ID of an item, given as an ID or as an object with an ID."""
    return (
        _first(_by_plain_key(value), _ID_KEYS, _read_short_text)
        if isinstance(value, dict)
        else _read_short_text(value)
    )


def _to_comments(found: Sequence[_RawComment], url: str) -> tuple[Comment, ...]:
    """Return the comments without duplicates; find their parents by ID or by nesting."""
    kept: list[_RawComment] = []
    number_by_key: dict[tuple[str | None, ...], int] = {}
    new_numbers: list[int] = []
    for raw in found[:MAX_DECLARED]:
        key = (raw.author, raw.date, raw.text)
        if key not in number_by_key:
            number_by_key[key] = len(kept)
            kept.append(raw)
        new_numbers.append(number_by_key[key])
    by_id = {raw.id: number for number, raw in reversed([*enumerate(kept)]) if raw.id}
    parents: list[int] = []
    for raw in kept:
        enclosing = -1 if raw.enclosing is None else new_numbers[raw.enclosing]
        parents.append(by_id.get(raw.parent_id or "", enclosing))
    return tuple(
        _to_comment(raw, _acyclic_parent(number, parents), url) for number, raw in enumerate(kept)
    )


def _acyclic_parent(number: int, parents: Sequence[int]) -> int | None:
    """Return the parent of a comment, or None if its ancestors form a cycle."""
    ancestor = parents[number]
    for _ in parents:
        if ancestor < 0:
            return parents[number] if parents[number] >= 0 else None
        if ancestor == number:
            return None
        ancestor = parents[ancestor]
    return None


def _to_comment(raw: _RawComment, parent: int | None, url: str) -> Comment:
    moment = parse_moment(raw.date) if raw.date else None
    permalink = raw.url if raw.url and "/" in raw.url else None
    return Comment(
        text="\n\n".join(plain_paragraphs(raw.text)),
        author=raw.author,
        date=moment,
        written_date=raw.date if moment is None else None,
        parent=parent,
        permalink=absolute(permalink, url),
        votes=raw.votes,
    )
