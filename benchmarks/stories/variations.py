"""Generation of stories, whose articles are versions of a text, as different sites publish them."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.evaluation.scores import load_corpus
from detourage.html import PageError, parse_page, site_of
from detourage.html.visible_text import paragraphs
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content
from detourage.text.words import tokens
from stories.fingerprint import fingerprint_of

MIN_TOKENS, MAX_TOKENS = 120, 3_000
"""Minimum and maximum number of tokens in a text for versions to be made of it."""

MAX_BASES, MAX_SINGLES = 20, 60  # maximum numbers of texts per language with and without versions

MIN_TEXTS = 3  # minimum number of texts in a language for stories to be generated in it

MAX_SHARED = 0.1
"""Maximum share of a text that an earlier text may contain. Above this share, the text counts as a
version of the earlier one and is omitted."""

SHARE_CHANGED_TWICE = 0.3  # share of versions that are changed twice

MAX_TEXTS_PER_SHINGLE = 50  # maximum number of texts examined per shingle

UNSPACED = frozenset({"ja", "zh"})  # languages without spaces between words

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # end of a sentence or line


@dataclass(frozen=True)
class Text:
    """A text of a corpus; `boilerplate` is the rest of its page."""

    language: str
    site: str
    text: str
    boilerplate: str = ""


@dataclass(frozen=True)
class Version:
    """A generated article: its story, the change to its text, its text, and its whole page."""

    story: str
    kind: str
    text: str
    page: str


Pool = Sequence[Text]
Change = Callable[[str, random.Random, str, Pool], str]


def half_of_site(site: str) -> int:
    """Return the half to which a site belongs: 0 to choose thresholds, 1 to report scores."""
    return sha256(site.encode()).digest()[7] % 2


def sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [each.strip() for each in _SENTENCE.split(text) if each and each.strip()]


def _join(parts: Sequence[str], language: str) -> str:
    return ("" if language in UNSPACED else " ").join(parts)


def copied(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Change only whitespace and quotation marks."""
    del rng, language, others
    return re.sub(r"\s+", " ", text).replace('"', "\u201d")


