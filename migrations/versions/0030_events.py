"""Store events: articles that report the same news in different words."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0030"
down_revision: str | Sequence[str] | None = "0029"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = ("event_term_counts", "event_arrivals", "event_articles", "events")


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("identity", sa.Uuid(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_to", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "changed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("sites", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("terms", sa.ARRAY(sa.Integer()), nullable=False),
        sa.Column("centroid", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    op.create_index(
        "ix_events_to_close",
        "events",
        ["changed_at"],
        postgresql_where=sa.text("centroid IS NOT NULL"),
    )
    for name, condition in (("one_source", "= 1"), ("several_sources", "> 1")):
        op.create_index(
            f"ix_events_terms_of_{name}",
            "events",
            ["terms"],
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
            postgresql_where=sa.text(f"cardinality(sites) {condition}"),
        )
    op.create_table(
        "event_articles",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=True),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("told", sa.Uuid(), nullable=False),
        sa.Column("sent", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_event_articles_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["events.id"],
            name=op.f("fk_event_articles_event_id_events"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_event_articles")),
    )
    op.create_index(op.f("ix_event_articles_event_id"), "event_articles", ["event_id"])
    op.create_index(
        "ix_event_articles_to_correct",
        "event_articles",
        ["page_id"],
        postgresql_where=sa.text("sent <> told"),
    )
    op.create_table(
        "event_arrivals",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_event_arrivals_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_event_arrivals")),
    )
    op.create_index(op.f("ix_event_arrivals_seen_at"), "event_arrivals", ["seen_at"])
    op.create_table(
        "event_term_counts",
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.Column("sites", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.PrimaryKeyConstraint("language", name=op.f("pk_event_term_counts")),
    )
    for table in TABLES:
        op.execute(
            f"CREATE TRIGGER refuse_other_versions BEFORE INSERT OR UPDATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_versions()"
        )


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
