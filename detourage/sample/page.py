"""The pages of a site in a given design, with their gold records."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from detourage.sample.body import Body, Layout
from detourage.sample.discussion import Remark, discuss, discussion_length
from detourage.sample.one_off import service_page, special_report
from detourage.sample.randomness import stream
from detourage.sample.site import Design, Site, templates
from detourage.sample.story import Newsroom, Picture, Story
from detourage.sample.view import Context, View

Gold = dict[str, Any]

_GALLERY_PICTURES = 20
"""Number of the first picture in a story's gallery; lower numbers are used in the body."""


class Chance(dict[str, bool]):
    """Whether each optional block of a page is shown, decided when its name is first looked up.

    If `noise` is 0, every block is shown; if it is 1, half of them are.
    """

    def __init__(self, key: Sequence[object], noise: float) -> None:
        super().__init__()
        self._key = key
        self._noise = noise

    def __missing__(self, name: str) -> bool:
        shown = stream(*self._key, "maybe", name).random() >= self._noise / 2
        self[name] = shown
        return shown


@dataclass(frozen=True)
class PageMaker:
    """Generator of the pages of a site in one design; `noise` is their variation, from 0 to 1."""

    site: Site
    design: Design
    newsroom: Newsroom
    seed: int
    noise: float

    @property
    def _view(self) -> View:
        return View(self.site, self.design, self.seed)

    def article(self, story: Story) -> tuple[str, Gold]:
        """Return the HTML and the gold record of a story's page."""
        key, rng = self._streams("article", story.number)
        view = self._view
        maybe = Chance(key, self.noise)
        pictures: list[Picture] = []
        if rng.random() >= self.noise / 2:
            pictures.append(story.main_picture)
        main_picture = view.picture(pictures[0]) if pictures else None
        body = Layout(view, self.newsroom, self.noise).lay_out(story, maybe, rng)
        gallery = self._gallery(story, maybe, rng)
        pictures += [*body.pictures, *gallery]
        remarks = self._discussion(story, rng)
        path = view.story_path(story)
        article = {
            "standfirst": story.lead if self.design.lead[story.kind] == "standfirst" else None,
            "byline": view.byline(story),
            "picture_box": main_picture,
            "body": body.items,
            "gallery": [view.picture(picture) for picture in gallery],
            "tags": view.tags(story.tags),
            "json_ld": view.json_ld(story, pictures),
            "minutes": 1 + len("".join(body.texts)) // self.site.language.reading_speed,
        }
        context = self._context(story.number, maybe, rng) | {
            "page": self._page(story.title, story.lead, path),
            "story": view.teaser(story) | article,
            "talk": view.talk(remarks),
        }
        markup = templates(self.design.folder).render(f"{story.kind}.html", context)
        name = f"{self.design.name}/{story.kind}"
        url = self.site.origin + path
        return markup, _article_gold(view, url, name, story, body, pictures, remarks)

    def menu(self, number: int, newest: int) -> tuple[str, Gold]:
        """Return a section front with stories older than `newest`, and its gold record."""
        key, rng = self._streams("menu", number)
        view = self._view
        topics = self.site.language.topics
        topic = list(topics)[number % len(topics)]
        path = view.section_path(topic, number + 2)
        context = self._context(newest, Chance(key, self.noise), rng, topic) | {
            "page": self._page(topics[topic], self.site.tagline, path),
            "pager": [
                {"number": page, "url": view.section_path(topic, page)}
                for page in range(1, rng.randint(4, 10))
            ],
        }
        markup = templates(self.design.folder).render("section.html", context)
        url = self.site.origin + path
        return markup, _articleless_gold(view, url, f"{self.design.name}/section", "menu")

    def one_off(self, number: int, newest: int) -> tuple[str, Gold]:
        """Return a page without a template, with links to older stories, and its gold record."""
        key, rng = self._streams("one-off", number)
        view = self._view
        path = f"/special/{number}.html"
        name, url = f"one-off/{number}", self.site.origin + path
        context = self._context(newest, Chance(key, self.noise), rng)
        context["charset"] = self.design.encoding
        if rng.random() < 0.5:
            modules = service_page(view, self.newsroom, newest, rng)
            title = self.site.language.voice(rng).tell("town_name")
            gold = _articleless_gold(view, url, name, "service")
            context["page"] = self._page(title, self.site.tagline, path)
        else:
            story = self.newsroom.special(number)
            body = special_report(story, view, self.newsroom, rng)
            modules = body.items
            gold = _article_gold(view, url, name, story, body, body.pictures, [])
            context["page"] = self._page(story.title, story.lead, path)
            context["story"] = view.teaser(story) | {"byline": view.byline(story)}
        context["modules"] = modules
        return templates("one_off").render("page.html", context), gold

    def _streams(self, page: str, number: int) -> tuple[Sequence[object], random.Random]:
        key = (self.seed, self.site.domain, self.design.name, page, number)
        return key, stream(*key, "layout")

    def _page(self, title: str, description: str, path: str) -> Context:
        return {"title": title, "description": description, "url": self.site.origin + path}

    def _context(
        self, newest: int, maybe: Chance, rng: random.Random, topic: str | None = None
    ) -> Context:
        lists: dict[str, list[Context]] = {}
        front = newest
        for name in self.design.lists:
            within = topic if name.startswith("section") else None
            if within:
                before = front
            elif name == "most_read":
                # The list changes every eight stories.
                before = newest // 8 * 8
            elif name == "latest":
                before = newest
            else:
                # The lists of a page differ.
                before = newest - rng.randrange(30)
            stories = self.newsroom.latest(before, self._count(name, rng), topic=within)
            # The leading stories of a section front do not appear again in the lists below.
            front = stories[-1].number if within else front
            lists[name] = [
                self._view.teaser(story) | {"position": place}
                for place, story in enumerate(stories, 1)
            ]
        return self._view.furniture(self.newsroom.story(newest).published, topic) | {
            "lists": lists,
            "maybe": maybe,
            "slot": rng.randrange(10_000_000, 100_000_000),
        }

    def _count(self, name: str, rng: random.Random) -> int:
        low, high = self.design.lists[name]
        middle, reach = (low + high) / 2, (high - low) / 2 * self.noise
        return rng.randint(round(middle - reach), round(middle + reach))

    def _gallery(
        self, story: Story, maybe: Mapping[str, bool], rng: random.Random
    ) -> Sequence[Picture]:
        if story.kind != "news" or "gallery" not in self.design.lists or not maybe["gallery"]:
            return []
        count = self._count("gallery", rng)
        return [story.picture(_GALLERY_PICTURES + place) for place in range(count)]

    def _discussion(self, story: Story, rng: random.Random) -> Sequence[Remark]:
        count = discussion_length(self.design.comments[story.kind], self.noise, rng)
        return discuss(story, count, rng, nested=self.design.threads == "nested")


def _articleless_gold(view: View, url: str, template: str, kind: str) -> Gold:
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


def _article_gold(
    view: View,
    url: str,
    template: str,
    story: Story,
    body: Body,
    pictures: Sequence[Picture],
    remarks: Sequence[Remark],
) -> Gold:
    """Return the gold record of a story's page; pictures and remarks are in page order."""
    return _articleless_gold(view, url, template, "article") | {
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
