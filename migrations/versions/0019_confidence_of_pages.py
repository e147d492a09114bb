"""Confidence of each page's last article, so that doubtful ones can be counted by site."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | Sequence[str] | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Pages have none until they are extracted again: the value in their messages is an earlier
    # version's measure.
    op.add_column("pages", sa.Column("confidence", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("pages", "confidence")
