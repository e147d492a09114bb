"""Schema changes during which the service continues to write to the tables."""

from collections.abc import Sequence
from typing import Any

from alembic import op

from worker.store.migrations import LOCK_MILLISECONDS


def create_index(name: str, table: str, columns: Sequence[str], **options: Any) -> None:
    """Create an index outside of a transaction, replacing one left by an interrupted migration."""
    with op.get_context().autocommit_block():
        # No statement queues behind these, so they may wait for long transactions.
        op.execute("SET lock_timeout TO 0")
        try:
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
            op.create_index(name, table, columns, postgresql_concurrently=True, **options)
        finally:
            op.execute(f"SET lock_timeout TO {LOCK_MILLISECONDS}")
