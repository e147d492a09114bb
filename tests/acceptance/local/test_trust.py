"""A page cannot change the article of another page by claiming its URL."""

from pathlib import Path

import pytest

from tests.acceptance.command_line import detourage, read_lines, write_messages
from tests.addressed import declaring
from tests.pages import article_html, message, paragraphs

VICTIM = "https://victim.substack.com/p/story"
EVIL = "https://evil.substack.com/p/zz-copy"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_a_copy_that_claims_a_url_and_then_changes_is_a_separate_article(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    story, pills = article_html(7), article_html(8)
    fetches = [
        message(VICTIM, story, fetched_at="2026-03-01T01:00:00Z"),
        message(EVIL, declaring(story, VICTIM), fetched_at="2026-03-01T02:00:00Z"),
        message(EVIL, pills, fetched_at="2026-03-01T03:00:00Z"),
    ]
    pages = write_messages(tmp_path / "pages.jsonl", [fetches[place] for place in order])
    done = detourage("run", pages, "-o", tmp_path / "articles.jsonl")
    assert done.returncode == 0, done.stderr
    articles = {each["url"]: each for each in read_lines(tmp_path / "articles.jsonl")}
    assert articles.keys() == {VICTIM, EVIL}
    for url, seed in ((VICTIM, 7), (EVIL, 8)):
        assert articles[url]["text"] == "\n\n".join(paragraphs(seed))
        assert articles[url]["canonical"] == url


def test_a_run_keeps_an_article_whose_page_later_becomes_unavailable(tmp_path: Path) -> None:
    good = message(VICTIM, article_html(7), fetched_at="2026-03-01T01:00:00Z")
    gone = [
        message(VICTIM, "", status=status, fetched_at=f"2026-03-01T0{hour}:00:00Z")
        for hour, status in ((2, 403), (3, 404))
    ]
    written = []
    for order in ([good, *gone], [*gone, good]):
        pages = write_messages(tmp_path / "pages.jsonl", order)
        links = tmp_path / "links.jsonl"
        done = detourage("run", pages, "-o", tmp_path / "articles.jsonl", "--links", links)
        assert done.returncode == 0, done.stderr
        (article,) = read_lines(tmp_path / "articles.jsonl")
        (link,) = read_lines(links)
        assert (link["kind"], link["again"], link["url"]) == ("gone", True, VICTIM)
        written.append((article["text"], article["withdrawn"]))
    assert set(written) == {("\n\n".join(paragraphs(7)), None)}
