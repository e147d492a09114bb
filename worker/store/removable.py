"""What can be removed from the store; without the database, so that commands can name it."""

from typing import Literal, get_args

Kind = Literal["html", "revisions", "groups", "trees", "receipts"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""What can be removed, in the order in which it is.

- ``html``: pages as fetched, but those whose outcome a later version may better
  (`worker.store.retention.KEPT_OUTCOMES`) and those that others of their site are compared with;
- ``revisions``: articles that a later revision of their page has replaced;
- ``groups``: where pages stood in clusterings before the last one of their site, whatever their
  age. The groups themselves stay, as the site's history;
- ``trees``: trees that no page has any more, with the distances to them, whatever their age;
- ``receipts``: what became of each message, and why tasks failed.
"""
