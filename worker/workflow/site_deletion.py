"""Deletion of a site."""

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from detourage.errors import ExpectedError
from worker.store import pages, retention
from worker.store.database import AdvisoryLock, Database


class SiteDeletionError(ExpectedError):
    """A site cannot be deleted."""


def _id_of(session: Session, name: str) -> int:
    """Return the ID of the site with a name or key."""
    found = {key: site_id for site_id, key in pages.sites_called(session, name).items()}
    if not found:
        raise SiteDeletionError(f"no page of site {name!r} is known")
    if name not in found and len(found) > 1:
        raise SiteDeletionError(f"several sites are called {name!r}: {', '.join(found)}")
    return found[name if name in found else next(iter(found))]


def delete_site(database: Database, name: str) -> int:
    """Delete a site with all its pages, and return their number; raise `SiteDeletionError`.

    An interrupted deletion can be repeated.
    """
    site_id = database.run(_id_of, name)
    deleted = 0
    with database.exclusive(AdvisoryLock.CLUSTERING, site_id) as is_ours:
        if not is_ours:
            raise SiteDeletionError(f"{name} is being clustered: try again in a few minutes")
        database.run(retention.ungroup, site_id)
        while True:
            ids = database.run(retention.lock_some, site_id)
            if not ids:
                break
            database.run(retention.delete_pages, ids)
            deleted += len(ids)
        try:
            database.run(retention.delete_site, site_id)
        except IntegrityError as error:
            raise SiteDeletionError(
                f"pages of {name} have arrived meanwhile: stop sending pages of the site, and"
                " delete it again"
            ) from error
    return deleted
