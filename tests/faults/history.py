"""What a consumer of articles received, in order, checked for what may never happen."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

Revision = tuple[str, int]
"""URL of a page, and a revision of its article."""


@dataclass(frozen=True)
class Delivery:
    """An article message as a consumer received it.

    Attributes
    ----------
    id
        Of the article, the consumer's idempotency key.
    url, revision
        Of which page, and which revision.
    digest
        Of its text.
    redelivered
        Whether the broker says that it delivered the message before.
    """

    id: str
    url: str
    revision: int
    digest: str
    redelivered: bool

    @classmethod
    def of(cls, body: str | bytes, *, redelivered: bool) -> Self:
        """Return the delivery of a message's body."""
        article = json.loads(body)
        return cls(
            id=article["id"],
            url=article["url"],
            revision=article["revision"],
            digest=digest_of(article["text"]),
            redelivered=redelivered,
        )


@dataclass(frozen=True)
class Findings:
    """What is wrong with a history, and what a consumer has to bear.

    Attributes
    ----------
    lost
        Revisions that are stored and were never delivered.
    doubled
        Revisions that came under more than one id or with more than one text, and those whose id
        came for another revision, too.
    reordered
        Deliveries of a revision lower than one of the same page that came before. A repeat is
        none: a consumer recognises it by its id.
    repeats
        Deliveries of an id that had come before.
    """

    lost: set[Revision]
    doubled: set[Revision]
    reordered: int
    repeats: int


def digest_of(text: str) -> str:
    """Return the digest of an article's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def check(history: Iterable[Delivery], stored: Mapping[str, Revision]) -> Findings:
    """Check a history.

    Parameters
    ----------
    history
        All deliveries, in the order in which they were received.
    stored
        The revisions that the service has stored, by the id of their articles.
    """
    contents: dict[Revision, set[tuple[str, str]]] = defaultdict(set)
    revisions: dict[str, set[Revision]] = defaultdict(set)
    highest: dict[str, int] = {}
    reordered = repeats = 0
    for each in history:
        if each.id in revisions:
            repeats += 1
        else:
            before = highest.get(each.url, 0)
            reordered += each.revision < before
            highest[each.url] = max(before, each.revision)
        revision = each.url, each.revision
        contents[revision].add((each.id, each.digest))
        revisions[each.id].add(revision)
    return Findings(
        lost={revision for article, revision in stored.items() if article not in revisions},
        doubled={
            revision
            for revision, found in contents.items()
            if len(found) > 1 or any(len(revisions[article]) > 1 for article, _ in found)
        },
        reordered=reordered,
        repeats=repeats,
    )
