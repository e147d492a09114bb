"""Detection of design changes between a site's clusterings, and continuity of its group IDs."""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple, TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment

MIN_SHARED_PAGES: Final = 0.5
"""Minimum share of the smaller group's pages, not counting new pages, that are also in the other
group, for a group to continue a previous one.
"""

RECENT_PAGES: Final = 10  # number of latest pages that are searched for a new design

PAST_PAGES: Final = 50
"""Number of pages before a change with which the recent pages are compared. The probability that a
template of a tenth of a site's pages is missing from all of them by accident is 1 in 200."""

MIN_PAGES: Final = 5  # minimum number of pages before and after a change, as evidence
MIN_NEW_SHARE: Final = 0.5  # minimum share of recent pages in new groups to report a change

MAX_PAST_SHARE: Final = 0.05
"""Maximum share of a new group among earlier pages; not 0, because some may be in a wrong group."""

Page = TypeVar("Page", bound=Hashable)


class ChangeOfGroups(NamedTuple):
    """A change in a site's design, at the page with index `first`.

    `new_share` is the share of the latest pages that are in new groups or in no group, and
    `outlier_share` the share of those in no group. `new_groups` had hardly any pages before, and
    `gone_groups` have no recent pages; the largest come first.
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
    """Assign each group the ID of the previous group that it continues, or a new, larger ID.

    As many pages as possible keep their group's ID: the largest part of a divided group inherits
    the ID, and merged groups inherit the ID of the largest or, in a tie, the oldest of them.
    `last_identity` is the largest ID used so far.

    This is a maximum-weight matching by the number of shared pages (Kuhn, "The Hungarian method
    for the assignment problem", Naval Research Logistics Quarterly 2, 1955), independent of the
    order of the groups, unless two groups of the same size share equally many pages with the same
    former groups.
    """
    old_ids = sorted(former)
    old = [set(former[old_id]) for old_id in old_ids]
    new = [set(group) for group in groups]
    largest_first = sorted(range(len(new)), key=lambda i: -len(new[i]))
    old_pages = set[Page]().union(*old)
    shared = np.array([[len(group & new[i]) for i in largest_first] for group in old], np.float64)
    shared = shared.reshape(len(old), len(new))
    for row, group in enumerate(old):
        for column, i in enumerate(largest_first):
            if shared[row, column] < MIN_SHARED_PAGES * min(len(group), len(new[i] & old_pages)):
                shared[row, column] = 0
    # If the numbers of shared pages are equal, the older ID and the larger group are preferred. All
    # preferences together weigh less than one page.
    age = np.arange(len(old), 0, -1)[:, None] / (len(old) + 1)
    largeness = np.arange(len(new), 0, -1)[None, :] / (len(new) + 1)
    preference_weight = 1 / (2 * (min(len(old), len(new)) + 1))
    weights = np.where(shared > 0, shared + preference_weight * (age + largeness), 0)
    continued = {
        largest_first[column]: old_ids[row]
        for row, column in zip(*linear_sum_assignment(weights, maximize=True), strict=True)
        if weights[row, column] > 0
    }
    new_ids = count(max([last_identity, *old_ids]) + 1)
    return [continued[i] if i in continued else next(new_ids) for i in range(len(new))]


MIN_PAGES_FOR_CHANGE = 2 * MIN_PAGES  # minimum number of pages to detect a design change


def design_change(groups: Sequence[int | None]) -> ChangeOfGroups | None:
    """Detect the latest change in a site's design and the page at which it begins, if any.

    `groups` has the group of each page in chronological order, None for an outlier. A change is
    detected if at least `MIN_NEW_SHARE` of the recent pages are in new groups or are outliers in
    excess of the former share of outliers. The result stays the same while further pages of the
    new design arrive.

    A first crawl that fetches all pages of one kind before those of another looks like a change. A
    return to an earlier design is not reported, because its groups are not new.
    """
    n = len(groups)
    best: ChangeOfGroups | None = None
    best_gain = 0.0
    recent_start = max(n - RECENT_PAGES, 0)
    earlier = Counter(groups[: MIN_PAGES - 1])
    for first in range(MIN_PAGES, n - MIN_PAGES + 1):
        earlier[groups[first - 1]] += 1
        if groups[first] == groups[first - 1]:
            continue
        past = Counter(groups[max(first - PAST_PAGES, 0) : first])
        recent = Counter(groups[max(first, recent_start) :])
        before, after = past.total(), recent.total()
        outliers = recent[None] / after
        gain = max(outliers - past[None] / before, 0.0)
        new = [
            group
            for group, _ in recent.most_common()
            if group is not None and earlier[group] <= MAX_PAST_SHARE * before
        ]
        gain += sum(recent[group] / after - past[group] / before for group in new)
        # The gain is constant up to the first page of a change and falls after it.
        if gain >= MIN_NEW_SHARE and gain >= best_gain - 1e-9:
            best_gain = gain
            former = [group for group, _ in past.most_common() if group is not None]
            gone = tuple(group for group in former if not recent[group])
            new_share = sum(recent[group] for group in new) / after + outliers
            best = ChangeOfGroups(first, new_share, outliers, tuple(new), gone)
    return best
