"""Index the parts of an article by its first page, which joining looks up."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from migrations.online import create_index

revision: str = "0028"
down_revision: str | Sequence[str] | None = "0027"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    create_index(
        "ix_page_parts_first_id",
        "page_parts",
        ["first_id"],
        postgresql_where=sa.text("first_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_page_parts_first_id", table_name="page_parts")
