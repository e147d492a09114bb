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
from detourage.metadata.news_agencies import written_forms
from detourage.reader import NoArticleError, extract_article

END_CHARACTERS = 300  # number of characters at either end of a text in which an agency may be named

PRINTED_CHARACTERS = 160  # number of characters printed from either end of a text


def main() -> None:
    """Count the pages of each corpus that credit an agency, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument(
        "--list", action="store_true", dest="listed", help="print each page with an agency"
    )
    parser.add_argument(
        "--others", action="store_true", help="print each page that may have an agency"
    )
    options = parser.parse_args()
    agency_names = sorted(written_forms(), key=len, reverse=True)
    agency_pattern = re.compile(
        "|".join(rf"(?<!\w){re.escape(form)}(?!\w)" for form in agency_names)
    )
    print("| corpus | pages | with an agency | without, that name one at either end | agencies |")
    print("|---|---:|---:|---:|---|")
    for folder in options.corpora:
        corpus = load_corpus(folder)
        articles = [
            (page, article) for page in corpus.pages.values() if (article := _extract(page))
        ]
        credited = [(page, article) for page, article in articles if article.metadata.wire]
        others = [
            (page, article)
            for page, article in articles
            if article.metadata.wire is None and _named_agency(article, agency_pattern)
        ]
        counts = Counter(str(article.metadata.wire) for _, article in credited).most_common(8)
        frequent = ", ".join(f"{name} {count}" for name, count in counts)
        print(f"| {corpus.name} | {len(articles)} | {len(credited)} | {len(others)} | {frequent} |")
        for page, article in credited if options.listed else ():
            print(f"+ {article.metadata.wire} {page.url}\n  {_excerpt(article)}")
        for page, article in others if options.others else ():
            print(f"- {_named_agency(article, agency_pattern)} {page.url}\n  {_excerpt(article)}")


def _extract(page: CorpusPage) -> Article | None:
    try:
        parsed = parse_page(page.html, page.url, content_type=page.content_type)
        return extract_article(parsed, None)
    except (PageError, NoArticleError):
        return None


def _named_agency(article: Article, agency_pattern: re.Pattern[str]) -> str:
    """Return the name of an agency near the start or end of a text, or an empty string."""
    match = agency_pattern.search(article.text[:END_CHARACTERS]) or agency_pattern.search(
        article.text[-END_CHARACTERS:]
    )
    return match[0] if match else ""


def _excerpt(article: Article) -> str:
    """Return a line with the authors, the beginning and the end of an article."""
    text = article.text.replace("\n", " ")
    return f"{article.metadata.authors} {text[:PRINTED_CHARACTERS]} … {text[-PRINTED_CHARACTERS:]}"


if __name__ == "__main__":
    main()
