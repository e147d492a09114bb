"""Store attempts and request times of extractions, and errors of failed tasks."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | Sequence[str] | None = "0004"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("pages", sa.Column("attempts", sa.Integer(), server_default="0", nullable=False))
    # Work in progress during the migration is enqueued again if its message is lost.
    op.execute(
        "UPDATE pages SET asked_at = now() WHERE generation > 0"
        " AND (outcome IS NULL OR forced OR extracted_generation < generation)"
    )
    op.create_table(
        "task_failures",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column(
            "failed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("traceback", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_failures")),
    )
    op.create_index(op.f("ix_task_failures_task_id"), "task_failures", ["task_id"])


def downgrade() -> None:
    op.drop_table("task_failures")
    op.drop_column("pages", "attempts")
    op.drop_column("pages", "asked_at")
