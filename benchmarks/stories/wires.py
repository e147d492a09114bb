"""Print how many pages credit a news agency: ``python -m benchmarks.stories.wires CORPUS…``.

For inspection, ``--list`` prints each page with an agency. ``--others`` prints each page for which
no agency is recognised although its text names one near the start or end.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from benchmarks.evaluation.scores import CorpusPage, load_corpus
from detourage.article import Article
from detourage.html import PageError, parse_page
from detourage.metadata.wires import written_forms
from detourage.reader import NoArticleError, extract_article

ENDS = 300
"""Number of characters at either end of a text in which an agency may be named."""

SHOWN = 160
"""Number of characters printed from either end of a text."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument(
        "--list", action="store_true", dest="listed", help="print each page with an agency"
    )
    parser.add_argument(
        "--others", action="store_true", help="print each page that may have an agency"
    )
    options = parser.parse_args()
    forms = sorted(written_forms(), key=len, reverse=True)
    named = re.compile("|".join(rf"(?<!\w){re.escape(form)}(?!\w)" for form in forms))
    print("| corpus | pages | with an agency | without, that name one at either end | agencies |")
    print("|---|---:|---:|---:|---|")
    for folder in options.corpora:
        corpus = load_corpus(folder)
        read = [(page, article) for page in corpus.pages.values() if (article := _read(page))]
        having = [each for each in read if each[1].metadata.wire]
        others = [each for each in read if each[1].metadata.wire is None and _names(each[1], named)]
        counts = Counter(str(article.metadata.wire) for _, article in having).most_common(8)
        told = ", ".join(f"{name} {count}" for name, count in counts)
        print(f"| {corpus.name} | {len(read)} | {len(having)} | {len(others)} | {told} |")
        for page, article in having if options.listed else ():
            print(f"+ {article.metadata.wire} {page.url}\n  {_ends(article)}")
        for page, article in others if options.others else ():
            print(f"- {_names(article, named)} {page.url}\n  {_ends(article)}")


def _read(page: CorpusPage) -> Article | None:
    try:
        parsed = parse_page(page.html, page.url, content_type=page.content_type)
        return extract_article(parsed, None)
    except (PageError, NoArticleError):
        return None


def _names(article: Article, named: re.Pattern[str]) -> str:
    found = named.search(article.text[:ENDS]) or named.search(article.text[-ENDS:])
    return found[0] if found else ""


def _ends(article: Article) -> str:
    text = article.text.replace("\n", " ")
    return f"{article.metadata.authors} {text[:SHOWN]} … {text[-SHOWN:]}"


if __name__ == "__main__":
    main()
