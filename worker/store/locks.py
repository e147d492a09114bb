"""Advisory locks of the service and the meaning of their keys."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """Class of a lock; no other user of the database may use its number."""

    GENERATION = 0x6474
    """Site whose generation is being written; held until the transaction ends."""

    EXTRACTION = 0x6475
    """Page that is being extracted."""

    REPROCESSING = 0x6476
    """Resumes reprocessing of all sites; the key is 0."""

    CLUSTERING = 0x6477
    """Site that is being clustered, which takes several transactions."""

    COMPARISON = 0x6478
    """Block of pairs that is being compared."""

    STORIES = 0x6479
    """Groups articles into stories; the key is 0; held until the transaction ends."""

    STORY_TELLING = 0x6482
    """Resumes articles that wait to be grouped; the key is 0."""

    SHORT_TEXTS = 0x6483
    """Site whose identical short texts are being counted; held until the transaction ends."""

    PARTS = 0x6481
    """Joins the parts of articles; the key is 0."""
