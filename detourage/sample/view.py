"""Template contexts for stories, pictures and remarks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from detourage.sample.discussion import Remark
from detourage.sample.randomness import stream
from detourage.sample.site import Design, Site
from detourage.sample.story import Picture, Story

Context = dict[str, Any]

_SHOWN_OF_SITE = ("name", "tagline", "domain", "city", "address")


@dataclass(frozen=True)
class View:
    """Template contexts for a site in one design."""

    site: Site
    design: Design
    seed: int

    def furniture(self, now: datetime, current: str | None) -> Context:
        """Return the context shared by all pages; ``current`` is the topic of a section front."""
        tongue = self.site.language
        return {
            "site": {
                **{name: getattr(self.site, name) for name in _SHOWN_OF_SITE},
                "year": now.year,
                "lang": tongue.code,
                "dir": tongue.direction,
            },
            "t": tongue.labels,
            "nav": [
                {
                    "name": name,
                    "url": self.section_path(topic, 1),
                    "current": topic == current,
                    "tags": self.tags(tongue.keywords[topic]),
                }
                for topic, name in tongue.topics.items()
            ],
            "today": self.moment(now),
        }

    def section_path(self, topic: str, page: int) -> str:
        """Return the path of page number ``page`` in the section on ``topic``."""
        return self.design.section_url.format(section=topic, page=page)

    def story_path(self, story: Story) -> str:
        """Return the path of a story's article."""
        return self.design.article_url.format(
            section=story.topic, moment=story.published, number=_identifier(story), slug=story.slug
        )

    def image_url(self, picture: Picture) -> str:
        """Return the absolute URL of a picture's image."""
        source = self.design.image_url.format(number=picture.number)
        return source if "://" in source else self.site.origin + source

    def moment(self, moment: datetime) -> Context:
        """Return a time in all formats."""
        styles = ("long", "short", "comment")
        return {style: self.site.language.date(moment, style) for style in styles} | {
            "iso": moment.isoformat(),
            "clock": f"{moment:%H:%M}",
        }

    def teaser(self, story: Story) -> Context:
        """Return the context of a story in a list."""
        picture = story.main_picture
        lead = story.lead
        short = lead if len(lead) <= 60 else lead[:60].rstrip() + "…"
        return {
            "title": story.title,
            "teaser": lead,
            "teaser_short": short,
            "url": self.story_path(story),
            "id": _identifier(story),
            "section": self.site.language.topics[story.topic],
            "section_url": self.section_path(story.topic, 1),
            "time": self.moment(story.published),
            "author": story.authors[0],
            "thumbnail": self.design.image_url.format(number=picture.number),
            "alt": picture.alt,
            "talk_count": stream(self.seed, self.site.domain, story.number, "talk").randrange(90),
        }

    def picture(self, picture: Picture) -> Context:
        """Return a picture with its caption."""
        return asdict(picture) | {"src": self.design.image_url.format(number=picture.number)}

    def tags(self, names: Sequence[str]) -> list[Context]:
        """Return links to keyword pages."""
        return [{"name": name, "url": f"/tag/{quote(name)}"} for name in names]

    def byline(self, story: Story) -> list[Context]:
        """Return the authors, each with a short description."""
        rng = stream(self.seed, self.site.domain, "staff", *story.authors)
        voice = self.site.language.voice(rng, story.topic)
        return [
            {
                "name": name,
                "url": f"/author/{quote(name)}",
                "bio": voice.tell("bio"),
                "last": place == len(story.authors),
            }
            for place, name in enumerate(story.authors, 1)
        ]

    def talk(self, remarks: Sequence[Remark]) -> Context:
        """Return the discussion, both as a list and as trees."""
        views: list[Context] = []
        for index, remark in enumerate(remarks):
            view: Context = {
                "index": index + 1,
                "author": remark.author,
                "time": self.moment(remark.moment),
                "paragraphs": [
                    {"text": text, "more": place > 0}
                    for place, text in enumerate(remark.paragraphs)
                ],
                "likes": remark.likes,
                "replies": [],
                "answered": False,
                "parent": None,
            }
            if remark.parent is not None:
                parent = views[remark.parent]
                view["parent"] = {"index": parent["index"], "author": parent["author"]}
                parent["replies"].append(view)
                parent["answered"] = True
            views.append(view)
        roots = [view for view in views if view["parent"] is None]
        return {"open": bool(views), "count": len(views), "flat": views, "roots": roots}

    def json_ld(self, story: Story, pictures: Sequence[Picture]) -> str:
        """Return an article's schema.org record, escaped for a script element."""
        record: Mapping[str, object] = {
            "@context": "https://schema.org",
            "@type": "NewsArticle" if story.kind == "news" else "OpinionNewsArticle",
            "headline": story.title,
            "datePublished": story.published.isoformat(),
            "dateModified": (story.published + timedelta(minutes=41)).isoformat(),
            "author": [{"@type": "Person", "name": name} for name in story.authors],
            "image": [self.image_url(picture) for picture in pictures],
            "publisher": {"@type": "Organization", "name": self.site.name},
            "mainEntityOfPage": self.site.origin + self.story_path(story),
        }
        return json.dumps(record, ensure_ascii=False, indent=1).replace("</", "<\\/")


def _identifier(story: Story) -> int:
    return 41_000 + 7 * story.number
