"""Pages without a template: special reports and service pages, which are built individually."""

import random
from collections.abc import Sequence

from detourage.sample.body import Body
from detourage.sample.language import Language
from detourage.sample.story import Newsroom, Story
from detourage.sample.view import Context, View

_ELEMENTS = ("div", "section", "article", "center", "main", "aside", "blockquote", "span")
_SERVICE_MODULES = (
    *("table", "answers", "history", "form", "chart", "poll", "accordion", "map", "wall"),
)
_MODULES = ("wrapper", "paragraph", "picture", *_SERVICE_MODULES)


def special_report(story: Story, view: View, newsroom: Newsroom, rng: random.Random) -> Body:
    """Build a long article with large pictures, in randomly nested chapters."""
    page = Body()
    element = rng.choice(("p", "div"))
    passages = [passage.text for passage in story.body]
    while passages:
        length = rng.randint(1, 4)
        chapter, passages = passages[:length], passages[length:]
        modules = [_module("paragraph", {"text": text, "p": element}) for text in chapter]
        page.texts += chapter
        for _ in range(rng.choice((0, 1, 1, 2, 5))):
            page.pictures.append(story.picture(50 + len(page.pictures)))
            modules.append(_module("picture", view.picture(page.pictures[-1])))
        page.items += _nested(modules, rng)
    stories = newsroom.latest(story.number, rng.randint(0, 24))
    page.items.append(_wall(view, stories))
    return page


def service_page(view: View, newsroom: Newsroom, newest: int, rng: random.Random) -> list[Context]:
    """Build a page of tables, forms, charts and lists, without an article."""
    modules: list[Context] = []
    for name in rng.sample(_SERVICE_MODULES, rng.randint(3, 7)):
        if name == "wall":
            module = _wall(view, newsroom.latest(newest, rng.randint(6, 40)))
        else:
            module = _module(name, _items(view.site.language, rng))
        modules += _nested([module], rng)
    return modules


def _module(name: str, context: Context) -> Context:
    # Every module defines all names, as templates look up missing names in the enclosing modules.
    return dict.fromkeys(_MODULES) | {name: context}


def _wall(view: View, stories: Sequence[Story]) -> Context:
    return _module("wall", {"stories": [view.teaser(story) for story in stories]})


def _nested(modules: list[Context], rng: random.Random) -> list[Context]:
    for _ in range(rng.randrange(4)):
        modules = [_module("wrapper", {"element": rng.choice(_ELEMENTS), "modules": modules})]
    return modules


def _items(tongue: Language, rng: random.Random) -> Context:
    topic = rng.choice(list(tongue.topics))
    tell = tongue.voice(rng, topic).tell
    columns = rng.randint(2, 6)
    items: list[Context] = []
    for place in range(rng.randint(4, 24)):
        height = rng.randint(8, 180)
        item = {"name": tell(".project"), "text": tell("outlook"), "year": 1990 + place}
        item |= {"x": 24 * place, "y": 190 - height, "height": height}
        items.append(item | {"cells": [tell("sum") for _ in range(columns)]})
    return {"items": items, "rows": items, "slot": rng.randrange(10_000_000)}
