-- Extraction jobs: which pages await extraction, and how workers start and finish it.

-- is_late --
-- Condition: the extraction of a page is overdue, and not in the outbox.
(extracted_generation < generation OR outcome IS NULL AND generation > 0
    AND (
        waiting_since <= now() - make_interval(secs => :patience)
        OR waiting_since > now() + interval '1 minute'
    ))
AND tree_id IS NOT NULL AND html_removed_at IS NULL
AND (asked_at <= now() - make_interval(secs => :patience) OR asked_at > now() + interval '1 minute')
AND NOT EXISTS (
    SELECT FROM outbox
    WHERE lane = ANY(CAST(:lanes AS text[]))
        AND CAST(arguments ->> 'page_id' AS bigint) = pages.id
)

-- memberships --
-- Memberships of pages in generations, with their groups, template pages and stored contents.
SELECT page_id, sites.key, group_number, role, size,
    template_groups.comment_pattern AS group_pattern, shared_lines, lines,
    object_url, is_text,
    CASE WHEN page_id = ANY (CAST(:readable AS bigint[])) THEN compressed END AS compressed,
    template_page.id AS template_page_id, template_page.url, template_page.content_type,
    template_page.content_digest
FROM memberships
JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
    AS wanted (page_id, generation) USING (page_id, generation)
JOIN sites ON sites.id = memberships.site_id
LEFT JOIN page_contents USING (page_id)
LEFT JOIN template_groups
    ON (template_groups.site_id, template_groups.generation, number)
    = (memberships.site_id, memberships.generation, group_number)
LEFT JOIN pages AS template_page ON template_page.id = memberships.template_page_id

-- begin --
-- Count an attempt for each extraction that is still awaited, and return the pages.
WITH due AS (
    SELECT id FROM pages
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS wanted (id, generation) USING (id, generation),
        set_config('synchronous_commit', 'off', true)
    WHERE tree_id IS NOT NULL AND attempts <= coalesce(:earlier, attempts)
        AND (outcome IS NULL OR forced OR extracted_generation < generation)
    -- Transactions that lock the same pages in different orders would deadlock.
    ORDER BY id FOR UPDATE OF pages
)
UPDATE pages SET attempts = attempts + 1 FROM due WHERE pages.id = due.id
RETURNING pages.id, generation, url, content_type, fetched_at, content_digest,
    comment_pattern, extra, attempts, coalesce(trace, CAST('{}' AS jsonb))

-- return_attempts --
-- Subtract attempts that ended before they read any page.
WITH begun AS (
    SELECT id FROM pages WHERE id = ANY (CAST(:ids AS bigint[])) AND attempts > 0
    ORDER BY id FOR UPDATE
)
UPDATE pages SET attempts = attempts - 1 FROM begun WHERE pages.id = begun.id

-- begun_and_awaited --
-- Those of the given pages whose extraction has begun before and is still awaited.
SELECT site_id, id, generation FROM pages
JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
    AS wanted (id, generation) USING (id, generation)
WHERE tree_id IS NOT NULL AND attempts > 0
    AND (outcome IS NULL OR forced OR extracted_generation < generation)
ORDER BY id

-- awaiting_extraction --
-- Those of the given pages that await extraction.
SELECT site_id, id, generation FROM pages
WHERE id = ANY (:pages) AND tree_id IS NOT NULL AND generation IS NOT NULL
    AND (outcome IS NULL OR forced OR extracted_generation < generation)
ORDER BY id

-- lock_pages --
-- Lock those of the given pages that still await extraction, and return their states.
SELECT id, site_id, url, crawler_id, fetched_at, content_digest, forced, revision, refused,
    waiting_since
FROM pages
JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
    AS wanted (id, generation) USING (id, generation)
WHERE outcome IS NULL OR forced OR extracted_generation < generation
ORDER BY id FOR UPDATE OF pages

-- page_context --
-- Template page, digest of the latest article, and addresses of pages (see `parse_page_addresses`).
SELECT page_id, template_page_id, (
    SELECT content_digest FROM articles WHERE page_id = wanted.page_id
    ORDER BY revision DESC LIMIT 1
), (
    SELECT jsonb_agg(
        jsonb_build_array(address, kind, spellings, joined_at IS NULL) ORDER BY digest
    ) FROM addresses WHERE page_id = wanted.page_id
)
FROM memberships
JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
    AS wanted (page_id, generation) USING (page_id, generation)

-- save_results --
-- Store the extraction results of pages, which must be locked, and their new revisions.
WITH saved AS (
    UPDATE pages
    SET extracted_generation = new.generation, extraction_key = new.extraction_key,
        outcome = new.outcome, outcome_detail = new.outcome_detail, revision = new.revision,
        confidence = new.confidence, short_text = new.short_text,
        removable_lines = new.removable_lines, forced = false, trace = NULL
    FROM unnest(
        CAST(:page_id AS bigint[]), CAST(:generation AS integer[]),
        CAST(:extraction_key AS text[]), CAST(:outcome AS text[]),
        CAST(:outcome_detail AS text[]), CAST(:revision AS integer[]),
        CAST(:confidence AS double precision[]), CAST(:short_text AS bytea[]),
        CAST(:removable_lines AS bytea[])
    ) AS new (
        page_id, generation, extraction_key, outcome, outcome_detail, revision, confidence,
        short_text, removable_lines
    )
    WHERE pages.id = new.page_id
), {parts.clear_links}, {articles.add_revisions}

-- find_late --
-- Overdue extractions.
SELECT id, generation FROM pages WHERE {is_late} ORDER BY id LIMIT :limit

-- take_late --
-- Mark overdue extractions of the given pages as requested again, and return them.
UPDATE pages SET asked_at = now()
WHERE id IN (
    SELECT id FROM pages
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS wanted (id, generation) USING (id, generation)
    WHERE {is_late}
    ORDER BY id FOR UPDATE OF pages SKIP LOCKED
)
RETURNING site_id, id, generation

-- lock_short_texts --
-- Let only one transaction at a time count the short texts of a site.
SELECT pg_advisory_xact_lock(:class, hashint8(:site_id))

-- pages_with_short_texts --
-- Pages of a site with given short texts.
SELECT short_text, id
FROM unnest(CAST(:texts AS bytea[])) AS wanted (short_text) CROSS JOIN LATERAL (
    SELECT id FROM pages
    WHERE site_id = :site_id AND pages.short_text = wanted.short_text
        AND outcome IS DISTINCT FROM 'joined'
    LIMIT :max_counted
) AS page

-- lock_articles --
-- Lock the given pages whose outcome is an article; return their generations and IDs.
SELECT generation, id FROM pages
WHERE id = ANY (CAST(:ids AS bigint[])) AND outcome = 'article'
ORDER BY id FOR UPDATE SKIP LOCKED
