"""A paginated, searchable list of sites."""

import re
from typing import cast

from inspector.reads.sites import Place, SiteOrder, sites_in_order
from inspector.registry import Answer, page_view
from inspector.request import MAX_DIGITS, InspectorRequest, refused

ORDERS = {
    "pages": "Most pages",
    "name": "Name",
    "waiting": "Most waiting",
    "doubtful": "Most doubtful",
    "changed": "Changed last",
}

SITES_PER_PAGE = 50

_PLACE = re.compile(rf"([0-9]{{1,{MAX_DIGITS}}})-([0-9]{{1,{MAX_DIGITS}}})")


@page_view("/sites", "sites.html")
def sites(request: InspectorRequest) -> Answer:
    """Show sites with the outcomes of their pages."""
    order = request.choice("order", ORDERS) or "pages"
    name = request.text("name")
    after = _place(request.text("after"))
    found = request.read(
        sites_in_order, cast(SiteOrder, order), name=name, after=after, limit=SITES_PER_PAGE
    )
    next_place = f"{found.after.value}-{found.after.id}" if found.after else None
    return Answer(
        {"sites": found.sites, "after": next_place},
        {"order": order, "orders": ORDERS, "name": name},
    )


def _place(text: str | None) -> Place | None:
    if text is None:
        return None
    found = _PLACE.fullmatch(text)
    if found is None:
        raise refused("after", text, "the value given by the previous list")
    return Place(int(found[1]), int(found[2]))
