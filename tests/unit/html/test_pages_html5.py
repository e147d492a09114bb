"""Pages are parsed as in a browser that runs scripts (HTML standard, section 13.2)."""

import pytest
from lxml import etree

from detourage.html import parse_page


def body_of(html: str) -> str:
    """Return the body of a parsed page as XML."""
    body = parse_page(html).document.find("body")
    assert body is not None
    return etree.tostring(body, encoding="unicode", with_tail=False)


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("<svg><foreignObject><p>a</svg>b", "<svg><foreignobject><p>ab</p></foreignobject></svg>"),
        ("a<b>b<p>c</b>d", "a<b>b</b><p><b>c</b>d</p>"),
        ("<table>a<tr><td>b</table>", "a<table><tbody><tr><td>b</td></tr></tbody></table>"),
        ("<p>a<plaintext>b<p>c", "<p>a</p>b&lt;p&gt;c"),
        # Content that browsers with scripts do not display is still parsed.
        ("<p>a<noscript><img src=b><p>c</noscript>",
         "<p>a<noscript><img src=\"b\"/><p>c</p></noscript></p>"),
        ("<p>a<template><td>b</td></template>", "<p>a<template><td>b</td></template></p>"),
        ("<noscript>&lt;b&gt;</noscript>a", "<noscript>&lt;b&gt;</noscript>a"),
        # Names that are invalid in XML.
        ("<p @click=a :b=c d:e=f xmlns=g a'b=h i=j>k", '<p d:e="f" i="j">k</p>'),
        ("<fb:like>a</fb:like><a:b:c>d", "<fb:like>a</fb:like><a_b_c>d</a_b_c>"),
        ("<IMG SRC=a ALT='b\tc'><p>d", '<img src="a" alt="b&#9;c"/><p>d</p>'),
        ("a&nbsp;b&#13;c&#1;d&notin;&copy", "a\xa0b&#13;cd∉©"),
    ],
)  # fmt: skip
def test_a_body_is_parsed_as_in_a_browser(html: str, body: str) -> None:
    assert body_of(f"<!DOCTYPE html><body>{html}") == f"<body>{body}</body>"


def test_a_page_with_more_tags_than_one_chunk_is_parsed_the_same() -> None:
    paragraph = "<p>a <b>b</b> &amp; é"
    few = parse_page(paragraph * 100).tree
    many = parse_page(paragraph * 10_001).tree
    assert len(many) - 3 == (len(few) - 3) // 100 * 10_001


@pytest.mark.parametrize(
    ("beginning", "body"),
    [
        ("<!DOCTYPE html>", "<p>a</p><table/>"),
        ("<!-- a --><!doctype html SYSTEM 'about:legacy-compat'>", "<p>a</p><table/>"),
        ("<!DOCTYPE html [<!ENTITY a 'b'>]>", "<p>a</p><table/>"),
        ("<!-- <!DOCTYPE html> -->", "<p>a<table/></p>"),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">', "<p>a<table/></p>"),
        ("", "<p>a<table/></p>"),
    ],
)
def test_a_document_type_decides_where_a_paragraph_ends(beginning: str, body: str) -> None:
    assert body_of(f"{beginning}<body><p>a<table></table>") == f"<body>{body}</body>"
