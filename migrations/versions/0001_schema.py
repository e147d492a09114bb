"""Create the schema."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0001"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:  # noqa: PLR0915 - every table of the schema
    op.create_table(
        "clustering_requests",
        sa.Column("site_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("site_id", name=op.f("pk_clustering_requests")),
    )
    op.create_table(
        "durations",
        sa.Column("work", sa.Text(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("at_most", sa.Float(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("work", "slot", "at_most", name=op.f("pk_durations")),
        postgresql_with={"fillfactor": "50"},
    )
    op.create_table(
        "followed_requests",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column(
            "followed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_followed_requests")),
        sa.UniqueConstraint("task_id", name=op.f("uq_followed_requests_task_id")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "lane",
            sa.Text(),
            sa.Computed(
                "CASE WHEN refused_at IS NULL THEN coalesce(task, exchange) END", persisted=True
            ),
        ),
        sa.Column("turn", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("site_id", sa.BigInteger()),
        sa.Column("task", sa.Text()),
        sa.Column("arguments", postgresql.JSONB()),
        sa.Column("exchange", sa.Text()),
        sa.Column("routing_key", sa.Text()),
        sa.Column("headers", postgresql.JSONB()),
        sa.Column("message_id", sa.Text()),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("refused_at", sa.DateTime(timezone=True)),
        sa.Column("refusal", sa.Text()),
        sa.CheckConstraint(
            "(task IS NULL) <> (routing_key IS NULL)", name=op.f("ck_outbox_task_or_message")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_lane_site_id_turn"), "outbox", ["lane", "site_id", "turn"])
    op.create_index(op.f("ix_outbox_lane_turn_id"), "outbox", ["lane", "turn", "id"])
    op.create_table(
        "outbox_turns",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("is_short", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("lane", "is_short", name=op.f("pk_outbox_turns")),
    )
    op.create_table(
        "reprocessings",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("pages_per_minute", sa.Float()),
        sa.Column(
            "asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("site_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("last_site_id", sa.BigInteger(), nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column(
            "resume_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reprocessings")),
    )
    op.create_index(
        "ix_reprocessings_under_way",
        "reprocessings",
        [sa.literal_column("(ended_at IS NULL)")],
        unique=True,
        postgresql_where=sa.text("ended_at IS NULL"),
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
        sa.Column("pairs_planned", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("pairs_compared", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sites")),
        sa.UniqueConstraint("key", name=op.f("uq_sites_key")),
    )
    op.create_table(
        "task_failures",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column(
            "failed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("traceback", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_failures")),
    )
    op.create_index(op.f("ix_task_failures_task_id"), "task_failures", ["task_id"])
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
        "clustering_attempts",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "began_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("error", sa.Text()),
        sa.Column("quarantined_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_clustering_attempts_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("site_id", name=op.f("pk_clustering_attempts")),
    )
    op.create_table(
        "distances",
        sa.Column("lower_tree_id", sa.BigInteger(), nullable=False),
        sa.Column("higher_tree_id", sa.BigInteger(), nullable=False),
        sa.Column("distance", sa.Integer()),
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
    op.create_index(op.f("ix_distances_higher_tree_id"), "distances", ["higher_tree_id"])
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
        sa.Column("silhouette", sa.Float()),
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
        sa.Column("crawler_id", sa.Text()),
        sa.Column("content_type", sa.Text()),
        sa.Column("fetched_at", sa.DateTime(timezone=True)),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "waiting_since",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("extra", sa.Text(), server_default="{}", nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("refused", postgresql.JSONB()),
        sa.Column("encoding", sa.Text()),
        sa.Column("tree_id", sa.BigInteger()),
        sa.Column("outcome", sa.Text()),
        sa.Column("outcome_detail", sa.Text()),
        sa.Column("generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("extracted_generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("extraction_key", sa.Text()),
        sa.Column("forced", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("revision", sa.Integer(), server_default="0", nullable=False),
        sa.Column("confidence", sa.Float()),
        sa.Column("short_text", sa.LargeBinary()),
        sa.Column("removable_lines", sa.LargeBinary()),
        sa.Column("asked_at", sa.DateTime(timezone=True)),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("comment_vote", sa.Text()),
        sa.Column("html_removed_at", sa.DateTime(timezone=True)),
        sa.Column("trace", postgresql.JSONB()),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name=op.f("fk_pages_site_id_sites")),
        sa.ForeignKeyConstraint(["tree_id"], ["trees.id"], name=op.f("fk_pages_tree_id_trees")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
    )
    op.create_index(
        "ix_pages_joined",
        "pages",
        ["site_id", "url_digest"],
        postgresql_where=sa.text("outcome = 'joined'"),
    )
    op.create_index(
        "ix_pages_pending",
        "pages",
        ["site_id"],
        postgresql_where=sa.text("outcome IS NULL OR forced OR extracted_generation < generation"),
    )
    op.create_index(
        "ix_pages_short_texts",
        "pages",
        ["site_id", "short_text"],
        postgresql_where=sa.text("short_text IS NOT NULL"),
    )
    op.create_index(op.f("ix_pages_site_id"), "pages", ["site_id"])
    op.create_index(op.f("ix_pages_tree_id"), "pages", ["tree_id"])
    op.create_index(
        "ix_pages_unasked",
        "pages",
        ["waiting_since"],
        postgresql_where=sa.text(
            "outcome IS NULL AND tree_id IS NOT NULL AND extracted_generation >= generation"
        ),
    )
    op.create_index(
        "uq_pages_live",
        "pages",
        ["site_id", "url_digest"],
        unique=True,
        postgresql_where=sa.text("outcome IS DISTINCT FROM 'joined'"),
    )
    op.create_table(
        "reference_sets",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("tree_ids", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_reference_sets_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference_sets")),
        sa.UniqueConstraint("site_id", "digest", name=op.f("uq_reference_sets_site_id_digest")),
    )
    op.create_table(
        "site_comparisons",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("site_version", sa.BigInteger(), nullable=False),
        sa.Column("tree_ids", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column(
            "began_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_site_comparisons_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("site_id", name=op.f("pk_site_comparisons")),
    )
    op.create_table(
        "addresses",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("spellings", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("kind", sa.Text()),
        sa.Column("headlines", sa.ARRAY(sa.BigInteger()), server_default="{}", nullable=False),
        sa.Column("passages", sa.ARRAY(sa.BigInteger()), server_default="{}", nullable=False),
        sa.Column(
            "came_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("read_at", sa.DateTime(timezone=True)),
        sa.Column("joined_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_addresses_page_id_pages"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name=op.f("fk_addresses_site_id_sites")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint("site_id", "digest", name=op.f("uq_addresses_site_id_digest")),
    )
    op.create_index(op.f("ix_addresses_page_id"), "addresses", ["page_id"])
    op.create_table(
        "articles",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("message", postgresql.JSONB(), nullable=False),
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
        "comparison_blocks",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("reference_set_id", sa.BigInteger()),
        sa.Column("rows", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("columns", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column(
            "asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["reference_set_id"],
            ["reference_sets.id"],
            name=op.f("fk_comparison_blocks_reference_set_id_reference_sets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["site_id"],
            ["site_comparisons.site_id"],
            name=op.f("fk_comparison_blocks_site_id_site_comparisons"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison_blocks")),
    )
    op.create_index(
        op.f("ix_comparison_blocks_reference_set_id"), "comparison_blocks", ["reference_set_id"]
    )
    op.create_index(op.f("ix_comparison_blocks_site_id"), "comparison_blocks", ["site_id"])
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
        sa.Column("new_groups", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("gone_groups", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "generation"],
            ["generations.site_id", "generations.number"],
            name=op.f("fk_design_changes_site_id_generation_generations"),
        ),
        sa.PrimaryKeyConstraint("site_id", "generation", name=op.f("pk_design_changes")),
    )
    op.create_table(
        "memberships",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("group_number", sa.Integer()),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("template_page_id", sa.BigInteger()),
        sa.Column("confidence", sa.Float()),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_memberships_page_id_pages"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["template_page_id"], ["pages.id"], name=op.f("fk_memberships_template_page_id_pages")
        ),
        sa.ForeignKeyConstraint(
            ["site_id", "generation"],
            ["generations.site_id", "generations.number"],
            name=op.f("fk_memberships_site_id_generation_generations"),
        ),
        sa.PrimaryKeyConstraint("page_id", "generation", name=op.f("pk_memberships")),
    )
    op.create_index(
        op.f("ix_memberships_site_id_generation"), "memberships", ["site_id", "generation"]
    )
    op.create_table(
        "nearest_references",
        sa.Column("reference_set_id", sa.BigInteger(), nullable=False),
        sa.Column("tree_id", sa.BigInteger(), nullable=False),
        sa.Column("reference_id", sa.BigInteger()),
        sa.Column("distance", sa.Float()),
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
        "page_contents",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("compressed", sa.LargeBinary()),
        sa.Column("object_url", sa.Text()),
        sa.Column("is_text", sa.Boolean(), nullable=False),
        sa.Column(
            "stored_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("lines", sa.LargeBinary()),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_page_contents_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_contents")),
    )
    op.create_index(
        op.f("ix_page_contents_object_url"),
        "page_contents",
        ["object_url"],
        postgresql_using="hash",
    )
    op.create_table(
        "waiting_fetches",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("crawler_id", sa.Text()),
        sa.Column("content_type", sa.Text()),
        sa.Column("fetched_at", sa.DateTime(timezone=True)),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.Column("is_text", sa.Boolean(), nullable=False),
        sa.Column("trace", postgresql.JSONB()),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_waiting_fetches_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waiting_fetches")),
    )
    op.create_index(op.f("ix_waiting_fetches_page_id"), "waiting_fetches", ["page_id"])
    op.create_table(
        "page_knowledge",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.Column(
            "learned_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_page_knowledge_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_knowledge")),
    )
    op.create_table(
        "page_parts",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("links", postgresql.JSONB(), nullable=False),
        sa.Column("message", postgresql.JSONB()),
        sa.Column("whole_digests", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("version", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("seen_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column(
            "changed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("first_id", sa.BigInteger()),
        sa.Column("joined_revision", sa.Integer()),
        sa.Column("size", sa.Integer()),
        sa.Column("attempts", sa.Integer()),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_page_parts_page_id_pages"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_parts")),
    )
    op.create_index(
        "ix_page_parts_due",
        "page_parts",
        ["changed_at"],
        postgresql_where=sa.text("version > seen_version"),
    )
    op.create_index(
        "ix_page_parts_first_id",
        "page_parts",
        ["first_id"],
        postgresql_where=sa.text("first_id IS NOT NULL"),
    )
    op.create_index(
        "ix_page_parts_whole_digests", "page_parts", ["whole_digests"], postgresql_using="gin"
    )
    op.create_table(
        "receipts",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.Text()),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("page_id", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_receipts_page_id_pages"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_receipts")),
    )
    op.create_index(op.f("ix_receipts_message_id"), "receipts", ["message_id"])
    op.create_index(op.f("ix_receipts_page_id"), "receipts", ["page_id"])
    op.create_table(
        "template_groups",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("representative_id", sa.BigInteger(), nullable=False),
        sa.Column("comment_pattern", sa.Text()),
        sa.Column("shared_lines", sa.LargeBinary()),
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
    op.create_table(
        "address_targets",
        sa.Column("address_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("is_declared", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["address_id"],
            ["addresses.id"],
            name=op.f("fk_address_targets_address_id_addresses"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_address_targets_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("address_id", "number", name=op.f("pk_address_targets")),
    )
    op.create_index(
        op.f("ix_address_targets_site_id_digest"), "address_targets", ["site_id", "digest"]
    )
    op.create_table(
        "comments",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("parent", sa.Integer()),
        sa.Column("author", sa.Text()),
        sa.Column("published_at", sa.DateTime(timezone=True)),
        sa.Column("written_date", sa.Text()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("permalink", sa.Text()),
        sa.Column("votes", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["article_id"],
            ["articles.id"],
            name=op.f("fk_comments_article_id_articles"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("article_id", "number", name=op.f("pk_comments")),
    )
    op.create_table(
        "group_representatives",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("group_number", sa.Integer(), nullable=False),
        sa.Column("tree_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "generation", "group_number"],
            ["template_groups.site_id", "template_groups.generation", "template_groups.number"],
            name=op.f("fk_group_representatives_site_id_generation_group_number_template_groups"),
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