def without_tail(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Keep only the beginning of the text."""
    del others
    parts = sentences(text)
    return _join(parts[: max(3, int(len(parts) * rng.uniform(0.3, 0.85)))], language)


def without_head(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Keep only the end of the text."""
    del others
    parts = sentences(text)
    return _join(parts[-max(3, int(len(parts) * rng.uniform(0.3, 0.85))) :], language)


def with_another_lead(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Replace the beginning of the text."""
    lead = sentences(rng.choice(others).text)[: rng.randint(1, 3)]
    return _join(lead + sentences(text)[rng.randint(1, 3) :], language)


def with_other_names(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Replace all names of places and people."""
    if language in UNSPACED:
        pairs = Counter(text[at : at + 2] for at in range(len(text) - 1))
        names = [pair for pair, _ in pairs.most_common(40) if pair.isalpha()][::3]
        for name in names[:4]:
            text = text.replace(name, "".join(rng.sample("海山金北河东中安平华", 2)))
        return text
    found = Counter(word for word in re.findall(r"\w{4,}", text) if word[0].isupper())
    new = [word for word in re.findall(r"\w{4,}", rng.choice(others).text) if word[0].isupper()]
    for word, _ in found.most_common(rng.randint(2, 6)):
        text = re.sub(rf"\b{re.escape(word)}\b", rng.choice(new or ["Nowhere"]), text)
    return text


def merged(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Add another text before or after the text."""
    own, other = sentences(text), sentences(rng.choice(others).text)
    other = other[: max(3, int(len(own) * rng.uniform(0.4, 1)))]
    return _join(own + other if rng.random() < 0.5 else other + own, language)


def with_boilerplate(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Add sentences of other texts around the text."""
    del language
    foreign_sentences = [each for other in others for each in sentences(other.text)[:3]]
    rng.shuffle(foreign_sentences)
    return "\n".join(
        [
            *foreign_sentences[: rng.randint(2, 5)],
            text,
            *foreign_sentences[5 : 5 + rng.randint(1, 4)],
        ]
    )


def edited(text: str, rng: random.Random, language: str, others: Pool) -> str:
    """Remove some sentences and replace some of the rest."""
    kept_sentences = [each for each in sentences(text) if rng.random() > 0.15]
    other = sentences(rng.choice(others).text)
    for _ in range(len(kept_sentences) // 12 + 1):
        kept_sentences[rng.randrange(len(kept_sentences))] = rng.choice(other)
    return _join(kept_sentences, language)


CHANGES: Sequence[Change] = (
    copied,
    without_tail,
    without_head,
    with_another_lead,
    with_other_names,
    merged,
    with_boilerplate,
    edited,
)

CORPORA = ("cleanportaleval", "daniel", "fundus_body", "trafilatura_eval", "wcxb", "zh_cwced")


def read_texts(corpora: Path) -> list[Text]:
    """Read the sufficiently long articles of corpora; duplicate texts are left out."""
    texts: list[Text] = []
    keys = set()
    for name in CORPORA:
        corpus = load_corpus(corpora / name)
        for gold in corpus.golds.values():
            page = corpus.pages[gold.id]
            if (gold.kind or "article") != "article":
                continue
            try:
                parsed = parse_page(page.html, page.url, content_type=page.content_type)
                text = gold.text or read_content(parsed).text
            except (PageError, NoArticleError):
                continue
            key = fingerprint_of(text).key
            if key not in keys and MIN_TOKENS <= len(tokens(text)) <= MAX_TOKENS:
                keys.add(key)
                around = [each for each in paragraphs(parsed.document) if each not in text]
                texts.append(
                    Text(gold.language or "und", site_of(page.url), text, "\n".join(around))
                )
    return texts


def generate(texts: Sequence[Text], seed: int, *, merges_within_set: bool) -> list[Version]:
    """Generate articles of stories, and articles without versions.

    With `merges_within_set`, a text may be merged with a text of another story, which creates a
    digest of two stories; otherwise, only with texts that belong to no story.
    """
    rng = random.Random(seed)
    by_language: dict[str, list[Text]] = defaultdict(list)
    for text in without_repeats(texts):
        by_language[text.language].append(text)
    versions: list[Version] = []
    for language, texts_of_language in sorted(by_language.items()):
        if len(texts_of_language) < MIN_TEXTS:
            continue
        rng.shuffle(texts_of_language)
        base_count = min(MAX_BASES, max(1, len(texts_of_language) // 3))
        unused = texts_of_language[base_count:]
        donors = unused[len(unused) // 2 :][:40]
        singles = unused[: len(unused) // 2][:MAX_SINGLES]
        for number, base in enumerate(texts_of_language[:base_count]):
            story = f"{language} {number}"
            versions.append(_version(story, "first", base.text, base, rng, texts_of_language))
            texts_to_merge = [
                *texts_of_language[:number],
                *texts_of_language[number + 1 : base_count],
                *singles,
            ]
            for _ in range(rng.randint(1, 5)):
                changed, kinds = base.text, []
                for _ in range(1 + (rng.random() < SHARE_CHANGED_TWICE)):
                    change = rng.choice(CHANGES)
                    others = texts_to_merge if merges_within_set and change is merged else donors
                    changed = change(changed, rng, language, others)
                    kinds.append(change.__name__)
                versions.append(
                    _version(story, " ".join(kinds), changed, base, rng, texts_of_language)
                )
        for number, single in enumerate(singles):
            story = f"{language} alone {number}"
            versions.append(_version(story, "alone", single.text, single, rng, texts_of_language))
    return versions


def _version(
    story: str, kind: str, text: str, base: Text, rng: random.Random, pool: Pool
) -> Version:
    """Return an article; if its text is changed, it gets the boilerplate of another page."""
    surroundings = base if kind in ("first", "alone") else rng.choice(pool)
    lines = surroundings.boilerplate.splitlines()
    half = len(lines) // 2
    page = "\n".join([*lines[:half], text, *lines[half:]])
    return Version(story, kind, text, page)


def without_repeats(texts: Sequence[Text]) -> list[Text]:
    """Return the texts that do not share too much with an earlier text."""
    kept: list[Text] = []
    indices_by_shingle: dict[int, list[int]] = defaultdict(list)
    for text in texts:
        shingles = fingerprint_of(text.text).shingles
        shared = Counter(
            index
            for each in shingles.tolist()
            for index in indices_by_shingle[each][:MAX_TEXTS_PER_SHINGLE]
        )
        if shared and max(shared.values()) > MAX_SHARED * len(shingles):
            continue
        for each in shingles.tolist():
            indices_by_shingle[each].append(len(kept))
        kept.append(text)
    return kept
