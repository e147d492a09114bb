"""Store the latest refusal of a page, and index pages with short texts."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "0025"
down_revision: str | Sequence[str] | None = "0024"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Null for existing pages: content stored by an earlier release is valid until the next fetch.
    op.add_column("pages", sa.Column("refused", JSONB(), nullable=True))
    op.add_column("pages", sa.Column("short_text", sa.LargeBinary(), nullable=True))
    op.create_index(
        "ix_pages_short_texts",
        "pages",
        ["site_id", "short_text"],
        postgresql_where=sa.text("short_text IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_pages_short_texts", table_name="pages")
    op.drop_column("pages", "short_text")
    op.drop_column("pages", "refused")
