-- Generations of template groups, their member pages, and the knowledge learned from pages.

-- members --
-- Fragment: the given memberships, as `new`.
jsonb_to_recordset(CAST(:members AS jsonb)) AS new (
    page_id bigint, site_id bigint, generation integer, group_number integer, role text,
    template_page_id bigint, confidence double precision
)

-- add_groups --
-- Fragment: add groups with their representative trees to a generation.
added_groups AS (
    INSERT INTO template_groups
        (site_id, generation, number, size, representative_id, comment_pattern, shared_lines)
    SELECT :site_id, :number, * FROM unnest(
        CAST(:new_group_numbers AS integer[]), CAST(:group_sizes AS integer[]),
        CAST(:representative_page_ids AS bigint[]), CAST(:comment_patterns AS text[]),
        CAST(:shared_lines AS bytea[])
    )
), added_representatives AS (
    INSERT INTO group_representatives (site_id, generation, group_number, tree_id)
    SELECT :site_id, :number, * FROM unnest(
        CAST(:tree_group_numbers AS integer[]), CAST(:representative_tree_ids AS bigint[])
    )
)

-- lock_patterns --
-- Lock groups, and return their comment patterns.
SELECT site_id, generation, number, comment_pattern FROM template_groups
WHERE (site_id, generation, number) IN (
    SELECT CAST(key ->> 0 AS bigint), CAST(key ->> 1 AS integer), CAST(key ->> 2 AS integer)
    FROM jsonb_array_elements(CAST(:groups AS jsonb)) AS wanted (key)
)
-- Transactions that lock the same groups in different orders would deadlock.
ORDER BY site_id, generation, number FOR NO KEY UPDATE

-- count_votes --
-- Set the comment pattern of a group by the votes of its pages. If the pattern changes, lock and
-- return the pages that need the group's pattern and do not await extraction.
WITH member AS MATERIALIZED (
    SELECT id, comment_vote FROM memberships JOIN pages ON id = page_id
    WHERE (memberships.site_id, memberships.generation, group_number)
        = (:site_id, :generation, :number) AND comment_vote IS NOT NULL
), winner AS (
    SELECT max(comment_vote COLLATE "C") FILTER (WHERE voters = most) AS pattern FROM (
        SELECT comment_vote, count(*) AS voters, max(count(*)) OVER () AS most FROM member
        WHERE comment_vote <> '' GROUP BY comment_vote
    ) AS counted
), changed AS (
    UPDATE template_groups SET comment_pattern = pattern FROM winner
    WHERE (site_id, generation, number) = (:site_id, :generation, :number)
        AND comment_pattern IS DISTINCT FROM pattern
    RETURNING number
)
SELECT id FROM pages
WHERE EXISTS (SELECT FROM changed) AND id IN (SELECT id FROM member WHERE comment_vote = '')
    AND outcome IS NOT NULL AND (generation, extracted_generation) = (:generation, :generation)
-- A page locked by another transaction is about to change, and is then extracted again.
ORDER BY id FOR NO KEY UPDATE SKIP LOCKED

-- lock_clustering --
-- Lock a site unless another process clusters it; return whether this succeeded, and whether an
-- attempt is recorded. If `is_counted`, the caller holds the clustering lock in another transaction.
SELECT CASE WHEN :is_counted OR pg_try_advisory_xact_lock(:clustering, hashint8(:site_id))
    THEN pg_advisory_xact_lock(:generation, hashint8(:site_id)) IS NOT NULL ELSE false END,
    EXISTS (SELECT FROM clustering_attempts WHERE site_id = :site_id)

-- site_state --
-- State of a site when its clustering starts: the columns of a `SiteState`, with trees if wanted.
SELECT version, generation, seen_version, is_new, compared_version, is_comparing, last_group, CASE
    WHEN :with_trees AND NOT is_comparing
        AND (compared_version IS NOT NULL OR is_new OR version > seen_version)
    THEN (
        SELECT coalesce(json_agg(json_build_array(id, digest, size) ORDER BY id), '[]') FROM trees
        WHERE id = ANY (coalesce(tree_ids, ARRAY(
            SELECT tree_id FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL
        )))
    ) END
