"""Database tables. Many keys include a version, so that a repeated task writes nothing new."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Computed,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedColumn, mapped_column

from models.column_types import ArticleJson

Small = Annotated[int, 32]  # an integer that fits into 32 bits


def _cascading_key(target: str, **options: Any) -> MappedColumn[Any]:
    """Return a foreign key column whose row is deleted together with the referenced row."""
    return mapped_column(ForeignKey(target, ondelete="CASCADE"), **options)


class Base(DeclarativeBase):
    """Base class of all tables, with the constraint naming convention used by migrations."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - read by SQLAlchemy, never modified
        int: BigInteger,
        Small: Integer,
        float: Float,
        str: Text,
        bytes: LargeBinary,
        datetime: DateTime(timezone=True),
        UUID: Uuid,
        dict[str, Any]: JSONB,
        list[int]: ARRAY(BigInteger),
    }


def _generation_foreign_key() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["site_id", "generation"], ["generations.site_id", "generations.number"]
    )


class Site(Base):
    """A site. Only pages of the same site are compared with each other."""

    __tablename__ = "sites"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    version: Mapped[int] = mapped_column(server_default="0")
    """Increased by the number of pages that change, or by 1 if all may have changed."""
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    pairs_planned: Mapped[int] = mapped_column(server_default="0")
    pairs_compared: Mapped[int] = mapped_column(server_default="0")


class StoredTree(Base):
    """An element tree, shared by all pages with the same structure."""

    __tablename__ = "trees"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    size: Mapped[Small]
    packed: Mapped[bytes]


