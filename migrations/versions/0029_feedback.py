"""Store the entity recogniser's feedback on articles."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0029"
down_revision: str | Sequence[str] | None = "0028"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("group_number", sa.Integer(), nullable=True),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("entities", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["article_id"],
            ["articles.id"],
            name=op.f("fk_feedback_article_id_articles"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_feedback")),
    )
    op.create_index(op.f("ix_feedback_site_id_received_at"), "feedback", ["site_id", "received_at"])
    op.execute(
        "CREATE TRIGGER refuse_other_versions BEFORE INSERT OR UPDATE ON feedback"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_versions()"
    )


def downgrade() -> None:
    op.drop_table("feedback")
