"""Measure how much text of further articles on a page leaks into the extracted text.

The script also prints how much of the page's own article is extracted.

python -m benchmarks.extraction.further_articles [--pages N] [--show]
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from benchmarks.extraction import scrolling_pages as themes
from benchmarks.extraction.scrolling_pages import GeneratedPage
from detourage.html import parse_page
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content


def extracted_words(page: GeneratedPage) -> set[str]:
    """Return the words of the text that the service extracts from a page."""
    try:
        return set(read_content(parse_page(page.html, page.url)).text.split())
    except NoArticleError:
        return set()


def measure(title: str, pages: Mapping[str, Iterable[GeneratedPage]], *, shows: bool) -> None:
    """Print, for each theme, how many pages have leaks, and the shares of leaked and kept words."""
    print(f"| {title} | pages | with a leak | leaked | kept |\n|---|---:|---:|---:|---:|")
    for theme, theme_pages in pages.items():
        totals: Counter[str] = Counter()
        for page in theme_pages:
            text = " ".join(extracted_words(page))
            leaked = [word for word in page.further if word in text]
            lost = [word for word in page.own if word not in text]
            totals.update({"pages": 1, "with a leak": bool(leaked), "leaked": len(leaked)})
            totals.update({"further": len(page.further), "own": len(page.own), "lost": len(lost)})
            if shows and (leaked or lost):
                print(f"{page.url}: leaked {leaked}, lost {set(lost)}")
        leaked_share = totals["leaked"] / max(1, totals["further"])
        kept_share = (totals["own"] - totals["lost"]) / totals["own"]
        counts = f"{totals['pages']} | {totals['with a leak']}"
        print(f"| {theme} | {counts} | {leaked_share:.3f} | {kept_share:.3f} |", flush=True)


def generate_pages(
    renderers: Mapping[str, Callable[..., object]], make: Callable[..., GeneratedPage], number: int
) -> dict[str, list[GeneratedPage]]:
    """Generate pages for each theme."""
    return {
        theme: [make(render, 1000 * position + seed) for seed in range(1, number + 1)]
        for position, (theme, render) in enumerate(renderers.items(), 1)
    }


def main() -> None:
    """Print a table for each set of generated pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=13, help="number of pages per theme")
    parser.add_argument("--show", action="store_true", help="print pages with a leak or a loss")
    parser.add_argument("--only", choices=("seen", "unseen", "alone"), help="which pages")
    options = parser.parse_args()
    page_sets: dict[str, tuple[Mapping[str, Callable[..., object]], Callable[..., GeneratedPage]]]
    page_sets = {
        "seen": (themes.SEEN, themes.scrolling_page),
        "unseen": (themes.UNSEEN, themes.scrolling_page),
        "alone": (themes.SINGLE, themes.single_page),
    }
    for title, (renderers, make) in page_sets.items():
        if options.only in (None, title):
            measure(title, generate_pages(renderers, make, options.pages), shows=options.show)


if __name__ == "__main__":
    main()
