"""Store durations of tasks."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | Sequence[str] | None = "0009"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "durations",
        sa.Column("work", sa.Text(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("at_most", sa.Float(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("work", "slot", "at_most", name=op.f("pk_durations")),
        # Every task updates a row; free space in each block of the table avoids index updates.
        postgresql_with={"fillfactor": "50"},
    )


def downgrade() -> None:
    op.drop_table("durations")
