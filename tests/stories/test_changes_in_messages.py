"""The changes in a story message."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from tests.stories.grouped import NOON, Sent, Stories, sentences

BODY = sentences(1)
FIRST = Sent("news.example", "\n\n".join(BODY), 0)
EDITED = replace(FIRST, text="\n\n".join([*BODY[:-1], BODY[-1] + " Corrected."]), revision=2)
WITHDRAWN = replace(FIRST, revision=2, values={"withdrawn": NOON.isoformat()})


def test_a_revision_lists_the_added_sentence(stories: Stories) -> None:
    (first,) = stories.add(FIRST)
    (message,) = stories.add(EDITED)
    assert first["changes"] is None
    changes = message["changes"]
    assert (message["revision"], changes["since"], changes["kind"]) == (2, 1, "update")
    (added,) = changes["sentences"]
    assert (added["action"], added["after"]) == ("added", "Corrected.")
    assert EDITED.text[added["start"] : added["end"]] == added["after"]


def test_text_that_is_on_other_pages_of_the_template_is_ignored(stories: Stories) -> None:
    other = Sent("news.example", "\n\n".join([*sentences(2), "Buy two, get three."]), 1, "b")
    stories.add(FIRST, other)
    with stories.engine.begin() as connection:
        connection.execute(
            text("""
                WITH generation AS (
                    INSERT INTO generations (site_id, number, site_version, method)
                    SELECT id, 1, 1, '' FROM sites RETURNING site_id
                )
                INSERT INTO memberships (page_id, generation, site_id, role, template_page_id)
                SELECT page.id, 1, page.site_id, 'member', other.id
                FROM pages AS page, pages AS other, generation
                WHERE page.url = :page AND other.url = :other
            """),
            {"page": FIRST.url, "other": other.url},
        )
    (message,) = stories.add(
        replace(FIRST, text=FIRST.text + "\n\nBuy two, get three.", revision=2)
    )
    with stories.engine.begin() as connection:
        for table in ("memberships", "generations"):
            connection.execute(text(f"DELETE FROM {table}"))
    assert (message["changes"]["kind"], message["changes"]["sentences"]) == (None, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (FIRST, WITHDRAWN),
        (WITHDRAWN, replace(FIRST, revision=3)),
        (FIRST, replace(EDITED, values={"parts": {"joined": ["https://news.example/a/2"]}})),
        (replace(FIRST, values={"parts": {"joined": ["https://news.example/a/2"]}}), EDITED),
        (EDITED, replace(FIRST, revision=1)),
    ],
    ids=["withdrawn", "restored", "joined", "was joined", "older"],
)
def test_revisions_not_caused_by_an_edit_of_the_page_have_no_changes(
    stories: Stories, before: Sent, after: Sent
) -> None:
    stories.add_each([before, after])
    assert {each["changes"] for each in stories.messages} == {None}


def test_corrections_have_no_changes(stories: Stories) -> None:
    stories.add_each([replace(FIRST, minutes=10), replace(EDITED, minutes=11)])
    stories.add(Sent("early.example", EDITED.text, 0))
    last = stories.latest_messages()[FIRST.url]
    assert (last["revision"], last["number"], last["relation"]) == (2, 2, "same")
    assert last["changes"] is None
