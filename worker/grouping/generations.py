"""Continuity of group IDs between a site's clusterings, and detection of design changes."""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment

SAME_GROUP: Final = 0.5
"""Minimum share of the smaller group's pages that two groups must share to have the same ID.

New pages do not count. With a lower share, a group could inherit the ID of another because of a
single stray page.
"""

RECENT: Final = 10
"""Number of latest pages examined for a design change. A change is reported when half of these
pages are in new groups, which is the case five to ten pages after the change."""

PAST: Final = 50
"""Number of pages before a change that are compared with the recent pages. A template used by a
tenth of the pages is missing from them in one of two hundred cases."""

FEWEST: Final = 5
"""Minimum number of pages on either side of a change; fewer are insufficient evidence."""

TAKES_OVER: Final = 0.5
"""Minimum share of recent pages in new groups for a change to be reported."""

RARE: Final = 0.05
"""Maximum share of a new group among the `PAST` earlier pages, because single pages may be
misplaced."""

Page = TypeVar("Page", bound=Hashable)


@dataclass(frozen=True)
class ChangeOfGroups:
    """A change in a site's design, at the page with index `first`.

    `new_share` is the share of the latest pages in new groups or in no group, `outlier_share` of
    those in no group. `new_groups` are the groups of the latest pages that had hardly any pages
    before, `gone_groups` those of the earlier pages that have no recent pages, each largest first.
    """

    first: int
    new_share: float
    outlier_share: float
    new_groups: tuple[int, ...]
    gone_groups: tuple[int, ...]


def match_groups(
    former: Mapping[int, Collection[Page]],
    groups: Sequence[Collection[Page]],
    *,
    last_identity: int = 0,
) -> list[int]:
    """Assign each group the ID of the previous group that it continues, or a new ID.

    `former` are the pages of each previous group by ID, `groups` those of each new group, and
    `last_identity` is the largest ID used on the site so far. The IDs returned are all different.
    As many pages as possible keep the ID of their group: if a group was divided, its largest part
    inherits the ID; if groups were merged, the result inherits the ID of the largest or, in a tie,
    the oldest. New IDs are larger than all previous ones.

    This is a maximum-weight matching, where the weight of a pair is the number of shared pages
    (Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2,
    1955). The result does not depend on the order of the groups, unless two of them have the same
    size and share the same number of pages with the same former groups.
    """
    identities = sorted(former)
    old = [set(former[identity]) for identity in identities]
    new = [set(group) for group in groups]
    order = sorted(range(len(new)), key=lambda place: -len(new[place]))
    known = set[Page]().union(*old)
    shared = np.array([[len(group & new[place]) for place in order] for group in old], np.float64)
    shared = shared.reshape(len(old), len(new))
    for row, group in enumerate(old):
        for column, place in enumerate(order):
            smaller = min(len(group), len(new[place] & known))
            if shared[row, column] < SAME_GROUP * smaller:
                shared[row, column] = 0
    # With equal weights, prefer the older ID and the larger group; the sum of these preferences
    # weighs less than one page.
    age = np.arange(len(old), 0, -1)[:, None] / (len(old) + 1)
    largeness = np.arange(len(new), 0, -1)[None, :] / (len(new) + 1)
    share = 1 / (2 * (min(len(old), len(new)) + 1))
    weights = np.where(shared > 0, shared + share * (age + largeness), 0)
    continued = {
        order[column]: identities[row]
        for row, column in zip(*linear_sum_assignment(weights, maximize=True), strict=True)
        if weights[row, column] > 0
    }
    following = max([last_identity, *identities])
    matched = []
    for place in range(len(new)):
        if place not in continued:
            following += 1
        matched.append(continued.get(place, following))
    return matched


FEWEST_TO_TELL_A_CHANGE = 2 * FEWEST
"""Minimum number of pages for `design_change` to detect a change."""


def design_change(groups: Sequence[int | None]) -> ChangeOfGroups | None:
    """Detect a change in a site's design, and the page at which it begins.

    `groups` are the groups of the pages in chronological order, None for an outlier. After a
    change, at least `TAKES_OVER` of the recent pages are in new groups or, in excess of the former
    share, outliers. The result stays the same while further pages of the new design arrive. It is
    None if there is no change or there are too few pages.

    The only evidence is the similarity of pages. A first crawl that fetches all pages of one kind
    before all pages of another kind therefore looks like a change. A return to an earlier design is
    not reported, because it looks like further pages of a known kind, such as section fronts.
    """
    n = len(groups)
    best: ChangeOfGroups | None = None
    best_gain = 0.0
    recent_start = max(n - RECENT, 0)
    earlier = Counter(groups[: FEWEST - 1])
    for first in range(FEWEST, n - FEWEST + 1):
        earlier[groups[first - 1]] += 1
        if first > 0 and groups[first] == groups[first - 1]:
            continue
        past = Counter(groups[max(first - PAST, 0) : first])
        recent = Counter(groups[max(first, recent_start) :])
        before, after = past.total(), recent.total()
        outliers = recent[None] / after
        gain = max(outliers - past[None] / before, 0.0)
        new = [
            group
            for group, _ in recent.most_common()
            if group is not None and earlier[group] <= RARE * before
        ]
        gain += sum(recent[group] / after - past[group] / before for group in new)
        # The gain is constant up to the first page of a change and falls after it.
        if gain >= TAKES_OVER and gain >= best_gain - 1e-9:
            best_gain = gain
            gone = [group for group, _ in past.most_common() if group is not None]
            best = ChangeOfGroups(
                first=first,
                new_share=sum(recent[group] for group in new) / after + outliers,
                outlier_share=outliers,
                new_groups=tuple(new),
                gone_groups=tuple(group for group in gone if not recent[group]),
            )
    return best
