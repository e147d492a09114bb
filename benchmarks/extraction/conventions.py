"""Scores of texts as they are, and adapted to each corpus's convention of what a text includes.

python -m benchmarks.extraction.conventions CORPORA --first-pass FOLDER --second-pass FOLDER
    [--corpora NAMES] [--peers NAMES] [--sample N] [--by-language] [--cache FOLDER]

Some gold texts include bylines, captions or datelines; others leave out leads, lists or tables. The
convention of a corpus is estimated on one half of its sites and applied to the other half: a role
is included if at least half of the words of its lines near the article are in the gold texts. The
texts of all methods, Détourage and its peers, are then adapted to this convention. Lines with
roles that the gold texts leave out are removed. Lines with roles that the gold texts include are
inserted if they are between or next to lines of the text on the page. The roles are determined by a
model that has not seen the page's site.
"""

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Job, Runner, Source
from benchmarks.evaluation.scores import (
    Gold,
    Prediction,
    headline_of,
    load_corpus,
    matching_blocks,
    score_page,
    words,
)
from benchmarks.evaluation.scores.records import TextBlock
from benchmarks.extraction.bags import compare_bags
from benchmarks.extraction.examples import ARTICLES
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.labels import shares_in_gold
from benchmarks.extraction.roles.second_pass import SecondPass
from models.roles import OUTER_ROLES, LineRole
from worker.article import NoArticleError
from worker.article.classification import judge_lines
from worker.article.outline import Outline
from worker.article.reader import read_content
from worker.article.roles.evidence import gather
from worker.html import PageError, parse_page
from worker.papers.reading import page_of

CORPORA = (
    *("wcxb", "fundus_body", "daniel", "dragnet", "msv_big9", "l3s_gn1", "cleanportaleval"),
    *("cleaneval_dev", "zh_cwced"),
)
OURS = "Détourage"
PEERS = "trafilatura,readability,resiliparse"

BODIES_ALONE = frozenset({"wcxb", "fundus_body"})
"""Corpora whose texts are compared as bags of words, as in `benchmarks.extraction.today`."""

MOVABLE = frozenset(OUTER_ROLES) - {"title", "comment", "navigation", "share", "template"}
"""Roles of lines that are inserted if gold texts include them; headlines are always given."""

TAKEN = 0.5
"""Minimum share of words in a role's lines that must be in the gold texts for the role to be
included.
"""

MIN_LINES = 5
"""Minimum number of lines of a role in half a corpus for an estimate.

Roles with fewer lines are included only if they are roles of text."""

HELD = 0.5
"""Minimum share of a line's words in a text for the text to count as containing the line."""

BESIDE = 3
"""Maximum distance of an inserted line from the first or last line of a text, in lines."""


@dataclass(frozen=True)
class Read:
    """A page with the data needed to score its texts.

    `headline` is given to every method. `lines` and `roles` are the words and role of each line
    near the article, and `shares` is the share of each line's words in the gold text.
    """

    gold: Gold
    source: Source
    headline: TextBlock | None
    lines: Sequence[Sequence[str]]
    roles: Sequence[LineRole]
    shares: Sequence[float]


def read_pages(
    folder: Path, first: FirstPass, second: SecondPass, sample: int | None
) -> Iterator[Read]:
    """Read the articles of a corpus."""
    corpus = load_corpus(folder)
    golds = [gold for gold in measurable(corpus) if gold.text and gold.kind in ARTICLES]
    for gold in even_sample(golds, sample):
        page = corpus.pages[gold.id]
        source = Source(page.html, page.url, page.content_type)
        try:
            document = page_of(source).document
        except PageError:
            continue
        outline = Outline.of(document)
        judged = judge_lines(outline, None, source.url, first.model_for(gold.site))
        stretch = gather(outline, judged)
        headline = headline_of(gold, document)
        texts = [line.text for line in judged.evidence.lines]
        shares = shares_in_gold(texts, gold, headline)[stretch.places]
        roles: list[LineRole] = []
        if len(stretch.places):
            found_roles = second.model_for(gold.site).judge(stretch.features, stretch.words)
            names, found = found_roles.role_probabilities()
            roles = [names[place] for place in found.argmax(axis=1).tolist()]
        lines = [words(texts[place]) for place in stretch.places.tolist()]
        yield Read(gold, source, headline, lines, roles, shares.tolist())


def taken_in(pages: Iterable[Read]) -> frozenset[LineRole]:
    """Return the roles that gold texts include, with at least half of the words of their lines.

    Lines far from the lines of the gold text are ignored, because gold texts leave out everything
    there.
    """
    counts: Counter[LineRole] = Counter()
    words_of: Counter[LineRole] = Counter()
    held: Counter[LineRole] = Counter()
    for page in pages:
        inside = np.flatnonzero(np.array(page.shares) > HELD)
        if not len(inside):
            continue
        start, end = max(0, inside[0] - BESIDE), inside[-1] + BESIDE + 1
        near = zip(
            page.lines[start:end], page.roles[start:end], page.shares[start:end], strict=True
        )
        for line, role, share in near:
            counts[role] += 1
            words_of[role] += len(line)
            held[role] += len(line) * (share > HELD)
    return frozenset(
        role
        for role, count in counts.items()
        if (held[role] >= TAKEN * words_of[role] if count >= MIN_LINES else role not in MOVABLE)
    )