FROM (
    SELECT version, coalesce(number, 0) AS generation, tree_ids,
        coalesce(generations.site_version, 0) AS seen_version, NOT EXISTS (
            SELECT FROM generations WHERE site_id = sites.id AND method <> :provisional
        ) AS is_new,
        site_comparisons.site_version AS compared_version,
        EXISTS (SELECT FROM comparison_blocks WHERE site_id = sites.id) AS is_comparing,
        coalesce((SELECT max(number) FROM template_groups WHERE site_id = sites.id), 0)
            AS last_group
    FROM sites
    LEFT JOIN generations ON generations.site_id = sites.id
    LEFT JOIN site_comparisons ON site_comparisons.site_id = sites.id
    WHERE sites.id = :site_id
    ORDER BY number DESC NULLS LAST LIMIT 1
) AS state

-- comparable --
-- Fragment: columns of a `ComparablePage`.
id, url, fetched_at, tree_id, content_digest,
CASE WHEN outcome IS NOT NULL THEN extraction_key END AS extraction_key,
forced, html_removed_at IS NULL AS has_html, comment_vote, lines, removable_lines, received_at

-- comparable_pages --
-- Pages of a site that have a tree, or a group in the given generation.
SELECT {comparable}, group_number
FROM pages LEFT JOIN page_contents ON page_contents.page_id = id
LEFT JOIN memberships
    ON (memberships.page_id, memberships.generation) = (id, CAST(:generation AS integer))
WHERE pages.site_id = :site_id AND (tree_id IS NOT NULL OR group_number IS NOT NULL)

-- add_generation --
-- Store a generation, based on version ``site_version`` of the site, and request extractions.
-- Delete the site's comparison, clustering request and attempts, and unused reference sets.
WITH compared AS (
    DELETE FROM site_comparisons WHERE site_id = :site_id
), sets AS (
    DELETE FROM reference_sets WHERE site_id = :site_id AND id <> ALL (CAST(:sets AS bigint[]))
), attempts AS (
    DELETE FROM clustering_attempts WHERE site_id = :site_id
), requests AS (
    DELETE FROM clustering_requests WHERE site_id = :site_id
), added_generation AS (
    INSERT INTO generations (site_id, number, site_version, method, silhouette)
    VALUES (:site_id, :number, :site_version, :method, :silhouette)
), cleared AS (
    UPDATE template_groups SET shared_lines = NULL
    WHERE site_id = :site_id AND generation < :number AND shared_lines IS NOT NULL
), {trees.added_distances}, {add_groups}, added_members AS (
    INSERT INTO memberships
        (page_id, site_id, generation, group_number, role, template_page_id, confidence)
    SELECT * FROM {members}
), {outbox.extractions}
SELECT

-- pages_of_generation --
-- Pages that were or will be extracted with a generation.
SELECT id FROM pages WHERE site_id = :site_id AND generation = :generation ORDER BY id

-- save_knowledge --
-- Insert or replace the template knowledge that was learned from contents of pages.
INSERT INTO page_knowledge (page_id, content_digest, packed)
SELECT * FROM unnest(
    CAST(:page_ids AS bigint[]), CAST(:digests AS text[]), CAST(:packed AS bytea[])
)
ON CONFLICT (page_id) DO UPDATE SET
    (content_digest, packed) = (excluded.content_digest, excluded.packed)

-- load_knowledge --
-- Stored template knowledge that was learned from the given contents of pages.
SELECT page_id, packed FROM page_knowledge
JOIN unnest(CAST(:page_ids AS bigint[]), CAST(:digests AS text[]))
    AS wanted (page_id, content_digest) USING (page_id, content_digest)

-- lock_pages --
-- Lock pages.
SELECT FROM pages WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id FOR UPDATE

