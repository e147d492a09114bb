"""Training examples for the page model: the input of its network, with labels of the lines."""

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
from detourage.papers.conversion import page_of
from detourage.papers.interface import ALONE
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage, PageModel
from detourage.roles import ALL_ROLES, Kind, LineRole
from examples.sample_crawl import generate

GROUPED: Final = frozenset({"daniel", "msv_big9", "l3s_gn1"})
"""Corpora with several pages per site, which are also read in comparison with another page."""

INSERTED: Final = {"wcxb": 0.55, "fundus_body": 0.55, "daniel": 0.3, "l3s_gn1": 0.3}
"""Share of the articles into which lines are inserted, by corpus."""

MAX_PAGES: Final = {"dragnet": 400, "l3s_gn1": 300, "daniel": 600, "msv_big9": 150}
"""Maximum number of pages of the older corpora, evenly spaced, in addition to labelled ones."""

SAMPLE, BARE = "sample", "bare"
"""Names of the corpora of generated pages, and of pages with a text but no boilerplate."""

MAX_LINES: Final = 600  # maximum number of lines of a page; the rest is cut off

BARE_ARTICLES_STEP, BARE_OTHERS_STEP = 8, 2
"""Bare pages are made from every eighth article and every second page of another kind."""

BARE_FRAME = (
    "<ul><li><a href='/'>Home</a></li><li><a href='/news'>News</a></li>"
    "<li><a href='/about'>About us</a></li></ul>",
    "<div class='bottom'><p>© 2024 The publisher. All rights reserved.</p>"
    "<p><a href='/privacy'>Privacy</a> <a href='/contact'>Contact</a></p></div>",
)
"""Menu and footer of bare pages."""

THREAD_KIND = "forum"
"""Kind of pages whose gold texts are not used. They consist of posts by readers; such posts do not
belong to the text if they follow an article."""

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

POSTS_OF_THREAD = 28  # number of comments from which the posts of a bare thread are drawn

WORDS_OF_TITLE = 8
"""Number of words at the start of the first post that form the title of a bare thread."""

GENERATED_SEED, GENERATED_PAGES = 7, 3
"""Seed of the generated pages (not that of the sample crawl), and their number per template."""

Labels = Mapping[str, LabelledPage]  # pages of a corpus whose lines are labelled with roles, by ID

Array = npt.NDArray[Any]

_ROLE_NUMBERS: Final[Mapping[str | None, int]] = {role: at for at, role in enumerate(ALL_ROLES)}


@dataclass(frozen=True, eq=False)
class Example:
    """A page as the network sees it, with labels of its lines.

    `columns` are those of `detourage.core.columns`, with a row per line. `comparison` has the
    result of comparing each line with another page of the template, or -1 without such a page.
    `shares` is the share of each line's words that the gold text contains, and `hints` are labels
    from `hinted_labels`; either may be None. `roles` are indices in `ALL_ROLES`, or -1 if unknown.
    `inserted` marks lines that were added to the page. `commented` is the share of each line's
    words that are in comments, and `starts` marks the first line of each comment; both are None if
    the comments are unknown. `teacher` has the teacher's probabilities of roles and of kinds.
    """

    corpus: str
    gold: Gold
    columns: Mapping[str, Array]
    comparison: Array
    shares: Array | None
    hints: Array | None
    roles: Array
    inserted: Array
    commented: Array | None
    starts: Array | None
    teacher: tuple[Array, Mapping[Kind, float]]

    @property
    def is_article(self) -> bool:
        """Whether the page is an article, as opposed to, for example, a thread or a shop's page."""
        return self.gold.kind in ARTICLES


