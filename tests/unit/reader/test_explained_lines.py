from detourage.html import Page
from detourage.reader.article_and_comments import explain_content
from tests.unit.reader.article_pages import page, paragraphs, prose

MENU = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(9))
NOTE = "All rights reserved by the paper, which also answers for it."


def story(seed: int) -> Page:
    return page(
        f'<div class="menu"><ul>{MENU}</ul></div><h1>What number {seed} of the stories tells</h1>'
        f'<div class="article">{prose(seed)}</div><div class="foot"><p>{NOTE}</p></div>',
        head=f"<title>What number {seed} of the stories tells</title>",
        url=f"https://news.example/{seed}",
    )


def test_lines_have_their_verdict_their_most_probable_role_and_their_xpath() -> None:
    explanation = explain_content(story(1), story(2))
    assert explanation.template_url == "https://news.example/2"
    assert explain_content(story(1)).template_url is None
    assert explanation.article is not None
    kept_lines = [line.text for line in explanation.lines if line.verdict == "kept"]
    assert kept_lines == [block.text for block in explanation.article.blocks] == paragraphs(1)
    titles = [line.text for line in explanation.lines if line.verdict == "title"]
    assert titles == [explanation.article.title]
    for line in explanation.lines:
        assert (line.probability > 0.5) == (line.verdict == "kept")
        assert (line.role == "paragraph") == (line.verdict == "kept")
    menu = {line.role for line in explanation.lines if line.text.startswith("Section")}
    assert menu == {"navigation"}
    [note] = [line for line in explanation.lines if line.text == NOTE]
    [element] = story(1).document.xpath(note.xpath)
    assert element.text == NOTE


def test_a_menu_and_a_page_without_words_are_explained() -> None:
    items = "".join(f'<li><a href="/{n}">The headline of story {n}</a></li>' for n in range(40))
    menu = page(f"<ul>{items}</ul>")
    explained = explain_content(menu)
    assert (explained.outcome, explained.article) == ("menu", None)
    assert {line.verdict for line in explained.lines} == {"dropped"}
    assert explained.detail
    explained = explain_content(page("<p>---</p>"))
    assert (explained.outcome, explained.lines) == ("no-text", ())
