"""History of the deliveries to a consumer, checked for lost and doubled revisions."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

Revision = tuple[str, int]
"""URL of a page and revision number of its article."""


@dataclass(frozen=True)
class Delivery:
    """An article message as a consumer received it.

    The ID of the article is the consumer's idempotency key. `digest` is the digest of the text.
    """

    id: str
    url: str
    revision: int
    digest: str
    redelivered: bool

    @classmethod
    def of(cls, body: str | bytes, *, redelivered: bool) -> Self:
        """Return the delivery of the message with the given body."""
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
    """Errors in a history (lost, doubled), and anomalies that a consumer must tolerate.

    `lost` are stored revisions that were never delivered. `doubled` are revisions delivered under
    several IDs or with several texts, or whose ID was also used for another revision. `reordered`
    counts deliveries of a revision after a higher revision of the same page. It does not include
    `repeats`, which are deliveries of an ID that was delivered before: a consumer recognises them
    by their ID.
    """

    lost: set[Revision]
    doubled: set[Revision]
    reordered: int
    repeats: int


def digest_of(text: str) -> str:
    """Return the digest of an article's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def check(history: Iterable[Delivery], stored: Mapping[str, Revision]) -> Findings:
    """Return the findings in a history, given the stored revisions by article ID."""
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
