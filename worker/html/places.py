"""Lookup of elements by path."""

from itertools import islice

from lxml.html import HtmlElement


def element_at(document: HtmlElement, path: str) -> HtmlElement | None:
    """Return the element at a path in the format of lxml's ``getpath``, or None.

    lxml's XPath rejects some of these paths, because elements such as ``fb:like`` have a prefix
    without a namespace.
    """
    element: HtmlElement | None = document
    for step in path.split("/")[2:]:
        if element is None:
            break
        tag, _, rank = step.rstrip("]").partition("[")
        same = (child for child in element.iterchildren() if child.tag == tag)
        element = next(islice(same, int(rank or 1) - 1, None), None)
    return element
