"""Store reprocessings of all sites, and the requests that have been carried out."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | Sequence[str] | None = "0006"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "reprocessings",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("pages_per_minute", sa.Float(), nullable=True),
        sa.Column(
            "asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("site_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("last_site_id", sa.BigInteger(), nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column(
            "resume_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("is_paused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reprocessings")),
    )
    op.create_index(
        "ix_reprocessings_under_way",
        "reprocessings",
        [sa.text("(ended_at IS NULL)")],
        unique=True,
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_table(
        "followed_requests",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column(
            "followed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_followed_requests")),
        sa.UniqueConstraint("task_id", name=op.f("uq_followed_requests_task_id")),
    )


def downgrade() -> None:
    op.drop_table("followed_requests")
    op.drop_table("reprocessings")
