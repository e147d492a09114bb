"""The message sent after an extraction, and the decision to send a new revision."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from detourage.html import parse_page
from detourage.messages import ArticleMessage, Part
from detourage.reader.article_and_comments import read_content
from detourage.reader.article_values import article_values
from detourage.roles import Kind, LineRole
from tests.pages import article_html, paragraphs
from tests.parted_pages import STORY, address, part_html
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.workflow.article_message import (
    MAX_ROUTING_KEY_BYTES,
    article_id,
    compose,
    next_message,
    reader_digest,
    routing_key,
)
from worker.workflow.article_parts import from_json, is_part, to_json, with_missing

URL = "https://news.example/3"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONTENT = read_content(parse_page(article_html(3), URL))
JOB = ExtractionJob(
    page_id=7,
    url=URL,
    content_type=None,
    fetched_at=None,
    content_digest="a",
    former_vote=None,
    extra="{}",
    trace={},
    attempt=1,
    site_key="My Site@news.example",
    content=b"",
    generation=2,
    group_number=5,
    role="member",
    group_size=4,
    group_pattern=None,
    template_page=None,
)
PAGE = PageState(
    site_id=1,
    url=URL,
    crawler_id="crawl-3",
    fetched_at=None,
    content_digest="a",
    forced=False,
    revision=0,
    refused=None,
    waiting_since=NOW,
    last_digest=None,
)


def test_the_message_contains_the_article_and_the_group_of_its_page() -> None:
    message = compose(PAGE, JOB, CONTENT, 1, NOW)
    assert message.text == "\n\n".join(paragraphs(3))
    assert [block.text for block in message.blocks] == paragraphs(3)
    assert (message.site, message.page_id, message.url) == ("My Site", "crawl-3", URL)
    group = {"group": 5, "generation": 2, "size": 4, "role": "member"}
    assert message.template.model_dump() == group
    assert message.id == str(article_id("My Site", URL, 1))
    assert ArticleMessage.model_validate_json(json.dumps(message.to_json())) == message


@pytest.mark.parametrize(
    ("is_known", "is_forced", "revision"), [(False, False, 4), (True, False, None), (True, True, 4)]
)
def test_a_revision_is_sent_if_a_consumer_sees_a_difference_or_on_request(
    is_known: bool, is_forced: bool, revision: int | None
) -> None:
    digest = reader_digest(compose(PAGE, JOB, CONTENT, 1, NOW)) if is_known else "other"
    page = PAGE._replace(revision=3, last_digest=digest, forced=is_forced)
    message = next_message(page, JOB, CONTENT, NOW)
    assert (message[0]["revision"] if message else None) == revision


def test_after_a_restore_revisions_start_at_the_number_given_by_the_operator() -> None:
    for last, number in ((0, 1000), (3, 1000), (1000, 1001)):
        page = PAGE._replace(revision=last)
        message = next_message(page, JOB, CONTENT, NOW, revisions_from=1000)
        assert message is not None
        assert message[0]["revision"] == number
        assert message[0]["id"] == str(article_id("My Site", URL, number))


def test_roles_count_as_a_difference_and_probabilities_groups_and_times_do_not() -> None:
    def digest(role: LineRole, probability: float, job: ExtractionJob = JOB) -> str:
        blocks = [replace(each, role=role, role_probability=probability) for each in CONTENT.blocks]
        time = NOW if job is JOB else datetime(2027, 1, 1, tzinfo=UTC)
        return reader_digest(compose(PAGE, job, replace(CONTENT, blocks=tuple(blocks)), 1, time))

    unchanged_digest = digest("paragraph", 0.9)
    assert unchanged_digest == digest("paragraph", 0.8)
    assert unchanged_digest != digest("quote", 0.9)
    job_of_outlier = replace(JOB, generation=3, group_number=None, role="outlier", group_size=1)
    assert unchanged_digest == digest("paragraph", 0.9, job_of_outlier)


def test_a_routing_key_is_never_longer_than_amqp_allows() -> None:
    key = routing_key(None, "é" * 300)
    assert key.startswith("und.é")
    assert MAX_ROUTING_KEY_BYTES - 2 < len(key.encode()) <= MAX_ROUTING_KEY_BYTES


SECOND_PART = read_content(parse_page(part_html(2), address(2)))


def test_the_message_lists_the_parts_that_a_page_links_to() -> None:
    parts = article_values(SECOND_PART)["parts"]
    assert (parts.number, parts.first) == (2, STORY)
    assert parts.pages == [Part(number=1, url=address(1)), Part(number=3, url=address(3))]
    assert (parts.previous, parts.next) == (address(1), address(3))
    assert (parts.missing, parts.joined) == (None, [])
    assert with_missing(parts, {address(1)}).missing == [address(3)]


@pytest.mark.parametrize(
    ("kind", "is_part_of_article"),
    [("article", True), ("gallery", True), ("forum", False), ("listing", False)],
)
def test_only_articles_and_galleries_count_as_parts(kind: Kind, is_part_of_article: bool) -> None:
    content = replace(SECOND_PART, metadata=replace(SECOND_PART.metadata, kind=kind))
    assert is_part(content) is is_part_of_article
    assert article_values(content)["parts"].next == address(3)


def test_links_survive_a_round_trip_through_the_store() -> None:
    assert from_json(to_json(SECOND_PART.pagination)) == SECOND_PART.pagination
