"""The pages of a site in a given design, with their gold records."""

import html
import json
import math
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from examples.sample_crawl.language import stream
from examples.sample_crawl.site import Design, Site, templates
from examples.sample_crawl.story import FIRST_SPECIAL, Newsroom, Picture, Story

Context = dict[str, Any]  # values for a template
Gold = dict[str, Any]  # the correct results for a page

_LINK_SHARE = 0.35  # share of paragraphs in which a name becomes a link
_EMPHASIS_SHARE = 0.08  # share of paragraphs in which a name is emphasised

_FIRST_SENTENCE = re.compile(r".+?(?:[.!?؟](?=\s|$)|[。！？])", re.DOTALL)
"""The text up to the first final punctuation mark, including Arabic and Chinese ones."""

_ELEMENTS = ("div", "section", "article", "center", "main", "aside", "blockquote", "span")
_SERVICES = ("table", "answers", "history", "form", "chart", "poll", "accordion", "map", "wall")
_MODULES = ("wrapper", "paragraph", "picture", *_SERVICES)
"""Parts of pages without a template."""


class OptionalBlocks(dict[str, bool]):
    """Whether each optional block of a page is shown, which is decided at its first lookup.

    If `noise` is 0, every block is shown; if it is 1, half of them are.
    """

    def __init__(self, key: Sequence[object], noise: float) -> None:
        super().__init__()
        self._key, self._noise = key, noise

    def __missing__(self, name: str) -> bool:
        self[name] = stream(*self._key, "maybe", name).random() >= self._noise / 2
        return self[name]


@dataclass(frozen=True)
class _Comment:
    """A reader's comment; ``parent`` is the index of the comment to which it replies."""

    author: str
    moment: datetime
    paragraphs: tuple[str, ...]
    parent: int | None
    depth: int
    likes: int


