"""Training examples for the page model: what its network sees of pages, with labelled lines."""

import random
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.methods.ours import template_knowledge
from benchmarks.evaluation.scores import Gold, headline_of, load_corpus, matching_blocks, words
from benchmarks.evaluation.scores.roles import LabelledPage, align
from benchmarks.extraction.folds import ARTICLES
from benchmarks.extraction.inserted import INSERTED_LINES, INSERTED_MARKUP
from benchmarks.extraction.labels import UNKNOWN, hinted_labels, shares_in_gold
from detourage import core
from detourage.html import PageError
from detourage.html.encoding import decode
from detourage.papers.interface import ALONE
from detourage.papers.reading import page_of
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage, PageModel
from detourage.roles import ALL_ROLES, Kind, LineRole
from examples.sample_crawl import generate

GROUPED: Final = frozenset({"daniel", "msv_big9", "l3s_gn1"})
"""Corpora with several pages per site, which are also read in comparison with another page."""

INSERTED: Final = {"wcxb": 0.55, "fundus_body": 0.55, "daniel": 0.3, "l3s_gn1": 0.3}
"""Corpora into whose articles lines are inserted, and the share of the articles."""

MOST: Final = {"dragnet": 400, "l3s_gn1": 300, "daniel": 600, "msv_big9": 150}
"""Maximum number of pages of the older corpora, evenly spaced, in addition to labelled ones."""

SAMPLE, BARE = "sample", "bare"
"""Names of the corpora of generated pages, and of pages that consist of little but a text."""

MAX_LINES: Final = 600
"""Maximum number of lines of a page; the rest is cut off."""

BARE_ARTICLES, BARE_OTHERS = 8, 2
"""Intervals at which articles and pages of other kinds, respectively, are taken from a corpus to
make bare pages.
"""

BARE_FRAME = (
    "<ul><li><a href='/'>Home</a></li><li><a href='/news'>News</a></li>"
    "<li><a href='/about'>About us</a></li></ul>",
    "<div class='bottom'><p>© 2024 The publisher. All rights reserved.</p>"
    "<p><a href='/privacy'>Privacy</a> <a href='/contact'>Contact</a></p></div>",
)
"""Menu and footer of bare pages."""

THREAD = "forum"
"""Kind of pages whose gold texts are not used. Readers write the content of such pages; below an
article, the same kind of content does not belong to the text."""

COMMENT_LAYOUTS = (
    (
        'ol class="commentlist"',
        'li class="comment"',
        '<cite>{name}</cite> <time datetime="2024-05-{day:02}">May {day}, 2024</time>',
        "<a href='#r'>Reply</a>",
    ),
    ('section id="discussion"', "article", "<h4>{name}</h4><span>{day}.05.2024, 10:15</span>", ""),
    ('div class="c1"', 'div class="x2"', "<b>{name}</b><i>{day} hours ago</i>", "<a>Like</a>"),
    ('div class="topic"', 'div class="post"', "<a>{name}</a> <time>Jan {day}, 2025</time>", ""),
    ('ul class="responses"', "li", "<span>{name} | 2023-11-{day:02}</span>", "<a>Report</a>"),
)
"""Layouts of comments: the tags of the list, of each comment, of its header and of its actions."""

POSTS_OF_THREAD = 28
"""Number of comments from which the posts of a bare thread are drawn."""

WORDS_OF_TITLE = 8
"""Number of words at the start of the first post that form the title of a bare thread."""

GENERATED_SEED, GENERATED_PAGES = 7, 3
"""Seed of the generated pages, which differs from the sample crawl's, and their number per
template."""

Labels = Mapping[str, LabelledPage]
"""Pages of a corpus whose lines are labelled with roles, by ID."""

Array = npt.NDArray[Any]

_NUMBERS: Final[Mapping[str | None, int]] = {role: at for at, role in enumerate(ALL_ROLES)}


@dataclass(frozen=True, eq=False)
class Example:
    """A page as the network sees it, with what is known about its lines.

    `seen` are the columns of `detourage.core.columns`, with rows per line; `known` compares the
    lines with another page of the template, or is -1. `shares` gives the share of each line's words
    that the gold text contains, or is None; `hints` are labels of `hinted_labels`. `roles` are
    numbers of `ALL_ROLES`, or -1; they are known for pages labelled by hand, and for lines that
    were `inserted`. `commented` is the share of each line's words that are in comments, `starts`
    marks the first lines of comments; both are None if the comments are unknown. `taught` are the
    probabilities that the teacher assigns to the roles and to the kinds.
    """

    corpus: str
    gold: Gold
    seen: Mapping[str, Array]
    known: Array
    shares: Array | None
    hints: Array | None
    roles: Array
    inserted: Array
    commented: Array | None
    starts: Array | None
    taught: tuple[Array, Mapping[Kind, float]]

    @property
    def is_article(self) -> bool:
        """Whether the page is an article, as opposed to, for example, a thread or a shop's page."""
        return self.gold.kind in ARTICLES


