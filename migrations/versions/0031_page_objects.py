"""Store the URLs of page contents in an object store."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from migrations.online import create_index

revision: str = "0031"
down_revision: str | Sequence[str] | None = "0030"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.alter_column("page_contents", "compressed", nullable=True)
    # If the process is killed while it creates the index, this step is repeated.
    op.add_column(
        "page_contents", sa.Column("object_url", sa.Text(), nullable=True), if_not_exists=True
    )
    create_index(
        "ix_page_contents_object_url", "page_contents", ["object_url"], postgresql_using="hash"
    )


def downgrade() -> None:
    # Earlier releases cannot read objects: for them, these pages have no HTML.
    op.execute("""
        WITH removed AS (DELETE FROM page_contents WHERE compressed IS NULL RETURNING page_id)
        UPDATE pages SET html_removed_at = now() FROM removed WHERE id = page_id
    """)
    op.drop_index("ix_page_contents_object_url", "page_contents")
    op.drop_column("page_contents", "object_url")
    op.alter_column("page_contents", "compressed", nullable=False)
