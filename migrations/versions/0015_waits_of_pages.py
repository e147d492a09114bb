"""Store when each page last became pending, which may be later than its receipt."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | Sequence[str] | None = "0014"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "pages",
        sa.Column(
            "waiting_since",
            sa.DateTime(timezone=True),
            server_default=sa.func.now(),
            nullable=False,
        ),
    )
    # A changed page has been waiting since its content was stored.
    op.execute(
        """
        UPDATE pages SET waiting_since = coalesce(
            (SELECT stored_at FROM page_contents WHERE page_id = pages.id), received_at
        )
        WHERE outcome IS NULL
        """
    )
    # Pages that were rejected after their extraction had been requested are never extracted.
    op.execute(
        """
        UPDATE pages SET extracted_generation = generation
        WHERE tree_id IS NULL AND outcome IS NOT NULL AND extracted_generation < generation
        """
    )


def downgrade() -> None:
    op.drop_column("pages", "waiting_since")