class Reading:
    """A reader of pages, which makes examples, with a model as the teacher."""

    def __init__(self, teacher: PageModel) -> None:
        self._teacher = teacher

    def corpus(self, folder: Path, labels: Labels) -> Iterator[Example]:
        """Read the pages of a corpus, and copies of its articles with inserted lines."""
        corpus = load_corpus(folder)
        pages = _chosen(corpus.name, [*corpus.pages.values()], labels)
        sources = [Source(page.html, page.url, page.content_type) for page in pages]
        near = [ALONE] * len(pages)
        if corpus.name in GROUPED:
            near = find_neighbours(sources, [page.site for page in pages])
        measured = {gold.id for gold in measurable(corpus) if gold.text}
        titles = [gold.title for gold in corpus.golds.values() if gold.title] or list(_TITLES)
        chance = random.Random(corpus.name)
        for page, source, around in zip(pages, sources, near, strict=True):
            gold = corpus.golds.get(page.id)
            if gold is None:
                continue
            labelled, is_measured = labels.get(page.id), page.id in measured
            yield from self._read(
                corpus.name, gold, source, around.pivot, labelled, is_measured=is_measured
            )
            is_chosen = is_measured and gold.kind in ARTICLES
            if is_chosen and chance.random() < INSERTED.get(corpus.name, 0):
                made = with_lines(chance, source, gold, titles)
                if made is not None:
                    yield from self._read(
                        corpus.name, gold, made[0], None, labelled, is_measured=True, put=made[1]
                    )

    def generated(self) -> Iterator[Example]:
        """Generate pages of the sample crawl's sites with different stories and layouts."""
        for page in generate(seed=GENERATED_SEED, pages_per_template=GENERATED_PAGES):
            told, message = page.gold, page.message
            if told["kind"] != "article":
                continue
            gold = Gold(
                told["id"], told["site"], told["language"], told["text"], title_in_text=False
            )
            gold = replace(gold, title=told["title"])
            html = message["html"] if "html" in message else b64decode(message["html_base64"])
            source = Source(html, message["url"], message.get("content_type"))
            yield from self._read(SAMPLE, gold, source, is_measured=True)

    def bare(self, folder: Path, said: Sequence[str]) -> Iterator[Example]:
        """Make pages that consist of little but a gold text: a headline and its lines.

        Every crawled page has a template, so without such pages in the training data, the kind of a
        small page would be a guess. Half of the articles have comments with texts from `said`. Only
        the kind is learnt from these articles and from pages of other kinds, because their lines
        would teach the model that the last items of a list are comments.
        """
        corpus = load_corpus(folder)
        golds = [gold for gold in measurable(corpus) if gold.text and gold.kind != THREAD]
        articles = [gold for gold in golds if gold.kind in ARTICLES][::BARE_ARTICLES]
        others = [gold for gold in golds if gold.kind not in ARTICLES][::BARE_OTHERS]
        for number, gold in enumerate(articles):
            url, half = corpus.pages[gold.id].url, number // 2
            article = replace(gold, kind="article")
            if said and number % 2:
                layout = half % len(COMMENT_LAYOUTS)
                comments = _comments(said, half * 13, layout, count=1 + half * 5 % 12)
                yield from self._bare(article, url, after=comments, is_measured=False)
            else:
                yield from self._bare(article, url, *(BARE_FRAME if half % 2 else ()))
        for gold in others:
            yield from self._bare(gold, corpus.pages[gold.id].url, is_measured=False)

    def threads(self, said: Sequence[str]) -> Iterator[Example]:
        """Make pages that consist only of comments from `said`; only their kind is known."""
        for number, start in enumerate(range(0, len(said), POSTS_OF_THREAD)):
            first = said[start]
            title = " ".join(first.split()[:WORDS_OF_TITLE])
            posts = _comments(said[start:], 0, number % len(COMMENT_LAYOUTS), 3 + number * 5 % 11)
            html = f"<title>{escape(title)}</title><body><h1>{escape(title)}</h1>{posts}</body>"
            site = f"thread-{number}.example"
            gold = Gold(f"thread-{number}", site, "", first, title_in_text=False, kind="forum")
            source = Source(html, f"https://{site}/{number}", "text/html")
            yield from self._read(BARE, gold, source, is_measured=False)

    def _bare(
        self, gold: Gold, url: str, before: str = "", after: str = "", *, is_measured: bool = True
    ) -> Iterator[Example]:
        title = gold.title or ""
        lines = [
            line for line in (gold.text or "").removeprefix(title).splitlines() if line.strip()
        ]
        body = "".join(f"<p>{escape(line)}</p>" for line in lines)
        heading = f"<h1>{escape(title)}</h1>" if title else ""
        html = f"<title>{escape(title)}</title><body>{before}{heading}<div>{body}</div>{after}"
        bare = replace(gold, text="\n".join(lines), title_in_text=False)
        yield from self._read(BARE, bare, Source(html, url, "text/html"), is_measured=is_measured)

    def _read(
        self,
        corpus: str,
        gold: Gold,
        source: Source,
        pivot: Source | None = None,
        labelled: LabelledPage | None = None,
        *,
        is_measured: bool,
        put: Mapping[str, LineRole] | None = None,
    ) -> Iterator[Example]:
        """Read a page; yield nothing if it is unreadable or has no lines."""
        try:
            document = page_of(source).document
            knowledge = template_knowledge(pivot) if pivot is not None else None
        except PageError:
            return
        outline = Outline.of(document)
        lines = lines_of(outline)
        seen = _seen(core.columns(outline.document, source.url))
        if not lines or len(seen["counts"]) != len(lines):
            return
        judged = self._teacher.judge(outline, None, source.url)
        texts = [line.text for line in lines]
        known = knowledge.compare(outline, lines) if knowledge is not None else None
        shares = shares_in_gold(texts, gold, headline_of(gold, document)) if is_measured else None
        is_hinted = not is_measured and corpus not in (BARE, SAMPLE)
        commented, starts = _comments_in(texts, gold) or (None, None)
        aligned = align(labelled, texts) if labelled is not None else [None] * len(texts)
        example = Example(
            corpus,
            gold,
            seen,
            known if known is not None else np.full((len(lines), core.KNOWN), -1, np.float32),
            shares,
            hinted_labels(texts, gold) if is_hinted else None,
            np.array([_NUMBERS.get(role, UNKNOWN) for role in aligned]),
            np.zeros(len(lines), np.bool_),
            commented,
            starts,
            (judged.role_probabilities, judged.kinds),
        )
        yield _cut(_with_inserted(example, texts, put or {}, judged))


