"""Pages saved as XML, as servers send them: ``python -m benchmarks.comments.as_sent CORPORA``.

A fourth of `forum_threads` was written down as XML: ``<i/>`` and ``<textarea/>`` where the server
sent ``<i></i>``. By the HTML standard such elements stay open and swallow what follows. Prints what
is found and read of all pages as they were saved, and with such elements closed. No page is read
by classifiers that have seen its site; they learn from pages as they were saved.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comments.examples import Example, example_of, read_examples
from benchmarks.comments.finding import MARKED, Result, find, table
from benchmarks.comments.today import Finders, train_finders
from benchmarks.comments.train import choose
from benchmarks.evaluation.scores import load_corpus
from benchmarks.extraction.examples import fold_of
from worker.pages import parse_page

VOID = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input"),
        *("link", "meta", "param", "source", "track", "wbr"),
    }
)
"""Elements without an end tag."""

MIN_CLOSED = 10
"""Elements that close themselves, for one that is empty and has an end tag, from which on a page
was saved as XML. Such pages of `forum_threads` have 11 and more and at most one of the others."""

_CLOSES_ITSELF = re.compile(r"""<([a-zA-Z][\w:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)/>""")
_EMPTY = re.compile(r"<([a-zA-Z]\w*)\b[^<>]*(?<!/)></\1>")


def as_sent(html: str) -> str | None:
    """Return a page with all end tags that it needs; None if it was not saved as XML."""
    closed = sum(found[1].lower() not in VOID for found in _CLOSES_ITSELF.finditer(html))
    if closed < MIN_CLOSED * max(1, len(_EMPTY.findall(html))):
        return None
    return _CLOSES_ITSELF.sub(_with_end_tag, html)


def _with_end_tag(found: re.Match[str]) -> str:
    return found[0] if found[1].lower() in VOID else f"<{found[1]}{found[2]}></{found[1]}>"


def examples_as_sent(folder: Path) -> Iterator[Example]:
    """Measure the pages of a corpus that were saved as XML, as they were sent."""
    corpus = load_corpus(folder)
    for fetched in corpus.pages.values():
        gold = corpus.golds[fetched.id]
        html = fetched.html
        # Bytes stay what they are, one character each.
        sent = as_sent(html if isinstance(html, str) else html.decode("latin-1"))
        if sent is None or not gold.comments:
            continue
        again = sent if isinstance(html, str) else sent.encode("latin-1")
        page = parse_page(again, fetched.url, content_type=fetched.content_type)
        yield example_of(corpus.name, gold, page)


def find_all(examples: list[Example], finders: Finders) -> list[Result]:
    """Find the comments of pages by classifiers that have not seen their sites."""
    results = []
    for example in examples:
        fold = fold_of(example.gold.site, len(finders.rankings))
        probabilities = finders.rankings[fold].probabilities(example.features)
        choice = choose(example, probabilities)
        results.append(find(example, choice, finders.certainties[fold]))
    return results


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    options = parser.parse_args()
    finders = train_finders(options.corpora)
    saved = [each for name in MARKED for each in read_examples(options.corpora / name)]
    sent = {
        (each.corpus, each.gold.id): each
        for name in MARKED
        for each in examples_as_sent(options.corpora / name)
    }
    closed = [sent.get((each.corpus, each.gold.id), each) for each in saved]
    for title, examples in (("as saved", saved), (f"as sent, {len(sent)} others", closed)):
        print(title, *table(find_all(examples, finders)), sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main()
