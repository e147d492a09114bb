import pytest

from detourage.article import ArticleBlock
from detourage.reader.article import MAX_LEADING, lead_of_blocks
from detourage.roles import LineRole

LEAD = "It came at night and took forty roofs with it."


def block(text: str, role: LineRole | None) -> ArticleBlock:
    return ArticleBlock("paragraph", text, 0, len(text), role, None if role is None else 0.9)


BODY = [block("The harbour master had warned them.", "paragraph")] * MAX_LEADING


@pytest.mark.parametrize(
    ("blocks", "lead"),
    [
        ([block(LEAD, "lead"), *BODY], LEAD),
        (
            [block(LEAD, "lead"), block("Nobody was hurt.", "lead"), *BODY],
            f"{LEAD}\nNobody was hurt.",
        ),
        ([block("Storms", "lead"), *BODY], None),
        ([block(LEAD, "paragraph"), *BODY], None),
        ([*BODY, block(LEAD, "lead")], None),
        ([block(LEAD, None)], None),
    ],
    ids=["one", "two", "a rubric", "a paragraph", "far down", "not told"],
)
def test_the_lead_is_found_among_the_first_blocks(
    blocks: list[ArticleBlock], lead: str | None
) -> None:
    assert lead_of_blocks(blocks) == lead
