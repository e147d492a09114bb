"""Comments in a page's JSON, in the schema.org vocabulary or in a web application's state.

Other data looks similar, such as a site's answers to its own questions, or recent comments on other
pages. Therefore, each comment must name its author, and comments on other pages are excluded.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any, NamedTuple, TypeVar

from detourage.comments.comment import Comment
from detourage.html.addresses import absolute
from detourage.html.page import plain_paragraphs
from detourage.text.dates import parse_moment
from detourage.text.words import clean

MAX_VALUES = 100_000  # JSON values examined per page
MAX_DEPTH = 100  # nesting depth of values
MAX_COMMENTS = 1_000  # comments read; the text of each is parsed as HTML
MAX_CHARACTERS = 50_000  # length of a comment's text, in characters
MAX_SHORT = 300  # length of a name, date, ID or URL, in characters

# Ends of the names of comment types, and keys with non-empty values ("c" may be a capital).
_TYPE_ENDS = ('Comment"', 'UserComments"', 'Answer"')
_COMMENT_KEY = re.compile(r"omment[\w-]{0,40}\"\s{0,5}:\s{0,5}[\[{]\s{0,20}[^\s\]}]")

_COMMENT_TYPES = frozenset(["comment", "answer", "usercomments"])
_POST_TYPES = frozenset(["discussionforumposting", "question"])
_OTHER_COMMENT_KEYS = re.compile(r"recent|latest|popular|related|config|setting")
_ARTICLE_KEYS = frozenset(["headline", "slug", "standfirst", "excerpt", "teaser"])
_ADDRESS = re.compile(r"(?:https?:)?//|/\S", re.IGNORECASE)
_NO_LETTER = re.compile(r"[^a-z]+")

_TEXT = (
    *("text", "body", "content", "message", "comment", "commenttext", "commentbody", "bodyhtml"),
    *("articlebody", "description"),
)
_FORMATS = ("html", "rendered", "raw", "plain", *_TEXT)
_AUTHOR = ("author", "user", "creator", "createdby", "commenter", "owner", "profile", "member")
_NAME = ("name", "displayname", "fullname", "username", "nickname", "screenname", "login")
_AUTHOR_NAME = ("authorname", "username", "displayname", "nickname", "commentername")
_DATE = (
    *("createdat", "created", "createddate", "createdon", "creationdate", "datecreated", "date"),
    *("dategmt", "datepublished", "publishedat", "published", "postedat", "commenttime"),
    *("timestamp", "time"),
)
_ID = ("id", "commentid", "uuid")
_PARENT = ("parentid", "parentcommentid", "parent", "inreplyto", "replyto", "parentitem")
_VOTES_FOR = ("upvotes", "upvotecount", "likes", "likecount", "likescount", "score", "points")
_VOTES_AGAINST = ("downvotes", "downvotecount", "dislikes", "dislikecount")

_Object = Mapping[str, Any]
_Value = TypeVar("_Value")


class _Raw(NamedTuple):
    """A comment as given in its source; `around` is the innermost enclosing comment, if any."""

    text: str
    author: str
    date: str | None
    id: str | None
    parent_id: str | None
    address: str | None
    votes: int | None
    around: int | None = None


@dataclass
class _Thread:
    """The comments on one item, the item's URLs or keys, and the item itself if a first post."""

    place: tuple[str, ...] = ()
    post: _Raw | None = None
    comments: list[_Raw] = field(default_factory=list)


def may_hold_comments(script: str) -> bool:
    """Return whether a script's text may contain comments and is worth parsing."""
    return any(kind in script for kind in _TYPE_ENDS) or _COMMENT_KEY.search(script) is not None


def comments_in_data(values: Iterable[Any], url: str) -> tuple[Comment, ...]:
    """Read the comments, or the posts of a thread with replies, from a page's JSON-LD, in order."""
    threads = _threads(values, is_declared=True)
    if len(threads) > 1:
        own = _plain(url)
        threads = [each for each in threads if any(_plain(at) == own for at in each.place)]
    if len(threads) != 1:
        return ()
    (thread,) = threads
    if thread.post is None:
        return _to_comments(thread.comments, url)
    moved = (
        each if each.around is None else each._replace(around=each.around + 1)
        for each in thread.comments
    )
    return _to_comments([thread.post, *moved], url)


def comments_in_state(values: Iterable[Any], url: str) -> tuple[Comment, ...]:
    """Read the objects with a text, author and date below a ``comment`` key of a page's state."""
    threads = _threads(values, is_declared=False)
    places = Counter(thread.place for thread in threads)
    # A path that occurs several times belongs to the items in a list of pages.
    own = (thread.comments for thread in threads if places[thread.place] == 1)
    return _to_comments(max(own, key=len, default=[]), url)


