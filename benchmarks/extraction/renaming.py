"""How much hangs on the names of classes and ids: pages as they are, and with other names.

python -m benchmarks.extraction.renaming CORPUS… --first-pass FOLDER [--every N]

The names of many of today's sites are generated. Each page is judged twice, alone, by the
classifiers of lines in FOLDER that have not seen its site: as it is, and with every word of its
classes and ids replaced by one that says nothing. Prints the F1 of the words of the chosen lines,
by the trees, by the network and by both.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import Gold, headline_of, load_corpus
from benchmarks.extraction.examples import ARTICLES, words_of
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.labels import f1_of_lines, shares_in_gold
from worker.extraction.classification import JudgedLines, choose_lines, judge_lines
from worker.extraction.line_classifier import LineClassifier
from worker.extraction.outline import Outline
from worker.learning import likelihoods
from worker.pages import PageError
from worker.papers.reading import page_of

MEMBERS = ("trees", "network", "both")

_NAMES = re.compile(rb"""(\s(?:class|id)\s{0,9}=\s{0,9})("[^"]{0,9999}"|'[^']{0,9999}')""", re.I)
_WORD = re.compile(rb"[^\s\"']+")

_Floats = npt.NDArray[np.float64]


class Scored(NamedTuple):
    """F1 of a page by each of `MEMBERS`, as it is and renamed."""

    given: _Floats
    renamed: _Floats


def renamed(source: Source) -> Source:
    """Return a page whose classes and ids have other names, the same for the same."""
    html = source.html
    if isinstance(html, bytes):
        return replace(source, html=_NAMES.sub(_with_other_words, html))
    found = _NAMES.sub(_with_other_words, html.encode("utf-8", "surrogatepass"))
    return replace(source, html=found.decode("utf-8", "surrogatepass"))


def _with_other_words(name: re.Match[bytes]) -> bytes:
    return name[1] + _WORD.sub(_other_word, name[2])


def _other_word(word: re.Match[bytes]) -> bytes:
    return b"x" + sha256(word[0]).hexdigest()[:6].encode()


def read_pages(folder: Path, first: FirstPass, every: int) -> Iterator[tuple[str, Scored]]:
    """Yield what the pages of a corpus are, and their scores."""
    corpus = load_corpus(folder)
    golds = [gold for gold in measurable(corpus) if gold.text]
    for gold in golds[::every]:
        page = corpus.pages[gold.id]
        source = Source(page.html, page.url, page.content_type)
        model = first.model_for(gold.site)
        try:
            found = Scored(_scores(source, gold, model), _scores(renamed(source), gold, model))
        except PageError:
            continue
        is_article = gold.kind in ARTICLES
        yield corpus.name if is_article else f"{corpus.name}, other kinds", found


def _scores(source: Source, gold: Gold, model: LineClassifier) -> _Floats:
    page = page_of(source)
    judged = judge_lines(Outline.of(page.flat), None, source.url, model)
    if not judged.evidence.lines:
        return np.zeros(len(MEMBERS))
    texts = [line.text for line in judged.evidence.lines]
    shares = shares_in_gold(texts, gold, headline_of(gold, page.document))
    return np.array([_f1(judged, shares, each) for each in _by_member(judged)])


def _by_member(judged: JudgedLines) -> Iterator[_Floats]:
    yield likelihoods(judged.log_odds[0])
    yield likelihoods(judged.log_odds[-1])
    yield judged.probabilities


def _f1(judged: JudgedLines, shares: _Floats, probabilities: _Floats) -> float:
    words = words_of(judged.evidence).astype(np.float64)
    chosen, _ = choose_lines(probabilities, words)
    return f1_of_lines(words, shares, chosen)


def table(found: Mapping[str, Sequence[Scored]]) -> Iterator[str]:
    """Yield the lines of the table, in percent."""
    heads = [f"{member}, {how}" for how in ("given", "renamed") for member in MEMBERS]
    yield f"| | pages | {' | '.join(heads)} |"
    yield f"|---|---:|{'---:|' * len(heads)}"
    for name, pages in found.items():
        means = 100 * np.mean([np.concatenate(page) for page in pages], axis=0)
        yield f"| {name} | {len(pages)} | {' | '.join(f'{mean:.2f}' for mean in means)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument("--first-pass", type=Path, required=True, help="classifiers of the folds")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th page")
    options = parser.parse_args()
    first = FirstPass.of(options.first_pass)
    found: defaultdict[str, list[Scored]] = defaultdict(list)
    for folder in options.corpora:
        for name, scored in read_pages(folder, first, options.every):
            found[name].append(scored)
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
