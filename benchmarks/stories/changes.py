"""Measure the changes reported between two fetches of generated articles.

A life is an article of the sample crawl, fetched twice. Between the fetches, either its text is
edited or only its surroundings change. Both times, the page is read as in the service, with
knowledge of another page of its template.

    python -m benchmarks.stories.changes --lives 1000
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from detourage.html import parse_page
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content
from detourage.reader.article_values import json_values
from examples.sample_crawl.page import PageMaker
from examples.sample_crawl.site import Site, all_sites
from examples.sample_crawl.story import Newsroom, Story
from stories.changes import changes_between
from stories.messages import Changes
from stories.sentences import reading_key, split_sentences

Edit = tuple[str, str | None, str | None]
"""A change: ``title`` or the action, and the texts before and after the change."""

NOISE = 0.3  # variation among the pages of a template, from 0 to 1


class EditedStory(Story):
    """A story whose headline and body can be replaced."""

    def with_parts(self, **parts: Any) -> "EditedStory":
        """Return the story with the given cached parts replaced."""
        copy = EditedStory(self.site, self.seed, self.number)
        copy.__dict__.update(parts)
        return copy


def _paragraphs_with_sentences(story: Story) -> list[int]:
    """Return the indices of the paragraphs that have at least two sentences."""
    return [
        index
        for index, passage in enumerate(story.body)
        if passage.kind == "paragraph" and len(list(split_sentences(passage.text))) > 1
    ]


def _edit_sentence(
    story: EditedStory, rng: random.Random, change: Callable[[str, random.Random], str | None]
) -> tuple[EditedStory, list[Edit]] | None:
    """Change the first sentence, in random order, that the given function can change."""
    indices = _paragraphs_with_sentences(story)
    for index in rng.sample(indices, len(indices)):
        text = story.body[index].text
        sentences = list(split_sentences(text))
        for sentence in rng.sample(sentences, len(sentences)):
            changed = change(sentence.text, rng)
            if changed is not None:
                new = text[: sentence.start] + changed + text[sentence.end :]
                body = list(story.body)
                body[index] = replace(body[index], text=new)
                return story.with_parts(body=tuple(body)), [("edited", sentence.text, changed)]
    return None


def _misspell(text: str, rng: random.Random) -> str | None:
    """Swap two letters inside a long word; return None if there is no such word."""
    words = [word for word in text.split() if len(word) > 5 and word.isalpha()]
    if not words:
        return None
    word = rng.choice(words)
    index = rng.randrange(1, len(word) - 2)
    changed = word[:index] + word[index + 1] + word[index] + word[index + 2 :]
    return text.replace(word, changed, 1) if changed != word else None


def _correct_number(text: str, rng: random.Random) -> str | None:
    """Replace one digit of a sentence; return None if it has no digits."""
    digits = [index for index, character in enumerate(text) if character.isdecimal()]
    if not digits:
        return None
    index = rng.choice(digits)
    other = rng.choice([digit for digit in "123456789" if int(digit) != int(text[index])])
    return text[:index] + other + text[index + 1 :]


def _add_paragraphs(
    story: EditedStory, other: Story, index: int, number: int
) -> tuple[EditedStory, list[Edit]]:
    """Insert paragraphs of another story at an index."""
    new = [other.body[each] for each in _paragraphs_with_sentences(other)[:number]]
    body = [*story.body[:index], *new, *story.body[index:]]
    added: list[Edit] = [
        ("added", None, sentence.text) for each in new for sentence in split_sentences(each.text)
    ]
    return story.with_parts(body=tuple(body)), added


def _second_fetch(
    kind: str, makers: Sequence[PageMaker], story: EditedStory, other: Story, rng: random.Random
) -> tuple[PageMaker, Story, list[Edit]] | None:
    """Return a second fetch: the generator of the page, the edited story, and the edits.

    Return None if the text cannot be edited in this way, for example because it has no number.
    """
    maker, edited = makers[0], None
    if kind == "typo":
        edited = _edit_sentence(story, rng, _misspell)
    elif kind == "number":
        edited = _edit_sentence(story, rng, _correct_number)
    elif kind == "paragraph":
        edited = _add_paragraphs(story, other, rng.choice(_paragraphs_with_sentences(story)), 1)
    elif kind == "headline":
        edited = story.with_parts(title=other.title), [("title", story.title, other.title)]
    elif kind == "live update":
        first = _edit_sentence(story, rng, _misspell)
        if first is not None:
            story, edits = first
            again, added = _add_paragraphs(story, other, _paragraphs_with_sentences(story)[0], 2)
            edited = again, [*edits, *added]
    elif kind == "redesign":
        maker, edited = makers[1], (story, [])
    elif kind == "boxes":
        maker, edited = replace(maker, seed=maker.seed + 1), (story, [])
    else:
        edited = story, []
    return None if edited is None else (maker, *edited)


KINDS = ("typo", "number", "paragraph", "headline", "live update", "redesign", "boxes", "re-fetch")


def _read(maker: PageMaker, story: Story, other: Story) -> tuple[dict[str, Any], str]:
    """Return the message of a story's page and the text of another's, each read with the other."""
    pages = []
    for each in (story, other):
        markup, gold = maker.article(each)
        content = markup.encode(maker.design.encoding, errors="xmlcharrefreplace")
        pages.append(parse_page(content, gold["url"], content_type=maker.design.content_type))
    message = json_values(read_content(pages[0], pages[1]), pages[0].url, maker.site.domain)
    return {**message, "revision": 1}, read_content(pages[1], pages[0]).text


def _reported_edits(changes: Changes) -> list[Edit]:
    found: list[Edit] = [(each.action, each.before, each.after) for each in changes.sentences]
    if changes.title is not None:
        found.append(("title", changes.title.before, changes.title.after))
    return found


def _count_edits(edits: Sequence[Edit]) -> Counter[tuple[str, str, str]]:
    return Counter(
        (action, reading_key(before or ""), reading_key(after or ""))
        for action, before, after in edits
    )


def main() -> None:
    """Print the edits of each kind of life, and how many of them were reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print each wrong life")
    options = parser.parse_args()
    sites = [site for site in all_sites().values() if site.language.code]
    redesigned = [site for site in sites if len(site.designs) > 1]
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    number = 0
    while sum(each["lives"] for each in counts.values()) < options.lives:
        kind, rng = KINDS[number % len(KINDS)], random.Random(f"{options.seed} {number}")
        number += 1
        site: Site = rng.choice(redesigned if kind == "redesign" else sites)
        newsroom = Newsroom(site, options.seed)
        makers = [
            PageMaker(site, design, newsroom, options.seed, NOISE)
            for design in rng.sample(list(site.designs), len(site.designs))
        ]
        story = EditedStory(site, options.seed, number)
        neighbour = newsroom.story(number + 2)
        fetch = _second_fetch(kind, makers, story, newsroom.story(number + 4), rng)
        if fetch is None:
            continue
        maker, later_story, edits = fetch
        try:
            before, _ = _read(makers[0], story, neighbour)
            after, text = _read(maker, later_story, neighbour)
        except NoArticleError:
            counts[kind]["unread"] += 1
            continue
        changes = changes_between(before, {**after, "revision": 2}, [text])
        gold, reported = _count_edits(edits), _count_edits(_reported_edits(changes))
        right = (gold & reported).total()
        counts[kind] += Counter(lives=1, edits=gold.total(), reported=reported.total(), right=right)
        counts[kind]["exact"] += gold == reported
        if options.show and gold != reported:
            missing, extra = gold - reported, reported - gold
            print(kind, site.domain, number, "missing", missing, "extra", extra)
    total: Counter[str] = Counter()
    for each in counts.values():
        total += each
    for name, each in [*counts.items(), ("all", total)]:
        f1 = 2 * each["right"] / max(each["edits"] + each["reported"], 1)
        print(
            f"{name:12} lives {each['lives']:5} exact {each['exact']:5} edits {each['edits']:5}"
            f" reported {each['reported']:5} right {each['right']:5} F1 {f1:.3f}"
        )


if __name__ == "__main__":
    main()
