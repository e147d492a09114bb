"""Memberships of pages in template groups."""

from collections.abc import Iterable, Iterator

from worker.store.groups import NewMembership


def group_memberships(
    group: int, page_ids: Iterable[int], *, pivot_id: int, beside_pivot: int
) -> Iterator[NewMembership]:
    """Yield each page's membership, compared with the pivot, or `beside_pivot` for the pivot."""
    for page_id in page_ids:
        if page_id == pivot_id:
            yield NewMembership(page_id, group, "representative", beside_pivot)
        else:
            yield NewMembership(page_id, group, "member", pivot_id)
