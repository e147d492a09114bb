"""How fast pages are parsed, and where the tree differs from html5lib's.

python -m benchmarks.parsing CORPUS…
"""

import argparse
import re
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import html5lib
from lxml import etree

from benchmarks.evaluation.scores import load_corpus
from worker.pages import PageError, markup, parse_page
from worker.pages.elements import UNSEEN
from worker.pages.encoding import decode
from worker.pages.html5 import document_of, flattened
from worker.pages.serialisation import serialised

LONG_TEXT = 50
"""Characters from which on it counts in which element a text stands."""

_NO_NAME = re.compile("[^a-z0-9_.-]")

Text = tuple[str, str]


def long_texts(element: Any, path: str = "") -> Iterator[Text]:
    """Yield the long texts that a page shows, each with the tags of the elements around it."""
    pending = [(element, "")]
    while pending:
        parent, path = pending.pop()
        if not isinstance(parent.tag, str):
            continue
        # Names that XML has no place for differ, and nobody asks for these.
        tag = _NO_NAME.sub("_", parent.tag.rpartition("}")[2].lower())
        if tag in UNSEEN:
            continue
        path = f"{path}/{tag}"
        pieces = [parent.text or ""]
        for child in parent:
            if isinstance(child.tag, str):
                pieces.append("\0")
            pieces.append(child.tail or "")
            pending.append((child, path))
        for piece in "".join(pieces).split("\0"):
            text = " ".join(piece.split())
            if len(text) > LONG_TEXT:
                yield path, text


def by_html5lib(text: str) -> Any:
    """Parse a page as html5lib does."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parser.parse(text, scripting=True)


def by_libxml2(text: str) -> Any:
    """Parse a page as libxml2 does."""
    return etree.fromstring(text.encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def differing(ours: Any, theirs: Any) -> list[Text]:
    """Return the long texts that stand in other elements, or in one tree only."""
    found = Counter(long_texts(ours)), Counter(long_texts(theirs))
    return [*(found[0] - found[1]), *(found[1] - found[0])]


def main(folders: Iterable[Path]) -> None:
    """Measure and print."""
    seconds: defaultdict[str, float] = defaultdict(float)
    pages = characters = 0
    for folder in folders:
        for page in load_corpus(folder).pages.values():
            try:
                document = parse_page(page.html, page.url, content_type=page.content_type).document
            except PageError:
                continue
            raw = page.html
            text = raw if isinstance(raw, str) else decode(raw, page.content_type).text
            text = text.replace("\0", "")
            html = serialised(text)
            steps: list[tuple[str, Callable[[Any], Any], str | bytes]] = [
                ("lexbor", serialised, text),
                ("columns", flattened, html),
                ("XML", markup.to_xml, html),
                ("XML and document", document_of, html),
                ("libxml2", by_libxml2, text),
            ]
            for name, step, given in steps:
                began = time.process_time()
                step(given)
                seconds[name] += time.process_time() - began
            pages, characters = pages + 1, characters + len(text)
            for path, piece in differing(document, by_html5lib(text)):
                print(f"{folder.name} {page.id}: {path}: {piece[:LONG_TEXT]}")
    for name, taken in seconds.items():
        print(f"{name}: {taken / pages * 1000:.2f} ms a page")
    print(f"{pages} pages of {characters / pages / 1000:.0f} thousand characters")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path)
    main(parser.parse_args().corpora)
