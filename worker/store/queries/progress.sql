-- Progress, pending work and failures, for operators, monitoring and command-line runs.

-- run_progress --
-- Counts of a run's messages and pages, and of comparisons on the sites of these pages.
WITH received AS (
    -- A redelivered message may have several receipts; the first holds its result.
    SELECT DISTINCT ON (message_id) result, reason FROM receipts
    WHERE message_id LIKE :pattern ORDER BY message_id, id
), own AS MATERIALIZED (
    SELECT id, site_id, outcome, generation > 0 OR outcome IS NOT NULL AS is_grouped,
        outcome IS NULL OR forced OR extracted_generation < generation AS is_pending
    FROM pages WHERE id IN (SELECT page_id FROM receipts WHERE message_id LIKE :pattern)
)
SELECT
    (SELECT count(*) FROM received) AS received,
    (SELECT coalesce(json_object_agg(result, number ORDER BY result), '{}') FROM (
        SELECT result, count(*) AS number FROM received GROUP BY result
    ) AS counted) AS results,
    (SELECT coalesce(json_object_agg(reason, number ORDER BY reason), '{}') FROM (
        SELECT reason, count(*) AS number FROM received WHERE reason IS NOT NULL GROUP BY reason
    ) AS counted) AS quarantine_reasons,
    (SELECT count(*) FROM own) AS pages,
    (SELECT CAST(coalesce(sum(pairs_planned), 0) AS bigint) FROM sites
     WHERE id IN (SELECT site_id FROM own)) AS pairs,
    (SELECT CAST(coalesce(sum(pairs_compared), 0) AS bigint) FROM sites
     WHERE id IN (SELECT site_id FROM own)) AS compared,
    (SELECT count(*) FROM own WHERE is_grouped) AS grouped,
    (SELECT count(*) FROM own WHERE is_pending)
        + (SELECT count(*) FROM waiting_fetches WHERE page_id IN (SELECT id FROM own)) AS pending,
    (SELECT coalesce(json_object_agg(outcome, number ORDER BY outcome), '{}') FROM (
        SELECT outcome, count(*) AS number FROM own WHERE outcome IS NOT NULL GROUP BY outcome
    ) AS counted) AS outcomes,
    (SELECT count(*) FROM outbox WHERE lane IS NOT NULL) AS outbox,
    (SELECT count(*) FROM page_parts
     WHERE version > seen_version AND page_id IN (SELECT id FROM own)) AS parts

-- sites_of_run --
-- Keys of the sites to which a run's messages belong.
SELECT DISTINCT key FROM sites
JOIN pages ON site_id = sites.id
JOIN receipts ON page_id = pages.id
WHERE message_id LIKE :pattern

-- received --
-- IDs of the messages of a run that were received, in order.
SELECT DISTINCT message_id FROM receipts WHERE message_id LIKE :pattern ORDER BY message_id

-- site_statuses --
-- State of the given sites, or of all if NULL: the columns of `SiteStatus`.
WITH chosen AS (
    SELECT id, key FROM sites
    WHERE CAST(:keys AS text[]) IS NULL OR key = ANY (CAST(:keys AS text[]))
), by_outcome AS (
    SELECT site_id, coalesce(outcome, :pending) AS outcome, count(*) AS pages,
        count(*) FILTER (
            WHERE outcome IS NOT NULL AND (forced OR extracted_generation < generation)
        ) AS again,
        count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful) AS doubtful,
        count(*) FILTER (WHERE outcome = 'article' AND asked_at > now() - CAST(:lately AS interval))
            AS recent,
        count(*) FILTER (
            WHERE outcome = 'article' AND confidence < :doubtful
                AND asked_at > now() - CAST(:lately AS interval)
        ) AS recently_doubtful
    FROM chosen JOIN pages ON site_id = chosen.id GROUP BY site_id, outcome
), counted AS (
    SELECT site_id, json_object_agg(outcome, pages ORDER BY outcome) AS outcomes,
        CAST(sum(pages) AS bigint) AS pages, CAST(sum(again) AS bigint) AS again,
        CAST(sum(pages) FILTER (WHERE outcome = :pending) AS bigint) AS pending,
        CAST(sum(doubtful) AS bigint) AS doubtful,
        sum(recently_doubtful) >= :least AND 2 * sum(recently_doubtful) > sum(recent) AS dark
    FROM by_outcome GROUP BY site_id
)
SELECT key, coalesce(pages, 0) AS pages, coalesce(pending, 0) AS pending,
    coalesce(again, 0) AS again, coalesce(last.number, 0) AS generation,
    ARRAY(
        SELECT ARRAY[template_groups.number, size] FROM template_groups
        WHERE site_id = chosen.id AND generation = last.number ORDER BY template_groups.number
    ) AS groups,
    (SELECT count(*) FROM memberships
     WHERE site_id = chosen.id AND generation = last.number AND group_number IS NULL) AS outliers,
    silhouette, coalesce(outcomes, '{}') AS outcomes,
    (SELECT since FROM design_changes
     WHERE site_id = chosen.id ORDER BY generation DESC LIMIT 1) AS changed_design,
    attempts.quarantined_at AS not_clustered_since, attempts.number AS attempts, attempts.error,
    coalesce(doubtful, 0) AS doubtful, coalesce(dark, false) AS dark
FROM chosen LEFT JOIN counted ON counted.site_id = chosen.id
LEFT JOIN clustering_attempts AS attempts
    ON attempts.site_id = chosen.id AND quarantined_at IS NOT NULL
LEFT JOIN LATERAL (
    SELECT number, silhouette FROM generations WHERE site_id = chosen.id
    ORDER BY number DESC LIMIT 1
) AS last ON true
ORDER BY key

