-- Multi-page articles: the links between their parts, and the articles joined from the parts.

-- find_pages --
-- Stored pages at URLs to which the given pages of the same site link.
SELECT wanted.page_id, wanted.url, addresses.page_id
FROM unnest(
    CAST(:pages AS bigint[]), CAST(:urls AS text[]), CAST(:digests AS text[])
) AS wanted (page_id, url, digest)
JOIN pages ON pages.id = wanted.page_id
JOIN addresses ON addresses.site_id = pages.site_id AND addresses.digest = wanted.digest
ORDER BY addresses.page_id

-- record_links --
-- Record a page's links to other parts, which become due for joining if links or message changed.
INSERT INTO page_parts AS known (page_id, site_id, links, message, size, whole_digests)
SELECT id, site_id, CAST(:links AS jsonb), message, octet_length(CAST(message AS text)),
    CAST(:whole AS text[])
FROM pages CROSS JOIN LATERAL (
    SELECT coalesce(CAST(:message AS jsonb), (
        SELECT message FROM articles WHERE page_id = pages.id ORDER BY revision DESC LIMIT 1
    )) AS message
) AS own
WHERE id = :page_id
ON CONFLICT (page_id) DO UPDATE SET
    links = excluded.links,
    message = CASE WHEN :has_message OR known.message IS NULL
        THEN excluded.message ELSE known.message END,
    size = CASE WHEN :has_message OR known.message IS NULL
        THEN excluded.size ELSE known.size END,
    whole_digests = excluded.whole_digests,
    version = known.version + 1, changed_at = clock_timestamp(), attempts = NULL
WHERE :has_message OR known.links <> excluded.links

-- clear_links --
-- Fragment: delete the links of `others`; mark pages whose single-page version was revised as due.
due AS (
    SELECT page_id, page_id = ANY (CAST(:others AS bigint[])) AS is_other FROM page_parts
    WHERE page_id = ANY (CAST(:others AS bigint[])) AND links <> '{}'
            AND page_id IN (SELECT id FROM saved)
        OR whole_digests && (
            SELECT array_agg(digest) FROM addresses
            WHERE page_id = ANY (CAST(:revised_ids AS bigint[]))
        )
    ORDER BY page_id FOR UPDATE
), cleared AS (
    UPDATE page_parts SET
        links = CASE WHEN is_other THEN '{}' ELSE links END,
        message = CASE WHEN NOT is_other THEN message END,
        version = version + 1, changed_at = clock_timestamp(), attempts = NULL
    FROM due WHERE page_parts.page_id = due.page_id
)

-- due --
-- Pages whose parts are to be joined, and that have not changed for some time.
SELECT page_id FROM page_parts
WHERE version > seen_version
    AND (
        changed_at <= now() - make_interval(secs => :settle)
        OR changed_at > now() + interval '1 minute'
    )
ORDER BY changed_at, page_id LIMIT :limit

-- begin --
-- Count an attempt to join a page's parts; return the attempts and the version of its links.
UPDATE page_parts SET attempts = coalesce(attempts, 0) + 1
FROM set_config('synchronous_commit', 'off', true)
WHERE page_id = :page_id AND version > seen_version
RETURNING attempts, version

-- reach --
-- For each given page that is part of an article: the first page of the joined article (NULL if it
-- is not joined), and the links of the part.
SELECT page_id, first_id, links FROM page_parts WHERE page_id = ANY (CAST(:ids AS bigint[]))
ORDER BY page_id

-- load_parts --
-- Given pages that are parts, without their messages: columns of `StoredPart`.
SELECT page_id, url, pages.revision, links,
    CASE WHEN message IS NOT NULL
        AND (outcome = 'article' OR outcome IN ('wall', 'gone') AND pages.revision > 0)
        THEN coalesce(size, octet_length(CAST(message AS text))) END,
    first_id, joined_revision, version
FROM page_parts JOIN pages ON pages.id = page_id
WHERE page_id = ANY (CAST(:ids AS bigint[]))
ORDER BY page_id

-- lock --
-- Lock pages.
SELECT id FROM pages WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id FOR UPDATE

-- message_of --
-- Article message of a part alone, without the text of other parts.
SELECT message FROM page_parts WHERE page_id = :page_id

-- article_of --
-- Latest article of a page that has an article (see `has_article`).
SELECT message FROM articles JOIN pages ON pages.id = page_id
WHERE page_id = :page_id AND articles.revision = pages.revision
    AND (outcome = 'article' OR outcome IN ('wall', 'gone') AND pages.revision > 0)

-- record_revision --
-- Record the revision of a page's article created by joining; the page must be locked.
UPDATE page_parts SET joined_revision = :revision WHERE page_id = :page_id

-- record_joined_pages --
-- Record the pages from which an article was joined, apart from its first page.
UPDATE page_parts
SET first_id = CASE WHEN page_id = ANY (CAST(:pages AS bigint[])) THEN :first_id END
WHERE first_id = :first_id OR page_id = ANY (CAST(:pages AS bigint[]))

-- record_processed --
-- Record which versions of pages have been processed, so that their parts are no longer due.
UPDATE page_parts SET seen_version = seen.version, attempts = NULL
FROM unnest(CAST(:pages AS bigint[]), CAST(:versions AS bigint[])) AS seen (page_id, version)
WHERE page_parts.page_id = seen.page_id
