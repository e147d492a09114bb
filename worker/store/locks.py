"""The advisory locks of the service: what each class of keys stands for."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """Class of a lock, by what its keys name; nothing else in the database may use the number."""

    GENERATION = 0x6474
    """Site that a generation is written for; held until the transaction ends."""

    EXTRACTION = 0x6475
    """Page that is being extracted."""

    REPROCESSING = 0x6476
    """Who takes up the sites of a reprocessing of all; the key is 0."""

    CLUSTERING = 0x6477
    """Site whose clustering was begun, counted in transactions of their own."""

    COMPARISON = 0x6478
    """Block of pairs that is being compared."""

    STORIES = 0x6479
    """Who groups an article into stories; the key is 0; held until the transaction ends."""

    STORY_TELLING = 0x6482
    """Who takes up the articles that wait for that; the key is 0."""

    SHORT_TEXTS = 0x6483
    """Site whose pages with the same short text are counted; held until the transaction ends."""

    PARTS = 0x6481
    """Who joins the parts of articles; the key is 0."""
