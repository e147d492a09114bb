"""Let sites take turns in the outbox."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | Sequence[str] | None = "0007"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "outbox",
        sa.Column(
            "lane",
            sa.Text(),
            sa.Computed("coalesce(task, exchange)", persisted=True),
            nullable=False,
        ),
    )
    op.add_column("outbox", sa.Column("turn", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("outbox", sa.Column("site_id", sa.BigInteger(), nullable=True))
    op.create_index(op.f("ix_outbox_lane_turn_id"), "outbox", ["lane", "turn", "id"])
    op.create_index(op.f("ix_outbox_lane_site_id_turn"), "outbox", ["lane", "site_id", "turn"])


def downgrade() -> None:
    op.drop_index(op.f("ix_outbox_lane_site_id_turn"), "outbox")
    op.drop_index(op.f("ix_outbox_lane_turn_id"), "outbox")
    op.drop_column("outbox", "site_id")
    op.drop_column("outbox", "turn")
    op.drop_column("outbox", "lane")
