"""Where the pages of a template group stand in it."""

from collections.abc import Iterable, Iterator

from worker.store.groups import NewMembership


def group_memberships(
    group: int, page_ids: Iterable[int], *, pivot_id: int, beside_pivot: int
) -> Iterator[NewMembership]:
    """Yield the membership of each page of a group.

    Parameters
    ----------
    group
        The group's number in its site.
    page_ids
        Its pages, the pivot among them.
    pivot_id
        The page that represents the group: what the others are compared with.
    beside_pivot
        What the pivot itself is compared with.
    """
    for page_id in page_ids:
        if page_id == pivot_id:
            yield NewMembership(page_id, group, "representative", beside_pivot)
        else:
            yield NewMembership(page_id, group, "member", pivot_id)
