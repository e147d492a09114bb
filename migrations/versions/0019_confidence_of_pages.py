"""Store the confidence of each page's latest article, to count doubtful articles by site."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | Sequence[str] | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Null until a page is extracted again: earlier releases computed the confidence in messages
    # differently.
    op.add_column("pages", sa.Column("confidence", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("pages", "confidence")
