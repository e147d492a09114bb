"""What the pages of one run of the command line gave."""

from typing import Any, TypeVar

from sqlalchemy import Select, func, select

from models.tables import Receipt, Site, StoredPage

S = TypeVar("S", bound=Select[*tuple[Any, ...]])


def of_run(query: S, message_prefix: str) -> S:
    """Limit a query of stored pages to those that messages of one run brought.

    Its rows are ordered by site and URL, so that a run's file does not depend on the order of
    arrival.
    """
    run_pages = (
        select(Receipt.page_id)
        .where(Receipt.message_id.startswith(message_prefix, autoescape=True))
        .distinct()
    )
    return (
        query.join(Site, Site.id == StoredPage.site_id)
        .where(StoredPage.id.in_(run_pages))
        .order_by(func.convert_to(Site.key, "UTF8"), func.convert_to(StoredPage.url, "UTF8"))
        .execution_options(yield_per=200)
    )