class ExampleReader:
    """A reader that turns pages into examples, which include a teacher model's probabilities."""

    def __init__(self, teacher: PageModel) -> None:
        self._teacher = teacher

    def corpus(self, folder: Path, labels: Labels) -> Iterator[Example]:
        """Read the pages of a corpus, and copies of its articles with inserted lines."""
        corpus = load_corpus(folder)
        pages = _choose_pages(corpus.name, [*corpus.pages.values()], labels)
        sources = [Source(page.html, page.url, page.content_type) for page in pages]
        neighbours = [ALONE] * len(pages)
        if corpus.name in GROUPED:
            neighbours = find_neighbours(sources, [page.site for page in pages])
        measured = {gold.id for gold in measurable(corpus) if gold.text}
        titles = [gold.title for gold in corpus.golds.values() if gold.title] or list(_TITLES)
        rng = random.Random(corpus.name)
        for page, source, page_neighbours in zip(pages, sources, neighbours, strict=True):
            gold = corpus.golds.get(page.id)
            if gold is None:
                continue
            labelled, is_measured = labels.get(page.id), page.id in measured
            yield from self._make_example(
                corpus.name, gold, source, page_neighbours.pivot, labelled, is_measured=is_measured
            )
            is_chosen = is_measured and gold.kind in ARTICLES
            if is_chosen and rng.random() < INSERTED.get(corpus.name, 0):
                changed = insert_lines(rng, source, gold, titles)
                if changed is not None:
                    copy, roles = changed
                    yield from self._make_example(
                        corpus.name, gold, copy, None, labelled, is_measured=True, inserted=roles
                    )

    def generated(self) -> Iterator[Example]:
        """Generate pages of the sample crawl's sites with different stories and layouts."""
        for page in generate(seed=GENERATED_SEED, pages_per_template=GENERATED_PAGES):
            record, message = page.gold, page.message
            if record["kind"] != "article":
                continue
            keys = ("id", "site", "language", "text", "title")
            gold = Gold(**{key: record[key] for key in keys}, title_in_text=False)
            html = message["html"] if "html" in message else b64decode(message["html_base64"])
            source = Source(html, message["url"], message.get("content_type"))
            yield from self._make_example(SAMPLE, gold, source, is_measured=True)

    def bare(self, folder: Path, comment_texts: Sequence[str]) -> Iterator[Example]:
        """Make pages that consist of little but a gold text: a headline and its lines.

        Every crawled page has a template, so without such pages in the training data, the kind of a
        small page would be a guess. Half of the articles have comments from `comment_texts`. Only
        the kind is learnt from these articles and from pages of other kinds, because their lines
        would teach the model that the last items of a list are comments.
        """
        corpus = load_corpus(folder)
        golds = [gold for gold in measurable(corpus) if gold.text and gold.kind != THREAD_KIND]
        articles = [gold for gold in golds if gold.kind in ARTICLES][::BARE_ARTICLES_STEP]
        others = [gold for gold in golds if gold.kind not in ARTICLES][::BARE_OTHERS_STEP]
        for number, gold in enumerate(articles):
            url, pair = corpus.pages[gold.id].url, number // 2
            article = replace(gold, kind="article")
            if comment_texts and number % 2:
                layout = pair % len(COMMENT_LAYOUTS)
                comments = _render(comment_texts, pair * 13, layout, count=1 + pair * 5 % 12)
                yield from self._bare_page(article, url, after=comments, is_measured=False)
            else:
                yield from self._bare_page(article, url, *(BARE_FRAME if pair % 2 else ()))
        for gold in others:
            yield from self._bare_page(gold, corpus.pages[gold.id].url, is_measured=False)

    def threads(self, comment_texts: Sequence[str]) -> Iterator[Example]:
        """Make pages that consist only of comments; they teach the model only the kind of page."""
        for number, start in enumerate(range(0, len(comment_texts), POSTS_OF_THREAD)):
            first = comment_texts[start]
            title = " ".join(first.split()[:WORDS_OF_TITLE])
            layout, count = number % len(COMMENT_LAYOUTS), 3 + number * 5 % 11
            posts = _render(comment_texts[start:], 0, layout, count)
            html = f"<title>{escape(title)}</title><body><h1>{escape(title)}</h1>{posts}</body>"
            site = f"thread-{number}.example"
            gold = Gold(f"thread-{number}", site, "", first, title_in_text=False, kind="forum")
            source = Source(html, f"https://{site}/{number}", "text/html")
            yield from self._make_example(BARE, gold, source, is_measured=False)

    def _bare_page(
        self, gold: Gold, url: str, before: str = "", after: str = "", *, is_measured: bool = True
    ) -> Iterator[Example]:
        """Make a page of a headline and a gold text, with given markup before and after them."""
        title = gold.title or ""
        lines = [
            line for line in (gold.text or "").removeprefix(title).splitlines() if line.strip()
        ]
        body = "".join(f"<p>{escape(line)}</p>" for line in lines)
        heading = f"<h1>{escape(title)}</h1>" if title else ""
        html = f"<title>{escape(title)}</title><body>{before}{heading}<div>{body}</div>{after}"
        bare = replace(gold, text="\n".join(lines), title_in_text=False)
        source = Source(html, url, "text/html")
        yield from self._make_example(BARE, bare, source, is_measured=is_measured)

    def _make_example(
        self,
        corpus: str,
        gold: Gold,
        source: Source,
        pivot: Source | None = None,
        labelled: LabelledPage | None = None,
        *,
        is_measured: bool,
        inserted: Mapping[str, LineRole] | None = None,
    ) -> Iterator[Example]:
        """Read a page; yield nothing if it is unreadable or has no lines."""
        try:
            page = page_of(source)
            knowledge = template_knowledge(pivot) if pivot is not None else None
        except PageError:
            return
        outline, document = Outline.of(page.flat), page.document
        lines = lines_of(outline)
        columns = _parse_columns(core.columns(outline.document, source.url))
        if not lines or len(columns["counts"]) != len(lines):
            return
        judged = self._teacher.judge(outline, None, source.url)
        texts = [line.text for line in lines]
        comparison = np.full((len(lines), core.KNOWN), -1, np.float32)
        if knowledge is not None and (compared := knowledge.compare(outline)) is not None:
            comparison = compared
        shares = shares_in_gold(texts, gold, headline_of(gold, document)) if is_measured else None
        is_hinted = not is_measured and corpus not in (BARE, SAMPLE)
        commented, starts = _match_comments(texts, gold) or (None, None)
        aligned = align(labelled, texts) if labelled is not None else [None] * len(texts)
        example = Example(
            corpus,
            gold,
            columns,
            comparison,
            shares,
            hinted_labels(texts, gold) if is_hinted else None,
            np.array([_ROLE_NUMBERS.get(role, UNKNOWN) for role in aligned]),
            np.zeros(len(lines), np.bool_),
            commented,
            starts,
            (judged.role_probabilities, judged.kinds),
        )
        yield _first_lines(_label_inserted(example, texts, inserted or {}, judged))


