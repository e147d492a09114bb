"""Readers' comments on a story."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from worker.sample.story import Story

MAX_COMMENTS = 60
"""Maximum number of comments, as on the first page of comments on real sites."""

_SPREAD = 1.1
"""Standard deviation of the logarithm of the number of comments, at full noise."""

_REPLY_SHARE = 0.4
_SECOND_PARAGRAPH_SHARE = 0.15


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
    return min(MAX_COMMENTS, round(median * math.exp(_SPREAD * noise * rng.gauss(0, 1))))


def discuss(story: Story, count: int, rng: random.Random, *, nested: bool) -> Sequence[Remark]:
    """Write the discussion of a story.

    If ``nested``, replies follow the comments that they answer; otherwise, comments are in
    chronological order.
    """
    voice = story.reader(rng)
    moment = story.published
    remarks: list[Remark] = []
    for index in range(count):
        moment += timedelta(minutes=rng.randint(2, 90))
        parent = None
        if remarks and rng.random() < _REPLY_SHARE:
            parent = max(rng.randrange(index), rng.randrange(index))
            if remarks[parent].depth >= 3:
                parent = remarks[parent].parent
        texts = [voice.tell("comment")]
        if rng.random() < _SECOND_PARAGRAPH_SHARE:
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
        old = remarks[index]
        parent = None if old.parent is None else place[old.parent]
        threaded.append(
            Remark(old.author, old.moment, old.paragraphs, parent, old.depth, old.likes)
        )
        pending += reversed(replies.get(index, []))
    return threaded
