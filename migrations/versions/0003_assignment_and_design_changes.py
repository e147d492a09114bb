"""Store group representatives, with which new pages are compared, and design changes.

Until the next clustering chooses representatives, each group of the latest generation has a single
representative: the page with which its members were compared.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0003"
down_revision: str | Sequence[str] | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("memberships", sa.Column("confidence", sa.Float(), nullable=True))
    op.create_table(
        "group_representatives",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("group_number", sa.Integer(), nullable=False),
        sa.Column("tree_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "generation", "group_number"],
            ["template_groups.site_id", "template_groups.generation", "template_groups.number"],
            name=op.f("fk_group_representatives_site_id_template_groups"),
        ),
        sa.ForeignKeyConstraint(
            ["tree_id"],
            ["trees.id"],
            name=op.f("fk_group_representatives_tree_id_trees"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "site_id",
            "generation",
            "group_number",
            "tree_id",
            name=op.f("pk_group_representatives"),
        ),
    )
    op.create_index(op.f("ix_group_representatives_tree_id"), "group_representatives", ["tree_id"])
    op.execute(
        """
        INSERT INTO group_representatives (site_id, generation, group_number, tree_id)
        SELECT groups.site_id, groups.generation, groups.number, pages.tree_id
        FROM template_groups AS groups
        JOIN pages ON pages.id = groups.representative_id
        WHERE pages.tree_id IS NOT NULL
          AND groups.generation = (
              SELECT max(number) FROM generations WHERE generations.site_id = groups.site_id
          )
        """
    )
    op.create_table(
        "design_changes",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column(
            "noticed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("first_url", sa.Text(), nullable=False),
        sa.Column("new_share", sa.Float(), nullable=False),
        sa.Column("outlier_share", sa.Float(), nullable=False),
        sa.Column("new_groups", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("gone_groups", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "generation"],
            ["generations.site_id", "generations.number"],
            name=op.f("fk_design_changes_site_id_generations"),
        ),
        sa.PrimaryKeyConstraint("site_id", "generation", name=op.f("pk_design_changes")),
    )


def downgrade() -> None:
    op.drop_table("design_changes")
    op.drop_table("group_representatives")
    op.drop_column("memberships", "confidence")
