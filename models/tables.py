"""Tables of the store (SQLAlchemy 2, typed).

Natural keys carry a version (a digest, a generation or a revision), so that a
task that runs twice writes the same row twice.
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
    """Base of all tables; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - read by SQLAlchemy, never changed
        int: BigInteger,
        str: Text,
        bytes: LargeBinary,
        datetime: DateTime(timezone=True),
        UUID: Uuid,
        dict[str, Any]: JSONB,
        list[int]: ARRAY(BigInteger),
    }


class Site(Base):
    """A site, the unit within which pages are compared."""

    __tablename__ = "sites"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    version: Mapped[int] = mapped_column(
        server_default="0", doc="Rises with every change of the site's pages."
    )
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    pairs_planned: Mapped[int] = mapped_column(
        server_default="0", doc="Pairs of trees that were ever to be compared."
    )
    pairs_compared: Mapped[int] = mapped_column(
        server_default="0", doc="Those of them that are done."
    )


class StoredTree(Base):
    """An element tree; pages of equal structure share one."""

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
    url: Mapped[str] = mapped_column(doc="As the crawler gave it, of the fetch that stands.")
    url_digest: Mapped[str] = mapped_column(
        doc="SHA-256 of the URL that it first came under; more than that where another page has it."
    )
    crawler_id: Mapped[str | None]
    content_type: Mapped[str | None]
    fetched_at: Mapped[datetime | None]
    received_at: Mapped[datetime] = mapped_column(server_default=func.now())
    waiting_since: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="When it last came to be without an outcome."
    )
    extra: Mapped[str] = mapped_column(
        server_default="{}",
        doc="Unknown keys of the message, and what it says of the HTTP answer, as JSON text: jsonb"
        " refuses NUL.",
    )
    content_digest: Mapped[str] = mapped_column(doc="SHA-256 of the page as fetched.")
    refused: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB(none_as_null=True),
        doc="What the site answered last, where that was not the page; null where it was.",
    )
    encoding: Mapped[str | None]
    tree_id: Mapped[int | None] = mapped_column(ForeignKey("trees.id"), index=True)
    outcome: Mapped[str | None] = mapped_column(
        doc="A `PageOutcome`; null while the page waits for it."
    )
    outcome_detail: Mapped[str | None]
    generation: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="Clustering that the page is to be extracted with."
    )
    extracted_generation: Mapped[int] = mapped_column(Integer, server_default="0")
    extraction_key: Mapped[str | None] = mapped_column(
        doc="Digest of all that the last extraction depended on."
    )
    forced: Mapped[bool] = mapped_column(
        server_default=text("false"), doc="The next extraction gives a revision in any case."
    )
    revision: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="Of the last article; 0 before the first."
    )
    confidence: Mapped[float | None] = mapped_column(
        Float, doc="`ArticleMessage.confidence` of the last extraction; null without an article."
    )
    short_text: Mapped[bytes | None] = mapped_column(
        doc="`Fingerprint.key` of the text that it showed last, where that is short."
    )
    asked_at: Mapped[datetime | None] = mapped_column(doc="When its extraction was last asked for.")
    attempts: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="How often a worker has begun that extraction."
    )
    comment_pattern: Mapped[str | None] = mapped_column(
        doc="Where its own comments stand, `CommentPattern.to_json`; null where never looked for."
    )
    html_removed_at: Mapped[datetime | None] = mapped_column(
        doc="When its HTML was removed; null while it is kept. Such a page keeps what it has."
    )


