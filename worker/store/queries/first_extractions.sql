-- Pages that must not wait for their site's first clustering.

-- is_unrequested --
-- Condition: a page has a tree, no extraction was requested, and its site is new.
outcome IS NULL AND tree_id IS NOT NULL AND extracted_generation >= generation
AND NOT EXISTS (
    SELECT FROM generations
    WHERE generations.site_id = pages.site_id AND method <> 'provisional'
)

-- urgent_pages --
-- Longest-waiting pages that are alone on their site, or whose site's first clustering is overdue.
-- A row of NULLs means that a fetch is still waiting although its page has an outcome.
(
    SELECT CAST(NULL AS bigint) AS id, CAST(NULL AS bigint) AS site_id
    FROM waiting_fetches JOIN pages ON pages.id = page_id WHERE outcome IS NOT NULL LIMIT 1
) UNION (
    SELECT id, site_id FROM pages
    WHERE :patience > 0 AND waiting_since BETWEEN now() - make_interval(secs => :watched)
            AND now() - make_interval(secs => :alone)
        AND html_removed_at IS NULL AND {is_unrequested}
        AND (SELECT count(*) FROM (
            SELECT FROM pages AS page
            WHERE page.site_id = pages.site_id AND page.tree_id IS NOT NULL LIMIT 2
        ) AS at_most_two) = 1
    ORDER BY waiting_since, id LIMIT :limit
) UNION (
    SELECT id, site_id FROM pages
    WHERE :patience > 0 AND (
        waiting_since <= now() - make_interval(secs => :patience)
        OR waiting_since > now() + interval '1 minute'
    )
        AND html_removed_at IS NULL AND {is_unrequested}
    ORDER BY waiting_since, id LIMIT :limit
)

-- lock_free_sites --
-- Lock the given sites that no other transaction has locked, and return their IDs.
WITH free AS MATERIALIZED (
    SELECT id FROM sites WHERE id = ANY (CAST(:sites AS bigint[]))
    ORDER BY key FOR UPDATE SKIP LOCKED
)
SELECT id FROM free WHERE pg_try_advisory_xact_lock(:lock, hashint8(id))

-- still_waiting --
-- Given pages that still wait for the first clustering of these sites.
SELECT id FROM pages
WHERE id = ANY (CAST(:pages AS bigint[])) AND site_id = ANY (CAST(:sites AS bigint[]))
    AND {is_unrequested}
ORDER BY site_id, id

-- add_pages --
-- Give new sites a provisional generation, and add pages to it as outliers.
WITH added AS (
    INSERT INTO generations (site_id, number, site_version, method)
    SELECT site_id, :number, 0, :method
    FROM unnest(CAST(:sites AS bigint[])) AS new (site_id)
    ON CONFLICT (site_id, number) DO NOTHING
)
INSERT INTO memberships (page_id, generation, site_id, role)
SELECT id, :number, site_id, 'outlier' FROM pages WHERE id = ANY (CAST(:pages AS bigint[]))
ON CONFLICT (page_id, generation) DO NOTHING

-- lone_sites --
-- New sites that have fewer than two pages with a tree.
SELECT id FROM sites
WHERE id = ANY (CAST(:sites AS bigint[])) AND (SELECT count(*) FROM (
        SELECT FROM pages WHERE site_id = sites.id AND tree_id IS NOT NULL LIMIT 2
    ) AS at_most_two) <= 1
    AND NOT EXISTS (
        SELECT FROM generations
        WHERE generations.site_id = sites.id AND method <> 'provisional'
    )
ORDER BY id

-- comparable_pages --
-- The sites' pages with a tree, and whether their extraction has yet to be requested.
SELECT id, (outcome IS NULL OR forced) AND extracted_generation >= generation
FROM pages WHERE site_id = ANY (CAST(:sites AS bigint[])) AND tree_id IS NOT NULL

-- mark_clustered --
-- Turn the provisional generation of a site into a clustering without groups.
UPDATE generations SET method = :ungrouped WHERE site_id = :site_id AND method = :provisional

-- mark_seen --
-- Record that the provisional generations of locked sites include all of their pages.
UPDATE generations SET site_version = (SELECT version FROM sites WHERE id = generations.site_id)
WHERE site_id = ANY (CAST(:sites AS bigint[])) AND method = :provisional

-- missed_pages --
-- Pages of a site that await extraction but have no membership in the given generation.
SELECT pages.id, version FROM pages JOIN sites ON sites.id = site_id
WHERE site_id = :site_id AND outcome IS NULL AND tree_id IS NOT NULL
    AND extracted_generation >= pages.generation AND NOT EXISTS (
        SELECT FROM memberships
        WHERE page_id = pages.id AND memberships.generation = :generation
    )
ORDER BY pages.id
