"""A check for lost and duplicate revisions in all deliveries to a consumer of articles."""

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
    """A delivery of an article message to a consumer.

    `id` is the ID of the article, which the consumer uses as idempotency key. `digest` is the
    digest of the text. `redelivered` is the flag that the broker sets on a repeated delivery.
    """

    id: str
    url: str
    revision: int
    digest: str
    redelivered: bool

    @classmethod
    def of(cls, body: str | bytes, *, redelivered: bool) -> Self:
        """Create a delivery from the body of an article message."""
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
    """Errors (lost, duplicated) and tolerable anomalies (reordered, repeats) in the deliveries.

    `lost` contains stored revisions that were never delivered. `duplicated` contains revisions
    that were delivered under several IDs or with several texts, or whose ID was also used for
    another revision. `repeats` is the number of deliveries of an ID that had been delivered before.
    `reordered` is the number of other deliveries that arrived after a higher revision of the page.
    """

    lost: set[Revision]
    duplicated: set[Revision]
    reordered: int
    repeats: int


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def check(history: Iterable[Delivery], stored: Mapping[str, Revision]) -> Findings:
    """Compare deliveries, in the order received, with the stored revisions, given by article ID."""
    contents: dict[Revision, set[tuple[str, str]]] = defaultdict(set)
    revisions: dict[str, set[Revision]] = defaultdict(set)
    highest: dict[str, int] = {}
    reordered = repeats = 0
    for each in history:
        if each.id in revisions:
            repeats += 1
        else:
            previous = highest.get(each.url, 0)
            reordered += each.revision < previous
            highest[each.url] = max(previous, each.revision)
        revision = each.url, each.revision
        contents[revision].add((each.id, each.digest))
        revisions[each.id].add(revision)
    return Findings(
        lost={revision for article, revision in stored.items() if article not in revisions},
        duplicated={
            revision
            for revision, versions in contents.items()
            if len(versions) > 1 or any(len(revisions[article]) > 1 for article, _ in versions)
        },
        reordered=reordered,
        repeats=repeats,
    )