class Address(Base):
    """An address of a page: what all spellings of it come to, or one that was taken from a page.

    Which page it leads to is decided at each fetch of it, by what is kept of its page and of those
    of other addresses.
    """

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("site_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(
        doc="SHA-256 of the address: a long one does not fit an index row."
    )
    address: Mapped[str] = mapped_column(
        doc="Its canonical form; as it was given, where that was taken from its form's page."
    )
    spellings: Mapped[list[str]] = mapped_column(
        ARRAY(Text), doc="How it was given, sorted: the first ones, where there are many."
    )
    kind: Mapped[str | None] = mapped_column(
        doc="`worker.addresses.Kind`; null where it is no variant of another."
    )
    headlines: Mapped[list[int]] = mapped_column(
        server_default="{}", doc="Digests of the wordings of its page's headline."
    )
    passages: Mapped[list[int]] = mapped_column(
        server_default="{}", doc="Digests of passages of its page."
    )
    came_at: Mapped[datetime] = mapped_column(server_default=func.now())
    read_at: Mapped[datetime | None] = mapped_column(
        doc="When what is kept of its page was fetched; null where that is not known."
    )
    joined_at: Mapped[datetime | None] = mapped_column(
        doc="When it joined another address's page; null for the one whose content is the page's."
    )
    separated_at: Mapped[datetime | None] = mapped_column(
        doc="When it was taken from its page: it joins none again."
    )


class AddressTarget(Base):
    """Another address that one is, or has, a variant of, as its page or its form says."""

    __tablename__ = "address_targets"
    __table_args__ = (Index(None, "site_id", "digest"),)

    address_id: Mapped[int] = mapped_column(
        ForeignKey("addresses.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    digest: Mapped[str] = mapped_column(doc="SHA-256 of the other address.")
    target: Mapped[str] = mapped_column(doc="The other address, in its canonical form.")
    kind: Mapped[str]
    is_declared: Mapped[bool] = mapped_column(doc="By its page, and not by its form alone.")
    is_variant: Mapped[bool] = mapped_column(doc="Of earlier versions; false.")


class PageContent(Base):
    """The page as fetched, compressed: a site can be reprocessed after any improvement."""

    __tablename__ = "page_contents"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    compressed: Mapped[bytes] = mapped_column(
        doc="Zstandard; zlib where an earlier version stored it."
    )
    is_text: Mapped[bool] = mapped_column(
        doc="Sent as text (kept as UTF-8), not as the bytes fetched."
    )
    stored_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PageKnowledge(Base):
    """What a page tells of its template: others are cut with it, without the page's HTML."""

    __tablename__ = "page_knowledge"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    content_digest: Mapped[str] = mapped_column(doc="Of the page that it was learned from.")
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
        Integer, doc="Null where the pair cannot be compared."
    )


class SiteComparison(Base):
    """The comparisons that the next clustering of a site waits for.

    They are of the trees that the site had when they began; pages that come in
    meanwhile have to wait for the clustering after that.
    """

    __tablename__ = "site_comparisons"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    site_version: Mapped[int] = mapped_column(doc="Site.version that they began with.")
    tree_ids: Mapped[list[int]] = mapped_column(doc="Distinct trees of the site, ascending.")
    began_at: Mapped[datetime] = mapped_column(server_default=func.now())
    turn: Mapped[int] = mapped_column(
        server_default=text("(EXTRACT(epoch FROM now()) * 1000)::bigint"),
        doc="Turn of the next block: when they began, in ms, and what was asked for since costs.",
    )


class ReferenceSet(Base):
    """Trees that stand for a site too large for all of its trees to be compared."""

    __tablename__ = "reference_sets"
    __table_args__ = (UniqueConstraint("site_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    digest: Mapped[str] = mapped_column(doc="SHA-256 of the ids.")
    tree_ids: Mapped[list[int]] = mapped_column(doc="In the order of the trees' digests.")


class NearestReference(Base):
    """The reference nearest to a tree, of a set of them."""

    __tablename__ = "nearest_references"

    reference_set_id: Mapped[int] = mapped_column(
        ForeignKey("reference_sets.id", ondelete="CASCADE"), primary_key=True
    )
    tree_id: Mapped[int] = mapped_column(
        ForeignKey("trees.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    reference_id: Mapped[int | None] = mapped_column(
        doc="Tree of the set; null where the tree is too large to compare."
    )
    distance: Mapped[float | None] = mapped_column(Float, doc="Normalised distance to it.")


class ComparisonBlock(Base):
    """A piece of a site's comparisons that is not done yet; one that is done is removed."""

    __tablename__ = "comparison_blocks"

    id: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(
        ForeignKey("site_comparisons.site_id", ondelete="CASCADE"), index=True
    )
    reference_set_id: Mapped[int | None] = mapped_column(
        ForeignKey("reference_sets.id", ondelete="CASCADE"),
        index=True,
        doc="Where the nearest reference of each row is asked for, not every distance.",
    )
    rows: Mapped[list[int]] = mapped_column(doc="Ids of trees.")
    columns: Mapped[list[int]] = mapped_column(doc="Ids of the trees to compare them with.")
    pairs: Mapped[int] = mapped_column(Integer, doc="How many comparisons at most.")
    asked_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="When its task was last asked for."
    )
    attempts: Mapped[int] = mapped_column(
        Integer, server_default="0", doc="How often a worker has begun with it."
    )


class Generation(Base):
    """One clustering of a site."""

    __tablename__ = "generations"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    site_version: Mapped[int] = mapped_column(doc="Site.version that the clustering saw.")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    method: Mapped[str] = mapped_column(
        doc="How the groups were found; `worker.store.provisional` where none were sought."
    )
    silhouette: Mapped[float | None] = mapped_column(Float)


class ClusteringAttempt(Base):
    """A clustering of a site that was begun; one that ends well removes it."""

    __tablename__ = "clustering_attempts"

    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, doc="How often it was begun.")
    began_at: Mapped[datetime] = mapped_column(server_default=func.now(), doc="The last time.")
    error: Mapped[str | None] = mapped_column(
        doc="What was raised last; null where it always ended with its process."
    )
    quarantined_at: Mapped[datetime | None] = mapped_column(
        doc="Since when the site is clustered no more; null while it is."
    )


class ClusteringRequest(Base):
    """A clustering that was asked for; the worker that takes it up removes it.

    It refers to no table: to hold the row of a site would make it wait for the intake.
    """

    __tablename__ = "clustering_requests"

    site_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now())


class TemplateGroup(Base):
    """A group of pages of one template, in one generation."""

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
        doc="Its own through all generations: a group that continues keeps it.",
    )
    size: Mapped[int] = mapped_column(Integer)
    representative_id: Mapped[int] = mapped_column(ForeignKey("pages.id"))
    comment_pattern: Mapped[str | None] = mapped_column(
        doc="Where comments stand on its pages, by the vote of all; null where that tells nothing."
    )


