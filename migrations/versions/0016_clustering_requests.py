"""Store pending requests for clusterings, so that none is requested twice at a time."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | Sequence[str] | None = "0015"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "clustering_requests",
        sa.Column("site_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "asked_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.PrimaryKeyConstraint("site_id", name=op.f("pk_clustering_requests")),
    )


def downgrade() -> None:
    op.drop_table("clustering_requests")
