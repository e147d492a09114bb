from detourage.article import Article
from detourage.reader.article import article_of
from detourage.reader.finding import Finding, FoundRole
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from tests.unit.reader.article_pages import page


def cut(body: str, *roles: FoundRole | None) -> Article:
    """Extract the article of a page, given the roles of its lines."""
    shown = page(body)
    outline = Outline.of(shown.document)
    numbers = [line.number for line in lines_of(outline)]
    found = {n: role for n, role in zip(numbers, roles, strict=True) if role is not None}
    finding = Finding("lines", 0, lines=frozenset(numbers), roles=found)
    return article_of(shown.url, outline, (), finding)


def test_a_block_has_the_role_of_its_line() -> None:
    article = cut(
        "<p>What it cost</p><p>Forty roofs were lost.</p>",
        FoundRole("heading", 0.7),
        FoundRole("paragraph", 0.98765),
    )
    assert [(b.type, b.role, b.role_probability) for b in article.blocks] == [
        ("paragraph", "heading", 0.7),
        ("paragraph", "paragraph", 0.988),
    ]


def test_lines_of_a_block_share_one_role() -> None:
    [block] = cut(
        "<p>Short.<br>A line that is much longer than the other.</p>",
        FoundRole("heading", 0.9),
        FoundRole("quote", 0.6),
    ).blocks
    assert block.role == "quote"
    assert block.role_probability is not None
    assert 0.4 < block.role_probability < 0.6


def test_a_table_has_one_role_and_a_block_without_evidence_none() -> None:
    rows = "<tr><td>Roofs</td><td>40</td></tr><tr><td>Trees</td><td>7</td></tr>"
    [block] = cut(f"<table>{rows}</table>", *[FoundRole("table", 0.8)] * 4).blocks
    assert (block.type, block.role, block.role_probability) == ("table", "table", 0.8)
    [block] = cut("<p>Forty roofs were lost.</p>", None).blocks
    assert (block.role, block.role_probability) == (None, None)