@dataclass(frozen=True)
class PageMaker:
    """Generator of the pages of a site in one design; `noise` is their variation, from 0 to 1."""

    site: Site
    design: Design
    newsroom: Newsroom
    seed: int
    noise: float

    def article(self, story: Story) -> tuple[str, Gold]:
        """Return the HTML and the gold record of a story's page."""
        optional_blocks, rng = self._random_choices("article", story.number)
        gold = self._gold(f"{self.design.name}/{story.kind}", self._path(story), story)
        main = [story.picture(0)] if rng.random() >= self.noise / 2 else []
        body, inside = self._body(story, optional_blocks, rng, gold)
        gallery: list[Picture] = []
        if story.kind == "news" and "gallery" in self.design.lists and optional_blocks["gallery"]:
            # Lower numbers are those of pictures in the body.
            gallery = [story.picture(20 + place) for place in range(self._count("gallery", rng))]
        pictures = [*main, *inside, *gallery]
        gold["images"] = list(map(self._image, pictures))
        record = {
            "@context": "https://schema.org",
            "@type": "NewsArticle" if story.kind == "news" else "OpinionNewsArticle",
            "headline": story.title,
            "datePublished": story.published.isoformat(),
            "dateModified": (story.published + timedelta(minutes=41)).isoformat(),
            "author": [{"@type": "Person", "name": name} for name in story.authors],
            "image": [image["url"] for image in gold["images"]],
            "publisher": {"@type": "Organization", "name": self.site.name},
            "mainEntityOfPage": gold["url"],
        }
        talk, gold["comments"] = self._discussion(story, rng)
        length = len(gold["text"].replace("\n\n", ""))
        shown = {
            "standfirst": story.lead if self.design.lead[story.kind] == "standfirst" else None,
            "byline": self._byline(story),
            "picture_box": self._picture(main[0]) if main else None,
            "body": body,
            "gallery": list(map(self._picture, gallery)),
            "tags": _tags(story.tags),
            "json_ld": json.dumps(record, ensure_ascii=False, indent=1).replace("</", "<\\/"),
            "minutes": 1 + length // self.site.language.reading_speed,
        }
        context = self._context(story.number, optional_blocks, rng) | {
            "page": self._page(story.title, story.lead, gold),
            "story": self._teaser(story) | shown,
            "talk": talk,
        }
        return templates(self.design.folder).render(f"{story.kind}.html", context), gold

    def menu(self, number: int, newest: int) -> tuple[str, Gold]:
        """Return a section front with stories older than `newest`, and its gold record."""
        optional_blocks, rng = self._random_choices("menu", number)
        topics = self.site.language.topics
        topic = list(topics)[number % len(topics)]
        gold = self._gold(
            f"{self.design.name}/section", self._section(topic, number + 2), kind="menu"
        )
        context = self._context(newest, optional_blocks, rng, topic) | {
            "page": self._page(topics[topic], self.site.tagline, gold),
            "pager": [
                {"number": page, "url": self._section(topic, page)}
                for page in range(1, rng.randint(4, 10))
            ],
        }
        return templates(self.design.folder).render("section.html", context), gold

    def one_off(self, number: int, newest: int) -> tuple[str, Gold]:
        """Return a page without a template, with links to older stories, and its gold record.

        It is a special report, with large pictures in randomly nested chapters, or a service page
        of tables, forms, charts and lists, without an article.
        """
        optional_blocks, rng = self._random_choices("one-off", number)
        name, path = f"one-off/{number}", f"/special/{number}.html"
        context = self._context(newest, optional_blocks, rng) | {"charset": self.design.encoding}
        if rng.random() < 0.5:
            gold = self._gold(name, path, kind="service")
            context["modules"] = self._services(newest, rng)
            title = self.site.language.voice(rng).expand("town_name")
            context["page"] = self._page(title, self.site.tagline, gold)
        else:
            story = self.newsroom.story(FIRST_SPECIAL - number)
            gold = self._gold(name, path, story)
            context["modules"] = self._report(story, rng, gold)
            context["page"] = self._page(story.title, story.lead, gold)
            context["story"] = self._teaser(story) | {"byline": self._byline(story)}
        return templates("one_off").render("page.html", context), gold

    def _random_choices(self, page: str, number: int) -> tuple[OptionalBlocks, random.Random]:
        key = (self.seed, self.site.domain, self.design.name, page, number)
        return OptionalBlocks(key, self.noise), stream(*key, "layout")

    def _page(self, title: str, description: str, gold: Gold) -> Context:
        return {"title": title, "description": description, "url": gold["url"]}

    def _gold(
        self, template: str, path: str, story: Story | None = None, kind: str = "article"
    ) -> Gold:
        return {
            "url": self.site.origin + path,
            "site": self.site.domain,
            "language": self.site.language.code,
            "kind": kind,
            "template_class": f"{self.site.domain}/{template}",
            "title": story and story.title,
            "lead": story and story.lead,
            "text": "",
            "title_in_text": False,
            "authors": list(story.authors) if story else [],
            "published_at": story and story.published.isoformat(),
            "images": [],
            "embeds": [],
            "comments": [],
        }

    def _body(
        self, story: Story, optional_blocks: OptionalBlocks, rng: random.Random, gold: Gold
    ) -> tuple[list[Context], list[Picture]]:
        """Lay out a story's body with the inserts among `optional_blocks`; return its pictures."""
        passages = [(passage.kind, passage.text) for passage in story.body]
        if self.design.lead[story.kind] == "body":
            passages.insert(0, ("paragraph", story.lead))
        gold["text"] = "\n\n".join(text for _, text in passages)
        # Inserts are placed before paragraphs, so that they do not split lists.
        positions = [i for i, (kind, _) in enumerate(passages) if kind == "paragraph"]
        names = [
            name for name in self.design.inserts[story.kind] if optional_blocks[f"insert-{name}"]
        ]
        inserts = dict(zip(rng.sample(positions[1:], len(names)), names, strict=True))
        # Text pasted from a word processor has styles and empty paragraphs.
        is_pasted = rng.random() < 0.15 * self.noise
        mentions = list(story.mentions)
        items: list[Context] = []
        pictures: list[Picture] = []
        for place, (kind, text) in enumerate(passages):
            if name := inserts.get(place):
                items.append({name: self._insert(name, story, rng, pictures, gold)})
            is_paragraph = kind == "paragraph"
            if is_pasted and place and is_paragraph and rng.random() < 0.3:
                items.append({"gap": True})
            marked_up = _mark_up_mention(text, mentions, rng) if is_paragraph else html.escape(text)
            if is_pasted and is_paragraph:
                marked_up = f'<span style="font-size: 12pt; line-height: 115%">{marked_up}</span>'
            is_item = kind == "list_item"
            item = {
                "html": marked_up,
                "leads": place == 0,
                "starts": is_item and passages[place - 1][0] != kind,
                "ends": is_item and passages[place + 1][0] != kind,
            }
            items.append({kind: item})
        return items, pictures

    def _insert(
        self, name: str, story: Story, rng: random.Random, pictures: list[Picture], gold: Gold
    ) -> Context:
        """Return the values of an insert between paragraphs, such as a figure or an advert."""
        if name == "figure":
            pictures.append(story.picture(1 + len(pictures)))
            return self._picture(pictures[-1])
        if name == "video":
            url = f"https://video.example/embed/{rng.getrandbits(40):010x}"
            gold["embeds"].append({"url": url, "type": self.design.embed})
            return {"url": url, "title": story.expand("clip", "video_title")}
        if name == "read_also":
            before = story.number - rng.randint(1, 30)
            return {"stories": self._teasers(self.newsroom.latest(before, rng.randint(1, 3)))}
        if name == "pull_quote":
            longest = max((passage.text for passage in story.body), key=len)
            sentence = _FIRST_SENTENCE.match(longest)
            return {"text": sentence[0] if sentence else longest}
        return {"slot": rng.randrange(10_000_000, 100_000_000)}

    def _report(self, story: Story, rng: random.Random, gold: Gold) -> list[Context]:
        """Return the modules of a long article with large pictures, in randomly nested chapters."""
        items: list[Context] = []
        pictures: list[Picture] = []
        element = rng.choice(("p", "div"))
        passages = [passage.text for passage in story.body]
        gold["text"] = "\n\n".join(passages)
        while passages:
            length = rng.randint(1, 4)
            chapter, passages = passages[:length], passages[length:]
            modules = [_module("paragraph", {"text": text, "p": element}) for text in chapter]
            for _ in range(rng.choice((0, 1, 1, 2, 5))):
                pictures.append(story.picture(50 + len(pictures)))
                modules.append(_module("picture", self._picture(pictures[-1])))
            items += _nested(modules, rng)
        gold["images"] = list(map(self._image, pictures))
        stories = self.newsroom.latest(story.number, rng.randint(0, 24))
        return [*items, _module("wall", {"stories": self._teasers(stories)})]

    def _services(self, newest: int, rng: random.Random) -> list[Context]:
        """Return the modules of a page without an article: tables, forms, charts and lists."""
        modules: list[Context] = []
        for name in rng.sample(_SERVICES, rng.randint(3, 7)):
            if name == "wall":
                stories = self.newsroom.latest(newest, rng.randint(6, 40))
                context: Context = {"stories": self._teasers(stories)}
            else:
                context = self._service_items(rng)
            modules += _nested([_module(name, context)], rng)
        return modules

    def _service_items(self, rng: random.Random) -> Context:
        """Return the rows of a table, which also serve as bars of a chart or entries of a list."""
        language = self.site.language
        expand = language.voice(rng, rng.choice(list(language.topics))).expand
        columns = rng.randint(2, 6)
        items: list[Context] = []
        for place in range(rng.randint(4, 24)):
            height = rng.randint(8, 180)
            item = {"name": expand(".project"), "text": expand("outlook"), "year": 1990 + place}
            item |= {"x": 24 * place, "y": 190 - height, "height": height}
            items.append(item | {"cells": [expand("sum") for _ in range(columns)]})
        return {"items": items, "rows": items, "slot": rng.randrange(10_000_000)}

    def _discussion(self, story: Story, rng: random.Random) -> tuple[Context, list[Gold]]:
        """Return the discussion of a story, as a list and as trees, and its gold records."""
        comments = self._comments(story, rng)
        views: list[Context] = []
        for index, comment in enumerate(comments):
            parent = None if comment.parent is None else views[comment.parent]
            view: Context = {
                "index": index + 1,
                "author": comment.author,
                "time": self._moment(comment.moment),
                "paragraphs": [
                    {"text": text, "more": place > 0}
                    for place, text in enumerate(comment.paragraphs)
                ],
                "likes": comment.likes,
                "replies": [],
                "answered": False,
                "parent": parent and {"index": parent["index"], "author": parent["author"]},
            }
            if parent is not None:
                parent["replies"].append(view)
                parent["answered"] = True
            views.append(view)
        roots = [view for view in views if view["parent"] is None]
        gold = [
            {
                "author": comment.author,
                "date": self.site.language.date(comment.moment, "comment"),
                "text": "\n\n".join(comment.paragraphs),
                "parent": comment.parent,
            }
            for comment in comments
        ]
        return {"open": bool(views), "count": len(views), "flat": views, "roots": roots}, gold

    def _comments(self, story: Story, rng: random.Random) -> Sequence[_Comment]:
        """Write a discussion in chronological order or, if the design nests it, in threads.

        Without noise, the number of comments is constant; with noise, it varies with a long tail.
        """
        median, count = self.design.comments[story.kind], 0
        if median and rng.random() >= 0.3 * self.noise:
            count = min(60, round(median * math.exp(1.1 * self.noise * rng.gauss(0, 1))))
        voice = story.voice(rng)
        moment = story.published
        comments: list[_Comment] = []
        for index in range(count):
            moment += timedelta(minutes=rng.randint(2, 90))
            parent = None
            if comments and rng.random() < 0.4:
                parent = max(rng.randrange(index), rng.randrange(index))
                if comments[parent].depth >= 3:
                    parent = comments[parent].parent
            texts = [voice.expand("comment")]
            if rng.random() < 0.15:
                texts.append(voice.expand("comment"))
            depth = 0 if parent is None else comments[parent].depth + 1
            likes = rng.randrange(40)
            author = voice.expand("handle")
            comments.append(_Comment(author, moment, tuple(texts), parent, depth, likes))
        return _in_threads(comments) if self.design.threads == "nested" else comments

    def _context(
        self,
        newest: int,
        optional_blocks: OptionalBlocks,
        rng: random.Random,
        topic: str | None = None,
    ) -> Context:
        """Return the context shared by all pages; `topic` is that of a section front."""
        site, language = self.site, self.site.language
        lists: dict[str, list[Context]] = {}
        front = newest
        for name in self.design.lists:
            within = topic if name.startswith("section") else None
            if within:
                before = front
            elif name == "most_read":
                # This list changes only every eight stories.
                before = newest // 8 * 8
            elif name == "latest":
                before = newest
            else:
                # The start is random, so that the lists of a page differ.
                before = newest - rng.randrange(30)
            stories = self.newsroom.latest(before, self._count(name, rng), topic=within)
            # The leading stories of a section front do not appear again in the lists below.
            front = stories[-1].number if within else front
            lists[name] = [
                teaser | {"position": place}
                for place, teaser in enumerate(self._teasers(stories), 1)
            ]
        now = self.newsroom.story(newest).published
        shown = ("name", "tagline", "domain", "city", "address")
        return {
            "site": {
                **{name: getattr(site, name) for name in shown},
                "year": now.year,
                "lang": language.code,
                "dir": language.direction,
            },
            "t": language.labels,
            "nav": [
                {
                    "name": name,
                    "url": self._section(each, 1),
                    "current": each == topic,
                    "tags": _tags(language.rules[f"{each}.tag"]),
                }
                for each, name in language.topics.items()
            ],
            "today": self._moment(now),
            "lists": lists,
            "maybe": optional_blocks,
            "slot": rng.randrange(10_000_000, 100_000_000),
        }

    def _count(self, name: str, rng: random.Random) -> int:
        """Return the length of a list, which varies more with more noise."""
        low, high = self.design.lists[name]
        middle, deviation = (low + high) / 2, (high - low) / 2 * self.noise
        return rng.randint(round(middle - deviation), round(middle + deviation))

    def _section(self, topic: str, page: int) -> str:
        return self.design.section_url.format(section=topic, page=page)

    def _path(self, story: Story) -> str:
        return self.design.article_url.format(
            section=story.topic, moment=story.published, number=_identifier(story), slug=story.slug
        )

    def _picture(self, picture: Picture) -> Context:
        return asdict(picture) | {"src": self.design.image_url.format(number=picture.number)}

    def _image(self, picture: Picture) -> Gold:
        source = self.design.image_url.format(number=picture.number)
        url = source if "://" in source else self.site.origin + source
        return {"url": url, "alt": picture.alt, "caption": picture.caption}

    def _moment(self, moment: datetime) -> Context:
        styles = ("long", "short", "comment")
        return {style: self.site.language.date(moment, style) for style in styles} | {
            "iso": moment.isoformat(),
            "clock": f"{moment:%H:%M}",
        }

    def _teasers(self, stories: Iterable[Story]) -> list[Context]:
        return list(map(self._teaser, stories))

    def _teaser(self, story: Story) -> Context:
        """Return the values with which a list or section front presents a story."""
        picture, lead = story.picture(0), story.lead
        talk = stream(self.seed, self.site.domain, story.number, "talk").randrange(90)
        return {
            "title": story.title,
            "teaser": lead,
            "teaser_short": lead if len(lead) <= 60 else lead[:60].rstrip() + "…",
            "url": self._path(story),
            "id": _identifier(story),
            "section": self.site.language.topics[story.topic],
            "section_url": self._section(story.topic, 1),
            "time": self._moment(story.published),
            "author": story.authors[0],
            "thumbnail": self.design.image_url.format(number=picture.number),
            "alt": picture.alt,
            "talk_count": talk,
        }

    def _byline(self, story: Story) -> list[Context]:
        """Return the values of each author, with a link and a short biography."""
        rng = stream(self.seed, self.site.domain, "staff", *story.authors)
        voice = self.site.language.voice(rng, story.topic)
        return [
            {
                "name": name,
                "url": f"/author/{quote(name)}",
                "bio": voice.expand("bio"),
                "last": place == len(story.authors),
            }
            for place, name in enumerate(story.authors, 1)
        ]