def _chosen(name: str, pages: list[Any], labels: Labels) -> list[Any]:
    most = MOST.get(name, len(pages))
    kept = [page for page in pages if page.id in labels]
    rest = [page for page in pages if page.id not in labels]
    number = min(len(rest), max(0, most - len(kept)))
    places = np.linspace(0, max(0, len(rest) - 1), number).astype(int)
    return [*kept, *(rest[place] for place in places.tolist())]


def _seen(columns: Mapping[str, Any]) -> dict[str, Array]:
    count = len(columns["counts"]) // 4
    rows = {
        name: np.frombuffer(columns[name], kind).reshape(count, -1)
        for name, kind in (
            *(("numbers", "f4"), ("words", "u2"), ("shapes", "u2"), ("links", "u2")),
            ("places", "u2"),
        )
        if count
    }
    whole = {
        name: np.frombuffer(columns[name], "i4")
        for name in ("counts", "paths", "parents", "grandparents")
    }
    names = np.frombuffer(columns["names"], "u2").reshape(-1, core.NAMES)
    return {**rows, **whole, "names": names, "page": np.frombuffer(columns["page"], "u2")}


def _with_inserted(
    example: Example, texts: Sequence[str], put: Mapping[str, LineRole], judged: JudgedPage
) -> Example:
    """Label the lines that were inserted, whatever the gold text and the teacher's opinion."""
    places = [place for place, text in enumerate(texts) if text in put]
    if not places or example.shares is None:
        return example
    shares, roles, inserted = example.shares.copy(), example.roles.copy(), example.inserted.copy()
    of_roles = judged.role_probabilities.copy()
    for place in places:
        number = _NUMBERS[put[texts[place]]]
        shares[place], roles[place], inserted[place] = 0, number, True
        of_roles[place] = np.eye(len(ALL_ROLES))[number]
    return replace(
        example, shares=shares, roles=roles, inserted=inserted, taught=(of_roles, judged.kinds)
    )


