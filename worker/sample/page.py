"""What a page shows and what is true of it: the context of its template and its gold record."""

import html
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from worker.sample.discussion import Remark, discuss, discussion_length
from worker.sample.randomness import stream
from worker.sample.site import Design, Site
from worker.sample.story import Newsroom, Picture, Story

_LINK_SHARE = 0.35
"""Share of the paragraphs in which a name that stands there becomes a link."""

_EMPHASIS_SHARE = 0.08
_PASTED_SHARE = 0.15
"""Share of pages, at full noise, whose text was pasted from a word processor."""

Context = dict[str, Any]
Gold = dict[str, Any]


class Chance(Mapping[str, bool]):
    """Whether each optional block of a page is shown, decided by the block's name.

    Parameters
    ----------
    key
        What the page is, for its random stream.
    noise
        At 0 every block is there; at 1 it is a toss of a coin.
    """

    def __init__(self, key: Sequence[object], noise: float) -> None:
        self._key = key
        self._noise = noise

    def __getitem__(self, name: str) -> bool:
        return stream(*self._key, "maybe", name).random() >= self._noise / 2

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


@dataclass(frozen=True)
class PageMaker:
    """Makes the pages of one site in one design.

    Parameters
    ----------
    site, design
        What the pages look like.
    newsroom
        Where the stories come from.
    seed
        Another seed gives other pages.
    noise
        How much the pages of a template differ, from 0 to 1.
    """

    site: Site
    design: Design
    newsroom: Newsroom
    seed: int
    noise: float

    def article(self, story: Story) -> tuple[str, Gold]:
        """Return the HTML of the page of ``story`` and its gold record."""
        key = (self.seed, self.site.domain, self.design.name, story.number)
        rng = stream(*key, "layout")
        context = self._furniture(story.number, key, rng)
        pictures: list[Picture] = []
        embeds: list[dict[str, str]] = []

        picture = None
        if rng.random() >= 0.5 * self.noise:
            pictures.append(story.picture(0))
            picture = self._picture(pictures[-1])
        body, texts = self._body(story, context["maybe"], rng, pictures, embeds)
        gallery = []
        if story.kind == "news" and "gallery" in self.design.lists and context["maybe"]["gallery"]:
            shown = [story.picture(20 + place) for place in range(self._count("gallery", rng))]
            pictures += shown
            gallery = [self._picture(each) for each in shown]
        remarks = self._discussion(story, rng)

        context |= {
            "story": self._teaser(story)
            | {
                "standfirst": story.lead if self.design.lead[story.kind] == "standfirst" else None,
                "byline": self._byline(story),
                "picture_box": picture,
                "body": body,
                "gallery": gallery,
                "tags": [{"name": tag, "url": f"/tag/{quote(tag)}"} for tag in story.tags],
                "json_ld": self._json_ld(story, pictures),
                "minutes": 1 + len("".join(texts)) // self.site.language.reading_speed,
            },
            "talk": self._talk(remarks),
        }
        context["page"] = {
            "title": story.title,
            "description": story.lead,
            "url": self.site.origin + self._path(story),
        }
        gold = self._gold(story, texts, pictures, embeds, remarks)
        return self.design.templates.render(f"{story.kind}.html", context), gold

    def menu(self, round_number: int, newest: int) -> tuple[str, Gold]:
        """Return the section front of a round of the crawl and its gold record.

        Parameters
        ----------
        round_number
            Chooses the section, and makes the address unique.
        newest
            The stories that the front shows are older than this number.
        """
        key = (self.seed, self.site.domain, self.design.name, "menu", round_number)
        rng = stream(*key, "layout")
        topics = list(self.site.language.topics)
        topic = topics[round_number % len(topics)]
        context = self._furniture(newest, key, rng, topic=topic)
        path = self._format(self.design.section_url, section=topic, round=round_number + 2)
        context["page"] = {
            "title": self.site.language.topics[topic],
            "description": self.site.tagline,
            "url": self.site.origin + path,
        }
        context["pager"] = [
            {"number": number, "url": self._format(self.design.section_url, section=topic, round=number)}
            for number in range(1, rng.randint(4, 10))
        ]
        gold = self._blank_gold(self.site.origin + path, "section", "menu")
        return self.design.templates.render("section.html", context), gold

    # What every page shows

    def _furniture(
        self, number: int, key: Sequence[object], rng: random.Random, *, topic: str | None = None
    ) -> Context:
        tongue = self.site.language
        lists: dict[str, list[Context]] = {}
        for name in self.design.lists:
            # Popular lists change with the day, not with the page, as on real sites.
            day = number // 8 * 8 if name.startswith("most") else number
            same_topic = topic if name.startswith("section") else None
            skip = 0 if same_topic else rng.randrange(30)
            count = self._count(name, rng)
            stories = self.newsroom.latest(day - skip, count, topic=same_topic)
            lists[name] = [
                self._teaser(story) | {"position": place, "first": place == 1}
                for place, story in enumerate(stories, 1)
            ]
        now = self.newsroom.story(number).published
        return {
            "site": {
                "name": self.site.name,
                "tagline": self.site.tagline,
                "domain": self.site.domain,
                "address": self.site.address,
                "city": self.site.city,
                "origin": self.site.origin,
                "year": now.year,
                "lang": tongue.code,
                "dir": tongue.direction,
            },
            "t": tongue.labels,
            "nav": [
                {
                    "name": name,
                    "url": self._format(self.design.section_url, section=section, round=1),
                    "current": section == topic,
                    "tags": [
                        {"name": tag, "url": f"/tag/{quote(tag)}"} for tag in tongue.keywords[section]
                    ],
                }
                for section, name in tongue.topics.items()
            ],
            "today": self._time(now),
            "lists": lists,
            "maybe": Chance(key, self.noise),
            "slot": rng.randrange(10_000_000, 100_000_000),
        }

    def _count(self, name: str, rng: random.Random) -> int:
        low, high = self.design.lists[name]
        middle, reach = (low + high) / 2, (high - low) / 2 * self.noise
        return rng.randint(round(middle - reach), round(middle + reach))

    def _teaser(self, story: Story) -> Context:
        picture = story.picture(0)
        return {
            "title": story.title,
            "teaser": story.lead,
            "url": self._path(story),
            "id": _identifier(story),
            "section": self.site.language.topics[story.topic],
            "section_url": self._format(self.design.section_url, section=story.topic, round=1),
            "time": self._time(story.published),
            "author": story.authors[0],
            "thumbnail": self._format(
                self.design.image_url, number=picture.number, moment=story.published
            ),
            "alt": picture.alt,
            "opinion": story.kind == "opinion",
            "talk_count": stream(self.seed, self.site.domain, story.number, "talk").randrange(90),
        }

    def _time(self, moment: datetime) -> Context:
        tongue = self.site.language
        return {
            "iso": moment.isoformat(),
            "long": tongue.date(moment, "long"),
            "short": tongue.date(moment, "short"),
            "comment": tongue.date(moment, "comment"),
            "clock": f"{moment:%H:%M}",
        }

    def _path(self, story: Story) -> str:
        return self._format(
            self.design.article_url,
            section=story.topic,
            moment=story.published,
            number=_identifier(story),
            slug=story.slug,
        )

    @staticmethod
    def _format(pattern: str, **values: object) -> str:
        return pattern.format(**values)

    # The article

    def _body(
        self,
        story: Story,
        maybe: Mapping[str, bool],
        rng: random.Random,
        pictures: list[Picture],
        embeds: list[dict[str, str]],
    ) -> tuple[list[Context], list[str]]:
        passages = [(passage.kind, passage.text) for passage in story.body]
        if self.design.lead[story.kind] == "body":
            passages.insert(0, ("paragraph", story.lead))
        inserts = {
            rng.randrange(1, len(passages)): name
            for name in self.design.inserts[story.kind]
            if maybe[f"insert-{name}"]
        }
        pasted = rng.random() < _PASTED_SHARE * self.noise
        mentions = list(story.mentions)
        items: list[Context] = []
        for place, (kind, text) in enumerate(passages):
            # A list item opens or closes the list where its neighbours are something else.
            if place in inserts and kind == "paragraph":
                items.append({inserts[place]: self._insert(inserts[place], story, rng, pictures, embeds)})
            if pasted and place and rng.random() < 0.3:
                items.append({"gap": True})
            marked_up = _dress(text, mentions, rng) if kind == "paragraph" else html.escape(text)
            if pasted and kind == "paragraph":
                marked_up = f'<span style="font-size: 12pt; line-height: 115%">{marked_up}</span>'
            starts = kind == "list_item" and passages[place - 1][0] != kind
            ends = kind == "list_item" and passages[place + 1][0] != kind
            items.append(
                {kind: {"html": marked_up, "starts": starts, "ends": ends, "leads": place == 0}}
            )
        return items, [text for _, text in passages]

    def _insert(
        self,
        name: str,
        story: Story,
        rng: random.Random,
        pictures: list[Picture],
        embeds: list[dict[str, str]],
    ) -> Context:
        if name == "figure":
            pictures.append(story.picture(len(pictures) + 1))
            return self._picture(pictures[-1])
        if name == "video":
            url = f"https://video.example/embed/{rng.getrandbits(40):010x}"
            embeds.append({"url": url, "type": self.design.embed})
            return {"url": url, "title": story.clip()}
        if name == "read_also":
            count = 1 + rng.randrange(3)
            stories = self.newsroom.latest(story.number - rng.randint(1, 30), count)
            return {"stories": [self._teaser(each) for each in stories]}
        if name == "pull_quote":
            paragraph = max(story.body, key=lambda passage: len(passage.text)).text
            return {"text": paragraph[: max(paragraph.find(mark) + 1 for mark in ".。!?؟")]}
        return {"slot": rng.randrange(10_000_000, 100_000_000)}

    def _picture(self, picture: Picture) -> Context:
        return {
            "src": self._format(self.design.image_url, number=picture.number),
            "alt": picture.alt,
            "caption": picture.caption,
            "credit": picture.credit,
        }

    def _byline(self, story: Story) -> list[Context]:
        rng = stream(self.seed, self.site.domain, "staff", *story.authors)
        voice = self.site.language.voice(rng, story.topic)
        return [
            {"name": name, "url": f"/author/{quote(name)}", "bio": voice.tell("bio"), "last": last}
            for name, last in zip(
                story.authors, [*[False] * (len(story.authors) - 1), True], strict=True
            )
        ]

    def _json_ld(self, story: Story, pictures: Sequence[Picture]) -> str:
        record = {
            "@context": "https://schema.org",
            "@type": "NewsArticle" if story.kind == "news" else "OpinionNewsArticle",
            "headline": story.title,
            "datePublished": story.published.isoformat(),
            "dateModified": (story.published + timedelta(minutes=41)).isoformat(),
            "author": [{"@type": "Person", "name": name} for name in story.authors],
            "image": [self._image_url(picture) for picture in pictures],
            "publisher": {"@type": "Organization", "name": self.site.name},
            "mainEntityOfPage": self.site.origin + self._path(story),
        }
        return json.dumps(record, ensure_ascii=False, indent=1).replace("</", "<\\/")

    def _image_url(self, picture: Picture) -> str:
        src = self._format(self.design.image_url, number=picture.number)
        return src if src.startswith("https:") else self.site.origin + src

    # The discussion

    def _discussion(self, story: Story, rng: random.Random) -> Sequence[Remark]:
        if self.design.threads == "none":
            return []
        count = discussion_length(self.design.comments[story.kind], self.noise, rng)
        return discuss(story, count, rng, nested=self.design.threads == "nested")

    def _talk(self, remarks: Sequence[Remark]) -> Context:
        views: list[Context] = []
        for index, remark in enumerate(remarks):
            view: Context = {
                "index": index + 1,
                "author": remark.author,
                "initial": remark.author[0],
                "time": self._time(remark.moment),
                "paragraphs": [{"text": text, "more": place > 0} for place, text in enumerate(remark.paragraphs)],
                "likes": remark.likes,
                "depth": remark.depth,
                "indent": 24 * remark.depth,
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

    # The truth

    def _gold(
        self,
        story: Story,
        texts: Sequence[str],
        pictures: Sequence[Picture],
        embeds: Sequence[Mapping[str, str]],
        remarks: Sequence[Remark],
    ) -> Gold:
        return self._blank_gold(self.site.origin + self._path(story), story.kind, "article") | {
            "title": story.title,
            "lead": story.lead,
            "text": "\n\n".join(texts),
            "authors": list(story.authors),
            "published_at": story.published.isoformat(),
            "images": [
                {
                    "url": self._image_url(picture),
                    "alt": picture.alt,
                    "caption": picture.caption,
                }
                for picture in pictures
            ],
            "embeds": list(embeds),
            "comments": [
                {
                    "author": remark.author,
                    "date": self.site.language.date(remark.moment, "comment"),
                    "text": "\n\n".join(remark.paragraphs),
                    "parent": remark.parent,
                }
                for remark in remarks
            ],
        }

    def _blank_gold(self, url: str, template: str, kind: str) -> Gold:
        return {
            "url": url,
            "site": self.site.domain,
            "language": self.site.language.code,
            "kind": kind,
            "template_class": f"{self.site.domain}/{self.design.name}/{template}",
            "title": None,
            "lead": None,
            "text": "",
            "authors": [],
            "published_at": None,
            "images": [],
            "embeds": [],
            "comments": [],
        }


def _identifier(story: Story) -> int:
    return 41_000 + 7 * story.number


def _dress(text: str, mentions: list[str], rng: random.Random) -> str:
    """Return ``text`` as HTML, the first of ``mentions`` in it linked or emphasised at times."""
    marked_up = html.escape(text)
    draw = rng.random()
    if draw >= _LINK_SHARE + _EMPHASIS_SHARE:
        return marked_up
    for name in mentions:
        escaped = html.escape(name)
        if escaped in marked_up:
            mentions.remove(name)
            if draw < _LINK_SHARE:
                dressed = f'<a href="/tag/{quote(name)}">{escaped}</a>'
            else:
                dressed = f"<strong>{escaped}</strong>"
            return marked_up.replace(escaped, dressed, 1)
    return marked_up
