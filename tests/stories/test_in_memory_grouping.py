"""Stories of articles that are not in a database, as found by `stories find`."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detourage.expected_errors import ExpectedError
from detourage.messages import ArticleMessage
from stories import find_stories
from stories.messages import StoryMessage
from tests.commands import invoke
from tests.stories.grouped import NOON, Sent, Stories, sentences, text_of
from tests.stories.test_grouping_of_articles import VERSIONS


def test_articles_have_the_stories_that_the_service_finds(stories: Stories) -> None:
    sent = [*VERSIONS, Sent("brief.example", "Too brief to be compared.", 40)]
    stories.add_each(sent)
    found = find_stories(each.message() for each in reversed(sent))
    assert [each.to_json() for each in found] == stories.messages


def test_only_the_latest_revision_counts_and_withdrawn_articles_do_not() -> None:
    first, second = VERSIONS[:2]
    withdrawn = replace(first, revision=2, values={"withdrawn": NOON.isoformat()})
    (message,) = find_stories(
        [ArticleMessage.model_validate(withdrawn.message()), second.message()]
    )
    assert (message.site, message.relation) == ("same.example", None)


def test_articles_that_are_fetched_too_far_apart_are_not_compared() -> None:
    body = sentences(5)
    sent = [
        Sent("a.example", "\n\n".join(body), 0),
        Sent("b.example", "\n\n".join(body[1:]), 60 * 24 * 8),
        Sent("c.example", text_of(6)),
    ]
    messages = [each.message() for each in sent]
    assert [each.relation for each in find_stories(messages)] == [None, None, None]
    assert [each.relation for each in find_stories(messages, days=9)] == [None, "same", None]


def test_a_message_that_is_not_an_article_is_rejected() -> None:
    with pytest.raises(ExpectedError, match="not an article message"):
        find_stories([{"version": 1}])


def test_the_command_reads_files_and_prints_messages(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_text(json.dumps(VERSIONS[0].message()) + "\n")
    compressed.write_bytes(gzip.compress(json.dumps(VERSIONS[1].message()).encode()))
    result = invoke("stories", "find", plain, compressed)
    messages = [StoryMessage.model_validate_json(line) for line in result.output.splitlines()]
    assert [each.relation for each in messages] == [None, "same"]
    plain.write_text("{\n")
    assert "a.jsonl, line 1:" in invoke("stories", "find", plain, code=1).output


def test_the_contract_has_a_schema() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "stories.messages"], capture_output=True, check=True
    ).stdout
    schema = json.loads(printed)
    assert set(schema["required"]) >= {"story", "relation", "article", "revision", "number"}


CHINESE = "新华社北京五月一日电国务院总理今天会见了来访的外国客人，双方交换了意见。"
LATIN = " ".join(sentences(7))


@pytest.mark.parametrize(
    ("text", "other_text"),
    [
        (CHINESE, CHINESE[1:]),
        (LATIN, "".join(chr(ord(each) + 0xFEE0) if each != " " else each for each in LATIN)),
        (LATIN, f"“{LATIN.upper()}”".replace(" ", "\n\n ")),
    ],
    ids=["characters", "full width", "typography"],
)
def test_texts_are_compared_by_their_words_or_characters(text: str, other_text: str) -> None:
    sent = [Sent("a.example", text, 0), Sent("b.example", other_text, 1)]
    assert [each.relation for each in find_stories(each.message() for each in sent)] == [
        None,
        "same",
    ]


@given(st.text())
def test_any_text_has_a_story(text: str) -> None:
    sent = [Sent("a.example", text, 0), Sent("b.example", text, 1)]
    assert len(list(find_stories(each.message() for each in sent))) == 2
