"""Create the initial schema."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0001"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("arguments", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("exchange", sa.Text(), nullable=True),
        sa.Column("routing_key", sa.Text(), nullable=True),
        sa.Column("headers", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.CheckConstraint(
            "(task IS NULL) <> (routing_key IS NULL)", name=op.f("ck_outbox_task_or_message")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_table(
        "sites",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column(
            "changed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sites")),
        sa.UniqueConstraint("key", name=op.f("uq_sites_key")),
    )
    op.create_table(
        "trees",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trees")),
        sa.UniqueConstraint("digest", name=op.f("uq_trees_digest")),
    )
    op.create_table(
        "distances",
        sa.Column("lower_tree_id", sa.BigInteger(), nullable=False),
        sa.Column("higher_tree_id", sa.BigInteger(), nullable=False),
        sa.Column("distance", sa.Integer(), nullable=True),
        sa.CheckConstraint("lower_tree_id < higher_tree_id", name=op.f("ck_distances_ordered")),
        sa.ForeignKeyConstraint(
            ["higher_tree_id"],
            ["trees.id"],
            name=op.f("fk_distances_higher_tree_id_trees"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["lower_tree_id"],
            ["trees.id"],
            name=op.f("fk_distances_lower_tree_id_trees"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("lower_tree_id", "higher_tree_id", name=op.f("pk_distances")),
    )
    op.create_index(
        op.f("ix_distances_higher_tree_id"), "distances", ["higher_tree_id"], unique=False
    )
    op.create_table(
        "generations",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("site_version", sa.BigInteger(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("silhouette", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_generations_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("site_id", "number", name=op.f("pk_generations")),
    )
    op.create_table(
        "pages",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_digest", sa.Text(), nullable=False),
        sa.Column("crawler_id", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("extra", sa.Text(), server_default="{}", nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("encoding", sa.Text(), nullable=True),
        sa.Column("tree_id", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("outcome_detail", sa.Text(), nullable=True),
        sa.Column("generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("extracted_generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("extraction_key", sa.Text(), nullable=True),
        sa.Column("forced", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("revision", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name=op.f("fk_pages_site_id_sites")),
        sa.ForeignKeyConstraint(["tree_id"], ["trees.id"], name=op.f("fk_pages_tree_id_trees")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
        sa.UniqueConstraint("site_id", "url_digest", name=op.f("uq_pages_site_id_url_digest")),
    )
    op.create_index(
        "ix_pages_pending",
        "pages",
        ["site_id"],
        unique=False,
        postgresql_where=sa.text("outcome IS NULL OR forced OR extracted_generation < generation"),
    )
    op.create_index(op.f("ix_pages_site_id"), "pages", ["site_id"], unique=False)
    op.create_index(op.f("ix_pages_tree_id"), "pages", ["tree_id"], unique=False)
    op.create_table(
        "articles",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("message", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_articles_page_id_pages"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_articles")),
        sa.UniqueConstraint("page_id", "revision", name=op.f("uq_articles_page_id_revision")),
    )
    op.create_table(
        "memberships",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("group_number", sa.Integer(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("pivot_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_memberships_page_id_pages"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["pivot_id"], ["pages.id"], name=op.f("fk_memberships_pivot_id_pages")
        ),
        sa.ForeignKeyConstraint(
            ["site_id", "generation"],
            ["generations.site_id", "generations.number"],
            name=op.f("fk_memberships_site_id_generation_generations"),
        ),
        sa.PrimaryKeyConstraint("page_id", "generation", name=op.f("pk_memberships")),
    )
    op.create_index(
        op.f("ix_memberships_site_id_generation"),
        "memberships",
        ["site_id", "generation"],
        unique=False,
    )
    op.create_table(
        "page_contents",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.Column("is_text", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_page_contents_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_contents")),
    )
    op.create_table(
        "receipts",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("page_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_receipts_page_id_pages"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_receipts")),
    )
    op.create_index(op.f("ix_receipts_message_id"), "receipts", ["message_id"], unique=False)
    op.create_index(op.f("ix_receipts_page_id"), "receipts", ["page_id"], unique=False)
    op.create_table(
        "template_groups",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("representative_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["representative_id"],
            ["pages.id"],
            name=op.f("fk_template_groups_representative_id_pages"),
        ),
        sa.ForeignKeyConstraint(
            ["site_id", "generation"],
            ["generations.site_id", "generations.number"],
            name=op.f("fk_template_groups_site_id_generation_generations"),
        ),
        sa.PrimaryKeyConstraint("site_id", "generation", "number", name=op.f("pk_template_groups")),
    )


def downgrade() -> None:
    op.drop_table("template_groups")
    op.drop_index(op.f("ix_receipts_page_id"), table_name="receipts")
    op.drop_index(op.f("ix_receipts_message_id"), table_name="receipts")
    op.drop_table("receipts")
    op.drop_table("page_contents")
    op.drop_index(op.f("ix_memberships_site_id_generation"), table_name="memberships")
    op.drop_table("memberships")
    op.drop_table("articles")
    op.drop_index(op.f("ix_pages_tree_id"), table_name="pages")
    op.drop_index(op.f("ix_pages_site_id"), table_name="pages")
    op.drop_index(
        "ix_pages_pending",
        table_name="pages",
        postgresql_where=sa.text("outcome IS NULL OR forced OR extracted_generation < generation"),
    )
    op.drop_table("pages")
    op.drop_table("generations")
    op.drop_index(op.f("ix_distances_higher_tree_id"), table_name="distances")
    op.drop_table("distances")
    op.drop_table("trees")
    op.drop_table("sites")
    op.drop_table("outbox")
