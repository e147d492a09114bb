from dataclasses import replace

import pytest

from detourage.article import Article
from detourage.html import parse_page
from detourage.messages import Part
from detourage.reader.article_values import article_values
from detourage.reader.content import read_content
from detourage.roles import Kind
from tests.parted_pages import STORY, address, part_html
from worker.workflow.article_parts import from_json, is_part, to_json, with_missing

CONTENT = read_content(parse_page(part_html(2), address(2)))


def of_kind(kind: Kind) -> Article:
    return replace(CONTENT, metadata=replace(CONTENT.metadata, kind=kind))


def test_the_message_lists_the_parts_that_a_page_links_to() -> None:
    said = article_values(CONTENT)["parts"]
    assert (said.number, said.first) == (2, STORY)
    assert said.pages == [Part(number=1, url=address(1)), Part(number=3, url=address(3))]
    assert (said.previous, said.next) == (address(1), address(3))
    assert (said.missing, said.joined) == (None, [])
    assert with_missing(said, {address(1)}).missing == [address(3)]


@pytest.mark.parametrize(
    ("kind", "counts"), [("article", True), ("gallery", True), ("forum", False), ("listing", False)]
)
def test_threads_and_lists_have_only_the_links(kind: Kind, counts: bool) -> None:
    content = of_kind(kind)
    assert is_part(content) is counts
    assert article_values(content)["parts"].next == address(3)


def test_links_survive_a_round_trip_through_the_store() -> None:
    assert from_json(to_json(CONTENT.pagination)) == CONTENT.pagination