class GroupRepresentative(Base):
    """A tree that stands for a group: new pages are compared with it.

    It is the tree that the page had when the group was made; the page may have another since.
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
    """A change of a site's design, noticed by a clustering."""

    __tablename__ = "design_changes"
    __table_args__ = (
        ForeignKeyConstraint(
            ["site_id", "generation"], ["generations.site_id", "generations.number"]
        ),
    )

    site_id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[int] = mapped_column(
        Integer, primary_key=True, doc="Clustering that noticed it first."
    )
    noticed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    since: Mapped[datetime] = mapped_column(doc="When the first page that differs was fetched.")
    seen_until: Mapped[datetime] = mapped_column(
        doc="When the newest page was fetched that it was last noticed with."
    )
    first_url: Mapped[str] = mapped_column(doc="Address of the first page that differs.")
    new_share: Mapped[float] = mapped_column(
        Float, doc="Of the newest pages, the share in new groups or in none."
    )
    outlier_share: Mapped[float] = mapped_column(Float, doc="Of them, the share in no group.")
    new_groups: Mapped[list[int]] = mapped_column(doc="Groups of the newest pages only.")
    gone_groups: Mapped[list[int]] = mapped_column(doc="Groups of none of the newest pages.")


class Membership(Base):
    """Place of a page in a generation: its group and the page it is compared with."""

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
        Float, doc="Of a page that joined after the clustering: its silhouette, 0 to 1."
    )


