-- Articles, their revisions, and the events in their history.

-- add_revisions --
-- Fragment: store revisions of `saved` pages with their comments, and enqueue their messages.
added_articles AS (
    INSERT INTO articles (id, page_id, revision, content_digest, message)
    SELECT * FROM unnest(
        CAST(:article_ids AS uuid[]), CAST(:revised_ids AS bigint[]),
        CAST(:revisions AS integer[]), CAST(:digests AS text[]), CAST(:messages AS jsonb[])
    ) AS new (id, page_id, revision, content_digest, message)
    WHERE page_id IN (SELECT id FROM saved)
    RETURNING id
), added_comments AS (
    INSERT INTO comments (
        article_id, number, parent, author, published_at, written_date, text, permalink, votes
    )
    SELECT * FROM jsonb_to_recordset(CAST(:comments AS jsonb)) AS comment (
        article_id uuid, number integer, parent integer, author text, published_at timestamptz,
        written_date text, text text, permalink text, votes bigint
    )
    WHERE article_id IN (SELECT id FROM added_articles)
), enqueued AS (
    INSERT INTO outbox (message_id, exchange, routing_key, headers, body)
    SELECT * FROM unnest(
        CAST(CAST(:article_ids AS uuid[]) AS text[]), CAST(:exchanges AS text[]),
        CAST(:routing_keys AS text[]), CAST(:traces AS jsonb[]), CAST(:bodies AS bytea[])
    ) AS new (message_id, exchange, routing_key, headers, body)
    WHERE CAST(message_id AS uuid) IN (SELECT id FROM added_articles)
)

-- save_revisions --
-- Store and enqueue revisions of articles. Their pages must be locked.
WITH saved AS (
    UPDATE pages SET revision = new.revision
    FROM unnest(CAST(:revised_ids AS bigint[]), CAST(:revisions AS integer[]))
        AS new (page_id, revision)
    WHERE id = new.page_id
    RETURNING id
), {add_revisions}
SELECT id FROM saved

-- last_article --
-- Latest article of a page, with its digest.
SELECT message, content_digest FROM articles WHERE page_id = :page_id
ORDER BY revision DESC LIMIT 1

-- last_texts --
-- Texts of the latest articles of pages.
SELECT DISTINCT ON (page_id) page_id, message ->> 'text' AS text FROM articles
WHERE page_id = ANY (CAST(:page_ids AS bigint[]))
ORDER BY page_id, revision DESC

-- is_run_article --
-- Condition: a page was received in a run, and has an article (see `has_article`).
(outcome = 'article' OR outcome IN ('wall', 'gone') AND pages.revision > 0)
AND pages.id IN (SELECT page_id FROM receipts WHERE message_id LIKE :pattern)

-- revisions_of_run --
-- Revisions of a run's articles, except those of pages that have parts to be joined.
SELECT id, revision FROM pages
WHERE {is_run_article}
    AND id NOT IN (SELECT page_id FROM page_parts WHERE version > seen_version)

-- articles_of_run --
-- Latest articles of a run's pages, ordered by site and URL.
SELECT message FROM articles
JOIN pages ON pages.id = page_id
JOIN sites ON sites.id = site_id
WHERE {is_run_article} AND articles.revision = pages.revision
    AND (CAST(:ids AS bigint[]) IS NULL OR pages.id = ANY (CAST(:ids AS bigint[])))
ORDER BY convert_to(sites.key, 'UTF8'), convert_to(pages.url, 'UTF8')

-- articles_published --
-- Latest articles whose revisions were stored in a period, in chronological order.
SELECT created_at, message FROM articles JOIN pages ON pages.id = page_id
WHERE created_at >= :since
    AND (CAST(:until AS timestamptz) IS NULL OR created_at < :until)
    AND (CAST(:site_ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:site_ids AS bigint[])))
    AND articles.revision = pages.revision AND outcome IS DISTINCT FROM 'joined'
ORDER BY created_at, articles.id

-- page_ids_at --
-- IDs of the pages at addresses, given by digest.
SELECT DISTINCT page_id FROM addresses
WHERE digest = ANY (CAST(:digests AS text[])) AND page_id IS NOT NULL ORDER BY page_id

-- events --
-- Latest fetches and latest revisions of pages, and outcomes other than an article, oldest first.
SELECT * FROM (
    (
        SELECT received_at AS at, page_id, 'fetched: ' || result AS what,
            CAST(NULL AS integer) AS revision
        FROM receipts WHERE page_id = ANY (CAST(:page_ids AS bigint[]))
        ORDER BY id DESC LIMIT :limit
    ) UNION ALL (
        SELECT created_at, page_id, concat(
            'revision ', revision, CASE WHEN message ->> 'withdrawn' <> '' THEN ': withdrawn' END
        ), revision
        FROM articles WHERE page_id = ANY (CAST(:page_ids AS bigint[]))
        ORDER BY created_at DESC LIMIT :limit
    ) UNION ALL (
        SELECT received_at, id, concat_ws(': ', 'outcome', outcome, outcome_detail), NULL
        FROM pages WHERE id = ANY (CAST(:page_ids AS bigint[])) AND outcome <> 'article'
    )
) AS events
-- Alphabetically, a fetch comes before the outcome to which it leads.
ORDER BY at, page_id, coalesce(revision, 0), what
