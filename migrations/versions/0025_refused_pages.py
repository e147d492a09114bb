"""What a site answered last in place of a page, beside the page as it was."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "0025"
down_revision: str | Sequence[str] | None = "0024"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Null of every page: what an earlier version stored stands until the page is fetched again.
    op.add_column("pages", sa.Column("refused", JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("pages", "refused")
