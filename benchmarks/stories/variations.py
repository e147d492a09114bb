"""Generation of stories, whose articles are versions of a text, as on different sites."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.evaluation.scores import load_corpus
from detourage.html import PageError, parse_page, site_of
from detourage.html.text import paragraphs
from detourage.reader import NoArticleError
from detourage.reader.content import read_content
from detourage.text.words import tokens
from stories.fingerprint import fingerprint_of

SHORTEST, LONGEST = 120, 3_000
"""Minimum and maximum number of tokens in a text for versions to be made of it."""

BASES, SINGLES = 20, 60
"""Maximum numbers of texts per language with and without versions."""

LEAST = 3
"""Minimum number of texts in a language for stories to be generated in it."""

ALREADY = 0.1
"""Maximum share of a text that an earlier text may contain. Above this share, the text counts as a
version of the earlier one and is omitted."""

TWICE = 0.3
"""Share of versions that are changed twice."""

MOST_WITH_A_SHINGLE = 50
"""Maximum number of texts examined per shingle."""

UNSPACED = frozenset({"ja", "zh"})

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True)
class Text:
    """A text of a corpus; `around` is the rest of its page."""

    language: str
    site: str
    text: str
    around: str = ""


@dataclass(frozen=True)
class Version:
    """A generated article: its story, the change to its text, its text, and its whole page."""

    story: str
    kind: str
    text: str
    page: str


Pool = Sequence[Text]
Change = Callable[[str, random.Random, str, Pool], str]


def half_of(site: str) -> int:
    """Return the half to which a site belongs: 0 to choose thresholds, 1 to report scores."""
    return sha256(site.encode()).digest()[7] % 2


def sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [each.strip() for each in _SENTENCE.split(text) if each and each.strip()]


def _join(parts: Sequence[str], language: str) -> str:
    return ("" if language in UNSPACED else " ").join(parts)


def copied(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Change only whitespace and quotation marks."""
    del chance, language, others
    return re.sub(r"\s+", " ", text).replace('"', "\u201d")


def without_tail(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Keep only the beginning of the text."""
    del others
    parts = sentences(text)
    return _join(parts[: max(3, int(len(parts) * chance.uniform(0.3, 0.85)))], language)


def without_head(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Keep only the end of the text."""
    del others
    parts = sentences(text)
    return _join(parts[-max(3, int(len(parts) * chance.uniform(0.3, 0.85))) :], language)


def with_another_lead(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Replace the beginning of the text."""
    lead = sentences(chance.choice(others).text)[: chance.randint(1, 3)]
    return _join(lead + sentences(text)[chance.randint(1, 3) :], language)


def with_other_names(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Replace all names of places and people."""
    if language in UNSPACED:
        pairs = Counter(text[at : at + 2] for at in range(len(text) - 1))
        names = [pair for pair, _ in pairs.most_common(40) if pair.isalpha()][::3]
        for name in names[:4]:
            text = text.replace(name, "".join(chance.sample("海山金北河东中安平华", 2)))
        return text
    found = Counter(word for word in re.findall(r"\w{4,}", text) if word[0].isupper())
    new = [word for word in re.findall(r"\w{4,}", chance.choice(others).text) if word[0].isupper()]
    for word, _ in found.most_common(chance.randint(2, 6)):
        text = re.sub(rf"\b{re.escape(word)}\b", chance.choice(new or ["Nowhere"]), text)
    return text


def merged(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Add another text before or after the text."""
    own, other = sentences(text), sentences(chance.choice(others).text)
    other = other[: max(3, int(len(own) * chance.uniform(0.4, 1)))]
    return _join(own + other if chance.random() < 0.5 else other + own, language)


def with_boilerplate(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Add sentences of other texts around the text."""
    del language
    found = [each for other in others for each in sentences(other.text)[:3]]
    chance.shuffle(found)
    return "\n".join([*found[: chance.randint(2, 5)], text, *found[5 : 5 + chance.randint(1, 4)]])


def edited(text: str, chance: random.Random, language: str, others: Pool) -> str:
    """Remove some sentences and replace some of the rest."""
    parts = [each for each in sentences(text) if chance.random() > 0.15]
    other = sentences(chance.choice(others).text)
    for _ in range(len(parts) // 12 + 1):
        parts[chance.randrange(len(parts))] = chance.choice(other)
    return _join(parts, language)


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
    found: list[Text] = []
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
            if key not in keys and SHORTEST <= len(tokens(text)) <= LONGEST:
                keys.add(key)
                around = [each for each in paragraphs(parsed.document) if each not in text]
                found.append(
                    Text(gold.language or "und", site_of(page.url), text, "\n".join(around))
                )
    return found


def generate(texts: Sequence[Text], seed: int, *, of_the_set: bool) -> list[Version]:
    """Generate articles of stories, and articles without versions.

    With `of_the_set`, a text is merged with the text of another article in the set, which creates a
    digest of two stories.
    """
    chance = random.Random(seed)
    by_language: dict[str, list[Text]] = defaultdict(list)
    for text in without_repeats(texts):
        by_language[text.language].append(text)
    versions: list[Version] = []
    for language, found in sorted(by_language.items()):
        if len(found) < LEAST:
            continue
        chance.shuffle(found)
        number = min(BASES, max(1, len(found) // 3))
        rest = found[number:]
        donors = rest[len(rest) // 2 :][:40]
        singles = rest[: len(rest) // 2][:SINGLES]
        for place, base in enumerate(found[:number]):
            story = f"{language} {place}"
            versions.append(_version(story, "first", base.text, base, chance, found))
            merged_with = [*found[:place], *found[place + 1 : number], *singles]
            for _ in range(chance.randint(1, 5)):
                changed, kinds = base.text, []
                for _ in range(1 + (chance.random() < TWICE)):
                    change = chance.choice(CHANGES)
                    others = merged_with if of_the_set and change is merged else donors
                    changed = change(changed, chance, language, others)
                    kinds.append(change.__name__)
                versions.append(_version(story, " ".join(kinds), changed, base, chance, found))
        for place, single in enumerate(singles):
            story = f"{language} alone {place}"
            versions.append(_version(story, "alone", single.text, single, chance, found))
    return versions


def _version(
    story: str, kind: str, text: str, base: Text, chance: random.Random, pool: Pool
) -> Version:
    around = base if kind in ("first", "alone") else chance.choice(pool)
    lines = around.around.splitlines()
    half = len(lines) // 2
    page = "\n".join([*lines[:half], text, *lines[half:]])
    return Version(story, kind, text, page)


def without_repeats(texts: Sequence[Text]) -> list[Text]:
    """Return the texts that do not share too much with an earlier text."""
    kept: list[Text] = []
    places: dict[int, list[int]] = defaultdict(list)
    for text in texts:
        shingles = fingerprint_of(text.text).shingles
        shared = Counter(
            place for each in shingles.tolist() for place in places[each][:MOST_WITH_A_SHINGLE]
        )
        if shared and max(shared.values()) > ALREADY * len(shingles):
            continue
        for each in shingles.tolist():
            places[each].append(len(kept))
        kept.append(text)
    return kept
