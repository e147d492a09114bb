"""Pages with and without further articles below the first, in the markup of real themes."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

SITE = "https://paper.example"

_TEXT = (
    "the council said that a new bridge over the river will open in spring after years of delay"
    " and the mayor expects more visitors while residents near the harbour fear noise from"
    " traffic as engineers check every cable before the first trams cross it on their way to"
    " school market and station where work on the roof had stopped for lack of money last winter"
    " but officials now hope to finish early because the state agreed to pay half of all costs"
)
_WORDS = _TEXT.split()
_SUBJECTS = ("bridge", "ferry", "library", "tram", "museum", "harbour", "stadium", "market", "mill")
_VERBS = ("reopens after", "closes for", "waits for", "turns into", "grows with", "wins")
_OBJECTS = ("years of repairs", "a long winter", "new owners", "a place to meet", "a prize")
_NAMES = ("Ada Bell", "Omar Reyes", "Lena Fisk", "Tom Adler", "Ines Duarte", "Noor Haddad")
_MONTHS = ("January", "February", "March", "April", "May", "June", "September", "October")
_SECTIONS = ("news", "city", "culture", "sport", "business")


@dataclass(frozen=True)
class Story:
    """An article to be rendered in a theme, with `count` paragraphs of words chosen by the seed."""

    seed: int
    count: int = 6

    @cached_property
    def title(self) -> str:
        """The headline."""
        rng = random.Random(f"title {self.seed}")
        picked = (rng.choice(each) for each in (_SUBJECTS, _VERBS, _OBJECTS))
        return f"Old {' '.join(picked)} in Ward {self.seed}"

    @cached_property
    def path(self) -> str:
        """The path of the URL."""
        rng = random.Random(f"path {self.seed}")
        slug = "-".join(self.title.lower().split())
        return f"/{rng.choice(_SECTIONS)}/{slug}"

    @property
    def url(self) -> str:
        """The URL."""
        return SITE + self.path

    @cached_property
    def author(self) -> str:
        """The name of the author."""
        return random.Random(f"author {self.seed}").choice(_NAMES)

    @cached_property
    def day(self) -> tuple[int, int]:
        """Month and day of the publication date; the year is 2024."""
        rng = random.Random(f"day {self.seed}")
        return rng.randrange(len(_MONTHS)) + 1, rng.randrange(27) + 1

    @property
    def iso(self) -> str:
        """The publication date in ISO format."""
        return "2024-{:02}-{:02}".format(*self.day)

    @property
    def date(self) -> str:
        """The publication date as shown to readers."""
        month, day = self.day
        return f"{day} {_MONTHS[month - 1]} 2024"

    @cached_property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the text, each containing a unique word."""
        return [paragraph(self.seed, number) for number in range(self.count)]

    @property
    def unique_words(self) -> list[str]:
        """The word unique to each paragraph, in order."""
        return [unique_word(self.seed, number) for number in range(self.count)]

    @property
    def body(self) -> str:
        """The paragraphs as markup."""
        return "".join(f"<p>{text}</p>" for text in self.paragraphs)


def unique_word(seed: int, number: int) -> str:
    """Return the word that only the given paragraph of a story has, such as ``Zone7x2``."""
    return f"Zone{seed}x{number}"


def paragraph(seed: int, number: int, sentences: int = 3) -> str:
    """Return a paragraph of random sentences, the first of which has the unique word."""
    rng = random.Random(f"{seed} {number}")
    texts = [" ".join(rng.choices(_WORDS, k=rng.randrange(9, 19))) for _ in range(sentences)]
    texts[0] += f" near {unique_word(seed, number)}"
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in texts)


@dataclass(frozen=True)
class GeneratedPage:
    """A generated page, with the unique words of its own article and of the articles below it.

    `links` are the URLs of the articles below, if the page contains them.
    """

    html: str
    url: str
    own: Sequence[str]
    further: Sequence[str] = ()
    links: Sequence[str] = ()


def _page(own: Story, body: str, head: str = "") -> str:
    """Surround the body with a menu, a list of teasers and a footer."""
    teasers = "".join(
        f'<li><a href="{each.path}">{each.title}</a></li>'
        for each in map(Story, range(own.seed + 900, own.seed + 904))
    )
    return (
        f'<!doctype html><html lang="en"><head><title>{own.title} | The Paper</title>'
        f'<link rel="canonical" href="{own.url}">{head}</head><body>'
        '<nav><a href="/">Home</a> <a href="/news/">News</a> <a href="/city/">City</a></nav>'
        f'{body}<aside class="popular"><h3>Most read</h3><ul>{teasers}</ul></aside>'
        "<footer><p>© 2024 The Paper. All rights reserved.</p></footer></body></html>"
    )