def _plain(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def _threads(values: Iterable[Any], *, is_declared: bool) -> list[_Thread]:
    """Return the threads with comments in JSON-LD (`is_declared`) or in an application's state."""
    threads = [_Thread()]
    start = threads[0] if is_declared else None
    waiting: list[tuple[Any, tuple[str, ...], _Thread | None, int | None]] = [
        (each, ("",), start, None) for each in reversed([*values])
    ]
    for _ in range(MAX_VALUES):
        if not waiting:
            break
        value, place, thread, around = waiting.pop()
        if thread is None and "comment" in place[-1] and not _OTHER_COMMENT_KEYS.search(place[-1]):
            thread = _Thread(place)
            threads.append(thread)
        below: Iterable[tuple[str, Any]] = ()
        if isinstance(value, list):
            below = (("", each) for each in value)
        elif isinstance(value, dict):
            below = ((_plain_key(key), each) for key, each in value.items())
            kinds = _kinds(value)
            if is_declared and not kinds & _COMMENT_TYPES:
                has_comments = any(_plain_key(key) in {"comment", "comments"} for key in value)
                if around is None and (kinds & _POST_TYPES or has_comments):
                    post = _comment_in(value, None, is_declared) if kinds & _POST_TYPES else None
                    thread = _Thread(_addresses(value), post)
                    threads.append(thread)
            elif thread is not None:
                raw = _comment_in(value, around, is_declared)
                if raw is not None:
                    around = len(thread.comments)
                    thread.comments.append(raw)
        if len(place) <= MAX_DEPTH:
            found = [
                (each, (*place, key), thread, around)
                for key, each in below
                if isinstance(each, dict | list)
            ]
            waiting.extend(reversed(found))
    return [thread for thread in threads if thread.comments]


def _kinds(node: _Object) -> frozenset[str]:
    value = node.get("@type")
    values = value if isinstance(value, list) else [value]
    return frozenset(
        each.rpartition("/")[2].lower() for each in values[:10] if isinstance(each, str)
    )


def _addresses(node: _Object) -> tuple[str, ...]:
    values = (node.get(key) for key in ("url", "@id", "mainEntityOfPage"))
    named = (value.get("@id") if isinstance(value, dict) else value for value in values)
    return tuple(each for each in named if isinstance(each, str))


def _comment_in(node: _Object, around: int | None, is_declared: bool) -> _Raw | None:
    """Read a comment; an object of no declared type needs a date, and no key of an article."""
    values = _by_plain_key(node)
    text = _first(values, _TEXT, _formatted)
    author = _first(values, _AUTHOR, _author) or _first(values, _AUTHOR_NAME, _person)
    date = _first(values, _DATE, _short)
    if not text or author is None:
        return None
    if not is_declared and (
        not _ARTICLE_KEYS.isdisjoint(values) or date is None or parse_moment(date) is None
    ):
        return None
    votes = _first(values, _VOTES_FOR, _number)
    against = _first(values, _VOTES_AGAINST, _number) or 0
    return _Raw(
        text=text,
        author=author,
        date=date,
        id=_first(values, _ID, _short),
        parent_id=_first(values, _PARENT, _reference),
        address=_first(values, ("permalink", "url", "id"), _short),
        votes=None if votes is None else votes - against,
        around=around,
    )


def _plain_key(key: str) -> str:
    return _NO_LETTER.sub("", key[:MAX_SHORT].lower())


def _by_plain_key(node: _Object) -> dict[str, Any]:
    return {_plain_key(key): value for key, value in reversed([*node.items()])}


def _first(
    values: _Object, names: Iterable[str], read: Callable[[Any], _Value | None]
) -> _Value | None:
    """Return the first result of `read` that is not None."""
    found = (read(values[name]) for name in names if name in values)
    return next((value for value in found if value is not None), None)


def _string(value: Any) -> str | None:
    is_text = isinstance(value, str) and 0 < len(value) <= MAX_CHARACTERS
    return value if is_text else None


def _formatted(value: Any) -> str | None:
    """Return a text, given as a string or as an object with the text in several formats."""
    if isinstance(value, dict):
        return _first(_by_plain_key(value), _FORMATS, _string)
    return _string(value)


def _short(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(int(value)) if abs(value) < 1e15 else ""
    if not isinstance(value, str) or len(value) > MAX_SHORT:
        return None
    return clean(unescape(value)) or None


def _number(value: Any) -> int | None:
    text = _short(value) or ""
    return int(text) if re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else None


def _author(value: Any) -> str | None:
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            values = _by_plain_key(value)
            named = _first(values, _NAME, _person)
            if named is not None:
                return named
            value = _first(values, ("profile", "user"), lambda user: user)
    return _person(value)


def _person(value: Any) -> str | None:
    """Return a name, or None if the value is an ID or a URL."""
    name = _short(value) if isinstance(value, str) else None
    return None if name is None or name.isdecimal() or _ADDRESS.match(name) else name


def _reference(value: Any) -> str | None:
    """Return the ID of an item that is referenced by ID or embedded as an object."""
    return _first(_by_plain_key(value), _ID, _short) if isinstance(value, dict) else _short(value)


def _to_comments(found: Sequence[_Raw], url: str) -> tuple[Comment, ...]:
    kept: list[_Raw] = []
    place: dict[int, int] = {}
    known: dict[tuple[str | None, ...], int] = {}
    for number, raw in enumerate(found[:MAX_COMMENTS]):
        key = (raw.author, raw.date, raw.text)
        if key not in known:
            known[key] = len(kept)
            kept.append(raw)
        place[number] = known[key]
    by_id = {raw.id: number for number, raw in reversed([*enumerate(kept)]) if raw.id}
    parents = [
        by_id.get(raw.parent_id or "", -1 if raw.around is None else place.get(raw.around, -1))
        for raw in kept
    ]
    return tuple(
        _comment(raw, _acyclic_parent(number, parents), url) for number, raw in enumerate(kept)
    )


def _acyclic_parent(number: int, parents: Sequence[int]) -> int | None:
    """Return the parent of a comment, or None if its ancestors form a cycle."""
    above = parents[number]
    for _ in parents:
        if above < 0:
            return parents[number] if parents[number] >= 0 else None
        if above == number:
            return None
        above = parents[above]
    return None


def _comment(raw: _Raw, parent: int | None, url: str) -> Comment:
    moment = parse_moment(raw.date) if raw.date else None
    address = raw.address if raw.address and "/" in raw.address else None
    return Comment(
        text="\n\n".join(plain_paragraphs(raw.text)),
        author=raw.author,
        date=moment,
        written_date=raw.date if moment is None else None,
        parent=parent,
        permalink=absolute(address, url),
        votes=raw.votes,
    )
