"""Recognition of repeats by several methods: ``python -m benchmarks.stories.repeats CORPORA``.

The methods are scored on generated stories, made of texts from sites that were not used to choose
thresholds. They are also scored on real copies on different sites in daniel and dragnet. These
copies were found by comparing all pairs of articles and reading the similar ones.
"""

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.cluster.hierarchy import DisjointSet
from sklearn.metrics import adjusted_rand_score

from benchmarks.evaluation.scores import load_corpus
from benchmarks.stories.variations import Version, generate, half_of_site, read_texts
from detourage.text.words import tokens
from stories.fingerprint import Fingerprint, fingerprint_of
from stories.grouping import MAX_UNRELATED_SHARE, StoryText, group_texts
from stories.overlap import Overlap, overlap_of

SEEDS = (1, 2, 3)  # each seed generates different stories

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)  # arrival of the first article

SIMHASH_BITS = 3
"""Maximum number of bits in which the SimHashes of copies differ (Manku et al. 2007)."""

COPIES = Path(__file__).with_name("copies.txt")
"""File of pairs of articles that a human reader considers copies of one text, given as digests of
the articles' IDs. The reader saw all 75 pairs from different sites that share at least .08 of the
shorter text."""

Groups = list[set[int]]  # indices of the articles of each group
Method = Callable[[Sequence[Version]], Groups]


def group_by_key(versions: Sequence[Version]) -> Groups:
    """Group articles with equal normalised texts."""
    groups: dict[bytes, set[int]] = defaultdict(set)
    for index, each in enumerate(versions):
        groups[fingerprint_of(each.text).key].add(index)
    return list(groups.values())


def simhash(text: str) -> int:
    """Return the 64-bit SimHash of the words of a text (Charikar 2002)."""
    digests = [crc32(token.encode()) * 0x9E3779B97F4A7C15 % 2**64 for token in tokens(text)]
    bits = np.unpackbits(np.array(digests, dtype=">u8").view(np.uint8)).reshape(-1, 64)
    votes = bits.sum(axis=0) * 2 > len(bits)
    return int.from_bytes(np.packbits(votes).tobytes(), "big")


def group_by_simhash(versions: Sequence[Version]) -> Groups:
    """Group articles whose SimHashes differ in only a few bits."""
    digests = [simhash(each.text) for each in versions]
    groups = DisjointSet(range(len(versions)))
    for one, other in combinations(range(len(versions)), 2):
        if (digests[one] ^ digests[other]).bit_count() <= SIMHASH_BITS:
            groups.merge(one, other)
    return list(groups.subsets())


def group_by_page_resemblance(versions: Sequence[Version]) -> Groups:
    """Group articles whose whole pages, including boilerplate, resemble each other."""
    return _group_by_resemblance([fingerprint_of(each.page) for each in versions])


def group_by_resemblance(versions: Sequence[Version]) -> Groups:
    """Group articles whose texts resemble each other (the usual method)."""
    return _group_by_resemblance([fingerprint_of(each.text) for each in versions])


def _group_by_resemblance(prints: Sequence[Fingerprint], least: float = 0.5) -> Groups:
    groups = DisjointSet(range(len(prints)))
    for (one, other), overlap in compare_candidates(prints).items():
        if overlap.resemblance >= least:
            groups.merge(one, other)
    return list(groups.subsets())


def group_by_repeats(versions: Sequence[Version]) -> Groups:
    """Group articles that repeat each other, even if only a digest of both connects them."""
    prints = [fingerprint_of(each.text) for each in versions]
    groups = DisjointSet(range(len(prints)))
    for (one, other), overlap in compare_candidates(prints).items():
        if overlap.is_repeat(on_one_site=False):
            groups.merge(one, other)
    return list(groups.subsets())


def group_as_stories(versions: Sequence[Version]) -> Groups:
    """Group articles as the service does if it receives them in the given order."""
    return _group_as_stories([fingerprint_of(each.text) for each in versions])


def group_as_stories_shuffled(versions: Sequence[Version]) -> Groups:
    """Group articles as the service does if it receives them in a random order."""
    prints = [fingerprint_of(each.text) for each in versions]
    order = sorted(range(len(prints)), key=lambda index: prints[index].key)
    groups = _group_as_stories([prints[index] for index in order])
    return [{order[index] for index in group} for group in groups]


