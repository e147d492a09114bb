"""Gold records, which state the correct results for pages."""

from collections.abc import Sequence
from typing import Any

from worker.sample.body import Body
from worker.sample.discussion import Remark
from worker.sample.story import Picture, Story
from worker.sample.view import View

Gold = dict[str, Any]


def articleless_gold(view: View, url: str, template: str, kind: str) -> Gold:
    """Return the gold record of a page without an article: a ``menu`` or ``service`` page."""
    return {
        "url": url,
        "site": view.site.domain,
        "language": view.site.language.code,
        "kind": kind,
        "template_class": f"{view.site.domain}/{template}",
        "title": None,
        "lead": None,
        "text": "",
        "title_in_text": False,
        "authors": [],
        "published_at": None,
        "images": [],
        "embeds": [],
        "comments": [],
    }


def article_gold(
    view: View,
    url: str,
    template: str,
    story: Story,
    body: Body,
    pictures: Sequence[Picture],
    remarks: Sequence[Remark],
) -> Gold:
    """Return the gold record of a story's page; pictures and remarks are in page order."""
    return articleless_gold(view, url, template, "article") | {
        "title": story.title,
        "lead": story.lead,
        "text": "\n\n".join(body.texts),
        "authors": list(story.authors),
        "published_at": story.published.isoformat(),
        "images": [
            {"url": view.image_url(picture), "alt": picture.alt, "caption": picture.caption}
            for picture in pictures
        ],
        "embeds": body.embeds,
        "comments": [
            {
                "author": remark.author,
                "date": view.site.language.date(remark.moment, "comment"),
                "text": "\n\n".join(remark.paragraphs),
                "parent": remark.parent,
            }
            for remark in remarks
        ],
    }
