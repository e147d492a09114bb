"""Data that can be removed from the store; free of database imports, for the command line."""

from typing import Literal, get_args

Kind = Literal["html", "revisions", "groups", "trees", "receipts"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""Kinds of removable data, in the order of removal.

- ``html``: pages as fetched, except those whose outcome a later version may improve
  (`worker.store.retention.KEPT_OUTCOMES`) and those that others of their site are compared with;
- ``revisions``: articles superseded by a later revision of their page;
- ``groups``: the group assignments of pages in all but their site's latest clustering, whatever
  their age. The groups themselves are kept as the site's history;
- ``trees``: trees no longer used by any page, with their distances, whatever their age;
- ``receipts``: the results of messages, and the failures of tasks.
"""
