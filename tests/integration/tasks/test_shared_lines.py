"""Lines that all pages of a group share are left out, by the service as by `Site`."""

from sqlalchemy import func, select

from detourage import Page, Site
from models.tables import TemplateGroup
from tests.inline_tasks import Tasks
from tests.pages import article_html, paragraphs

NOTICE = "If you buy something through a link in this article, we may earn a commission."


def _html(seed: int) -> str:
    first = paragraphs(seed)[0]
    return article_html(seed).replace(first, f"{first}</p><p>{NOTICE}")


def test_a_notice_amid_every_article_is_left_out_once_there_are_enough_pages(tasks: Tasks) -> None:
    htmls = {f"https://news.example/{seed}": _html(seed) for seed in range(7)}
    for seeds in (range(3), range(3, 6)):
        tasks.complete(tasks.publish("a", [(str(seed), _html(seed)) for seed in seeds]))
    texts = {url: each["text"] for url, each in tasks.articles().items()}
    alike = Site([Page(htmls[url], url) for url in texts])
    assert texts == {each.url: each.article and each.article.text for each in alike.read()}
    assert not any(NOTICE in text for text in texts.values())
    # A page that joins the group later is read with what is known by then.
    tasks.publish("a", [("6", _html(6))])
    tasks.settle()
    assert tasks.articles()["https://news.example/6"]["text"] == "\n\n".join(paragraphs(6))
    # What earlier generations knew is forgotten.
    stored = tasks.ask(select(func.count()).where(TemplateGroup.shared_lines.is_not(None)))
    assert stored == [1]
