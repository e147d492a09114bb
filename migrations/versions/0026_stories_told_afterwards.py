"""Store articles waiting to be grouped into stories; bound the cost of stories and parts."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0026"
down_revision: str | Sequence[str] | None = "0025"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "story_arrivals",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=True),
        sa.Column("shingles", sa.LargeBinary(), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wire", sa.Text(), nullable=True),
        sa.Column("arrived_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_story_arrivals_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_story_arrivals")),
    )
    op.add_column("stories", sa.Column("retold_to", sa.ARRAY(sa.BigInteger()), nullable=True))
    op.create_index(
        "ix_stories_to_retell",
        "stories",
        ["id"],
        postgresql_where=sa.text("retold_to IS NOT NULL"),
    )
    op.add_column("story_articles", sa.Column("corrections", sa.Integer(), nullable=True))
    op.add_column(
        "story_articles", sa.Column("correct_after", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_index(
        "ix_story_articles_of_text", "story_articles", ["text_id", "page_id"], unique=False
    )
    op.add_column("page_parts", sa.Column("size", sa.Integer(), nullable=True))
    op.add_column("page_parts", sa.Column("attempts", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("page_parts", "attempts")
    op.drop_column("page_parts", "size")
    op.drop_index("ix_story_articles_of_text", "story_articles")
    op.drop_column("story_articles", "correct_after")
    op.drop_column("story_articles", "corrections")
    op.drop_index("ix_stories_to_retell", "stories")
    op.drop_column("stories", "retold_to")
    op.drop_table("story_arrivals")
