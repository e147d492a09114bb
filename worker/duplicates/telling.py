"""What the message of an article says of its story."""

from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from models.messages import Story
from worker.duplicates.fingerprint import Shingles
from worker.duplicates.overlap import overlap_of

_STORIES = uuid5(NAMESPACE_URL, "detourage:stories")


def story_id(first_key: bytes) -> UUID:
    """Return the id of a story, the same on every machine.

    Parameters
    ----------
    first_key
        Key of the text of its first article: copies of one text have one id, whichever came first.
    """
    return uuid5(_STORIES, first_key.hex())


def id_alone(key: bytes, site: str, url: str) -> UUID:
    """Return the id of the story of a text that is too short to be compared with others."""
    return uuid5(_STORIES, f"{key.hex()}\n{site}\n{url}")


def first_of(identity: UUID, seen: datetime | None, wire: str | None) -> Story:
    """Return what the first article of a story says of it."""
    return Story(id=str(identity), first_seen=seen, relation=None, similarity=None, wire=wire)


def follower_of(first: Story, own: Shingles, of_first: Shingles, wire: str | None) -> Story:
    """Return what a further article of a story says of it.

    Parameters
    ----------
    first
        What the first one says.
    own, of_first
        Shingles of its text, and of the text of the first.
    wire
        The agency that it names.
    """
    overlap = overlap_of(own, of_first)
    return first.model_copy(
        update={
            "relation": overlap.relation,
            "similarity": round(overlap.resemblance, 3),
            "wire": wire,
        }
    )