def _cut(example: Example) -> Example:
    """Return the first `MAX_LINES` lines of a page."""

    def cut(rows: Array | None) -> Array | None:
        return None if rows is None else rows[:MAX_LINES]

    whole = ("names", "page")
    seen = {
        name: rows if name in whole else rows[:MAX_LINES] for name, rows in example.seen.items()
    }
    for name in ("paths", "parents", "grandparents"):
        seen[name] = np.unique(seen[name], return_inverse=True)[1].astype(np.int32)
    return replace(
        example,
        seen=seen,
        known=example.known[:MAX_LINES],
        shares=cut(example.shares),
        hints=cut(example.hints),
        roles=example.roles[:MAX_LINES],
        inserted=example.inserted[:MAX_LINES],
        commented=cut(example.commented),
        starts=cut(example.starts),
        taught=(example.taught[0][:MAX_LINES], example.taught[1]),
    )


_PARAGRAPH = re.compile(r"<p\b[^<>]{0,300}>((?:[^<]|<(?!/p>|p\b)){40,4000})</p>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_TITLES: Final = (
    "The council approves the plan for the new bridge",
    "Storm cuts power to villages",
)


def with_lines(
    chance: random.Random, source: Source, gold: Gold, titles: Sequence[str]
) -> tuple[Source, dict[str, LineRole]] | None:
    """Insert lines between paragraphs of the gold text; return the page, and the lines' roles."""
    html = source.html
    text = decode(html, source.content_type).text if isinstance(html, bytes) else html
    said = set(words(gold.text or ""))
    places = [
        found.end()
        for found in _PARAGRAPH.finditer(text)
        if len(own := words(_TAG.sub(" ", found[1]))) >= 8
        and sum(word in said for word in own) >= 0.9 * len(own)
    ]
    if len(places) < 2:
        return None
    language = gold.language[:2]
    if language not in INSERTED_LINES or chance.random() < 0.15:
        language = chance.choice([*INSERTED_LINES])
    put: dict[str, LineRole] = {}
    parts: list[str] = []
    chosen = sorted(chance.sample(places, min(len(places), 3)))
    for start, place in pairwise([0, *chosen]):
        role = chance.choices([*INSERTED_LINES[language]], [5, 5, 1])[0]
        about = chance.choice(titles) if role == "related" else gold.site.split(".")[0]
        line = " ".join(chance.choice(INSERTED_LINES[language][role]).format(about).split())
        if role == "related" and chance.random() < 0.15:
            line = about
        markup = chance.choice(INSERTED_MARKUP).replace("{n}", str(chance.randint(1, 99)))
        parts += [text[start:place], markup.format(escape(line))]
        put[line] = role
    return Source("".join([*parts, text[chosen[-1] :]]), source.url, "text/html"), put


def _comments_in(texts: Sequence[str], gold: Gold) -> tuple[Array, Array] | None:
    """Return the share of each line in comments, and whether a comment starts in the line."""
    if gold.comments is None and gold.comment_text is None:
        return None
    comments = gold.comments
    said = [gold.comment_text or ""] if comments is None else [each.text for each in comments]
    by_comment, by_line = [words(each) for each in said], [words(text) for text in texts]
    first = {int(place) for place in np.cumsum([0, *map(len, by_comment)])[:-1]}
    every = [word for line in by_line for word in line]
    matched, starting = np.zeros(len(every) + 1), np.zeros(len(every) + 1)
    wanted = [word for comment in by_comment for word in comment]
    for start, in_wanted, size in matching_blocks(every, wanted):
        matched[start : start + size] = 1
        for shift in range(size):
            if comments is not None and in_wanted + shift in first:
                starting[start + shift] = 1
    ends = np.cumsum([0, *map(len, by_line)])
    sizes = np.maximum(1, np.diff(ends))
    counts = [np.diff(np.concatenate([[0], np.cumsum(each)])[ends]) for each in (matched, starting)]
    return counts[0] / sizes, counts[1] > 0


def comments_said(folder: Path) -> list[str]:
    """Return the texts of the comments in the gold records of a corpus."""
    golds = load_corpus(folder).golds.values()
    return [comment.text for gold in golds for comment in gold.comments or ()]


def _comments(said: Sequence[str], first: int, layout: int, count: int) -> str:
    """Return comments, starting with the given one (cyclically), in one of `COMMENT_LAYOUTS`."""
    outer, inner, author, action = COMMENT_LAYOUTS[layout]
    shown = "".join(
        f"<{inner}>{author.format(name=f'Reader {at}', day=1 + at % 28)}"
        f"<p>{escape(said[(first + at) % len(said)])}</p>{action}</{inner.split()[0]}>"
        for at in range(count)
    )
    return f"<{outer}>{shown}</{outer.split()[0]}>"