def _choose_pages(name: str, pages: list[Any], labels: Labels) -> list[Any]:
    """Return all labelled pages, and evenly spaced other pages up to the maximum of the corpus."""
    most = MAX_PAGES.get(name, len(pages))
    kept = [page for page in pages if page.id in labels]
    rest = [page for page in pages if page.id not in labels]
    number = min(len(rest), max(0, most - len(kept)))
    places = np.linspace(0, max(0, len(rest) - 1), number).astype(int)
    return [*kept, *(rest[place] for place in places.tolist())]


def _parse_columns(columns: Mapping[str, Any]) -> dict[str, Array]:
    """Convert the bytes of the core's columns to arrays, of which most have a row per line."""
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


def _label_inserted(
    example: Example,
    texts: Sequence[str],
    inserted_roles: Mapping[str, LineRole],
    judged: JudgedPage,
) -> Example:
    """Give inserted lines their role and exclude them from the text, also for the teacher."""
    places = [place for place, text in enumerate(texts) if text in inserted_roles]
    if not places or example.shares is None:
        return example
    shares, roles, inserted = example.shares.copy(), example.roles.copy(), example.inserted.copy()
    probabilities = judged.role_probabilities.copy()
    for place in places:
        number = _ROLE_NUMBERS[inserted_roles[texts[place]]]
        shares[place], roles[place], inserted[place] = 0, number, True
        probabilities[place] = np.eye(len(ALL_ROLES))[number]
    return replace(
        example,
        shares=shares,
        roles=roles,
        inserted=inserted,
        teacher=(probabilities, judged.kinds),
    )


def _first_lines(example: Example) -> Example:
    """Return the first `MAX_LINES` lines of a page."""

    def cut(rows: Array | None) -> Array | None:
        return None if rows is None else rows[:MAX_LINES]

    whole = ("names", "page")  # columns without a row per line
    columns = {
        name: rows if name in whole else rows[:MAX_LINES] for name, rows in example.columns.items()
    }
    # Renumber the groups of lines from 0, as some groups may no longer have lines.
    for name in ("paths", "parents", "grandparents"):
        columns[name] = np.unique(columns[name], return_inverse=True)[1].astype(np.int32)
    return replace(
        example,
        columns=columns,
        comparison=example.comparison[:MAX_LINES],
        shares=cut(example.shares),
        hints=cut(example.hints),
        roles=example.roles[:MAX_LINES],
        inserted=example.inserted[:MAX_LINES],
        commented=cut(example.commented),
        starts=cut(example.starts),
        teacher=(example.teacher[0][:MAX_LINES], example.teacher[1]),
    )


