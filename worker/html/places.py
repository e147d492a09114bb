"""Elements by their place in a document."""

from itertools import islice

from lxml.html import HtmlElement


def element_at(document: HtmlElement, path: str) -> HtmlElement | None:
    """Return the element at a path.

    XPath itself would not take every path that it is asked to write: pages have elements such as
    ``fb:like``, whose prefix is no namespace's.

    Parameters
    ----------
    document
        The root element.
    path
        The path, as ``getpath`` of the document's tree writes it.

    Returns
    -------
    HtmlElement or None
        None where the document has no such element.
    """
    element: HtmlElement | None = document
    for step in path.split("/")[2:]:
        if element is None:
            break
        tag, _, rank = step.rstrip("]").partition("[")
        same = (child for child in element.iterchildren() if child.tag == tag)
        element = next(islice(same, int(rank or 1) - 1, None), None)
    return element
