"""Turns served by the relay, so that new flows can be placed before backlogs."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0028"
down_revision: str | Sequence[str] | None = "0027"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "served_turns",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("lane", "site_id", name=op.f("pk_served_turns")),
    )


def downgrade() -> None:
    op.drop_table("served_turns")