class Article(Base):
    """An article sent out, by page and revision."""

    __tablename__ = "articles"
    __table_args__ = (UniqueConstraint("page_id", "revision"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    content_digest: Mapped[str] = mapped_column(
        doc="Digest of what a reader would notice; a repeat gives no new revision."
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
        Integer, primary_key=True, doc="Its place on the page, from 0."
    )
    parent: Mapped[int | None] = mapped_column(
        Integer, doc="Number of the comment that it answers, null for none."
    )
    author: Mapped[str | None]
    published_at: Mapped[datetime | None] = mapped_column(
        doc="Null where the page says only how long ago, or nothing."
    )
    written_date: Mapped[str | None] = mapped_column(doc="The date as the page shows it.")
    text: Mapped[str]
    permalink: Mapped[str | None]
    votes: Mapped[int | None]


class Story(Base):
    """Texts that repeat each other, from whatever sites."""

    __tablename__ = "stories"
    __table_args__ = (
        Index("ix_stories_to_retell", "id", postgresql_where=text("retold_to IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    first_page_id: Mapped[int | None] = mapped_column(
        doc="Page of its first article; null while that is not determined."
    )
    changed_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), index=True, doc="When an article of it last came."
    )
    retold_to: Mapped[list[int] | None] = mapped_column(
        doc="Text and page of the last article that was told of another first article; null where"
        " all are."
    )


class StoryText(Base):
    """A text of an article, or of several, as other texts are compared with it."""

    __tablename__ = "story_texts"
    __table_args__ = (
        # Without a list of what is to be put in later, which now and then one page would wait for.
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
    seen_to: Mapped[datetime] = mapped_column(doc="When the last one was.")


class StoryOverlap(Base):
    """How much two texts have in common, where that may be a repeat."""

    __tablename__ = "story_overlaps"
    __table_args__ = (CheckConstraint("lower_id < higher_id", name="ordered"),)

    lower_id: Mapped[int] = mapped_column(
        ForeignKey("story_texts.id", ondelete="CASCADE"), primary_key=True
    )
    higher_id: Mapped[int] = mapped_column(
        ForeignKey("story_texts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    common: Mapped[int] = mapped_column(Integer, doc="Number of shingles.")


class StoryArticle(Base):
    """Which story a page's article tells."""

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
        doc="Null where the text is too short to be compared, or no longer is.",
    )
    key: Mapped[bytes] = mapped_column(doc="`Fingerprint.key` of its text.")
    fetched_at: Mapped[datetime | None]
    wire: Mapped[str | None]
    told: Mapped[dict[str, Any]] = mapped_column(doc="`messages.Story` as it stands.")
    sent: Mapped[dict[str, Any] | None] = mapped_column(
        doc="As the page's last revision has it; null before there is one with a story."
    )
    is_held_back: Mapped[bool] = mapped_column(
        server_default=text("false"),
        doc="Whether, as a repeat, it never went to the exchange of articles.",
    )
    corrections: Mapped[int | None] = mapped_column(
        Integer, doc="Revisions that went out for another story alone; null for none."
    )
    correct_after: Mapped[datetime | None] = mapped_column(
        doc="Before that instant no further correction goes out."
    )


class StoryArrival(Base):
    """A page whose last article is still to be grouped into a story."""

    __tablename__ = "story_arrivals"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    key: Mapped[bytes | None] = mapped_column(
        doc="`Fingerprint.key`; null where the page no longer has an article."
    )
    shingles: Mapped[bytes | None] = mapped_column(doc="`Fingerprint.shingles`, little-endian.")
    fetched_at: Mapped[datetime | None]
    seen_at: Mapped[datetime | None] = mapped_column(
        doc="When the page was fetched or, where that is not known, extracted."
    )
    wire: Mapped[str | None]
    arrived_at: Mapped[datetime] = mapped_column(doc="When it was noted: another one replaces it.")


class PageParts(Base):
    """A page that is, or was, one of several that an article is spread over."""

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
        doc="`Pagination` of the page; empty where it has none any more."
    )
    message: Mapped[dict[str, Any] | None] = mapped_column(
        doc="Last article message of the page alone; null where it has no article."
    )
    whole_digests: Mapped[list[str]] = mapped_column(
        ARRAY(Text), doc="SHA-256 of the ways to write the address that has all on one page."
    )
    version: Mapped[int] = mapped_column(server_default="1", doc="Rises with every change.")
    seen_version: Mapped[int] = mapped_column(
        server_default="0", doc="Version that the last look for parts saw."
    )
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    first_id: Mapped[int | None] = mapped_column(
        doc="Page whose article this one was joined into last."
    )
    joined_revision: Mapped[int | None] = mapped_column(
        Integer, doc="Revision of the page's article that the last look for parts made."
    )
    size: Mapped[int | None] = mapped_column(
        Integer, doc="Bytes of the message as text; null where that was not noted."
    )
    attempts: Mapped[int | None] = mapped_column(
        Integer, doc="Looks that were begun since the last one that ended; null for none."
    )


class PageLinks(Base):
    """What went out last of what a page lists."""

    __tablename__ = "page_links"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    message: Mapped[dict[str, Any]]
    sent_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Receipt(Base):
    """What became of one message at the intake."""

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
    """Why a task ended in quarantine; its message there holds the task's id."""

    __tablename__ = "task_failures"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(index=True)
    task: Mapped[str]
    failed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    error: Mapped[str]
    traceback: Mapped[str]


class Reprocessing(Base):
    """A reprocessing of all sites; at most one is under way."""

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
    site_id: Mapped[int] = mapped_column(server_default="0", doc="Last site that was taken up.")
    last_site_id: Mapped[int] = mapped_column(doc="Last one that there was when it was asked for.")
    pages: Mapped[int] = mapped_column(server_default="0", doc="Taken up so far.")
    resume_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), doc="When the rate allows the next site."
    )
    is_paused: Mapped[bool] = mapped_column(server_default=text("false"))
    ended_at: Mapped[datetime | None]


class FollowedRequest(Base):
    """A task of another service that was followed: its message may come again."""

    __tablename__ = "followed_requests"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(unique=True)
    followed_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Duration(Base):
    """How often a kind of work took at most so long, but longer than the next shorter class."""

    __tablename__ = "durations"

    work: Mapped[str] = mapped_column(primary_key=True, doc="Name of a task, or ``intake``.")
    slot: Mapped[int] = mapped_column(
        Integer, primary_key=True, doc="Processes share the counting: few wait for each other."
    )
    at_most: Mapped[float] = mapped_column(Float, primary_key=True, doc="In seconds.")
    number: Mapped[int]
    seconds: Mapped[float] = mapped_column(Float, doc="What all of them took.")


class ServedTurn(Base):
    """The last turn of a lane of the outbox that was published, and of each site in it.

    Without it a site that keeps one task waiting would come first each time, as if it were new.
    """

    __tablename__ = "served_turns"

    lane: Mapped[str] = mapped_column(primary_key=True)
    site_id: Mapped[int] = mapped_column(
        primary_key=True, autoincrement=False, doc="0 for the lane as a whole."
    )
    turn: Mapped[int]


class OutboxEntry(Base):
    """A message that the relay is to publish; deleted once the broker confirmed it."""

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
        doc="What is published in one order: the tasks of a kind, the messages of an exchange;"
        " NULL for what the broker refused.",
    )
    turn: Mapped[int] = mapped_column(
        server_default="0", doc="Place in its lane, so that the sites take turns."
    )
    site_id: Mapped[int | None] = mapped_column(doc="Site that a task is done for.")
    task: Mapped[str | None]
    arguments: Mapped[dict[str, Any] | None]
    exchange: Mapped[str | None]
    routing_key: Mapped[str | None]
    headers: Mapped[dict[str, Any] | None]
    message_id: Mapped[str | None]
    body: Mapped[bytes | None]
    refused_at: Mapped[datetime | None] = mapped_column(
        doc="When the broker refused it: it is set aside until an operator decides."
    )
    refusal: Mapped[str | None] = mapped_column(doc="What the broker said.")