def _group_as_stories(prints: Sequence[Fingerprint]) -> Groups:
    """Group texts that arrive at intervals of a minute."""
    common = {pair: overlap.common for pair, overlap in compare_candidates(prints).items()}
    texts = {
        index: StoryText(each.key, len(each.shingles), str(index), NOON + timedelta(minutes=index))
        for index, each in enumerate(prints)
    }
    groups = group_texts(
        texts, lambda one, other: common.get((min(one, other), max(one, other)), 0)
    )
    return [set(each) for each in groups.values()]


METHODS: Mapping[str, Method] = {
    "exact hash of the text": group_by_key,
    "SimHash of the text, 3 bits": group_by_simhash,
    "MinHash of the raw page, resemblance .5": group_by_page_resemblance,
    "MinHash of the text, resemblance .5": group_by_resemblance,
    "repeats, digests join": group_by_repeats,
    "stories, in any order": group_as_stories_shuffled,
    "**stories**": group_as_stories,
}


def compare_candidates(prints: Sequence[Fingerprint]) -> dict[tuple[int, int], Overlap]:
    """Compare all pairs of texts that share a band, as the service does."""
    by_band: dict[int, list[int]] = defaultdict(list)
    for index, each in enumerate(prints):
        if each.is_comparable:
            for band in each.bands.tolist():
                by_band[band].append(index)
    pairs = {pair for places in by_band.values() for pair in combinations(places, 2)}
    found = {}
    for one, other in pairs:
        overlap = overlap_of(prints[one].shingles, prints[other].shingles)
        if overlap.common >= MAX_UNRELATED_SHARE * min(overlap.own, overlap.other):
            found[one, other] = overlap
    return found


def _pairs_in_groups(groups: Iterable[Iterable[int]]) -> set[tuple[int, int]]:
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


def score(versions: Sequence[Version], groups: Groups) -> tuple[float, float, float]:
    """Return the precision and recall of pairs, and the adjusted Rand index of the stories."""
    gold: dict[str, set[int]] = defaultdict(set)
    for index, each in enumerate(versions):
        gold[each.story].add(index)
    wanted, found = _pairs_in_groups(gold.values()), _pairs_in_groups(groups)
    label = {index: number for number, group in enumerate(groups) for index in group}
    right = len(wanted & found)
    return (
        right / max(1, len(found)),
        right / len(wanted),
        adjusted_rand_score(
            [each.story for each in versions], [label[index] for index in range(len(versions))]
        ),
    )


def score_generated(corpora: Path, half: int) -> None:
    """Print the table of the generated stories."""
    texts = [each for each in read_texts(corpora) if half_of_site(each.site) == half]
    versions_by_seed = [
        [generate(texts, seed, merges_within_set=merges_within_set) for seed in SEEDS]
        for merges_within_set in (False, True)
    ]
    languages = Counter(each.story.split()[0] for each in versions_by_seed[0][0])
    print(f"{sum(languages.values())} articles a seed, {len(languages)} languages:", end=" ")
    print(", ".join(f"{name} {number}" for name, number in languages.most_common()))
    print("\n| | P | R | adjusted Rand | P | R | adjusted Rand |\n|---|" + "---:|" * 6)
    for name, method in METHODS.items():
        cells = []
        for versions in versions_by_seed:
            scores = [score(each, method(each)) for each in versions]
            cells += [f"{np.mean(column):.3f}" for column in zip(*scores, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def score_real(corpora: Path) -> None:
    """Print how many of the copies between sites in daniel and dragnet are found."""
    golds = [
        gold
        for name in ("daniel", "dragnet")
        for gold in load_corpus(corpora / name).golds.values()
        if gold.text
    ]
    versions = [Version("", "", gold.text or "", "") for gold in golds]
    copies = set(COPIES.read_text().split())
    print("\n| copies in daniel and dragnet | pairs found | P | R |\n|---|---:|---:|---:|")
    for name, method in METHODS.items():
        if method is group_by_page_resemblance:
            continue
        found = {
            pair_digest(golds[one].id, golds[other].id)
            for one, other in _pairs_in_groups(method(versions))
            if golds[one].site != golds[other].site
        }
        right = len(found & copies)
        precision = right / len(found) if found else 0
        print(f"| {name} | {len(found)} | {precision:.3f} | {right / len(copies):.3f} |")


def pair_digest(one: str, other: str) -> str:
    """Return the key of a pair of articles in `COPIES`."""
    return hashlib.sha256("\n".join(sorted((one, other))).encode()).hexdigest()[:16]


def main() -> None:
    """Score the methods on generated stories and on real copies, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--half", type=int, default=1, help="half of the sites; 0: for tuning")
    options = parser.parse_args()
    score_generated(options.corpora, options.half)
    score_real(options.corpora)


if __name__ == "__main__":
    main()
