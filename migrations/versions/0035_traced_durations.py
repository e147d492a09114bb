"""The latest trace of each class of durations, for exemplars."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0035"
down_revision: str | Sequence[str] | None = "0034"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("durations", sa.Column("trace_id", sa.Text(), nullable=True))
    op.add_column("durations", sa.Column("trace_seconds", sa.Float(), nullable=True))
    op.add_column("durations", sa.Column("traced_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for column in ("traced_at", "trace_seconds", "trace_id"):
        op.drop_column("durations", column)
