"""Set messages refused by the broker aside, so that they do not block others."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | Sequence[str] | None = "0013"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("refused_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("outbox", sa.Column("refusal", sa.Text(), nullable=True))
    _make_lane("CASE WHEN refused_at IS NULL THEN coalesce(task, exchange) END", nullable=True)


def downgrade() -> None:
    _make_lane("coalesce(task, exchange)", nullable=False)
    op.drop_column("outbox", "refusal")
    op.drop_column("outbox", "refused_at")


def _make_lane(expression: str, *, nullable: bool) -> None:
    # PostgreSQL cannot change the expression of a generated column; dropping it drops its indexes.
    op.drop_column("outbox", "lane")
    op.add_column(
        "outbox",
        sa.Column("lane", sa.Text(), sa.Computed(expression, persisted=True), nullable=nullable),
    )
    op.create_index(op.f("ix_outbox_lane_turn_id"), "outbox", ["lane", "turn", "id"])
    op.create_index(op.f("ix_outbox_lane_site_id_turn"), "outbox", ["lane", "site_id", "turn"])
