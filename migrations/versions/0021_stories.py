"""Store stories of articles that repeat each other; existing articles join when next extracted."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0021"
down_revision: str | Sequence[str] | None = "0020"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "stories",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        sa.Column("first_page_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "changed_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stories")),
    )
    op.create_index(op.f("ix_stories_changed_at"), "stories", ["changed_at"])
    op.create_table(
        "story_texts",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        sa.Column("story_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("shingles", sa.LargeBinary(), nullable=False),
        sa.Column("bands", sa.ARRAY(sa.Integer()), nullable=False),
        sa.Column("sites", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("seen_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_to", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.id"],
            name=op.f("fk_story_texts_story_id_stories"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_story_texts")),
    )
    op.create_index(op.f("ix_story_texts_story_id"), "story_texts", ["story_id"])
    op.create_index(op.f("ix_story_texts_key"), "story_texts", ["key"])
    op.create_index(
        "ix_story_texts_bands",
        "story_texts",
        ["bands"],
        postgresql_using="gin",
        postgresql_with={"fastupdate": "off"},
    )
    op.create_table(
        "story_overlaps",
        sa.Column("lower_id", sa.BigInteger(), nullable=False),
        sa.Column("higher_id", sa.BigInteger(), nullable=False),
        sa.Column("common", sa.Integer(), nullable=False),
        sa.CheckConstraint("lower_id < higher_id", name=op.f("ck_story_overlaps_ordered")),
        *(
            sa.ForeignKeyConstraint(
                [column],
                ["story_texts.id"],
                name=op.f(f"fk_story_overlaps_{column}_story_texts"),
                ondelete="CASCADE",
            )
            for column in ("lower_id", "higher_id")
        ),
        sa.PrimaryKeyConstraint("lower_id", "higher_id", name=op.f("pk_story_overlaps")),
    )
    op.create_index(op.f("ix_story_overlaps_higher_id"), "story_overlaps", ["higher_id"])
    op.create_table(
        "story_articles",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("text_id", sa.BigInteger(), nullable=True),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wire", sa.Text(), nullable=True),
        sa.Column("told", postgresql.JSONB(), nullable=False),
        sa.Column("sent", postgresql.JSONB(), nullable=True),
        sa.Column("is_held_back", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_story_articles_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["text_id"],
            ["story_texts.id"],
            name=op.f("fk_story_articles_text_id_story_texts"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_story_articles")),
    )
    op.create_index(op.f("ix_story_articles_text_id"), "story_articles", ["text_id"])
    op.create_index(
        "ix_story_articles_to_correct",
        "story_articles",
        ["page_id"],
        postgresql_where=sa.text("sent IS NOT NULL AND sent <> told"),
    )


def downgrade() -> None:
    op.drop_table("story_articles")
    op.drop_table("story_overlaps")
    op.drop_table("story_texts")
    op.drop_table("stories")
