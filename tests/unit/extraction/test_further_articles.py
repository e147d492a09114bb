from tests.unit.extraction.article_pages import page, paragraphs, prose
from worker.extraction import extract_article

OWN = "<h1>Council votes to reopen the old bridge</h1>"
FURTHER = "<h1>Ferry to run on Sundays from March</h1>"
HEAD = "<title>Council votes to reopen the old bridge</title>"


def text_of(body: str) -> str:
    return extract_article(page(body, HEAD), None).text


def test_the_next_article_below_the_page_s_own_is_no_part_of_it() -> None:
    text = text_of(
        f"<main><article>{OWN}{prose(1)}</article>"
        f"<div class='under'><article>{FURTHER}{prose(2, 12)}</article></div></main>"
    )
    assert text == "\n\n".join(paragraphs(1))


def test_sections_that_are_articles_with_headings_of_the_second_level_are_parts_of_it() -> None:
    sections = "".join(
        f"<article><h2>Section {n} of the report</h2>{prose(n, 3)}</article>" for n in (2, 3)
    )
    text = text_of(f"<main><article>{OWN}{prose(1)}</article>{sections}</main>")
    assert all(each in text for n in (1, 2, 3) for each in paragraphs(n, 3))


def test_sections_with_headings_of_the_first_level_are_kept_where_little_stands_above() -> None:
    sections = "".join(
        f"<article><h1>Section {n} of the report</h1>{prose(n, 3)}</article>" for n in (2, 3)
    )
    text = text_of(f"<main><article>{OWN}<p>In short.</p></article>{sections}</main>")
    assert all(each in text for n in (2, 3) for each in paragraphs(n, 3))


def test_an_article_within_the_page_s_own_is_a_part_of_it() -> None:
    inner = f"<article><h1>Statement of the mayor</h1>{prose(2, 3)}</article>"
    text = text_of(f"<article>{OWN}{prose(1)}{inner}</article>")
    assert all(each in text for n in (1, 2) for each in paragraphs(n, 3))
