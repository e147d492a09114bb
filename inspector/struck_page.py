"""A stored page as HTML that loads nothing, with each line marked as part of the article or not."""

from html import escape
from importlib.resources import files

from lxml import etree
from lxml.html import HtmlElement

from detourage.explain.marked_page import marked_document
from detourage.html import Page
from detourage.reader import Explanation

_OMITTED_ELEMENTS = (
    *("script", "style", "noscript", "template", "link", "meta", "base", "title", "iframe"),
    *("frame", "frameset", "object", "embed", "applet", "portal", "fencedframe", "audio", "svg"),
    *("math", "canvas", "map", "datalist", "dialog", "select", "input", "textarea", "button"),
)
"""Elements to omit because they are active, load content, are hidden or are interactive."""

_KEPT_ATTRIBUTES = frozenset({"class", "title", "dir", "lang", "colspan", "rowspan"})
"""Harmless attributes, which load nothing; classes have no effect without a style sheet."""


def to_struck_html(explanation: Explanation, page: Page) -> str:
    """Return a page's text as HTML that loads nothing, with boilerplate struck through."""
    document = marked_document(explanation, page)
    for picture in list(document.iter("img", "picture", "video")):
        _describe_picture(picture)
    for element in list(document.iter(*_OMITTED_ELEMENTS)):
        if element.getparent() is not None:
            element.drop_tree()
    for element in document.iter():
        for name in list(element.attrib):
            if name not in _KEPT_ATTRIBUTES:
                del element.attrib[name]
    body = document.find("body")
    root = document if body is None else body
    content = etree.tostring(root, method="html", encoding="unicode")
    style = files("inspector").joinpath("templates/struck_page.css").read_text("utf-8")
    direction = document.get("dir") or root.get("dir") or "auto"
    return (
        f'<!DOCTYPE html>\n<html dir="{escape(direction)}"><head><meta charset="utf-8">'
        '<meta name="color-scheme" content="light dark"><title>The stored page</title>'
        f"<style>\n{style}</style></head>{content}</html>\n"
    )


def _describe_picture(picture: HtmlElement) -> None:
    """Replace a picture with its description, because it is not loaded."""
    description = " ".join((picture.get("alt") or "").split())
    is_kept = "detourage-article" in (picture.get("class") or "").split()
    for child in list(picture):
        picture.remove(child)
    picture.tag = "span"
    picture.text = f"[picture{f': {description}' if description else ''}]"
    picture.set("class", "detourage-picture" + (" detourage-kept" if is_kept else ""))
