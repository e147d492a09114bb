"""The advisory locks of the service, and the meaning of their keys."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """Classes of locks. Other programs that use the same database must not use these numbers."""

    GENERATION = 0x6474
    """The key is a site whose generation is being written; held for the rest of the transaction."""

    EXTRACTION = 0x6475
    """The key is a page being extracted."""

    REPROCESSING = 0x6476
    """Held while the reprocessing of all sites is continued; the key is 0."""

    CLUSTERING = 0x6477
    """The key is a site being clustered, which takes several transactions."""

    COMPARISON = 0x6478
    """The key is a block of pairs being compared."""

    STORIES = 0x6479
    """Held until the end of a transaction that groups articles into stories; the key is 0."""

    STORY_TELLING = 0x6482
    """Held while articles waiting to be grouped are processed; the key is 0."""

    SHORT_TEXTS = 0x6483
    """The key is a site whose identical short texts are being counted; held until the
    transaction ends."""

    PAGE_OBJECTS = 0x6486
    """The key is a shard of the object store. It is shared by transactions that store contents, and
    exclusive while objects are deleted; held until the transaction ends."""

    PARTS = 0x6481
    """Held while the parts of articles are joined; the key is 0."""

    MIGRATION = 0x6487
    """Held by the process that migrates the schema; the key is 0."""
