"""Remove fetch times before 1990 or in the future, some of which no client can parse."""

from collections.abc import Sequence

from alembic import op

revision: str = "0013"
down_revision: str | Sequence[str] | None = "0012"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Without a fetch time, a page counts as fetched when it was received.
    op.execute(
        """
        UPDATE pages SET fetched_at = NULL
        WHERE fetched_at < '1990-01-01T00:00:00Z' OR fetched_at > received_at + interval '1 day'
        """
    )


def downgrade() -> None:
    """Do nothing: the removed times are lost."""
