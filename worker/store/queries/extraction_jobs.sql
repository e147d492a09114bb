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

-- job --
-- Fragment: the jobs of the pages in `member`, a table of their memberships.
SELECT pages.id AS page_id, member.generation, pages.url, pages.content_type, pages.fetched_at,
    pages.content_digest, pages.comment_vote AS former_vote, pages.extra, pages.attempts AS attempt,
    coalesce(pages.trace, '{}') AS trace, sites.key AS site_key, group_number, role,
    size + joining AS size, template_groups.comment_pattern AS group_pattern, shared_lines, lines,
    object_url, is_text,
    CASE WHEN pages.attempts <= :readable THEN compressed END AS compressed,
    template_page_id, template_page.url AS template_url,
    template_page.content_type AS template_type, template_page.content_digest AS template_digest,
    pages.site_id, pages.crawler_id, pages.forced, pages.revision, pages.refused,
    pages.waiting_since, (
        SELECT content_digest FROM articles WHERE articles.page_id = pages.id
        ORDER BY revision DESC LIMIT 1
    ) AS last_digest, {addresses.of_page} AS addresses, {version} AS version
FROM member JOIN pages ON pages.id = member.page_id
JOIN sites ON sites.id = pages.site_id
LEFT JOIN page_contents ON page_contents.page_id = pages.id
LEFT JOIN template_groups
    ON (template_groups.site_id, template_groups.generation, number)
    = (pages.site_id, member.generation, group_number)
LEFT JOIN pages AS template_page ON template_page.id = template_page_id
WHERE pages.tree_id IS NOT NULL AND pages.attempts <= coalesce(:most, pages.attempts)
    AND (pages.outcome IS NULL OR pages.forced OR pages.extracted_generation < pages.generation)

-- lock --
-- Condition: lock the page; false if another transaction is extracting it.
pg_try_advisory_xact_lock(:class, hashint8(page_id))

-- without_limit --
-- Fragment: lift the limit on idle transactions, since an extraction may take longer.
set_config('idle_in_transaction_session_timeout', '0', true)

-- locked --
-- Fragment: lock the given pages, except those that another transaction is extracting.
locked AS MATERIALIZED (
    -- Evaluated before any SQL join, where the condition might also lock other pages.
    SELECT page_id, generation FROM unnest(
        CAST(:pages AS bigint[]), CAST(:generations AS integer[])
    ) AS wanted (page_id, generation)
    WHERE {lock}
)

-- jobs --
-- Lock pages that await extraction and that no other transaction extracts, and return their jobs.
WITH {locked}, member AS (
    SELECT memberships.*, 0 AS joining FROM memberships JOIN locked USING (page_id, generation)
    JOIN pages ON (pages.id, pages.generation) = (page_id, locked.generation), {without_limit}
)
{job}
ORDER BY pages.id

-- assigned_jobs --
-- Lock pages with memberships yet to be stored, like ``jobs``, and return their jobs.
WITH member AS MATERIALIZED (
    SELECT new.*, count(*) FILTER (WHERE NOT EXISTS (
            SELECT FROM memberships
            WHERE (memberships.page_id, memberships.generation, memberships.group_number)
                = (new.page_id, new.generation, new.group_number)
        )) OVER (PARTITION BY site_id, group_number) AS joining
    FROM {groups.members}, {without_limit}
    WHERE {lock}
)
{job} AND pages.outcome IS NULL
ORDER BY pages.id

-- version --
-- Fragment: the transaction that changed a page last, which identifies the version of its row.
CAST(CAST(pages.xmin AS text) AS bigint)

-- begin --
-- Count an attempt for each page whose extraction is still awaited, and return the page IDs.
WITH {locked}, due AS (
    SELECT id FROM pages JOIN locked ON (id, pages.generation) = (page_id, locked.generation),
        set_config('synchronous_commit', 'off', true)
    WHERE tree_id IS NOT NULL AND attempts <= coalesce(:earlier, attempts)
        AND (outcome IS NULL OR forced OR extracted_generation < pages.generation)
    -- Transactions that lock the same pages in different orders would deadlock.
    ORDER BY id FOR NO KEY UPDATE OF pages
)
UPDATE pages SET attempts = attempts + CASE WHEN attempts = 0 AND :has_crashed THEN 2 ELSE 1 END
FROM due WHERE pages.id = due.id
RETURNING pages.id