class StoredPage(Base):
    """A page of a site, as of its latest fetch."""

    __tablename__ = "pages"
    __table_args__ = (
        Index(
            "uq_pages_live",
            "site_id",
            "url_digest",
            unique=True,
            postgresql_where=text("outcome IS DISTINCT FROM 'joined'"),
        ),
        Index(
            "ix_pages_joined", "site_id", "url_digest", postgresql_where=text("outcome = 'joined'")
        ),
        Index(
            "ix_pages_pending",
            "site_id",
            postgresql_where=text("outcome IS NULL OR forced OR extracted_generation < generation"),
        ),
        Index(
            "ix_pages_unasked",
            "waiting_since",
            postgresql_where=text(
                "outcome IS NULL AND tree_id IS NOT NULL AND extracted_generation >= generation"
            ),
        ),
        Index(
            "ix_pages_short_texts",
            "site_id",
            "short_text",
            postgresql_where=text("short_text IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), index=True)
    url: Mapped[str]
    url_digest: Mapped[str]
    """SHA-256 of the page's first URL, with a suffix once another page has taken over the URL."""
    crawler_id: Mapped[str | None]
    content_type: Mapped[str | None]
    fetched_at: Mapped[datetime | None]
    received_at: Mapped[datetime] = mapped_column(server_default=func.now())
    waiting_since: Mapped[datetime] = mapped_column(server_default=func.now())
    """When the page last lost its outcome, or was received without one."""
    extra: Mapped[str] = mapped_column(server_default="{}")
    """Unknown keys of the message and fields about the HTTP response, as JSON text, because jsonb
    rejects NUL characters."""
    content_digest: Mapped[str]
    refused: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """The latest response, if it was a refusal (such as status 404) instead of the page."""
    encoding: Mapped[str | None]
    tree_id: Mapped[int | None] = mapped_column(ForeignKey("trees.id"), index=True)
    outcome: Mapped[str | None]  # a `PageOutcome`; null while pending
    outcome_detail: Mapped[str | None]
    generation: Mapped[Small] = mapped_column(server_default="0")
    """Number of the generation with which to extract the page."""
    extracted_generation: Mapped[Small] = mapped_column(server_default="0")
    extraction_key: Mapped[str | None]  # digest of all inputs of the latest extraction
    forced: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether the next extraction makes a revision even if nothing has changed."""
    revision: Mapped[Small] = mapped_column(server_default="0")
    """Revision of the latest article; 0 before the first."""
    confidence: Mapped[float | None]
    short_text: Mapped[bytes | None]
    """Hash of the latest text and its publisher, if the text is short and doubtful."""
    removable_lines: Mapped[bytes | None]
    """Lines that the latest extraction removed as shared, or would have if pages shared them."""
    asked_at: Mapped[datetime | None]  # when the page's extraction was last requested
    attempts: Mapped[Small] = mapped_column(server_default="0")
    """Number of attempts to extract the page since `asked_at`."""
    comment_vote: Mapped[str | None]
    """Vote of the latest extraction on the comment pattern of the page's group (see `vote_of`)."""
    html_removed_at: Mapped[datetime | None]
    trace: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """W3C Trace Context of the latest fetch, until the page has an outcome."""


class Address(Base):
    """An address in canonical form, with its spellings. A fetch may move it to another page."""

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("site_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    page_id: Mapped[int] = _cascading_key("pages.id", index=True)
    digest: Mapped[str]  # SHA-256 of the address; long addresses do not fit into an index row
    address: Mapped[str]
    spellings: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """Spellings as given by the crawler: the first `MAX_SPELLINGS` in alphabetical order."""
    kind: Mapped[str | None]  # `detourage.addresses.Kind`; null if the address is not a variant
    headlines: Mapped[list[int]] = mapped_column(server_default="{}")
    passages: Mapped[list[int]] = mapped_column(server_default="{}")
    """Hashes of headlines and passages; if they agree, two addresses show the same page."""
    came_at: Mapped[datetime] = mapped_column(server_default=func.now())
    read_at: Mapped[datetime | None]
    """Fetch time of the content with the stored headlines and passages; null if unknown."""
    joined_at: Mapped[datetime | None]
    """When the address joined another address's page; null for the authoritative address."""


class AddressTarget(Base):
    """Target of an address: another address that its page declares or that its form implies."""

    __tablename__ = "address_targets"
    __table_args__ = (Index(None, "site_id", "digest"),)

    address_id: Mapped[int] = _cascading_key("addresses.id", primary_key=True)
    number: Mapped[Small] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    digest: Mapped[str]
    target: Mapped[str]
    kind: Mapped[str]
    is_declared: Mapped[bool]
    """Whether the page declares the target; otherwise, the form of the address implies it."""


class PageContent(Base):
    """HTML of a page as fetched, compressed; kept so that a site can be reprocessed."""

    __tablename__ = "page_contents"
    __table_args__ = (Index(None, "object_url", postgresql_using="hash"),)

    page_id: Mapped[int] = _cascading_key("pages.id", primary_key=True)
    compressed: Mapped[bytes | None]
    object_url: Mapped[str | None]
    is_text: Mapped[bool]
    """Whether the page was sent as text (stored as UTF-8) rather than as bytes."""
    stored_at: Mapped[datetime] = mapped_column(server_default=func.now())
    lines: Mapped[bytes | None]  # `PageLines.to_bytes`; null if the HTML cannot be parsed


class WaitingFetch(Base):
    """A fetch that waits until its page has an outcome, and is then stored like a new fetch."""

    __tablename__ = "waiting_fetches"

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = _cascading_key("pages.id", index=True)
    url: Mapped[str]
    crawler_id: Mapped[str | None]
    content_type: Mapped[str | None]
    fetched_at: Mapped[datetime | None]
    extra: Mapped[str]
    compressed: Mapped[bytes]
    is_text: Mapped[bool]
    trace: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class PageKnowledge(Base):
    """Template knowledge, learned from one page for the extraction of other pages."""

    __tablename__ = "page_knowledge"

    page_id: Mapped[int] = _cascading_key("pages.id", primary_key=True)
    content_digest: Mapped[str]  # `StoredPage.content_digest` of the page from which it was learned
    packed: Mapped[bytes]
    learned_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Distance(Base):
    """Tree edit distance of two trees, with unit costs and not normalised."""

    __tablename__ = "distances"
    __table_args__ = (CheckConstraint("lower_tree_id < higher_tree_id", name="ordered"),)

    lower_tree_id: Mapped[int] = _cascading_key("trees.id", primary_key=True)
    higher_tree_id: Mapped[int] = _cascading_key("trees.id", primary_key=True, index=True)
    distance: Mapped[Small | None]  # null if the pair cannot be compared


class SiteComparison(Base):
    """Comparisons in progress between a site's trees; the site's clustering waits for them."""

    __tablename__ = "site_comparisons"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    site_version: Mapped[int]
    tree_ids: Mapped[list[int]]  # distinct trees of the site, ascending
    began_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ReferenceSet(Base):
    """Reference trees of a site that has too many trees to compare every pair."""

    __tablename__ = "reference_sets"
    __table_args__ = (UniqueConstraint("site_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    digest: Mapped[str]
    tree_ids: Mapped[list[int]]  # tree ids, ordered by the trees' digests


class NearestReference(Base):
    """The tree of a reference set that is nearest to one of the site's trees."""

    __tablename__ = "nearest_references"

    reference_set_id: Mapped[int] = _cascading_key("reference_sets.id", primary_key=True)
    tree_id: Mapped[int] = _cascading_key("trees.id", primary_key=True, index=True)
    reference_id: Mapped[int | None]
    """Nearest tree of the set; null if the tree is too large to be compared."""
    distance: Mapped[float | None]  # normalised distance to the reference


class ComparisonBlock(Base):
    """A pending block of a site's comparisons; finished blocks are deleted."""

    __tablename__ = "comparison_blocks"

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = _cascading_key("site_comparisons.site_id", index=True)
    reference_set_id: Mapped[int | None] = _cascading_key("reference_sets.id", index=True)
    """Reference set whose nearest tree is needed for each row; null if all distances are."""
    rows: Mapped[list[int]]
    columns: Mapped[list[int]]
    pairs: Mapped[Small]
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    attempts: Mapped[Small] = mapped_column(server_default="0")


class Generation(Base):
    """A clustering of a site, or a provisional generation before the first clustering."""

    __tablename__ = "generations"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    number: Mapped[Small] = mapped_column(primary_key=True)
    site_version: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    method: Mapped[str]
    """Grouping method; for a provisional generation, see `worker.store.first_extractions`."""
    silhouette: Mapped[float | None]


class ClusteringAttempt(Base):
    """Attempts to cluster a site; deleted when one succeeds."""

    __tablename__ = "clustering_attempts"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    number: Mapped[Small]
    began_at: Mapped[datetime] = mapped_column(server_default=func.now())
    error: Mapped[str | None]
    """Latest exception; null if the process died in every attempt."""
    quarantined_at: Mapped[datetime | None]


class ClusteringRequest(Base):
    """A requested clustering; without a foreign key, an insertion never waits for the intake."""

    __tablename__ = "clustering_requests"

    site_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now())


class TemplateGroup(Base):
    """A group of pages that share a template, in one generation."""

    __tablename__ = "template_groups"
    __table_args__ = (_generation_foreign_key(),)

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[Small] = mapped_column(primary_key=True)
    number: Mapped[Small] = mapped_column(primary_key=True)
    """Number of the group; a group that continues in the next generation keeps it."""
    size: Mapped[Small]
    representative_id: Mapped[int] = mapped_column(ForeignKey("pages.id"))
    comment_pattern: Mapped[str | None]
    """`CommentPattern.to_json` of the pattern with the most votes of the group's pages."""
    shared_lines: Mapped[bytes | None]
    """`SharedLines.to_bytes`; null if no lines are shared, or if a later generation exists."""


class GroupRepresentative(Base):
    """A tree that represents a group, even if the page that had it has changed."""

    __tablename__ = "group_representatives"
    __table_args__ = (
        ForeignKeyConstraint(
            ["site_id", "generation", "group_number"],
            ["template_groups.site_id", "template_groups.generation", "template_groups.number"],
        ),
    )

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[Small] = mapped_column(primary_key=True)
    group_number: Mapped[Small] = mapped_column(primary_key=True)
    tree_id: Mapped[int] = _cascading_key("trees.id", primary_key=True, index=True)


class DesignChange(Base):
    """A design change of a site, detected by a clustering."""

    __tablename__ = "design_changes"
    __table_args__ = (_generation_foreign_key(),)

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[Small] = mapped_column(primary_key=True)
    noticed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    since: Mapped[datetime]  # fetch time of the first page with the new design
    seen_until: Mapped[datetime]  # fetch time of the newest page when the change was last detected
    first_url: Mapped[str]
    new_share: Mapped[float]  # share of the newest pages that are in new groups or in no group
    outlier_share: Mapped[float]  # share of the newest pages in no group
    new_groups: Mapped[list[int]]  # numbers of the groups that contain only the newest pages
    gone_groups: Mapped[list[int]]  # numbers of the groups that contain none of the newest pages


class Membership(Base):
    """Membership of a page in a generation: its group, and the page with which it is compared."""

    __tablename__ = "memberships"
    __table_args__ = (_generation_foreign_key(), Index(None, "site_id", "generation"))

    page_id: Mapped[int] = _cascading_key("pages.id", primary_key=True)
    generation: Mapped[Small] = mapped_column(primary_key=True)
    site_id: Mapped[int]
    group_number: Mapped[Small | None]  # null for an outlier
    role: Mapped[str]
    template_page_id: Mapped[int | None] = mapped_column(ForeignKey("pages.id"))
    confidence: Mapped[float | None]
    """Silhouette, 0 to 1, of a page assigned after the clustering; otherwise null."""


class Article(Base):
    """A revision of a page's article, as published."""

    __tablename__ = "articles"
    __table_args__ = (UniqueConstraint("page_id", "revision"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    page_id: Mapped[int] = _cascading_key("pages.id")
    revision: Mapped[Small]
    content_digest: Mapped[str]
    message: Mapped[dict[str, Any]] = mapped_column(ArticleJson)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ArticleComment(Base):
    """A reader's comment, as contained in one revision of an article."""

    __tablename__ = "comments"

    article_id: Mapped[UUID] = _cascading_key("articles.id", primary_key=True)
    number: Mapped[Small] = mapped_column(primary_key=True)
    parent: Mapped[Small | None]
    author: Mapped[str | None]
    published_at: Mapped[datetime | None]  # null if the page shows no date, or only a relative one
    written_date: Mapped[str | None]
    """Date as displayed, unless it is the publication time in ISO 8601."""
    text: Mapped[str]
    permalink: Mapped[str | None]
    votes: Mapped[int | None]


class PageParts(Base):
    """A page that is, or was, one of several parts of an article."""

    __tablename__ = "page_parts"
    __table_args__ = (
        Index("ix_page_parts_due", "changed_at", postgresql_where=text("version > seen_version")),
        Index("ix_page_parts_whole_digests", "whole_digests", postgresql_using="gin"),
        Index("ix_page_parts_first_id", "first_id", postgresql_where=text("first_id IS NOT NULL")),
    )

    page_id: Mapped[int] = _cascading_key("pages.id", primary_key=True)
    site_id: Mapped[int]
    links: Mapped[dict[str, Any]]
    """`Pagination` of the page; empty if the page no longer links to other parts."""
    message: Mapped[dict[str, Any] | None] = mapped_column(ArticleJson)
    whole_digests: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """SHA-256 of each spelling of the address that shows all parts on one page."""
    version: Mapped[int] = mapped_column(server_default="1")
    seen_version: Mapped[int] = mapped_column(server_default="0")
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    first_id: Mapped[int | None]  # page whose article most recently included this part
    joined_revision: Mapped[Small | None]
    """Latest revision of the page's article that was made by joining parts."""
    size: Mapped[Small | None]
    attempts: Mapped[Small | None]
    """Number of attempts since the parts were last joined; null if there were none."""


class Receipt(Base):
    """Result of handling a message that the intake received."""

    __tablename__ = "receipts"

    id: Mapped[int] = mapped_column(primary_key=True)
    message_id: Mapped[str | None] = mapped_column(index=True)
    received_at: Mapped[datetime] = mapped_column(server_default=func.now())
    result: Mapped[str]  # a `ReceiptResult`
    reason: Mapped[str | None]
    page_id: Mapped[int | None] = mapped_column(
        ForeignKey("pages.id", ondelete="SET NULL"), index=True
    )


class TaskFailure(Base):
    """Error of a quarantined task; the quarantined message has the task's ID."""

    __tablename__ = "task_failures"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(index=True)
    task: Mapped[str]
    failed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    error: Mapped[str]
    traceback: Mapped[str]


class Reprocessing(Base):
    """A reprocessing of all sites; at most one can be in progress."""

    __tablename__ = "reprocessings"
    __table_args__ = (
        Index(
            "ix_reprocessings_under_way",
            text("(ended_at IS NULL)"),
            unique=True,
            postgresql_where=text("ended_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    stage: Mapped[str]
    pages_per_minute: Mapped[float | None]  # null for no limit
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    site_id: Mapped[int] = mapped_column(server_default="0")  # the last site processed
    last_site_id: Mapped[int]  # the newest site at the time of the request
    pages: Mapped[int] = mapped_column(server_default="0")
    resume_at: Mapped[datetime] = mapped_column(server_default=func.now())
    """Earliest time at which the rate allows the next site to be processed."""
    ended_at: Mapped[datetime | None]


class FollowedRequest(Base):
    """A request that was carried out, so that a redelivery of its message has no effect."""

    __tablename__ = "followed_requests"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(unique=True)
    followed_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Duration(Base):
    """Histogram bucket: number and total duration of executions of up to `at_most` seconds."""

    __tablename__ = "durations"
    # Every task updates a row; free space in each block of the table avoids index updates.
    __table_args__ = {"postgresql_with": {"fillfactor": "50"}}  # noqa: RUF012 - never modified

    work: Mapped[str] = mapped_column(primary_key=True)  # name of a task, or `intake`
    slot: Mapped[Small] = mapped_column(primary_key=True)
    """Process ID modulo the number of slots, so that processes rarely wait for the same row."""
    at_most: Mapped[float] = mapped_column(primary_key=True)
    number: Mapped[int]
    seconds: Mapped[float]


class OutboxEntry(Base):
    """A message to be published by the relay; deleted once the broker has confirmed it."""

    __tablename__ = "outbox"
    __table_args__ = (
        CheckConstraint("(task IS NULL) <> (routing_key IS NULL)", name="task_or_message"),
        Index(None, "lane", "turn", "id"),
        Index(None, "lane", "site_id", "turn"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    lane: Mapped[str | None] = mapped_column(
        Computed("CASE WHEN refused_at IS NULL THEN coalesce(task, exchange) END", persisted=True)
    )
    """Name of the task or, for a message, of the exchange; null if the entry is quarantined."""
    turn: Mapped[int] = mapped_column(server_default="0")
    """Position in the lane, chosen so that sites take turns; negative for short queues."""
    site_id: Mapped[int | None]
    task: Mapped[str | None]
    arguments: Mapped[dict[str, Any] | None]
    exchange: Mapped[str | None]
    routing_key: Mapped[str | None]
    headers: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    message_id: Mapped[str | None]
    body: Mapped[bytes | None]
    """Body as sent, or compressed; see `worker.store.outbox.unpacked_body`."""
    refused_at: Mapped[datetime | None]
    """When the entry was quarantined, because the broker refused it or its body is damaged."""
    refusal: Mapped[str | None]


class OutboxTurn(Base):
    """The turn last served in one half of a lane; new tasks get later turns."""

    __tablename__ = "outbox_turns"

    lane: Mapped[str] = mapped_column(primary_key=True)
    is_short: Mapped[bool] = mapped_column(primary_key=True)
    turn: Mapped[int]
