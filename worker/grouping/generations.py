"""Identity of groups across the generations of a site, and changes of its design."""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment

SAME_GROUP: Final = 0.5
"""Minimum share of the smaller group's pages that two groups share to have the same identity.

New pages do not count. With less, a group could inherit the identity of another through one
stray page.
"""

RECENT: Final = 10
"""Number of newest pages examined: a change of design is reported when half of them are new,
five to ten pages after it."""

PAST: Final = 50
"""Number of pages before a change that are compared with the recent ones: a template with a tenth
of the pages is missing from them once in two hundred cases."""

FEWEST: Final = 5
"""Minimum number of pages on both sides of a change; fewer are no evidence."""

TAKES_OVER: Final = 0.5
"""Minimum share of recent pages in new groups for a change."""

RARE: Final = 0.05
"""Maximum share of a new group among the `PAST` pages before: single pages go astray."""

Page = TypeVar("Page", bound=Hashable)


@dataclass(frozen=True)
class ChangeOfGroups:
    """A change of a site's design.

    Parameters
    ----------
    first
        Index of the first page of the new design.
    recent
        Number of newest pages examined.
    new_share
        Share of them in new groups or in none.
    outlier_share
        Share of them in no group.
    new_groups
        Groups of the recent pages that had hardly any page before, largest first.
    gone_groups
        Groups of the earlier pages that have no recent page, largest first.
    """

    first: int
    recent: int
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
    """Give each group the id of the previous group that it continues, or a new id.

    Parameters
    ----------
    former
        Pages of each group of the previous generation, by id.
    groups
        Pages of each group of the new generation.
    last_identity
        Largest group id used so far on the site.

    Returns
    -------
    list of int
        Identity of each new group, all different. As many pages as possible keep the
        identity of their group: if a group was divided, its largest part inherits it; if
        groups were joined, the result inherits that of the largest or, among equals, the
        oldest. A new identity is larger than any before.

    Notes
    -----
    A matching of maximum weight, where the weight of a pair is the number of shared pages.
    The result does not depend on the order of the groups, unless two of them have the same
    size and share the same number of pages with the same former groups.

    References
    ----------
    Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics
    Quarterly 2 (1955).
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
    # Among equal weights, prefer the older identity and the larger group; the sum of these
    # preferences weighs less than one page.
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
    """Detect a change of a site's design and where it begins.

    Parameters
    ----------
    groups
        Group of each page in chronological order; None for an outlier.

    Returns
    -------
    ChangeOfGroups or None
        The change after which at least `TAKES_OVER` of the recent pages are in groups
        that did not exist before or, beyond their former share, are outliers. It stays the
        same while pages of the new design follow. None if there is no change or too few
        pages.

    Notes
    -----
    The only evidence is which pages are alike. A first crawl that fetches one kind of pages after
    all pages of another kind looks like a change. The return of an earlier design looks like a
    second visit to pages of a kind that was crawled before, such as section fronts, and is not
    reported.
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
        # The gain is constant just before the first page of a change and falls after it.
        if gain >= TAKES_OVER and gain >= best_gain - 1e-9:
            best_gain = gain
            gone = [group for group, _ in past.most_common() if group is not None]
            best = ChangeOfGroups(
                first=first,
                recent=after,
                new_share=sum(recent[group] for group in new) / after + outliers,
                outlier_share=outliers,
                new_groups=tuple(new),
                gone_groups=tuple(group for group in gone if not recent[group]),
            )
    return best
