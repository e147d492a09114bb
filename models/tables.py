"""Database tables (SQLAlchemy 2, typed).

Natural keys include a version (a digest, a generation or a revision), so a task that runs twice
writes the same row twice.
"""

from datetime import datetime
from typing import Any
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
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Base of all tables, with a naming convention for constraints that migrations rely on."""

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
        str: Text,
        bytes: LargeBinary,
        datetime: DateTime(timezone=True),
        UUID: Uuid,
        dict[str, Any]: JSONB,
        list[int]: ARRAY(BigInteger),
    }


class Site(Base):
    """A site, within which pages are compared."""

    __tablename__ = "sites"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    version: Mapped[int] = mapped_column(
        server_default="0", doc="Incremented by every change of the site's pages."
    )
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    pairs_planned: Mapped[int] = mapped_column(
        server_default="0", doc="Number of tree pairs ever planned for comparison."
    )
    pairs_compared: Mapped[int] = mapped_column(
        server_default="0", doc="Number of these that are done."
    )


class StoredTree(Base):
    """An element tree, shared by pages of equal structure."""

    __tablename__ = "trees"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    size: Mapped[int] = mapped_column(Integer, doc="Number of nodes.")
    packed: Mapped[bytes]


class StoredPage(Base):
    """A page of a site, as last fetched."""

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
            "ix_pages_joined",
            "site_id",
            "url_digest",
            postgresql_where=text("outcome = 'joined'"),
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
    url: Mapped[str] = mapped_column(doc="As given by the crawler, of the current fetch.")
    url_digest: Mapped[str] = mapped_column(
        doc="SHA-256 of its first URL; extended if another page has it."
    )
    crawler_id: Mapped[str | None]
    content_type: Mapped[str | None]
    fetched_at: Mapped[datetime | None]
    received_at: Mapped[datetime] = mapped_column(server_default=func.now())
    waiting_since: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="When it last lost its outcome."
    )
    extra: Mapped[str] = mapped_column(
        server_default="{}",
        doc="Unknown keys of the message and fields about the HTTP response, as JSON text: jsonb"
        " rejects NUL.",
    )
    content_digest: Mapped[str] = mapped_column(doc="SHA-256 of the page as fetched.")
    refused: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB(none_as_null=True),
        doc="The site's last response if it was not the page; null if it was.",
    )
    encoding: Mapped[str | None]
    tree_id: Mapped[int | None] = mapped_column(ForeignKey("trees.id"), index=True)
    outcome: Mapped[str | None] = mapped_column(doc="A `PageOutcome`; null while pending.")
    outcome_detail: Mapped[str | None]
    generation: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="Clustering to extract the page with."
    )
    extracted_generation: Mapped[int] = mapped_column(Integer, server_default="0")
    extraction_key: Mapped[str | None] = mapped_column(
        doc="Digest of everything that the last extraction depended on."
    )
    forced: Mapped[bool] = mapped_column(
        server_default=text("false"), doc="Whether the next extraction always gives a revision."
    )
    revision: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="Revision of the last article; 0 before the first."
    )
    confidence: Mapped[float | None] = mapped_column(
        Float, doc="`ArticleMessage.confidence` of the last extraction; null without an article."
    )
    short_text: Mapped[bytes | None] = mapped_column(
        doc="`Fingerprint.key` of its last text if that was short."
    )
    asked_at: Mapped[datetime | None] = mapped_column(doc="When its extraction was last enqueued.")
    attempts: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="How often a worker has started that extraction."
    )
    comment_pattern: Mapped[str | None] = mapped_column(
        doc="Location of its own comments, `CommentPattern.to_json`; null if never searched."
    )
    html_removed_at: Mapped[datetime | None] = mapped_column(
        doc="When its HTML was removed; null while it is stored. The page's results are kept."
    )


class Address(Base):
    """An address of a page: one for all spellings of a canonical form, or one split off.

    Each fetch of it decides which page it leads to, by comparing the stored wording of its page
    with that of other addresses.
    """

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("site_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(
        doc="SHA-256 of the address, as long ones do not fit into an index row."
    )
    address: Mapped[str] = mapped_column(
        doc="Its canonical form; as given, if it was split off from the page of its canonical form."
    )
    spellings: Mapped[list[str]] = mapped_column(
        ARRAY(Text), doc="Its spellings as given, sorted; only the first ones if there are many."
    )
    kind: Mapped[str | None] = mapped_column(
        doc="`worker.addresses.Kind`; null if it is not a variant."
    )
    headlines: Mapped[list[int]] = mapped_column(
        server_default="{}", doc="Digests of the headline wordings of its page."
    )
    passages: Mapped[list[int]] = mapped_column(
        server_default="{}", doc="Digests of passages of its page."
    )
    came_at: Mapped[datetime] = mapped_column(server_default=func.now())
    read_at: Mapped[datetime | None] = mapped_column(
        doc="When its page's stored wording was fetched; null if unknown."
    )
    joined_at: Mapped[datetime | None] = mapped_column(
        doc="When it joined the page of another address; null for the one that represents the page."
    )
    separated_at: Mapped[datetime | None] = mapped_column(
        doc="When it was split off from its page; it never joins one again."
    )


class AddressTarget(Base):
    """An address that another one is, or has, a variant of, as declared or by its form."""

    __tablename__ = "address_targets"
    __table_args__ = (Index(None, "site_id", "digest"),)

    address_id: Mapped[int] = mapped_column(
        ForeignKey("addresses.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    digest: Mapped[str] = mapped_column(doc="SHA-256 of the target address.")
    target: Mapped[str] = mapped_column(doc="The target address in canonical form.")
    kind: Mapped[str]
    is_declared: Mapped[bool] = mapped_column(
        doc="Whether its page declares it; otherwise only its form suggests it."
    )
    is_variant: Mapped[bool] = mapped_column(doc="Used by earlier versions; false.")


class PageContent(Base):
    """The page as fetched, compressed, so that a site can be reprocessed after improvements."""

    __tablename__ = "page_contents"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    compressed: Mapped[bytes] = mapped_column(
        doc="Zstandard; zlib if stored by an earlier version."
    )
    is_text: Mapped[bool] = mapped_column(
        doc="Whether it was sent as text (stored as UTF-8) rather than bytes."
    )
    stored_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PageKnowledge(Base):
    """Template knowledge from a page, to extract others with it without its HTML."""

    __tablename__ = "page_knowledge"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    content_digest: Mapped[str] = mapped_column(doc="Digest of the page that it was learned from.")
    packed: Mapped[bytes] = mapped_column(doc="`TemplateKnowledge.to_bytes`.")
    learned_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Distance(Base):
    """Tree edit distance (raw, unit costs) of two trees."""

    __tablename__ = "distances"
    __table_args__ = (CheckConstraint("lower_tree_id < higher_tree_id", name="ordered"),)

    lower_tree_id: Mapped[int] = mapped_column(
        ForeignKey("trees.id", ondelete="CASCADE"), primary_key=True
    )
    higher_tree_id: Mapped[int] = mapped_column(
        ForeignKey("trees.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    distance: Mapped[int | None] = mapped_column(
        Integer, doc="Null if the pair cannot be compared."
    )


class SiteComparison(Base):
    """The comparisons that the next clustering of a site waits for.

    They cover the trees that the site had when they began; later pages wait for the following
    clustering.
    """

    __tablename__ = "site_comparisons"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    site_version: Mapped[int] = mapped_column(doc="Site.version at their start.")
    tree_ids: Mapped[list[int]] = mapped_column(doc="Distinct trees of the site, ascending.")
    began_at: Mapped[datetime] = mapped_column(server_default=func.now())
    turn: Mapped[int] = mapped_column(
        server_default=text("(EXTRACT(epoch FROM now()) * 1000)::bigint"),
        doc="Turn of the next block: the start in ms, plus the cost of blocks enqueued since.",
    )


class ReferenceSet(Base):
    """Trees that represent a site too large to compare all of its trees."""

    __tablename__ = "reference_sets"
    __table_args__ = (UniqueConstraint("site_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    digest: Mapped[str] = mapped_column(doc="SHA-256 of the ids.")
    tree_ids: Mapped[list[int]] = mapped_column(doc="In the order of the trees' digests.")


class NearestReference(Base):
    """The nearest reference of a tree within a set."""

    __tablename__ = "nearest_references"

    reference_set_id: Mapped[int] = mapped_column(
        ForeignKey("reference_sets.id", ondelete="CASCADE"), primary_key=True
    )
    tree_id: Mapped[int] = mapped_column(
        ForeignKey("trees.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    reference_id: Mapped[int | None] = mapped_column(
        doc="Tree of the set; null if the tree is too large to compare."
    )
    distance: Mapped[float | None] = mapped_column(Float, doc="Normalised distance to it.")


class ComparisonBlock(Base):
    """A pending block of a site's comparisons; finished ones are deleted."""

    __tablename__ = "comparison_blocks"

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(
        ForeignKey("site_comparisons.site_id", ondelete="CASCADE"), index=True
    )
    reference_set_id: Mapped[int | None] = mapped_column(
        ForeignKey("reference_sets.id", ondelete="CASCADE"),
        index=True,
        doc="Set if only the nearest reference of each row is needed, not every distance.",
    )
    rows: Mapped[list[int]] = mapped_column(doc="Tree ids.")
    columns: Mapped[list[int]] = mapped_column(doc="Ids of the trees to compare them with.")
    pairs: Mapped[int] = mapped_column(Integer, doc="Maximum number of comparisons.")
    asked_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="When its task was last enqueued."
    )
    attempts: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="How often a worker has started it."
    )


