"""Store reader comments, and comment patterns of pages and groups.

Existing pages are searched for comments when they are parsed again.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | Sequence[str] | None = "0010"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("comment_pattern", sa.Text(), nullable=True))
    op.add_column("template_groups", sa.Column("comment_pattern", sa.Text(), nullable=True))
    op.create_table(
        "comments",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("written_date", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("permalink", sa.Text(), nullable=True),
        sa.Column("votes", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["article_id"],
            ["articles.id"],
            name=op.f("fk_comments_article_id_articles"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("article_id", "number", name=op.f("pk_comments")),
    )


def downgrade() -> None:
    op.drop_table("comments")
    op.drop_column("template_groups", "comment_pattern")
    op.drop_column("pages", "comment_pattern")