def _identifier(story: Story) -> int:
    return 41_000 + 7 * story.number


def _tags(names: Iterable[str]) -> list[Context]:
    return [{"name": name, "url": f"/tag/{quote(name)}"} for name in names]


def _mark_up_mention(text: str, mentions: list[str], rng: random.Random) -> str:
    """Return ``text`` as HTML, sometimes with the first of ``mentions`` linked or emphasised."""
    marked_up = html.escape(text)
    draw = rng.random()
    if draw >= _LINK_SHARE + _EMPHASIS_SHARE:
        return marked_up
    for name in mentions:
        escaped = html.escape(name)
        if escaped in marked_up:
            mentions.remove(name)
            if draw < _LINK_SHARE:
                replacement = f'<a href="/tag/{quote(name)}">{escaped}</a>'
            else:
                replacement = f"<strong>{escaped}</strong>"
            return marked_up.replace(escaped, replacement, 1)
    return marked_up


def _module(name: str, context: Context) -> Context:
    # Every module defines all names, as templates look up missing names in the enclosing modules.
    return dict.fromkeys(_MODULES) | {name: context}


def _nested(modules: list[Context], rng: random.Random) -> list[Context]:
    """Return modules within up to three wrapper elements."""
    for _ in range(rng.randrange(4)):
        modules = [_module("wrapper", {"element": rng.choice(_ELEMENTS), "modules": modules})]
    return modules


def _in_threads(comments: Sequence[_Comment]) -> Sequence[_Comment]:
    """Return comments in threads: each comment is followed by its replies."""
    replies: dict[int | None, list[int]] = {}
    for index, comment in enumerate(comments):
        replies.setdefault(comment.parent, []).append(index)
    threaded: list[_Comment] = []
    new_index: dict[int | None, int] = {}
    pending = list(reversed(replies.get(None, [])))
    while pending:
        index = pending.pop()
        new_index[index] = len(threaded)
        threaded.append(replace(comments[index], parent=new_index.get(comments[index].parent)))
        pending += reversed(replies.get(index, []))
    return threaded