# Each theme renders the page's own article and, below it, further articles.
def _entries(own: Story, below: Sequence[Story]) -> str:
    def entry(story: Story, level: int) -> str:
        title = story.title if level == 1 else f'<a href="{story.url}">{story.title}</a>'
        return (
            f'<article id="post-{story.seed}" class="post type-post">'
            f'<header class="entry-header"><h{level} class="entry-title">{title}</h{level}>'
            f'<div class="entry-meta">By <a href="/author/x/">{story.author}</a> on '
            f'<time datetime="{story.iso}">{story.date}</time></div></header>'
            f'<div class="entry-content">{story.body}</div></article>'
        )

    return f"<main>{entry(own, 1)}{''.join(entry(each, 2) for each in below)}</main>"


def _divs_with_urls(own: Story, below: Sequence[Story]) -> str:
    return "".join(
        f'<div class="story-wrap" data-url="{each.path}" data-title="{each.title}">'
        f'<h1>{each.title}</h1><div class="info"><span>{each.author}</span> '
        f'<span>{each.date}</span></div><div class="copy">{each.body}</div></div>'
        for each in (own, *below)
    )


def _infinite(own: Story, below: Sequence[Story]) -> str:
    def post(story: Story) -> str:
        return (
            f'<article class="hentry"><h1 class="entry-title">'
            f'<a href="{story.url}" rel="bookmark">{story.title}</a></h1>'
            f'<span class="posted-on">{story.date}</span><div class="entry">{story.body}</div>'
            "</article>"
        )

    wraps = "".join(
        f'<div class="infinite-wrap infinite-view-{number}">{post(each)}</div>'
        for number, each in enumerate(below)
    )
    return f'<div id="primary"><div id="content">{post(own)}{wraps}</div></div>'


def _next_pages(own: Story, below: Sequence[Story]) -> str:
    def shown(story: Story) -> str:
        return (
            f'<div class="top"><h1>{story.title}</h1><p class="byline">By {story.author}</p></div>'
            f"{story.body}"
        )

    pages = "".join(
        f'<div class="next-page-separator">Next article</div>'
        f'<div class="next-page-document" data-canonical-url="{each.url}">{shown(each)}</div>'
        for each in below
    )
    return (
        f'<div class="document"><main>{shown(own)}</main><div class="next-page">{pages}</div></div>'
    )


def _read_next(own: Story, below: Sequence[Story]) -> str:
    items = "".join(
        f'<article data-href="{each.path}"><h2>{each.title}</h2>'
        f"<p><em>{each.date}</em></p>{each.body}</article>"
        for each in below
    )
    return (
        f'<article class="main-story"><h1>{own.title}</h1><p><em>{own.date}</em></p>{own.body}'
        f'</article><section class="read-next"><h2>Read next</h2>{items}</section>'
    )


def _feed(own: Story, below: Sequence[Story]) -> str:
    return '<div class="feed">{}</div>'.format(
        "".join(
            f'<div class="item"><h2 class="item-title"><a href="{each.path}">{each.title}</a></h2>'
            f'<p class="item-info">{each.date}, {each.author}</p>'
            f'<div class="item-text">{each.body}</div></div>'
            for each in (own, *below)
        )
    )


def _sections(own: Story, below: Sequence[Story]) -> str:
    return "<main>{}</main>".format(
        "".join(
            f'<section class="story"><header><p>City</p><h1>{each.title}</h1>'
            f"<address>By {each.author}</address><time>{each.date}</time></header>"
            f"{each.body}</section>"
            for each in (own, *below)
        )
    )


def _declared(own: Story, below: Sequence[Story]) -> str:
    graph = [
        {
            "@type": "NewsArticle",
            "headline": each.title,
            "url": each.url,
            "datePublished": each.iso,
            "author": {"@type": "Person", "name": each.author},
        }
        for each in (own, *below)
    ]
    json_ld = json.dumps({"@context": "https://schema.org", "@graph": graph})
    first, *others = (
        f"<h{1 if each is own else 2}>{each.title}</h{1 if each is own else 2}>"
        f"<p>{each.author}, {each.date}</p>{each.body}"
        for each in (own, *below)
    )
    further = "".join(f'<div class="below">{each}</div>' for each in others)
    return (
        f'<script type="application/ld+json">{json_ld}</script>'
        f'<div class="story">{first}</div>{further}'
    )


