"""Measure how much text of further articles on a page leaks into the extracted text.

The script also prints how much of the page's own article is extracted.

python -m benchmarks.extraction.further_articles [--pages N] [--show]
"""

import argparse
from collections.abc import Callable, Iterable, Mapping

from benchmarks.extraction.scrolling_pages import ALONE, SEEN, UNSEEN, Made, alone, scrolling
from detourage.html import parse_page
from detourage.reader import NoArticleError
from detourage.reader.content import read_content


def words_of(made: Made) -> set[str]:
    """Return the words of the text of a page."""
    try:
        return set(read_content(parse_page(made.html, made.url)).text.split())
    except NoArticleError:
        return set()


def measure(title: str, pages: Mapping[str, Iterable[Made]], *, shows: bool) -> None:
    """Print the pages, pages with leaks, words leaked and words kept, as numbers for each theme."""
    print(f"| {title} | pages | with a leak | leaked | kept |\n|---|---:|---:|---:|---:|")
    for theme, made in pages.items():
        leaks, further, leaked, own, kept, count = 0, 0, 0, 0, 0, 0
        for each in made:
            text = " ".join(words_of(each))
            found = [word for word in each.further if word in text]
            has = [word for word in each.own if word in text]
            count, leaks = count + 1, leaks + bool(found)
            further, leaked = further + len(each.further), leaked + len(found)
            own, kept = own + len(each.own), kept + len(has)
            if shows and (found or len(has) < len(each.own)):
                print(f"{each.url}: leaked {found}, lost {set(each.own) - set(has)}")
        share = leaked / further if further else 0.0
        print(f"| {theme} | {count} | {leaks} | {share:.3f} | {kept / own:.3f} |", flush=True)


def pages_of(
    themes: Mapping[str, Callable[..., object]], make: Callable[..., Made], number: int
) -> dict[str, list[Made]]:
    """Generate pages for each theme."""
    return {
        theme: [make(each, 1000 * place + seed) for seed in range(1, number + 1)]
        for place, (theme, each) in enumerate(themes.items(), 1)
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=13, help="number of pages per theme")
    parser.add_argument("--show", action="store_true", help="print pages with a leak or a loss")
    parser.add_argument("--only", help="which pages: seen, unseen or alone")
    options = parser.parse_args()
    sets: dict[str, tuple[Mapping[str, Callable[..., object]], Callable[..., Made]]]
    sets = {"seen": (SEEN, scrolling), "unseen": (UNSEEN, scrolling), "alone": (ALONE, alone)}
    for title, (themes, make) in sets.items():
        if options.only in (None, title):
            measure(title, pages_of(themes, make, options.pages), shows=options.show)


if __name__ == "__main__":
    main()