class Generation(Base):
    """One clustering of a site."""

    __tablename__ = "generations"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    site_version: Mapped[int] = mapped_column(doc="Site.version seen by the clustering.")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    method: Mapped[str] = mapped_column(
        doc="Grouping method; `worker.store.provisional` if no groups were sought."
    )
    silhouette: Mapped[float | None] = mapped_column(Float)


class ClusteringAttempt(Base):
    """A started clustering of a site; deleted when it succeeds."""

    __tablename__ = "clustering_attempts"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, doc="How often it was started.")
    began_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="Start of the last attempt."
    )
    error: Mapped[str | None] = mapped_column(
        doc="The last exception; null if its process always died."
    )
    quarantined_at: Mapped[datetime | None] = mapped_column(
        doc="Since when clustering is disabled for the site; null if enabled."
    )


class ClusteringRequest(Base):
    """A requested clustering; deleted by the worker that starts it.

    It has no foreign key: locking the row of a site would make it wait for the intake.
    """

    __tablename__ = "clustering_requests"

    site_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now())


class TemplateGroup(Base):
    """A group of pages with one template, in one generation."""

    __tablename__ = "template_groups"
    __table_args__ = (
        ForeignKeyConstraint(
            ["site_id", "generation"], ["generations.site_id", "generations.number"]
        ),
    )

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[int] = mapped_column(Integer, primary_key=True)
    number: Mapped[int] = mapped_column(
        Integer,
        primary_key=True,
        doc="Stable across generations: a group that continues keeps it.",
    )
    size: Mapped[int] = mapped_column(Integer)
    representative_id: Mapped[int] = mapped_column(ForeignKey("pages.id"))
    comment_pattern: Mapped[str | None] = mapped_column(
        doc="Location of comments on its pages, by majority; null if undecided."
    )


