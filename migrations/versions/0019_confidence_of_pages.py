"""How sure the last article of a page is, so that doubtful ones are counted by site."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | Sequence[str] | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Pages keep none until they are extracted again: what stands in their messages is an earlier
    # version's measure.
    op.add_column("pages", sa.Column("confidence", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("pages", "confidence")