# A paragraph with 40 to 4,000 characters of content.
_PARAGRAPH = re.compile(r"<p\b[^<>]{0,300}>((?:[^<]|<(?!/p>|p\b)){40,4000})</p>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_TITLES: Final = (
    "The council approves the plan for the new bridge",
    "Storm cuts power to villages",
)
"""Titles of other articles, used in corpora whose gold records have no titles."""


def insert_lines(
    rng: random.Random, source: Source, gold: Gold, titles: Sequence[str]
) -> tuple[Source, dict[str, LineRole]] | None:
    """Insert lines between paragraphs of the gold text; return the page, and the lines' roles."""
    html = source.html
    text = decode(html, source.content_type).text if isinstance(html, bytes) else html
    gold_words = set(words(gold.text or ""))
    paragraph_ends = [
        match.end()
        for match in _PARAGRAPH.finditer(text)
        if len(paragraph_words := words(_TAG.sub(" ", match[1]))) >= 8
        and sum(word in gold_words for word in paragraph_words) >= 0.9 * len(paragraph_words)
    ]
    if len(paragraph_ends) < 2:
        return None
    language = gold.language[:2]
    if language not in INSERTED_LINES or rng.random() < 0.15:
        language = rng.choice([*INSERTED_LINES])
    inserted_roles: dict[str, LineRole] = {}
    parts: list[str] = []
    chosen = sorted(rng.sample(paragraph_ends, min(len(paragraph_ends), 3)))
    for start, end in pairwise([0, *chosen]):
        role = rng.choices([*INSERTED_LINES[language]], [5, 5, 1])[0]
        argument = rng.choice(titles) if role == "related" else gold.site.split(".")[0]
        line = " ".join(rng.choice(INSERTED_LINES[language][role]).format(argument).split())
        if role == "related" and rng.random() < 0.15:
            line = argument
        markup = rng.choice(INSERTED_MARKUP).replace("{n}", str(rng.randint(1, 99)))
        parts += [text[start:end], markup.format(escape(line))]
        inserted_roles[line] = role
    return Source("".join([*parts, text[chosen[-1] :]]), source.url, "text/html"), inserted_roles


def _match_comments(texts: Sequence[str], gold: Gold) -> tuple[Array, Array] | None:
    """Return each line's share of comment words, and whether a comment starts in it, or None."""
    if gold.comments is None and gold.comment_text is None:
        return None
    comments = gold.comments
    all_texts = [gold.comment_text or ""] if comments is None else [each.text for each in comments]
    by_comment, by_line = [words(each) for each in all_texts], [words(text) for text in texts]
    comment_starts = {int(place) for place in np.cumsum([0, *map(len, by_comment)])[:-1]}
    page_words = [word for line in by_line for word in line]
    matched, is_start = np.zeros(len(page_words) + 1), np.zeros(len(page_words) + 1)
    wanted = [word for comment in by_comment for word in comment]
    for start, in_wanted, size in matching_blocks(page_words, wanted):
        matched[start : start + size] = 1
        for shift in range(size):
            if comments is not None and in_wanted + shift in comment_starts:
                is_start[start + shift] = 1
    ends = np.cumsum([0, *map(len, by_line)])
    sizes = np.maximum(1, np.diff(ends))
    counts = [np.diff(np.concatenate([[0], np.cumsum(each)])[ends]) for each in (matched, is_start)]
    return counts[0] / sizes, counts[1] > 0


def comment_texts_of(folder: Path) -> list[str]:
    """Return the texts of the comments in the gold records of a corpus."""
    golds = load_corpus(folder).golds.values()
    return [comment.text for gold in golds for comment in gold.comments or ()]


def _render(texts: Sequence[str], first: int, layout: int, count: int) -> str:
    """Return comments as markup in one of `COMMENT_LAYOUTS`, beginning with the text at `first`."""
    outer, inner, author, action = COMMENT_LAYOUTS[layout]
    shown = "".join(
        f"<{inner}>{author.format(name=f'Reader {at}', day=1 + at % 28)}"
        f"<p>{escape(texts[(first + at) % len(texts)])}</p>{action}</{inner.split()[0]}>"
        for at in range(count)
    )
    return f"<{outer}>{shown}</{outer.split()[0]}>"