class GroupRepresentative(Base):
    """A tree that represents a group: new pages are compared with it.

    It is the page's tree at the time of grouping; the page may have changed since.
    """

    __tablename__ = "group_representatives"
    __table_args__ = (
        ForeignKeyConstraint(
            ["site_id", "generation", "group_number"],
            ["template_groups.site_id", "template_groups.generation", "template_groups.number"],
        ),
    )

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[int] = mapped_column(Integer, primary_key=True)
    group_number: Mapped[int] = mapped_column(Integer, primary_key=True)
    tree_id: Mapped[int] = mapped_column(
        ForeignKey("trees.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class DesignChange(Base):
    """A change of a site's design, detected by a clustering."""

    __tablename__ = "design_changes"
    __table_args__ = (
        ForeignKeyConstraint(
            ["site_id", "generation"], ["generations.site_id", "generations.number"]
        ),
    )

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[int] = mapped_column(
        Integer, primary_key=True, doc="Clustering that first detected it."
    )
    noticed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    since: Mapped[datetime] = mapped_column(doc="When the first differing page was fetched.")
    seen_until: Mapped[datetime] = mapped_column(
        doc="Fetch time of the newest page in its last detection."
    )
    first_url: Mapped[str] = mapped_column(doc="URL of the first differing page.")
    new_share: Mapped[float] = mapped_column(
        Float, doc="Share of the newest pages in new groups or in none."
    )
    outlier_share: Mapped[float] = mapped_column(
        Float, doc="Share of the newest pages in no group."
    )
    new_groups: Mapped[list[int]] = mapped_column(doc="Groups with newest pages only.")
    gone_groups: Mapped[list[int]] = mapped_column(doc="Groups without newest pages.")


class Membership(Base):
    """Place of a page in a generation: its group, and the page it is compared with."""

    __tablename__ = "memberships"
    __table_args__ = (
        ForeignKeyConstraint(
            ["site_id", "generation"], ["generations.site_id", "generations.number"]
        ),
        Index(None, "site_id", "generation"),
    )

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    generation: Mapped[int] = mapped_column(Integer, primary_key=True)
    site_id: Mapped[int]
    group_number: Mapped[int | None] = mapped_column(Integer, doc="Null for an outlier.")
    role: Mapped[str]
    pivot_id: Mapped[int | None] = mapped_column(
        ForeignKey("pages.id"), doc="Page that this one is compared with; null for an outlier."
    )
    confidence: Mapped[float | None] = mapped_column(
        Float, doc="Silhouette, 0 to 1, of a page that joined after the clustering."
    )


class Article(Base):
    """A published article, by page and revision."""

    __tablename__ = "articles"
    __table_args__ = (UniqueConstraint("page_id", "revision"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    content_digest: Mapped[str] = mapped_column(
        doc="Digest of everything that a reader would notice; if it recurs, there is no new"
        " revision."
    )
    message: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ArticleComment(Base):
    """A reader's comment on an article, in one of its revisions."""

    __tablename__ = "comments"

    article_id: Mapped[UUID] = mapped_column(
        ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(
        Integer, primary_key=True, doc="Its position on the page, from 0."
    )
    parent: Mapped[int | None] = mapped_column(
        Integer, doc="Number of the comment that it replies to, or null."
    )
    author: Mapped[str | None]
    published_at: Mapped[datetime | None] = mapped_column(
        doc="Null if the page gives a relative date or none."
    )
    written_date: Mapped[str | None] = mapped_column(doc="The date as displayed.")
    text: Mapped[str]
    permalink: Mapped[str | None]
    votes: Mapped[int | None]


class Story(Base):
    """Texts that repeat each other, from any sites."""

    __tablename__ = "stories"
    __table_args__ = (
        Index("ix_stories_to_retell", "id", postgresql_where=text("retold_to IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    first_page_id: Mapped[int | None] = mapped_column(
        doc="Page of its first article; null until determined."
    )
    changed_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), index=True, doc="When an article was last added."
    )
    retold_to: Mapped[list[int] | None] = mapped_column(
        doc="Text and page of the last article already updated for another first article; null if"
        " all are."
    )


class StoryText(Base):
    """A text of one or more articles, for comparison with other texts."""

    __tablename__ = "story_texts"
    __table_args__ = (
        # Without a pending list, whose occasional clean-up a page would have to wait for.
        Index(
            "ix_story_texts_bands",
            "bands",
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    story_id: Mapped[int] = mapped_column(ForeignKey("stories.id", ondelete="CASCADE"), index=True)
    key: Mapped[bytes] = mapped_column(index=True, doc="`Fingerprint.key`.")
    shingles: Mapped[bytes] = mapped_column(doc="`Fingerprint.shingles`, little-endian.")
    bands: Mapped[list[int]] = mapped_column(ARRAY(Integer), doc="`Fingerprint.bands`.")
    sites: Mapped[list[int]] = mapped_column(doc="Ids of the sites that have it, ascending.")
    seen_from: Mapped[datetime] = mapped_column(doc="When the first article with it was fetched.")
    seen_to: Mapped[datetime] = mapped_column(doc="When the last one was fetched.")


class StoryOverlap(Base):
    """Overlap of two texts that may repeat each other."""

    __tablename__ = "story_overlaps"
    __table_args__ = (CheckConstraint("lower_id < higher_id", name="ordered"),)

    lower_id: Mapped[int] = mapped_column(
        ForeignKey("story_texts.id", ondelete="CASCADE"), primary_key=True
    )
    higher_id: Mapped[int] = mapped_column(
        ForeignKey("story_texts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    common: Mapped[int] = mapped_column(Integer, doc="Number of shared shingles.")


class StoryArticle(Base):
    """The story of a page's article."""

    __tablename__ = "story_articles"
    __table_args__ = (
        Index("ix_story_articles_of_text", "text_id", "page_id"),
        Index(
            "ix_story_articles_to_correct",
            "page_id",
            postgresql_where=text("sent IS NOT NULL AND sent <> told"),
        ),
    )

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    text_id: Mapped[int | None] = mapped_column(
        ForeignKey("story_texts.id", ondelete="SET NULL"),
        index=True,
        doc="Null if the text is too short to be compared, or no longer is compared.",
    )
    key: Mapped[bytes] = mapped_column(doc="`Fingerprint.key` of its text.")
    fetched_at: Mapped[datetime | None]
    wire: Mapped[str | None]
    told: Mapped[dict[str, Any]] = mapped_column(doc="The current `messages.Story`.")
    sent: Mapped[dict[str, Any] | None] = mapped_column(
        doc="The story in the page's last revision; null before the first revision with one."
    )
    is_held_back: Mapped[bool] = mapped_column(
        server_default=text("false"),
        doc="Whether, as a repeat, it was never published on the exchange of articles.",
    )
    corrections: Mapped[int | None] = mapped_column(
        Integer, doc="Number of revisions sent only for another story; null if none."
    )
    correct_after: Mapped[datetime | None] = mapped_column(
        doc="Earliest time for the next correction."
    )


class StoryArrival(Base):
    """A page whose last article is yet to be grouped into a story."""

    __tablename__ = "story_arrivals"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    key: Mapped[bytes | None] = mapped_column(
        doc="`Fingerprint.key`; null if the page no longer has an article."
    )
    shingles: Mapped[bytes | None] = mapped_column(doc="`Fingerprint.shingles`, little-endian.")
    fetched_at: Mapped[datetime | None]
    seen_at: Mapped[datetime | None] = mapped_column(
        doc="When the page was fetched or, if unknown, extracted."
    )
    wire: Mapped[str | None]
    arrived_at: Mapped[datetime] = mapped_column(
        doc="When it was recorded; replaced by the next one."
    )


class PageParts(Base):
    """A page that is, or was, one of several parts of an article."""

    __tablename__ = "page_parts"
    __table_args__ = (
        Index(
            "ix_page_parts_due",
            "changed_at",
            postgresql_where=text("version > seen_version"),
        ),
        Index("ix_page_parts_whole_digests", "whole_digests", postgresql_using="gin"),
    )

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    site_id: Mapped[int]
    links: Mapped[dict[str, Any]] = mapped_column(
        doc="`Pagination` of the page; empty if it no longer has any."
    )
    message: Mapped[dict[str, Any] | None] = mapped_column(
        doc="Last article message of this page alone; null without an article."
    )
    whole_digests: Mapped[list[str]] = mapped_column(
        ARRAY(Text), doc="SHA-256 of the spellings of the address that shows all parts on one page."
    )
    version: Mapped[int] = mapped_column(server_default="1", doc="Incremented by every change.")
    seen_version: Mapped[int] = mapped_column(
        server_default="0", doc="Version seen by the last search for parts."
    )
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    first_id: Mapped[int | None] = mapped_column(doc="Page whose article last included this one.")
    joined_revision: Mapped[int | None] = mapped_column(
        Integer, doc="Revision of the page's article made by the last search for parts."
    )
    size: Mapped[int | None] = mapped_column(
        Integer, doc="Size of the message as text, in bytes; null if not recorded."
    )
    attempts: Mapped[int | None] = mapped_column(
        Integer, doc="Searches started since the last completed one; null if none."
    )


class PageLinks(Base):
    """The last links message of a page."""

    __tablename__ = "page_links"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    message: Mapped[dict[str, Any]]
    sent_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Receipt(Base):
    """Result of one message at the intake."""

    __tablename__ = "receipts"

    id: Mapped[int] = mapped_column(primary_key=True)
    message_id: Mapped[str | None] = mapped_column(
        index=True, doc="The publisher's AMQP message id."
    )
    received_at: Mapped[datetime] = mapped_column(server_default=func.now())
    result: Mapped[str] = mapped_column(doc="A `ReceiptResult`.")
    reason: Mapped[str | None] = mapped_column(doc="`UnusableReason` of a quarantined message.")
    page_id: Mapped[int | None] = mapped_column(
        ForeignKey("pages.id", ondelete="SET NULL"), index=True
    )


class TaskFailure(Base):
    """Why a task ended in quarantine; the message there has the task's id."""

    __tablename__ = "task_failures"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(index=True)
    task: Mapped[str]
    failed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    error: Mapped[str]
    traceback: Mapped[str]


class Reprocessing(Base):
    """A reprocessing of all sites; at most one is in progress."""

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
    pages_per_minute: Mapped[float | None] = mapped_column(Float, doc="Null for no limit.")
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    site_id: Mapped[int] = mapped_column(server_default="0", doc="Last site processed.")
    last_site_id: Mapped[int] = mapped_column(
        doc="Last site that existed at the time of the request."
    )
    pages: Mapped[int] = mapped_column(server_default="0", doc="Number of pages processed so far.")
    resume_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="When the rate allows the next site."
    )
    is_paused: Mapped[bool] = mapped_column(server_default=text("false"))
    ended_at: Mapped[datetime | None]


class FollowedRequest(Base):
    """A request of another service that was carried out, as its message may be redelivered."""

    __tablename__ = "followed_requests"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(unique=True)
    followed_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Duration(Base):
    """Histogram of durations: how often a kind of work fell into a class."""

    __tablename__ = "durations"

    work: Mapped[str] = mapped_column(primary_key=True, doc="Name of a task, or ``intake``.")
    slot: Mapped[int] = mapped_column(
        Integer,
        primary_key=True,
        doc="Processes use different slots, to avoid waiting for each other.",
    )
    at_most: Mapped[float] = mapped_column(
        Float, primary_key=True, doc="Upper bound of the class, in seconds."
    )
    number: Mapped[int]
    seconds: Mapped[float] = mapped_column(Float, doc="Their total, in seconds.")


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
        Computed("CASE WHEN refused_at IS NULL THEN coalesce(task, exchange) END", persisted=True),
        doc="Messages published in one order: the tasks of a kind, or the messages of an exchange;"
        " NULL if the broker refused it.",
    )
    turn: Mapped[int] = mapped_column(
        server_default="0", doc="Position in its lane, so that sites take turns."
    )
    site_id: Mapped[int | None] = mapped_column(doc="Site that a task is for.")
    task: Mapped[str | None]
    arguments: Mapped[dict[str, Any] | None]
    exchange: Mapped[str | None]
    routing_key: Mapped[str | None]
    headers: Mapped[dict[str, Any] | None]
    message_id: Mapped[str | None]
    body: Mapped[bytes | None]
    refused_at: Mapped[datetime | None] = mapped_column(
        doc="When the broker refused it; it is set aside until an operator decides."
    )
    refusal: Mapped[str | None] = mapped_column(doc="The broker's reason.")
