"""Training examples for the page model: pages with evidence and labels for their lines."""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.methods.ours import knowledge_of
from benchmarks.evaluation.scores import Gold, headline_of, load_corpus
from benchmarks.evaluation.scores.records import TextBlock
from benchmarks.evaluation.scores.roles import LabelledPage, align
from benchmarks.extraction.labels import UNSAID, hinted_labels, lines_of_lead, shares_in_gold
from benchmarks.extraction.weak import KnownLines, weak_roles
from detourage.html import PageError
from detourage.inference import Features
from detourage.papers.interface import ALONE
from detourage.papers.reading import page_of
from detourage.reader import TemplateKnowledge
from detourage.reader.evidence import Evidence, gather_evidence
from detourage.reader.outline import Outline
from detourage.roles import LineRole
from detourage.sample import generate

ARTICLES = frozenset({None, "article"})
"""Kinds of pages that are articles; None is included because corpora of articles record no kinds.
"""

SINGLE = frozenset({"wcxb", "fundus_body"})
"""Corpora with little more than one page per site, whose pages are read without other pages."""

SAMPLE = "sample"
"""Name of the corpus of generated pages."""

BARE = "bare"
"""Name of the corpus of pages that consist of nothing but a text."""

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

GENERATED_SEED = 7
GENERATED_PAGES = 3
"""Number of generated pages per template, and their seed, which differs from that of the sample
crawl."""

Labels = Mapping[str, LabelledPage]
"""Pages of a corpus whose lines are labelled with roles, by ID."""


@dataclass(frozen=True, eq=False)
class Example:
    """A page with what is known about its lines.

    `knowledge` is learned from the page with which the service compares this one, and `beside`
    contains the features of the lines in that comparison. `shares` gives, for each line, the share
    of its words that the gold text contains; `unsaid` marks a lead that the gold record separates
    from its text. `hints` are 1 for lines that the gold record requires, 0 for lines that it
    forbids, and `UNSAID` for all others. `roles` were assigned by an annotator; `weak` roles are
    inferred (see `benchmarks.extraction.weak`).
    """

    corpus: str
    gold: Gold
    page: Source
    headline: TextBlock | None
    knowledge: TemplateKnowledge | None
    evidence: Evidence
    beside: Features | None
    lengths: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float64] | None = None
    unsaid: npt.NDArray[np.bool_] | None = None
    hints: npt.NDArray[np.int64] | None = None
    roles: Sequence[str | None] | None = None
    weak: Sequence[LineRole | None] | None = None

    @property
    def is_article(self) -> bool:
        """Whether the page is an article, as opposed to, for example, a thread or a shop's page."""
        return self.gold.kind in ARTICLES


def read_examples(folder: Path, labels: Labels) -> Iterator[Example]:
    """Compute the evidence of a corpus whose gold records contain texts."""
    corpus = load_corpus(folder)
    pages = list(corpus.pages.values())
    sources = [Source(page.html, page.url, page.content_type) for page in pages]
    neighbours = (
        [ALONE] * len(pages)
        if corpus.name in SINGLE
        else find_neighbours(sources, [page.site for page in pages])
    )
    measured = {gold.id for gold in measurable(corpus) if gold.text}
    for page, source, around in zip(pages, sources, neighbours, strict=True):
        if page.id in measured:
            gold, labelled = corpus.golds[page.id], labels.get(page.id)
            example = _example(corpus.name, gold, source, around.pivot, labelled)
            if example is not None:
                yield example


def read_hints(folder: Path, labels: Labels) -> Iterator[Example]:
    """Compute the evidence of a corpus whose gold records contain only snippets or comments."""
    corpus = load_corpus(folder)
    for page in corpus.pages.values():
        gold = corpus.golds.get(page.id)
        if gold is None:
            continue
        source = Source(page.html, page.url, page.content_type)
        example = _example(corpus.name, gold, source, None, labels.get(page.id))
        if example is None:
            continue
        hints = hinted_labels([line.text for line in example.evidence.lines], gold)
        if example.roles is not None or (hints != UNSAID).any():
            yield replace(_of_known_kind(example), hints=hints)


