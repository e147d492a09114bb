"""Comparison of the service and its peers on current pages, in a single run.

python -m benchmarks.extraction.current_pages CORPORA [--models FOLDER] [--peers NAMES] [--sample N]

CORPORA is the folder of the corpora. As in the service, each page of wcxb and fundus_body is read
without other pages: pages of the sites left out of the training of the shipped model, or, with
``--models``, all pages, by the model in FOLDER that was not trained on the page's site (see
`benchmarks.extraction.folds`). Texts are compared as bags of words.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Job, Runner, Source
from benchmarks.evaluation.scores import Gold, bootstrap_interval, load_corpus, paired_difference
from benchmarks.extraction.bags import BagScore, compare_bags, lower_case_words
from benchmarks.extraction.folds import LEFT_OUT, FoldModels, fold_of
from detourage.html import Page, PageError, parse_page
from detourage.papers.conversion import text_of
from detourage.reader import NoArticleError, extract_article
from detourage.reader.article_and_comments import read_content
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from detourage.roles import Favor

CORPORA = ("wcxb", "fundus_body")
OURS = "Détourage"  # name of the service in the tables
PEERS = "trafilatura,readability,readability_js,newspaper,resiliparse"

LOST_RECALL = 0.1  # recall below which an article counts as lost, in the column "lost"

FOUND_RECALL = 0.8  # minimum recall for an article to count as found by a peer

MISSED_RECALL = 0.5
"""Recall below which a page is listed with the reason why most of its article is missed."""

WARM_UP_PAGES = 10  # number of warm-up pages that are read before timing begins

COLUMN_HEADS = (  # "with" and "without" are shares of required and forbidden snippets found
    *("precision", "recall", "F1", "interval", "difference (p)"),
    *("with", "without", "lost", "pages/CPU s"),
)


@dataclass(frozen=True)
class GoldPage:
    """A page of a corpus and its gold record."""

    corpus: str
    gold: Gold
    source: Source

    @property
    def group(self) -> str:
        """The corpus and, if known, the kind of the page."""
        return f"{self.corpus}, {self.gold.kind}" if self.gold.kind else self.corpus


@dataclass(frozen=True)
class ExtractedText:
    """Text (possibly empty) that a method extracted from a page, and CPU time (None if unknown)."""

    text: str
    seconds: float | None


@dataclass(frozen=True)
class MethodScores:
    """Results of a method, with a text and a score for each page."""

    texts: Sequence[ExtractedText]
    scores: Sequence[BagScore]

    def speed(self, places: Iterable[int]) -> float:
        """Return the number of pages per second of CPU time."""
        known = (self.texts[place].seconds for place in places)
        seconds = [each for each in known if each is not None]
        return len(seconds) / sum(seconds) if sum(seconds) else 0.0


def read_pages(folder: Path, sample: int | None, *, is_left_out: bool) -> Iterator[GoldPage]:
    """Read the pages whose gold records have a text, optionally only those of sites left out."""
    for name in CORPORA:
        corpus = load_corpus(folder / name)
        golds = [gold for gold in measurable(corpus) if gold.text]
        if is_left_out:
            golds = [gold for gold in golds if fold_of(gold.site, LEFT_OUT) == 0]
        for gold in even_sample(golds, sample):
            page = corpus.pages[gold.id]
            yield GoldPage(name, gold, Source(page.html, page.url, page.content_type))


def parse_source(source: Source) -> Page:
    """Parse a page, without caching."""
    return parse_page(source.html, source.url, content_type=source.content_type)


def on_site(models: FoldModels | None, site: str) -> AbstractContextManager[None]:
    """Use the model that was not trained on a site, or the shipped model if `models` is None."""
    return models.on_site(site) if models is not None else nullcontext()


def read_ours(
    pages: Sequence[GoldPage], models: FoldModels | None, favor: Favor | None = None
) -> Iterator[ExtractedText]:
    """Extract pages as the service does, each with the model that was not trained on its site."""
    for position, each in enumerate([*pages[:WARM_UP_PAGES], *pages]):
        with on_site(models, each.gold.site):
            started = process_time()
            try:
                text = read_content(parse_source(each.source), favor=favor).text
            except (PageError, NoArticleError):
                text = ""
            seconds = process_time() - started
        if position >= WARM_UP_PAGES:
            yield ExtractedText(text, seconds)


def read_peer(runner: Runner, method: str, pages: Sequence[GoldPage]) -> list[ExtractedText]:
    """Read pages with a peer; failures count as empty texts."""
    texts = [ExtractedText("", None)] * len(pages)
    for result in runner.run(method, [Job(each.source) for each in pages]):
        found = result.outcome.extracted
        texts[result.index] = ExtractedText(found.text if found else "", result.outcome.cpu_seconds)
    return texts


def score_texts(pages: Sequence[GoldPage], texts: Sequence[ExtractedText]) -> MethodScores:
    """Compare the texts of a method with the gold texts, as bags of words."""
    pairs = zip(pages, texts, strict=True)
    return MethodScores(
        texts, [compare_bags(text.text, each.gold.text or "") for each, text in pairs]
    )


Methods = Mapping[str, MethodScores]


def indices_by_group(pages: Sequence[GoldPage]) -> dict[str, list[int]]:
    """Return the indices of the pages of each group, and of each corpus with several groups."""
    indices: defaultdict[str, list[int]] = defaultdict(list)
    for index, each in enumerate(pages):
        indices[each.group].append(index)
        if each.gold.kind:
            indices[f"{each.corpus}, all kinds"].append(index)
    return dict(sorted(indices.items(), key=lambda item: -len(item[1])))


def table_of_groups(pages: Sequence[GoldPage], methods: Methods) -> Iterator[str]:
    """Yield a table of the mean F1 of each method on each group."""
    yield f"| F1 | pages | {' | '.join(methods)} |"
    yield f"|---|---:|{'---:|' * len(methods)}"
    for group, indices in indices_by_group(pages).items():
        means = [np.mean([each.scores[index].f1 for index in indices]) for each in methods.values()]
        best = max(means)
        cells = (f"**{mean:.3f}**" if mean == best else f"{mean:.3f}" for mean in means)
        yield f"| {group} | {len(indices)} | {' | '.join(cells)} |"


def table_of_methods(
    pages: Sequence[GoldPage], indices: Sequence[int], methods: Methods
) -> Iterator[str]:
    """Yield a table of all figures of each method on the given pages."""
    yield f"| | {' | '.join(COLUMN_HEADS)} |"
    yield f"|---|{'---:|' * len(COLUMN_HEADS)}"
    sites = {str(index): pages[index].gold.site for index in indices}
    ours = {str(index): methods[OURS].scores[index].f1 for index in indices}
    for name, method in methods.items():
        scores = [method.scores[index] for index in indices]
        precision, recall, f1 = np.mean(scores, axis=0)
        own = {str(index): method.scores[index].f1 for index in indices}
        interval = bootstrap_interval([*own.values()], [*sites.values()])
        difference = paired_difference(own, ours, sites)
        shown_difference = f"{difference.mean:+.3f} ({difference.p_value:.3f})" * (name != OURS)
        shares = " | ".join(snippet_shares(pages, indices, method))
        lost = sum(score.recall < LOST_RECALL for score in scores)
        yield (
            f"| {name} | {precision:.3f} | {recall:.3f} | {f1:.3f} "
            f"| {interval.low:.3f}–{interval.high:.3f} | {shown_difference} | {shares} "
            f"| {lost} | {method.speed(indices):.0f} |"
        )


def snippet_shares(
    pages: Sequence[GoldPage], indices: Iterable[int], method: MethodScores
) -> Iterator[str]:
    """Yield the shares of required and forbidden snippets that are in the texts."""
    kept: list[bool] = []
    leaked: list[bool] = []
    for index in indices:
        text = space_words(method.texts[index].text)
        kept += [space_words(each) in text for each in pages[index].gold.wanted]
        leaked += [space_words(each) in text for each in pages[index].gold.unwanted]
    for found in (kept, leaked):
        yield f"{np.mean(found):.3f}" if found else ""


def space_words(text: str) -> str:
    """Put a space before each word, so that a snippet matches from the start of a word."""
    return f" {' '.join(lower_case_words(text))}"


def missed_articles(pages: Sequence[GoldPage], methods: Methods) -> Iterator[str]:
    """Yield the pages whose article is missed by the service but found by a peer."""
    for index, page in enumerate(pages):
        peers = {
            name: method.scores[index].recall for name, method in methods.items() if name != OURS
        }
        best_peer = max(peers, key=lambda name: peers[name], default=None)
        is_lost = methods[OURS].scores[index].recall < LOST_RECALL
        if best_peer and is_lost and peers[best_peer] > FOUND_RECALL:
            yield f"{page.group}, {page.gold.id}: {best_peer} has {peers[best_peer]:.2f} of it"


def miss_reason(each: GoldPage, models: FoldModels | None) -> str:
    """Return why most of an article is missing from the service's text, as a short phrase."""
    try:
        page = parse_source(each.source)
    except PageError as error:
        return str(error)
    wanted = each.gold.text or ""
    outline = Outline.of(page.flat)
    visible_text = "\n".join(line.text for line in lines_of(outline))
    if compare_bags(visible_text, wanted).recall < MISSED_RECALL:
        is_in_source = compare_bags(text_of(each.source), wanted).recall >= MISSED_RECALL
        return "not shown, in the source" if is_in_source else "not in the page"
    with on_site(models, each.gold.site):
        try:
            read_content(page)
            article_text = extract_article(page, None).text
        except NoArticleError as error:
            return f"outcome {error.outcome}"
    if compare_bags(article_text, wanted).recall >= MISSED_RECALL:
        return "mistaken for comments"
    return "other lines chosen"


