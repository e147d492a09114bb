"""A paginated, searchable list of sites."""

import re
from typing import cast

from inspector.reads.sites import Cursor, SiteOrder, sites_in_order
from inspector.registry import ViewResponse, page_view
from inspector.request import MAX_DIGITS, InspectorRequest, invalid_parameter

ORDER_LABELS = {
    "pages": "Most pages",
    "name": "Name",
    "waiting": "Most waiting",
    "doubtful": "Most doubtful",
    "changed": "Changed last",
}

SITES_PER_PAGE = 50

# A sort value and an ID, such as "1200-7"
_CURSOR = re.compile(rf"([0-9]{{1,{MAX_DIGITS}}})-([0-9]{{1,{MAX_DIGITS}}})")


@page_view("/sites", "sites.html")
def sites(request: InspectorRequest) -> ViewResponse:
    """Show sites with the outcomes of their pages."""
    order = request.choice("order", ORDER_LABELS) or "pages"
    name = request.text("name")
    after = _parse_cursor(request.text("after"))
    page = request.read(
        sites_in_order, cast(SiteOrder, order), name=name, after=after, limit=SITES_PER_PAGE
    )
    next_cursor = f"{page.after.value}-{page.after.id}" if page.after else None
    return ViewResponse(
        {"sites": page.sites, "after": next_cursor},
        {"order": order, "orders": ORDER_LABELS, "name": name},
    )


def _parse_cursor(text: str | None) -> Cursor | None:
    """Parse the cursor of the previous list, such as ``1200-7``: a sort value and an ID."""
    if text is None:
        return None
    match = _CURSOR.fullmatch(text)
    if match is None:
        raise invalid_parameter("after", text, "the value given by the previous list")
    return Cursor(int(match[1]), int(match[2]))
