"""Store the pages that are parts of an article, so that parts can be joined."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0022"
down_revision: str | Sequence[str] | None = "0021"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # The table starts empty: existing pages become parts when they are extracted again.
    op.create_table(
        "page_parts",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("links", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("message", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("whole_digests", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("version", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("seen_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column(
            "changed_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.Column("first_id", sa.BigInteger(), nullable=True),
        sa.Column("joined_revision", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_page_parts_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_parts")),
    )
    op.create_index(
        "ix_page_parts_due",
        "page_parts",
        ["changed_at"],
        postgresql_where=sa.text("version > seen_version"),
    )
    op.create_index(
        "ix_page_parts_whole_digests", "page_parts", ["whole_digests"], postgresql_using="gin"
    )


def downgrade() -> None:
    op.drop_table("page_parts")