def table_of_misses(
    pages: Sequence[GoldPage], ours: MethodScores, models: FoldModels | None
) -> Iterator[str]:
    """Yield a table of the pages on which most of the article is missed, by group and reason."""
    pages_by_reason: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for each, score in zip(pages, ours.scores, strict=True):
        if score.recall < MISSED_RECALL:
            pages_by_reason[each.group, miss_reason(each, models)].append(each.gold.id)
    yield "| | why | pages | |\n|---|---|---:|---|"
    most_frequent_first = sorted(pages_by_reason.items(), key=lambda item: -len(item[1]))
    for (group, reason), ids in sorted(most_frequent_first, key=lambda item: item[0][0]):
        yield f"| {group} | {reason} | {len(ids)} | {' '.join(ids[:5])} |"


def main() -> None:
    """Read the pages with the service and its peers, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--models", type=Path, help="folder with the models of the folds")
    parser.add_argument("--peers", default=PEERS, help="names of methods, as for bench")
    parser.add_argument("--sample", type=int, help="maximum number of pages per corpus")
    parser.add_argument("--cache", type=Path, help="folder in which results of peers are cached")
    parser.add_argument("--favor", choices=("precision", "recall"), help="as for extract")
    options = parser.parse_args()
    models = FoldModels.of(options.models) if options.models is not None else None
    pages = [*read_pages(options.corpora, options.sample, is_left_out=models is None)]
    methods = {OURS: score_texts(pages, list(read_ours(pages, models)))}
    runner = Runner(processes=1, cache=options.cache)
    for name in filter(None, options.peers.split(",")):
        methods[name] = score_texts(pages, read_peer(runner, name, pages))
    print("\n".join(table_of_groups(pages, methods)), flush=True)
    indices = indices_by_group(pages)
    for group in ("wcxb, article", "fundus_body", "wcxb, all kinds"):
        print(f"\n{group}:\n")
        print("\n".join(table_of_methods(pages, indices[group], methods)), flush=True)
    print("\nArticles missed by the service and found by a peer:\n")
    print("\n".join(missed_articles(pages, methods)))
    print("\nPages with less than half of the article:\n")
    print("\n".join(table_of_misses(pages, methods[OURS], models)))


if __name__ == "__main__":
    main()
