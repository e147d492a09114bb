"""In random sequences of fetches, a wall (such as a login page) never replaces an article.

``DETOURAGE_TEST_SEQUENCES`` sets the number of sequences.
"""

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select

from models.tables import Article, StoredPage
from tests.conditions import has_article
from tests.inline_tasks import Tasks
from tests.pages import article_html

SEQUENCES = int(os.environ.get("DETOURAGE_TEST_SEQUENCES", "30"))
AT_ONCE = 10
"""Number of sequences that a test interleaves; each consists of fetches of one page."""

START = datetime(2026, 3, 1, tzinfo=UTC)
WALL_MARK = "Wall of this site."  # a sentence in every wall with content

WALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("<h1>Before you read on</h1><p>We and our partners use cookies. Please accept all.</p>", {}),
    (
        "<h1>Just a moment</h1><p>Checking your browser before you continue. Are you a robot?</p>",
        {},
    ),
    ("<h1>Subscribe to read</h1><p>It is for subscribers. Already a member? Log in.</p>", {}),
    ("<h1>Page not found</h1><p>The page that you are looking for has been removed.</p>", {}),
    ("<p>Please prove that you are no robot.</p>", {"status": 403}),
    ("<p>Too many requests were made from here.</p>", {"status": 429}),
    ("", {"status": 503}),
    ("<h1>Not found</h1><p>What you are looking for is not here.</p>", {"status": 404}),
    ("", {"status": 410}),
    ("<p>Welcome to our home page, read what is new.</p>", {"final_url": "https://a.example/"}),
    ("<p>Sign in, please.</p>", {"final_url": "https://a.example/signin?next=1"}),
    ("<p>This domain may be for sale.</p>", {"final_url": "https://parking.example/a"}),
)


class Step(NamedTuple):
    """A fetch, and the sentence that identifies the returned article (None for a wall)."""

    message: dict[str, Any]
    article_sentence: str | None


def random_steps(rng: random.Random, page: int) -> list[Step]:
    """Return fetches of a page in order, each of which returns an article or a wall."""
    url, seed = f"https://a.example/story-{page}", 100 + page
    steps, edition = [], 0
    for hour in range(rng.randint(3, 8)):
        moment = (START + timedelta(hours=hour)).isoformat()
        message: dict[str, Any] = {"version": 1, "url": url, "fetched_at": moment}
        if rng.random() < 0.5:
            edition += rng.random() < 0.5
            sentence = f"Edition {page}-{edition} of it."
            html = article_html(seed).replace(f"Note {seed}-0.", sentence)
            steps.append(Step({**message, "html": html}, sentence))
        else:
            wall, keys = rng.choice(WALLS)
            as_article = article_html(seed).replace(f"Note {seed}-1.", WALL_MARK)
            html = f"{wall}<p>{WALL_MARK}</p>" if wall else ""
            html = as_article if keys and rng.random() < 0.3 else html
            steps.append(Step({**message, **keys, "html": html}, None))
    return steps


def interleave(rng: random.Random, sequences: list[list[Step]]) -> Iterator[Step]:
    """Yield the interleaved steps of all sequences; about a third of the sequences are shuffled."""
    remaining = [list(each) for each in sequences]
    for each in remaining:
        if rng.random() < 0.3:
            rng.shuffle(each)
    while any(remaining):
        yield rng.choice([each for each in remaining if each]).pop(0)


@pytest.mark.parametrize("seed", range(-(-SEQUENCES // AT_ONCE)))
def test_no_article_is_replaced_by_a_wall(tasks: Tasks, seed: int) -> None:
    # Half of the sites also have pages that are copies of each wall, so that the walls form groups.
    # About a third of the sites are not clustered before the fetches.
    rng = random.Random(seed)
    pages = [(f"https://a.example/{n}", article_html(n)) for n in range(4)]
    copies = [f"{wall}<p>{WALL_MARK}</p>" for wall, keys in WALLS if not keys for _ in range(2)]
    if rng.random() < 0.5:
        pages += [(f"https://a.example/copy-{n}", html) for n, html in enumerate(copies)]
    site_id = tasks.send([{"version": 1, "url": url, "html": html} for url, html in pages])
    if rng.random() < 0.7:
        tasks.process_site(site_id)
    sequences = [random_steps(rng, page) for page in range(AT_ONCE)]
    for step in interleave(rng, sequences):
        tasks.send([step.message])
        if rng.random() < 0.4:
            tasks.run_all()
        if rng.random() < 0.05:
            tasks.reprocess("a.example", rng.choice(("extract", "parse", "cluster")))
            tasks.cluster(site_id)
    tasks.run_all()
    tasks.process_site(site_id)
    revisions: list[tuple[str, str]] = tasks.query(
        select(StoredPage.url, Article.message["text"].astext)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .order_by(Article.revision)
    )
    assert not [url for url, text in revisions if WALL_MARK in text]
    last = dict(revisions)
    outcomes = dict(tasks.query(select(StoredPage.url, StoredPage.outcome)))
    with_article = tasks.query(select(StoredPage.url).where(has_article()))
    for sequence in sequences:
        url = sequence[0].message["url"]
        sentences = [
            step.article_sentence for step in sequence if step.article_sentence is not None
        ]
        assert (outcomes[url] == "article") is (sequence[-1].article_sentence is not None)
        assert (url in with_article) is bool(sentences)
        if sentences:
            assert sentences[-1] in last[url]
