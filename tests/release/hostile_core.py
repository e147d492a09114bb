"""Run C++ modules, built with sanitizers, on random input: ``hostile_core.py CORE LOCATIONS``.

The input consists of pages made of random `PARTS` and of damaged model files. A sanitizer ends the
process with an error at the first memory fault or undefined behaviour.
"""

import importlib.util
import random
import sys
from contextlib import suppress

PARTS = (
    *("<p>", "</p>", "<div class='a1 comment'>", "</div>", "<a href='http://x.y/?d#e'>", "</a><b>"),
    *('<script type=application/ld+json>{"@type":"Article"</script>', "<td>", "<tr>", "<br>", "\n"),
    *("<noscript><p>No</p></noscript>", "<svg><title>t</title></svg>", "<table><tr><td>", "<img>"),
    *("</table>", "\u200b", "日本語。", "İ", "word ", "Word. ", "«Yes»", "<h1>", "</h1>", "<pre>"),
    *("<meta name=description content='w Word'>", "<title>word</title>", "3.5.2020", "😀", "<ol>"),
    *("<p style='display:none'>", "<article id=x9 class='ArticleBody main-Text2'>", "<li value=3>"),
    *("<style>.a1,.b{display:none}/*</style>", "<p style=';visibility : hidden' aria-controls=x9>"),
    *("<math>x<annotation encoding=application/x-tex>y", "</math>", "<figure><figcaption>", "<ul>"),
)
PAGES, PAGE_LENGTHS, DAMAGED_FILES = 300, (0, 1, 5, 60, 400), 60
"""Number of pages, numbers of parts per page, and number of damaged files."""


def main(*files: str) -> None:
    modules = ("detourage.core._core", "detourage.html._locations")
    for name, file in zip(modules, files, strict=True):
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])

    from detourage import core
    from detourage.html import PageError, parse_page
    from detourage.papers.conversion import typed_texts_of
    from detourage.reader.article_and_comments import read_content
    from detourage.reader.body import judge_page
    from detourage.reader.no_article_errors import NoArticleError
    from detourage.reader.outline import Outline
    from detourage.reader.page_model import MODEL
    from detourage.text.shipped import shipped_bytes

    rng = random.Random(3)
    page, lines, located = parse_page("<p>word</p>"), 0, 0
    for _ in range(PAGES):
        html = "".join(rng.choices(PARTS, k=rng.choice(PAGE_LENGTHS)))
        with suppress(PageError, NoArticleError):
            page = parse_page(html, "https://a.example/" + html[:30])
            lines += len(judge_page(Outline.of(page.flat), None, page.url).lines)
            core.columns(page.flat, page.url)
            core.matching(page.flat, "div", ".comment", "/html/body/div")
            typed_texts_of(html)
            located += sum(bool(each.texts) for each in read_content(page).blocks)
    network = shipped_bytes(*MODEL).partition(b"\n")[2]
    for number in range(DAMAGED_FILES):
        # Every other file is truncated, too.
        damaged = bytearray(network[: rng.randrange(len(network)) if number % 2 else None])
        for _ in range(4):
            damaged[rng.randrange(min(len(damaged), 200_000))] = rng.randrange(256)
        with suppress(ValueError, RuntimeError):
            core.Network(bytes(damaged)).judge(page.flat, "")
    sys.stdout.write(f"{lines} {located}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
