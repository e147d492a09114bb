"""Compare the trees of a site in blocks, and those of a large site with references only.

Comparisons in the previous format are dropped from the outbox; the next clustering of each site
requests all that are missing.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0002"
down_revision: str | Sequence[str] | None = "0001"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.execute("DELETE FROM outbox WHERE task = 'detourage.compare'")
    op.add_column(
        "sites", sa.Column("pairs_planned", sa.BigInteger(), server_default="0", nullable=False)
    )
    op.add_column(
        "sites", sa.Column("pairs_compared", sa.BigInteger(), server_default="0", nullable=False)
    )
    op.create_table(
        "site_comparisons",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("site_version", sa.BigInteger(), nullable=False),
        sa.Column("tree_ids", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column(
            "began_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_site_comparisons_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("site_id", name=op.f("pk_site_comparisons")),
    )
    op.create_table(
        "reference_sets",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("tree_ids", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_reference_sets_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference_sets")),
        sa.UniqueConstraint("site_id", "digest", name=op.f("uq_reference_sets_site_id_digest")),
    )
    op.create_table(
        "nearest_references",
        sa.Column("reference_set_id", sa.BigInteger(), nullable=False),
        sa.Column("tree_id", sa.BigInteger(), nullable=False),
        sa.Column("reference_id", sa.BigInteger(), nullable=True),
        sa.Column("distance", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["reference_set_id"],
            ["reference_sets.id"],
            name=op.f("fk_nearest_references_reference_set_id_reference_sets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["tree_id"],
            ["trees.id"],
            name=op.f("fk_nearest_references_tree_id_trees"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("reference_set_id", "tree_id", name=op.f("pk_nearest_references")),
    )
    op.create_index(op.f("ix_nearest_references_tree_id"), "nearest_references", ["tree_id"])
    op.create_table(
        "comparison_blocks",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("reference_set_id", sa.BigInteger(), nullable=True),
        sa.Column("rows", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("columns", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column(
            "asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"],
            ["site_comparisons.site_id"],
            name=op.f("fk_comparison_blocks_site_id_site_comparisons"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reference_set_id"],
            ["reference_sets.id"],
            name=op.f("fk_comparison_blocks_reference_set_id_reference_sets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison_blocks")),
    )
    op.create_index(op.f("ix_comparison_blocks_site_id"), "comparison_blocks", ["site_id"])
    op.create_index(
        op.f("ix_comparison_blocks_reference_set_id"), "comparison_blocks", ["reference_set_id"]
    )


def downgrade() -> None:
    op.drop_table("comparison_blocks")
    op.drop_table("nearest_references")
    op.drop_table("reference_sets")
    op.drop_table("site_comparisons")
    op.drop_column("sites", "pairs_compared")
    op.drop_column("sites", "pairs_planned")