-- return_attempts --
-- Subtract one attempt from each page: the attempts failed before they read any page.
WITH begun AS (
    SELECT id FROM pages WHERE id = ANY (CAST(:ids AS bigint[])) AND attempts > 0
    ORDER BY id FOR UPDATE
)
UPDATE pages SET attempts = attempts - 1 FROM begun WHERE pages.id = begun.id

-- begun_and_awaited --
-- Given pages whose extraction has begun and is still awaited; attempts of 0 are raised to 1.
WITH due AS MATERIALIZED (
    SELECT site_id, id, generation FROM pages
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS wanted (id, generation) USING (id, generation)
    WHERE tree_id IS NOT NULL AND (attempts > 0 OR :has_begun)
        AND (outcome IS NULL OR forced OR extracted_generation < generation)
    ORDER BY id FOR UPDATE OF pages
), counted AS (
    UPDATE pages SET attempts = 1 WHERE attempts = 0 AND id IN (SELECT id FROM due)
)
SELECT * FROM due

-- awaiting_extraction --
-- Given pages that await extraction, and have a membership.
SELECT site_id, id, generation FROM pages
WHERE id = ANY (:pages) AND tree_id IS NOT NULL
    AND (outcome IS NULL OR forced OR extracted_generation < generation)
    AND EXISTS (SELECT FROM memberships WHERE (page_id, generation) = (id, pages.generation))
ORDER BY id

-- saved --
-- Fragment: store the results of pages that have not changed (`saved`).
result AS MATERIALIZED (
    SELECT * FROM unnest(
        CAST(:page_id AS bigint[]), CAST(:generation AS integer[]),
        CAST(:extraction_key AS text[]), CAST(:outcome AS text[]),
        CAST(:outcome_detail AS text[]), CAST(:revision AS integer[]),
        CAST(:confidence AS double precision[]), CAST(:short_text AS bytea[]),
        CAST(:removable_lines AS bytea[]), CAST(:comment_vote AS text[]),
        CAST(:version AS bigint[])
    ) AS result (
        page_id, generation, extraction_key, outcome, outcome_detail, revision, confidence,
        short_text, removable_lines, comment_vote, version
    )
), locked AS MATERIALIZED (
    -- Transactions that lock the same pages in different orders would deadlock.
    SELECT id FROM pages JOIN result ON id = page_id
    WHERE {version} = version ORDER BY id FOR NO KEY UPDATE OF pages
), saved AS (
    UPDATE pages
    SET extracted_generation = result.generation, extraction_key = result.extraction_key,
        outcome = result.outcome, outcome_detail = result.outcome_detail,
        revision = result.revision, confidence = result.confidence,
        short_text = result.short_text, removable_lines = result.removable_lines,
        comment_vote = result.comment_vote, forced = false, trace = NULL, generation = result.generation, asked_at = CASE
            WHEN pages.generation = result.generation THEN asked_at ELSE now() END
    FROM result
    WHERE pages.id = result.page_id AND pages.id IN (SELECT id FROM locked)
    RETURNING pages.id
)

-- save_results --
-- Store the results and revisions of pages that have not changed; return their IDs.
WITH {saved}, {parts.clear_links}, {articles.add_revisions}
SELECT id FROM saved

-- save_assigned --
-- Store results like ``save_results``, with the memberships and distances of the pages.
WITH {saved}, new AS (
    SELECT * FROM {groups.members}
    WHERE page_id IN (SELECT id FROM saved)
), {groups.add_members}, {trees.added_distances}, {parts.clear_links}, {articles.add_revisions}
SELECT id FROM saved

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
