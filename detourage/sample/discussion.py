"""Readers' comments on a story."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from detourage.sample.story import Story


@dataclass(frozen=True)
class Remark:
    """A reader's comment; ``parent`` is the index of the comment to which it replies."""

    author: str
    moment: datetime
    paragraphs: tuple[str, ...]
    parent: int | None
    depth: int
    likes: int


def discussion_length(median: int, noise: float, rng: random.Random) -> int:
    """Draw the number of comments: constant without noise, otherwise with a long tail."""
    if median == 0 or rng.random() < 0.3 * noise:
        return 0
    return min(60, round(median * math.exp(1.1 * noise * rng.gauss(0, 1))))


def discuss(story: Story, count: int, rng: random.Random, *, nested: bool) -> Sequence[Remark]:
    """Write the discussion of a story, in chronological order or, if nested, in threads."""
    voice = story.voice(rng)
    moment = story.published
    remarks: list[Remark] = []
    for index in range(count):
        moment += timedelta(minutes=rng.randint(2, 90))
        parent = None
        if remarks and rng.random() < 0.4:
            parent = max(rng.randrange(index), rng.randrange(index))
            if remarks[parent].depth >= 3:
                parent = remarks[parent].parent
        texts = [voice.tell("comment")]
        if rng.random() < 0.15:
            texts.append(voice.tell("comment"))
        depth = 0 if parent is None else remarks[parent].depth + 1
        likes = rng.randrange(40)
        remarks.append(Remark(voice.tell("handle"), moment, tuple(texts), parent, depth, likes))
    return _threaded(remarks) if nested else remarks


def _threaded(remarks: Sequence[Remark]) -> Sequence[Remark]:
    replies: dict[int | None, list[int]] = {}
    for index, remark in enumerate(remarks):
        replies.setdefault(remark.parent, []).append(index)
    threaded: list[Remark] = []
    place: dict[int, int] = {}
    pending = list(reversed(replies.get(None, [])))
    while pending:
        index = pending.pop()
        place[index] = len(threaded)
        parent = remarks[index].parent
        threaded.append(replace(remarks[index], parent=None if parent is None else place[parent]))
        pending += reversed(replies.get(index, []))
    return threaded
