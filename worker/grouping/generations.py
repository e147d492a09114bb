"""Groups through the generations of a site: their identity, and the change of its design."""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment

SAME_GROUP: Final = 0.5
"""A group is the former one when it shares this part of the pages of the smaller of both.

New pages do not count. Less would hand the identity of a group to one that took a stray
page of it.
"""

RECENT: Final = 10
"""Newest pages that are looked at: a change of design is reported when half of them are new,
which is five to ten pages after it."""

PAST: Final = 50
"""Pages before a change that are compared with the recent ones: enough that a template
which makes a tenth of the pages is among them, but for one time in two hundred."""

FEWEST: Final = 5
"""Fewest pages on both sides of a change: of fewer nothing can be said."""

TAKES_OVER: Final = 0.5
"""Share of the recent pages from which new groups have taken over."""

RARE: Final = 0.05
"""A group with at most this share of `PAST` pages before was not there: single pages go astray."""

Page = TypeVar("Page", bound=Hashable)


@dataclass(frozen=True)
class ChangeOfGroups:
    """A site looks other than before.

    Parameters
    ----------
    first
        Place of the first page that differs.
    recent
        Number of newest pages looked at.
    new_share
        Share of them that are of new groups or fit no group.
    outlier_share
        Share of them that fit no group.
    new_groups
        Groups that hold some of them and held hardly a page ever before, the largest first.
    gone_groups
        Groups of the pages before that hold none of them, the largest first.
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
    """Give each group the identity of the former group that it continues, or a new one.

    Parameters
    ----------
    former
        Pages of each group of the last generation, by identity.
    groups
        Pages of each group of the new generation.
    last_identity
        Largest identity that any group of the site ever had.

    Returns
    -------
    list of int
        Identity of each new group, all different. As many pages as possible keep the
        identity of their group: of the parts of a group that was divided the largest
        has it, and groups that were joined have that of the largest, of equal ones of
        the oldest. A new identity is larger than any before.

    Notes
    -----
    A matching of maximum weight, the weight of a pair being the pages that it shares.
    The result depends on the sets of pages alone, not on the order of the groups,
    unless two of them are of one size and share equally much with the same former ones.

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
    # Of equal weights the older identity and the larger group count more, all of which
    # together weighs less than one page.
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
"""Pages without which `design_change` tells none."""


def design_change(groups: Sequence[int | None]) -> ChangeOfGroups | None:
    """Tell whether, and since when, a site looks other than before.

    Parameters
    ----------
    groups
        Group of each page in the order of time; None for one that fits no group.

    Returns
    -------
    ChangeOfGroups or None
        The change after which at least `TAKES_OVER` of the recent pages are of groups
        that were never there before, or, beyond their former share, fit none. It stays
        the same while pages of the new design follow. None where there is none, or too few
        pages to tell.

    Notes
    -----
    All that is known is which pages are alike: when the first crawl of a site brings one
    kind of pages after all pages of another kind, this looks like a change. That a former
    design comes back looks like the second visit to pages of a kind that was crawled before,
    as section fronts are, and is not reported.
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
        # Before the first page of a change the gain is the same as at it, and then it falls.
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