def conform(text: str, page: Read, taken: frozenset[LineRole]) -> str:
    """Adapt a method's text of a page to a convention.

    Returns the words of the text without words of lines that gold texts leave out, and with words
    of lines that gold texts include. `taken` are the roles that gold texts include.
    """
    given = words(text)
    flat = [word for line in page.lines for word in line]
    place_of = np.full(len(flat), -1)
    for start, at, size in matching_blocks(flat, given):
        place_of[start : start + size] = range(at, at + size)
    ends = np.cumsum([0, *map(len, page.lines)])
    spans = [place_of[start:end] for start, end in pairwise(ends)]
    held = [len(span) > 0 and float(np.mean(span >= 0)) > HELD for span in spans]
    if not any(held):
        return " ".join(given)
    left_out = np.zeros(len(given), dtype=np.bool_)
    added: defaultdict[int, list[str]] = defaultdict(list)
    inside = np.flatnonzero(held)
    reach = range(max(0, inside[0] - BESIDE), inside[-1] + BESIDE + 1)
    last = 0
    for number, (line, role, span) in enumerate(zip(page.lines, page.roles, spans, strict=True)):
        if held[number]:
            if role not in taken:
                left_out[span[span >= 0]] = True
            last = int(span.max()) + 1
        elif number in reach and role in taken & MOVABLE:
            added[last] += line
    made: list[str] = []
    for place, word in enumerate(given):
        made += added[place]
        if not left_out[place]:
            made.append(word)
    return " ".join([*made, *added[len(given)]])


def read_ours(pages: Sequence[Read], first: FirstPass, second: SecondPass) -> list[str]:
    """Read pages as the service does, with models that have not seen their sites."""
    texts = []
    for page in pages:
        source, site = page.source, page.gold.site
        with first.on_site(site), second.on_site(site):
            try:
                parsed = parse_page(source.html, source.url, content_type=source.content_type)
                texts.append(read_content(parsed).article.text)
            except (PageError, NoArticleError):
                texts.append("")
    return texts


def read_peer(runner: Runner, method: str, pages: Sequence[Read]) -> list[str]:
    """Read pages with a peer; failures count as empty texts."""
    texts = [""] * len(pages)
    for result in runner.run(method, [Job(page.source) for page in pages]):
        found = result.outcome.extracted
        texts[result.index] = found.text if found else ""
    return texts


def half_of(site: str) -> str:
    """Return the half of the sites to which a site belongs, the same on every machine."""
    return "AB"[hashlib.sha256(site.encode()).digest()[-1] % 2]


def scores(name: str, page: Read, text: str) -> tuple[float, float]:
    """Return the F1 in percent, and 100 or 0 depending on whether all words are equal."""
    found = score_page(Prediction(text=text), page.gold, page.headline)
    if name in BODIES_ALONE:
        # Chinese characters are words, whether or not the text was adapted.
        given, wanted = (" ".join(words(each)) for each in (text, page.gold.text or ""))
        return 100 * compare_bags(given, wanted).f1, found["equal"]
    return found["to_f"], found["equal"]


def table(
    name: str, pages: Sequence[Read], methods: Mapping[str, Sequence[str]], *, by_language: bool
) -> Iterator[str]:
    """Yield rows for each method and, if requested, language, with unadapted and adapted scores."""
    by_half = {
        half: taken_in(page for page in pages if half_of(page.gold.site) != half) for half in "AB"
    }
    of_all = {name: np.arange(len(pages))}
    if by_language:
        languages = np.array([page.gold.language or "und" for page in pages])
        found = sorted(set(languages.tolist()))
        of_all |= {f"{name}, {each}": np.flatnonzero(languages == each) for each in found}
    figures = {
        method: np.array(
            [
                (
                    *scores(name, page, text),
                    *scores(name, page, conform(text, page, by_half[half_of(page.gold.site)])),
                )
                for page, text in zip(pages, texts, strict=True)
            ]
        )
        for method, texts in methods.items()
    }
    for title, places in of_all.items():
        for method, found_of in figures.items():
            cells = (f"{value:.1f}" for value in found_of[places].mean(axis=0))
            yield f"| {title} | {len(places)} | {method} | {' | '.join(cells)} |"


def conventions(name: str, pages: Sequence[Read]) -> str:
    """Return a row with the roles that gold texts include besides text, or leave out of it."""
    taken = taken_in(pages)
    beside = sorted(taken & MOVABLE)
    told = {role for page in pages for role in page.roles}
    missing = sorted(told - taken - frozenset(OUTER_ROLES))
    return f"| {name} | {', '.join(beside) or '–'} | {', '.join(missing) or '–'} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="CORPORA", help="folder of the corpora")
    parser.add_argument("--first-pass", type=Path, required=True, help="folder of classifiers")
    parser.add_argument("--second-pass", type=Path, required=True, help="folder of role models")
    parser.add_argument("--corpora", default=",".join(CORPORA), help="names of the scored corpora")
    parser.add_argument("--peers", default=PEERS, help="names of methods, as for bench")
    parser.add_argument("--sample", type=int, help="maximum number of pages per corpus")
    parser.add_argument("--by-language", action="store_true", help="add a row per language")
    parser.add_argument("--cache", type=Path, help="folder in which results of peers are cached")
    options = parser.parse_args()
    first, second = FirstPass.of(options.first_pass), SecondPass.of(options.second_pass)
    runner = Runner(processes=1, cache=options.cache)
    said: list[str] = []
    print("| | pages | | F1 | word for word | F1, adapted | word for word |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for name in options.corpora.split(","):
        pages = list(read_pages(options.folder / name, first, second, options.sample))
        methods = {OURS: read_ours(pages, first, second)}
        for peer in filter(None, options.peers.split(",")):
            methods[peer] = read_peer(runner, peer, pages)
        rows = table(name, pages, methods, by_language=options.by_language)
        print("\n".join(rows), flush=True)
        said.append(conventions(name, pages))
    print("\n| | beside the text, golds take in | of the text, they leave out |\n|---|---|---|")
    print("\n".join(said))


if __name__ == "__main__":
    main()
