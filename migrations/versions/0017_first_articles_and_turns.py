"""Index unrequested extractions by waiting time, and store the turn of comparisons."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | Sequence[str] | None = "0016"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(
        "ix_pages_unasked",
        "pages",
        ["waiting_since"],
        postgresql_where=sa.text(
            "outcome IS NULL AND tree_id IS NOT NULL AND extracted_generation >= generation"
        ),
    )
    # The default is the current time, so that work in progress precedes all future requests.
    op.add_column(
        "site_comparisons",
        sa.Column(
            "turn",
            sa.BigInteger(),
            server_default=sa.text("(EXTRACT(epoch FROM now()) * 1000)::bigint"),
            nullable=False,
        ),
    )


def downgrade() -> None:
    op.drop_column("site_comparisons", "turn")
    op.drop_index("ix_pages_unasked", "pages")
