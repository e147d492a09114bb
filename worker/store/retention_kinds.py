"""Kinds of removable data, in a separate module so that help texts need no slow imports.

The conditions for their removal are in ``queries/retention.sql``, the rules in ``retention.py``.
"""

from typing import Literal, get_args

Kind = Literal["html", "revisions", "groups", "trees", "receipts", "objects"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""Kinds of removable data, in the order of removal.

- ``html``: the HTML of pages, except those whose outcome a later release may improve (``failed``
  and ``needs-rendering``) and template pages, with which other pages are compared;
- ``revisions``: articles superseded by a later revision of their page;
- ``groups``: memberships and representatives of superseded clusterings, regardless of their age;
  the groups themselves are retained as the site's history;
- ``trees``: trees no longer used by any page, with their distances, regardless of their age;
- ``receipts``: the results of handling messages, and task failures;
- ``objects``: objects of the object store that contain no page's HTML, regardless of their age.
"""
