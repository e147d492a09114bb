-- Record fetched pages, whether new, changed or unchanged.

-- unchanged --
-- Fetches whose content is stored already, with the declarations of the stored page.
SELECT wanted.site, wanted.url, content_type, extra, {addresses.row}
FROM unnest(
    CAST(:sites AS text[]), CAST(:urls AS text[]), CAST(:addresses AS text[]),
    CAST(:contents AS text[])
) AS wanted (site, url, digest, content_digest)
JOIN sites ON key = site
JOIN addresses ON (addresses.site_id, addresses.digest) = (sites.id, wanted.digest)
JOIN pages ON (pages.id, pages.url, pages.content_digest)
    = (page_id, wanted.url, wanted.content_digest)
WHERE tree_id IS NOT NULL AND outcome IS DISTINCT FROM 'failed'
    AND html_removed_at IS NULL AND refused IS NULL

-- raise_revision --
-- Raise a page's revision to that of the page that its address left, so that article IDs differ.
UPDATE pages
SET revision = greatest(revision, (SELECT revision FROM pages WHERE id = :separated_from))
WHERE id = :page_id

-- article_fetched_at --
-- Fetch time of a page's latest article.
SELECT CAST(message ->> 'fetched_at' AS timestamptz) FROM articles
WHERE page_id = :page_id ORDER BY revision DESC LIMIT 1

-- move_to_page --
-- Move the addresses and receipts of pages to another page.
WITH moved AS (
    UPDATE addresses SET page_id = :to_page WHERE page_id = ANY (CAST(:others AS bigint[]))
)
UPDATE receipts SET page_id = :to_page WHERE page_id = ANY (CAST(:others AS bigint[]))

-- copy_content --
-- Copy the content of a page, and what was parsed from it, to another page.
INSERT INTO page_contents
    (page_id, compressed, object_url, is_text, stored_at, lines)
SELECT :to_page, compressed, object_url, is_text, stored_at, lines
FROM page_contents WHERE page_id = :from_page
ON CONFLICT (page_id) DO UPDATE SET
    (compressed, object_url, is_text, stored_at, lines) = (
        excluded.compressed, excluded.object_url, excluded.is_text, excluded.stored_at,
        excluded.lines
    )

-- save_lines --
-- Store the lines of a page whose content is stored.
UPDATE page_contents SET lines = :lines WHERE page_id = :page_id

-- lock_shards_shared --
-- Lock shards of the object store in shared mode, so that no object is deleted from them.
SELECT pg_advisory_xact_lock_shared(:class, shard)
FROM unnest(CAST(:shards AS integer[])) AS wanted (shard)

-- has_pages_in --
-- Return whether an object store contains pages.
SELECT EXISTS (SELECT FROM page_contents WHERE starts_with(object_url, :start))

-- store --
-- Store new pages with their contents, trees, addresses and receipts; return the pages' IDs.
WITH sent AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(CAST(:fetches AS jsonb)) AS sent (
        site_id bigint, url text, url_digest text, crawler_id text, content_type text,
        fetched_at timestamptz, extra text, content_digest text, refused jsonb, trace jsonb,
        tree_digest text, encoding text, outcome text, outcome_detail text,
        page_id bigint, message_id text, result text, is_changed boolean, is_assigned boolean,
        place bigint, number bigint, is_received boolean
    )
), {trees.stored}, added AS (
    INSERT INTO pages (
        site_id, url, url_digest, crawler_id, content_type, fetched_at, extra, content_digest,
        refused, trace, tree_id, encoding, outcome, outcome_detail
    )
    SELECT site_id, url, url_digest, crawler_id, content_type, fetched_at, extra, content_digest,
        refused, trace, stored_trees.id, encoding, outcome, outcome_detail
    FROM sent LEFT JOIN stored_trees ON digest = tree_digest
    WHERE page_id IS NULL
    RETURNING id, site_id, url_digest
), fetched AS (
    SELECT sent.site_id, coalesce(page_id, added.id) AS page_id, message_id, result, is_changed,
        is_assigned, trace, place, number, is_received
    FROM sent LEFT JOIN added USING (site_id, url_digest)
), contents AS (
    INSERT INTO page_contents (page_id, compressed, object_url, is_text, lines)
    SELECT page_id, compressed, object_url, is_text, lines FROM unnest(
        CAST(:compressed AS bytea[]), CAST(:object_urls AS text[]), CAST(:is_text AS boolean[]),
        CAST(:lines AS bytea[])
    ) WITH ORDINALITY AS content (compressed, object_url, is_text, lines, place)
    JOIN fetched USING (place)
), {addresses.add}, received AS (
    INSERT INTO receipts (message_id, result, page_id)
    SELECT message_id, result, page_id FROM fetched WHERE is_received ORDER BY number
), {outbox.assignments}
SELECT site_id, url_digest, id FROM added

-- save_contents --
-- Store the content and lines of pages, given with their IDs; their sites must be locked.
INSERT INTO page_contents (page_id, compressed, object_url, is_text, lines)
SELECT * FROM unnest(
    CAST(:page_ids AS bigint[]), CAST(:compressed AS bytea[]),
    CAST(:object_urls AS text[]), CAST(:is_text AS boolean[]), CAST(:lines AS bytea[])
)
ON CONFLICT (page_id) DO UPDATE SET
    (compressed, object_url, is_text, lines, stored_at)
    = (excluded.compressed, excluded.object_url, excluded.is_text, excluded.lines, now())

-- drop_last_waiting --
-- Delete the waiting fetch that arrived last, if the page has the maximum number.
DELETE FROM waiting_fetches WHERE id = (
    SELECT max(id) FROM waiting_fetches WHERE page_id = :page_id HAVING count(*) >= :most
)

-- due_fetches --
-- Earliest waiting fetch of each page whose current content already has an outcome.
SELECT DISTINCT ON (page_id) waiting_fetches.*, key FROM waiting_fetches
JOIN pages ON pages.id = page_id JOIN sites ON sites.id = site_id
WHERE outcome IS NOT NULL
ORDER BY page_id, waiting_fetches.fetched_at, waiting_fetches.id LIMIT :limit