-- add_members --
-- Fragment: insert or replace the memberships in `new`, and update the sizes of the groups.
changed AS (
    -- The number of pages by which each group grows or, if negative, shrinks.
    SELECT site_id, generation, group_number AS number, sum(change) AS change FROM (
        SELECT site_id, generation, group_number, 1 AS change FROM new
        UNION ALL
        SELECT memberships.site_id, generation, memberships.group_number, -1
        FROM memberships JOIN new USING (page_id, generation)
    ) AS each
    WHERE group_number IS NOT NULL
    GROUP BY site_id, generation, group_number HAVING sum(change) <> 0
), resized AS (
    -- Transactions that lock the same groups in different orders would deadlock.
    SELECT site_id, generation, number, change
    FROM template_groups JOIN changed USING (site_id, generation, number)
    ORDER BY site_id, generation, number FOR UPDATE OF template_groups
), members AS (
    INSERT INTO memberships
        (page_id, site_id, generation, group_number, role, template_page_id, confidence)
    SELECT * FROM new
    ON CONFLICT (page_id, generation) DO UPDATE SET
        (group_number, role, template_page_id, confidence) = (
            excluded.group_number, excluded.role, excluded.template_page_id, excluded.confidence
        )
), sized AS (
    UPDATE template_groups SET size = size + change FROM resized
    WHERE (template_groups.site_id, template_groups.generation, template_groups.number)
        = (resized.site_id, resized.generation, resized.number)
)

-- save_memberships --
-- Insert or replace the memberships of pages in a generation, and store computed distances.
WITH new AS (
    SELECT * FROM {members}
), {add_members}, {trees.added_distances}
SELECT

-- unassigned --
-- Given pages that await extraction, with the latest groups of their sites. A page may wait for a
-- clustering if it is new, and enough to make the clustering due, unless clusterings have failed.
SELECT pages.id, pages.site_id, url, tree_id, size, packed, coalesce(trace, '{}') AS trace,
    last.number AS generation, last.site_version, (
        SELECT json_agg(
            json_build_array(own.group_number, own.tree_id, trees.size, representative_id)
            ORDER BY own.group_number, own.tree_id
        )
        FROM group_representatives AS own JOIN trees ON trees.id = own.tree_id
        JOIN template_groups ON (template_groups.site_id, template_groups.generation, number)
            = (own.site_id, own.generation, own.group_number)
        WHERE (own.site_id, own.generation) = (pages.site_id, last.number)
    ) AS representatives,
    pages.generation = 0 AND refused IS NULL
        AND :growth * (SELECT count(*) FROM pages AS page WHERE page.site_id = pages.site_id) <= 1
        AND NOT EXISTS (SELECT FROM clustering_attempts WHERE site_id = pages.site_id) AS may_wait
FROM pages JOIN trees ON trees.id = tree_id CROSS JOIN LATERAL (
    SELECT number, site_version FROM generations
    WHERE site_id = pages.site_id ORDER BY number DESC LIMIT 1
) AS last
WHERE pages.id = ANY (CAST(:ids AS bigint[])) AND outcome IS NULL
ORDER BY pages.id

-- add_outliers --
-- Add pages to a generation as outliers, except those that already have a membership in it.
INSERT INTO memberships (page_id, generation, site_id, role)
SELECT unnest(CAST(:page_ids AS bigint[])), :generation, :site_id, 'outlier'
ON CONFLICT (page_id, generation) DO NOTHING

-- group_histories --
-- History of all past and present groups of a site, by number: the columns of a `GroupHistory`.
SELECT DISTINCT ON (template_groups.number) template_groups.number,
    min(created_at) OVER through, max(created_at) OVER through,
    CASE WHEN template_groups.generation = (
        SELECT max(number) FROM generations WHERE site_id = :site_id
    ) THEN size ELSE 0 END,
    max(size) OVER through, url
FROM template_groups
JOIN generations ON generations.site_id = template_groups.site_id
    AND generations.number = template_groups.generation
JOIN pages ON pages.id = representative_id
WHERE template_groups.site_id = :site_id
WINDOW through AS (PARTITION BY template_groups.number)
ORDER BY template_groups.number, template_groups.generation DESC