def _items(own: Story, below: Sequence[Story]) -> str:
    return "".join(
        '<div itemscope itemtype="https://schema.org/NewsArticle">'
        f'<meta itemprop="mainEntityOfPage" content="{each.url}">'
        f'<h2 itemprop="headline">{each.title}</h2><div><span itemprop="author">{each.author}'
        f'</span> <span itemprop="datePublished" content="{each.iso}">{each.date}</span></div>'
        f'<div itemprop="articleBody">{each.body}</div></div>'
        for each in (own, *below)
    )


def _nodes(own: Story, below: Sequence[Story]) -> str:
    def node(story: Story) -> str:
        title = (
            f'<h1 class="page-title">{story.title}</h1>'
            if story is own
            else f'<h2 class="node-title"><a href="{story.path}">{story.title}</a></h2>'
        )
        return (
            f'<div about="{story.path}" class="node node-article">{title}<div class="submitted">'
            f"Submitted by {story.author} on {story.date}</div>"
            f'<div class="field">{story.body}</div></div>'
        )

    return f'<div id="block-system-main">{"".join(map(node, (own, *below)))}</div>'


def _flat(own: Story, below: Sequence[Story]) -> str:
    return '<div class="column">{}</div>'.format(
        "<hr>".join(
            f"<h1>{each.title}</h1><p>By {each.author}</p><p>{each.date}</p>{each.body}"
            for each in (own, *below)
        )
    )


def _components(own: Story, below: Sequence[Story]) -> str:
    first = f'<div class="headline"><h1>{own.title}</h1></div><div>{own.author}</div>{own.body}'
    others = "".join(
        f'<news-story data-permalink="{each.url}"><div class="headline">{each.title}</div>'
        f'<div class="author">{each.author}</div><div>{each.body}</div></news-story>'
        for each in below
    )
    return f'<news-story data-permalink="{own.url}">{first}</news-story>{others}'


def _states(own: Story, below: Sequence[Story]) -> str:
    return '<div class="reader">{}</div>'.format(
        "".join(
            f'<div class="reader-page" data-history-url="{each.path}" data-history-title="x">'
            f"<h3>{each.title}</h3><div><span>{each.date}</span></div>{each.body}</div>"
            for each in (own, *below)
        )
    )


def _utilities(own: Story, below: Sequence[Story]) -> str:
    return '<main class="px-4">{}</main>'.format(
        "".join(
            f'<div class="mx-auto max-w-3xl py-8" data-path="{each.path}">'
            f'<h{1 if each is own else 2} class="text-3xl font-bold">{each.title}'
            f'</h{1 if each is own else 2}><div class="text-sm">{each.date}</div>'
            f'<div class="prose">{each.body}</div></div>'
            for each in (own, *below)
        )
    )


def _blog(own: Story, below: Sequence[Story]) -> str:
    return '<div class="blog-posts">{}</div>'.format(
        "".join(
            f'<div class="date-outer"><h2 class="date-header"><span>{each.date}</span></h2>'
            f'<div class="post hentry"><h3 class="post-title entry-title">'
            f'<a href="{each.url}">{each.title}</a></h3><div class="post-body">{each.body}</div>'
            f'<div class="post-footer">Posted by {each.author}</div></div></div>'
            for each in (own, *below)
        )
    )


def _microformats(own: Story, below: Sequence[Story]) -> str:
    return "".join(
        f'<div class="h-entry"><h1 class="p-name"><a class="u-url" href="{each.url}">{each.title}'
        f'</a></h1><p><a class="p-author">{each.author}</a> <time class="dt-published">{each.date}'
        f'</time></p><div class="e-content">{each.body}</div></div>'
        for each in (own, *below)
    )


Theme = Callable[[Story, Sequence[Story]], str]  # renders an article with others below

SEEN: Mapping[str, Theme] = {
    "entries": _entries,
    "divs with addresses": _divs_with_urls,
    "infinite": _infinite,
    "next pages": _next_pages,
    "read next": _read_next,
    "feed": _feed,
    "sections": _sections,
}
"""Themes that were used to write the rule that finds further articles."""

UNSEEN: Mapping[str, Theme] = {
    "declared": _declared,
    "items": _items,
    "nodes": _nodes,
    "flat": _flat,
    "components": _components,
    "states": _states,
    "utilities": _utilities,
    "blog": _blog,
    "microformats": _microformats,
}
"""Themes that were not used to write the rule that finds further articles."""


def scrolling_page(theme: Theme, seed: int) -> GeneratedPage:
    """Return a page whose own article is followed by one to four other articles."""
    rng = random.Random(f"page {seed}")
    own = Story(seed, rng.randrange(4, 10))
    below = [
        Story(100_000 + 10 * seed + number, rng.randrange(3, 14))
        for number in range(rng.randrange(1, 5))
    ]
    return GeneratedPage(
        _page(own, theme(own, below)),
        own.url,
        own.unique_words,
        [each for story in below for each in story.unique_words],
        [story.url for story in below],
    )