def generated_examples() -> Iterator[Example]:
    """Generate pages of the sample crawl's sites with different stories and layouts."""
    for page in generate(seed=GENERATED_SEED, pages_per_template=GENERATED_PAGES):
        told, message = page.gold, page.message
        if told["kind"] != "article":
            continue
        gold = Gold(told["id"], told["site"], told["language"], told["text"], title_in_text=False)
        gold = replace(gold, title=told["title"], authors=tuple(told["authors"]), lead=told["lead"])
        html = message["html"] if "html" in message else b64decode(message["html_base64"])
        source = Source(html, message["url"], message.get("content_type"))
        captions = [image["caption"] for image in told["images"] if image["caption"]]
        example = _example(SAMPLE, gold, source, None, None, captions)
        if example is not None:
            yield example


def bare_examples(folder: Path, said: Sequence[str] = ()) -> Iterator[Example]:
    """Make pages that consist of little but a gold text: a headline and its lines.

    Every crawled page has a template, so without such pages in the training data, the kind of a
    small page would be a guess. Half of the articles have comments with texts from `said`. Only the
    kind is learnt from these articles and from pages of other kinds, because their lines would
    teach the model that the last items of a list are comments.
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
            yield from map(_of_known_kind, _bare(article, url, after=comments))
        else:
            yield from _bare(article, url, *(BARE_FRAME if half % 2 else ()))
    for gold in others:
        yield from map(_of_known_kind, _bare(gold, corpus.pages[gold.id].url))


def _bare(gold: Gold, url: str, before: str = "", after: str = "") -> Iterator[Example]:
    title = gold.title or ""
    lines = [line for line in (gold.text or "").removeprefix(title).splitlines() if line.strip()]
    body = "".join(f"<p>{escape(line)}</p>" for line in lines)
    heading = f"<h1>{escape(title)}</h1>" if title else ""
    html = f"<title>{escape(title)}</title><body>{before}{heading}<div>{body}</div>{after}</body>"
    bare = replace(gold, text="\n".join(lines), title_in_text=False)
    example = _example(BARE, bare, Source(html, url, "text/html"), None, None)
    if example is not None:
        yield example


def _of_known_kind(example: Example) -> Example:
    """Return a page without the labels from its gold text; only its kind remains known."""
    return replace(example, shares=None, unsaid=None, weak=None)


def bare_threads(said: Sequence[str]) -> Iterator[Example]:
    """Make pages that consist only of comments from `said`, in order; only their kind is known."""
    for number, start in enumerate(range(0, len(said), POSTS_OF_THREAD)):
        first = said[start]
        title = " ".join(first.split()[:WORDS_OF_TITLE])
        posts = _comments(said[start:], 0, number % len(COMMENT_LAYOUTS), 3 + number * 5 % 11)
        html = f"<title>{escape(title)}</title><body><h1>{escape(title)}</h1>{posts}</body>"
        site = f"thread-{number}.example"
        gold = Gold(f"thread-{number}", site, "", first, title_in_text=False, kind="forum")
        source = Source(html, f"https://{site}/{number}", "text/html")
        example = _example(BARE, gold, source, None, None)
        if example is not None:
            yield _of_known_kind(example)


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


def _example(
    corpus: str,
    gold: Gold,
    source: Source,
    pivot: Source | None,
    labelled: LabelledPage | None,
    captions: Sequence[str] = (),
) -> Example | None:
    """Compute the evidence of a page; return None if it is unreadable or has no lines."""
    try:
        document = page_of(source).document
        knowledge = knowledge_of(pivot) if pivot is not None else None
    except PageError:
        return None
    outline = Outline.of(document)
    evidence = gather_evidence(outline, None, source.url)
    if not evidence.lines:
        return None
    texts = [line.text for line in evidence.lines]
    headline = headline_of(gold, document)
    shares, unsaid = shares_in_gold(texts, gold, headline), lines_of_lead(texts, gold)
    known = KnownLines(
        [line.tokens for line in evidence.lines],
        evidence.features,
        [outline.tags[line.block] for line in evidence.lines],
        shares,
        unsaid,
        gold.title or "",
        gold.authors or (),
        captions,
    )
    beside = gather_evidence(outline, knowledge, source.url).features if knowledge else None
    return Example(
        corpus,
        gold,
        source,
        headline,
        knowledge,
        evidence,
        beside,
        lengths_of(evidence),
        shares,
        unsaid,
        None,
        align(labelled, texts) if labelled is not None else None,
        weak_roles(known),
    )


def lengths_of(evidence: Evidence) -> npt.NDArray[np.float32]:
    """Return the number of words of each line."""
    return np.array([len(line.tokens) for line in evidence.lines], dtype=np.float32)


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site, which does not depend on the other sites."""
    return int(sha256(site.encode()).hexdigest(), 16) % folds