-- id_of_site --
-- ID of a site.
SELECT id FROM sites WHERE key = :key

-- service_counts --
-- Counts that monitoring exposes: the columns of `ServiceCounts`.
WITH last AS (
    SELECT site_id, max(number) AS generation FROM generations GROUP BY site_id
)
SELECT
    (SELECT coalesce(json_object_agg(outcome, number ORDER BY outcome), '{}') FROM (
        SELECT coalesce(outcome, :pending) AS outcome, count(*) AS number
        FROM pages GROUP BY pages.outcome
    ) AS counted) AS outcomes,
    (SELECT count(*) FROM sites) AS sites,
    (SELECT count(*) FROM template_groups JOIN last USING (site_id, generation)) AS groups,
    (SELECT count(*) FROM memberships JOIN last USING (site_id, generation)
     WHERE group_number IS NULL) AS outliers,
    (SELECT count(*) FROM generations) AS generations,
    -- Superseded articles may have been removed.
    (SELECT CAST(coalesce(sum(revision), 0) AS bigint) FROM pages) AS articles,
    (SELECT coalesce(json_object_agg(key, number ORDER BY key), '{}') FROM (
        SELECT key, count(*) AS number FROM design_changes JOIN sites ON sites.id = site_id
        GROUP BY key
    ) AS counted) AS design_changes,
    (SELECT coalesce(json_object_agg(key, number ORDER BY key), '{}') FROM (
        SELECT site_id, count(*) FILTER (WHERE confidence < :doubtful) AS number FROM pages
        WHERE outcome = 'article' AND asked_at > now() - CAST(:lately AS interval)
        GROUP BY site_id
        HAVING count(*) FILTER (WHERE confidence < :doubtful) >= :least
            AND 2 * count(*) FILTER (WHERE confidence < :doubtful) > count(*)
    ) AS counted JOIN sites ON sites.id = site_id) AS doubtful,
    (SELECT coalesce(json_object_agg(key, number ORDER BY key), '{}') FROM (
        SELECT site_id, count(*) FILTER (WHERE outcome = 'wall') AS number FROM pages
        WHERE outcome IS NOT NULL AND asked_at > now() - CAST(:lately AS interval)
        GROUP BY site_id
        HAVING count(*) FILTER (WHERE outcome = 'wall') >= :least
            AND 2 * count(*) FILTER (WHERE outcome = 'wall') > count(*)
    ) AS counted JOIN sites ON sites.id = site_id) AS walls,
    (SELECT count(*) FROM pages
     WHERE outcome IS NULL OR forced OR extracted_generation < generation) AS waiting,
    (SELECT coalesce(CAST(extract(epoch FROM now() - min(waiting_since)) AS float), 0)
     FROM pages WHERE outcome IS NULL) AS longest_wait_seconds,
    (SELECT count(*) FROM clustering_attempts
     WHERE quarantined_at IS NOT NULL) AS sites_in_quarantine,
    (SELECT coalesce(json_object_agg(task, number ORDER BY task), '{}') FROM (
        SELECT task, count(*) AS number FROM task_failures
        WHERE failed_at >= now() - make_interval(secs => :recent) GROUP BY task
    ) AS counted) AS recent_failures,
    (SELECT count(*) FROM outbox WHERE lane IS NOT NULL) AS outbox,
    (SELECT json_object_agg(
        work, coalesce(CAST(extract(epoch FROM now() - since) AS float), 0)
    ) FROM (
        SELECT 'relay' AS work, min(created_at) AS since FROM outbox WHERE lane IS NOT NULL
        UNION ALL SELECT 'compare', min(asked_at) FROM comparison_blocks
        UNION ALL
        SELECT 'extract', min(asked_at) FROM pages WHERE extracted_generation < generation
    ) AS oldest) AS oldest_seconds

-- is_backlog_full --
-- Return whether the pages without an outcome, or the messages in the outbox, reach a limit.
SELECT :most <= (
    SELECT count(*) FROM (
        SELECT FROM pages
        WHERE outcome IS NULL
            OR :counts_repeated AND (forced OR extracted_generation < generation)
        LIMIT :most
    ) AS pages
) OR :most <= (
    SELECT count(*) FROM (
        SELECT FROM outbox WHERE lane <> ALL (CAST(:repeated AS text[])) LIMIT :most
    ) AS messages
)

-- last_failures --
-- Return the latest failure of each given task that has failed, by task ID.
SELECT DISTINCT ON (task_id) task_id, failed_at, error, traceback FROM task_failures
WHERE task_id = ANY (CAST(:ids AS text[]))
ORDER BY task_id, id DESC

-- forget_attempts --
-- Reset the attempt counts of unfinished work.
WITH extractions AS (
    UPDATE pages SET attempts = 0
    WHERE attempts > 0 AND (outcome IS NULL OR forced OR extracted_generation < generation)
), blocks AS (
    UPDATE comparison_blocks SET attempts = 0 WHERE attempts > 0
)
DELETE FROM clustering_attempts WHERE quarantined_at IS NULL

-- record_failure --
-- Record the error of a task that failed.
INSERT INTO task_failures (task_id, task, error, traceback)
VALUES (:task_id, :task, :error, :traceback)

-- count_joined --
-- Numbers of a site's joined addresses, by kind, and of further spellings (kind `form`).
SELECT name, sum(number) FROM addresses CROSS JOIN LATERAL (VALUES
    (coalesce(kind, 'canonical'), CAST(joined_at IS NOT NULL AS integer)),
    ('form', greatest(cardinality(spellings) - 1, 0))
) AS counted (name, number)
WHERE site_id = :site_id
GROUP BY name HAVING sum(number) > 0 ORDER BY name COLLATE "C"
