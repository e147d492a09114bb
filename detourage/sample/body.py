"""The body of an article, which consists of passages with inserts between them."""

import html
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from detourage.sample.story import Newsroom, Passage, Picture, Story
from detourage.sample.view import Context, View

_LINK_SHARE = 0.35
"""Share of paragraphs in which a name becomes a link."""

_FIRST_SENTENCE = re.compile(r".+?(?:[.!?؟](?=\s|$)|[。！？])", re.DOTALL)


@dataclass
class Body:
    """The layout of a body: template contexts by kind, in order, and the visible passages."""

    items: list[Context] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    embeds: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Layout:
    """Layout engine for the bodies of a site's articles in one design."""

    view: View
    newsroom: Newsroom
    noise: float

    def lay_out(self, story: Story, maybe: Mapping[str, bool], rng: random.Random) -> Body:
        """Lay out the body of ``story``, with the inserts that ``maybe`` allows."""
        passages = [(passage.kind, passage.text) for passage in story.body]
        if self.view.design.lead[story.kind] == "body":
            passages.insert(0, ("paragraph", story.lead))
        # Inserts are placed before paragraphs, so that they do not split lists.
        places = [place for place, (kind, _) in enumerate(passages) if kind == "paragraph"]
        wanted = [name for name in self.view.design.inserts[story.kind] if maybe[f"insert-{name}"]]
        inserts = dict(zip(rng.sample(places[1:], len(wanted)), wanted, strict=True))
        # Text pasted from a word processor has styles and empty paragraphs.
        pasted = rng.random() < 0.15 * self.noise
        mentions = list(story.mentions)
        body = Body(texts=[text for _, text in passages])
        for place, (kind, text) in enumerate(passages):
            if place in inserts:
                body.items.append({inserts[place]: self._insert(inserts[place], story, body, rng)})
            if pasted and place and kind == "paragraph" and rng.random() < 0.3:
                body.items.append({"gap": True})
            marked_up = _dress(text, mentions, rng) if kind == "paragraph" else html.escape(text)
            if pasted and kind == "paragraph":
                marked_up = f'<span style="font-size: 12pt; line-height: 115%">{marked_up}</span>'
            item = {
                "html": marked_up,
                "leads": place == 0,
                "starts": kind == "list_item" and passages[place - 1][0] != kind,
                "ends": kind == "list_item" and passages[place + 1][0] != kind,
            }
            body.items.append({kind: item})
        return body

    def _insert(self, name: str, story: Story, body: Body, rng: random.Random) -> Context:
        if name == "figure":
            body.pictures.append(story.picture(1 + len(body.pictures)))
            return self.view.picture(body.pictures[-1])
        if name == "video":
            url = f"https://video.example/embed/{rng.getrandbits(40):010x}"
            body.embeds.append({"url": url, "type": self.view.design.embed})
            return {"url": url, "title": story.clip()}
        if name == "read_also":
            stories = self.newsroom.latest(story.number - rng.randint(1, 30), rng.randint(1, 3))
            return {"stories": [self.view.teaser(each) for each in stories]}
        if name == "pull_quote":
            return {"text": _first_sentence(story.body)}
        return {"slot": rng.randrange(10_000_000, 100_000_000)}


def _first_sentence(passages: Sequence[Passage]) -> str:
    longest = max((passage.text for passage in passages), key=len)
    sentence = _FIRST_SENTENCE.match(longest)
    return sentence[0] if sentence else longest


def _dress(text: str, mentions: list[str], rng: random.Random) -> str:
    """Return ``text`` as HTML, sometimes with the first of ``mentions`` linked or emphasised."""
    marked_up = html.escape(text)
    draw = rng.random()
    if draw >= _LINK_SHARE + 0.08:
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
