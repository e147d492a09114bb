"""The advisory locks of this service."""

from enum import IntEnum, unique

from sqlalchemy import text

TRY_LOCK = text("""
    SELECT pg_try_advisory_xact_lock(:class, hashint8(:key))
    FROM set_config('idle_in_transaction_session_timeout', '0', true)
""")


@unique
class AdvisoryLock(IntEnum):
    """Classes of advisory locks; a comment says what the keys of each identify."""

    GENERATION = 0x6474  # a site whose generation is being written
    EXTRACTION = 0x6475  # a page being extracted
    CLUSTERING = 0x6477  # a site being clustered, which takes several transactions
    COMPARISON = 0x6478  # a block of pairs being compared
    SHORT_TEXTS = 0x6483  # a site whose identical short texts are being counted
    PAGE_OBJECTS = 0x6486  # a shard: shared lock to store contents, exclusive to delete objects
    PARTS = 0x6481  # 0, while the parts of articles are joined
    MIGRATION = 0x6487  # 0, while the schema is migrated
