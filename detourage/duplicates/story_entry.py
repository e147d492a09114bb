"""The story entry of an article message."""

from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from detourage.duplicates.fingerprint import Shingles
from detourage.duplicates.overlap import overlap_of
from detourage.messages import Story

_STORIES = uuid5(NAMESPACE_URL, "detourage:stories")


def story_id(first_key: bytes) -> UUID:
    """Return the ID of a story by its first article's text key, the same on every machine."""
    return uuid5(_STORIES, first_key.hex())


def id_alone(key: bytes, site: str, url: str) -> UUID:
    """Return the story ID of a text that is too short to be compared with other texts."""
    return uuid5(_STORIES, f"{key.hex()}\n{site}\n{url}")


def first_of(identity: UUID, seen: datetime | None, wire: str | None) -> Story:
    """Return the story entry for the first article of a story."""
    return Story(id=str(identity), first_seen=seen, relation=None, similarity=None, wire=wire)


def follower_of(first: Story, own: Shingles, of_first: Shingles, wire: str | None) -> Story:
    """Return the story entry for a later article; `wire` is the news agency that it credits."""
    overlap = overlap_of(own, of_first)
    return first.model_copy(
        update={
            "relation": overlap.relation,
            "similarity": round(overlap.resemblance, 3),
            "wire": wire,
        }
    )
