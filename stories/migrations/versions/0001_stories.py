"""Create the tables of the stories."""

from alembic import op

revision: str = "0001"
down_revision: str | None = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE stories.stories (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            first_page bigint,
            changed_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE INDEX ON stories.stories (changed_at);
        COMMENT ON COLUMN stories.stories.first_page IS
            'Page of the first article that is still in the story.';

        -- Texts of one or more articles each.
        CREATE TABLE stories.texts (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            story_id bigint NOT NULL REFERENCES stories.stories ON DELETE CASCADE,
            key bytea NOT NULL,
            shingles bytea NOT NULL,
            bands integer[] NOT NULL,
            sites text[] NOT NULL,
            seen_from timestamptz NOT NULL,
            seen_to timestamptz NOT NULL,
            received_at timestamptz NOT NULL
        );
        CREATE INDEX ON stories.texts (key);
        CREATE INDEX ON stories.texts (story_id, received_at, key);
        -- No pending list: cleaning up the list would delay the article that causes it.
        CREATE INDEX ON stories.texts USING gin (bands) WITH (fastupdate = off);
        COMMENT ON COLUMN stories.texts.sites IS 'Sites with this text, the first one first.';
        COMMENT ON COLUMN stories.texts.received_at IS
            'When the first page with this text was received.';

        CREATE TABLE stories.articles (
            page bigint PRIMARY KEY,
            article_id uuid NOT NULL,
            revision integer NOT NULL,
            site text NOT NULL,
            url text NOT NULL,
            language text,
            text_id bigint REFERENCES stories.texts ON DELETE SET NULL,
            key bytea NOT NULL,
            fetched_at timestamptz,
            received_at timestamptz NOT NULL,
            wire text,
            is_withdrawn boolean NOT NULL,
            is_confirmed boolean NOT NULL,
            changes jsonb,
            number integer NOT NULL DEFAULT 0,
            told jsonb,
            is_due boolean NOT NULL DEFAULT true,
            corrections integer NOT NULL DEFAULT 0,
            correct_after timestamptz,
            pending jsonb,
            must_forward boolean NOT NULL DEFAULT false,
            is_forwarded boolean NOT NULL DEFAULT false
        );
        CREATE INDEX ON stories.articles (text_id, page);
        CREATE INDEX ON stories.articles (page) WHERE is_due;
        CREATE INDEX ON stories.articles (page) WHERE pending IS NOT NULL;
        COMMENT ON COLUMN stories.articles.page IS 'The page''s ID in the store of the service.';
        COMMENT ON COLUMN stories.articles.is_confirmed IS
            'Whether an excerpt is certain to be copied from its story''s first article.';
        COMMENT ON COLUMN stories.articles.changes IS
            'Changes in the revision, until there is a message about it.';
        COMMENT ON COLUMN stories.articles.number IS
            'Number of the latest message about the revision; 0 before the first.';
        COMMENT ON COLUMN stories.articles.told IS 'The story in the latest message.';
        COMMENT ON COLUMN stories.articles.is_due IS
            'Whether the story may differ from the latest message.';
        COMMENT ON COLUMN stories.articles.pending IS 'The latest message, until it is published.';
        COMMENT ON COLUMN stories.articles.must_forward IS
            'Whether the article is to be published, too, on the exchange of first articles.';
        COMMENT ON COLUMN stories.articles.is_forwarded IS
            'Whether a revision was ever published on that exchange.';
    """)