def _intro(story: Story) -> str:
    return f"<p>{paragraph(story.seed, 0)}</p><p>{paragraph(story.seed, 1)}</p>"


def _live_blog(story: Story) -> str:
    entries = "".join(
        f'<article class="entry" data-url="{story.path}/entry-{n}"><time>1{n}:30</time>'
        f"<h2>{Story(story.seed + n).title}</h2><p>{paragraph(story.seed, n)}</p></article>"
        for n in range(2, 8)
    )
    return f'<div class="summary"><h1>{story.title}</h1>{_intro(story)}</div><div>{entries}</div>'


def _thread(story: Story) -> str:
    posts = "".join(
        f'<article class="message" data-content="post-{n}"><header><a href="/members/{n}">Rider{n}'
        f'</a> <time>{story.date}</time> <a href="{story.path}/post-{n}">#{n + 1}</a></header>'
        f"<h3>{'Re: ' if n else ''}{story.title}</h3><p>{paragraph(story.seed, n)}</p></article>"
        for n in range(8)
    )
    return f'<h1>{story.title}</h1><div class="messages">{posts}</div>'


def _gallery(story: Story) -> str:
    slides = "".join(
        f'<div class="slide" data-url="{story.path}/{n}"><img src="/{story.seed}/{n}.jpg">'
        f"<h2>{Story(story.seed + n).title}</h2><p>{paragraph(story.seed, n)}</p></div>"
        for n in range(2, 8)
    )
    return f"<article><h1>{story.title}</h1>{_intro(story)}{slides}</article>"


def _listicle(story: Story) -> str:
    items = "".join(
        f'<section><h2>{n - 1}. {Story(story.seed + n).title}</h2><p class="date">Opened '
        f"{Story(story.seed + n).date}</p><p>{paragraph(story.seed, n)}</p></section>"
        for n in range(2, 9)
    )
    return (
        f'<article><h1>{story.title}</h1><p class="byline">By {story.author}</p>{_intro(story)}'
        f"{items}</article>"
    )


def _interview(story: Story) -> str:
    answers = "".join(
        f"<h2>{paragraph(story.seed + 50, n, 1)[:60]}?</h2><p>{paragraph(story.seed, n)}</p>"
        for n in range(2, 9)
    )
    return f"<article><h1>{story.title}</h1><p>{story.date}</p>{_intro(story)}{answers}</article>"


def _newsletter(story: Story) -> str:
    items = "".join(
        f'<div class="block"><h2><a href="{Story(story.seed + n).path}">'
        f"{Story(story.seed + n).title}</a></h2><p>{paragraph(story.seed, n)}</p></div>"
        for n in range(2, 8)
    )
    return (
        f'<div class="intro"><h1>{story.title}</h1><p>{story.date}</p>{_intro(story)}</div>'
        f'<div class="blocks">{items}</div>'
    )


def _manual(story: Story) -> str:
    parts = "".join(
        f'<section id="part-{n}"><h1>{Story(story.seed + n).title}</h1>'
        f"<p>{paragraph(story.seed, n)}</p><p>{paragraph(story.seed, n + 1)}</p></section>"
        for n in range(2, 8, 2)
    )
    return f"<div><section><h1>{story.title}</h1>{_intro(story)}</section>{parts}</div>"


def _chronicle(story: Story) -> str:
    years = "".join(
        f"<h2>{Story(story.seed + n).date}</h2><p>{paragraph(story.seed, n)}</p>"
        for n in range(2, 8)
    )
    return (
        f'<div class="post"><h1>{story.title}</h1><p>{story.author}</p>{_intro(story)}{years}</div>'
    )


SINGLE: Mapping[str, Callable[[Story], str]] = {
    "live": _live_blog,
    "thread": _thread,
    "gallery": _gallery,
    "listicle": _listicle,
    "interview": _interview,
    "newsletter": _newsletter,
    "manual": _manual,
    "chronicle": _chronicle,
}
"""Renderers of a single article whose parts each have a heading, a date or a URL."""


def single_page(make: Callable[[Story], str], seed: int) -> GeneratedPage:
    """Return a page with a single article, whose parts could be mistaken for further articles."""
    own = Story(seed)
    html = make(own)
    unique_words = [each for n in range(20) if (each := unique_word(seed, n)) in html]
    return GeneratedPage(_page(own, html), own.url, unique_words)
