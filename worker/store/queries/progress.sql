-- Progress, pending work and failures, for operators, monitoring and command-line runs.

-- pages_by_outcome --
-- Pages by site and outcome, with the numbers of repeated extractions and doubtful articles.
SELECT site_id, coalesce(outcome, :pending), count(*),
    count(*) FILTER (
        WHERE outcome IS NOT NULL AND (forced OR extracted_generation < generation)
    ),
    count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful)
FROM pages
WHERE CAST(:ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:ids AS bigint[]))
GROUP BY site_id, outcome

-- last_generations --
-- Latest generation of each site: silhouette, group sizes, and outliers.
SELECT site_id, number, silhouette,
    ARRAY(
        SELECT ARRAY[template_groups.number, size] FROM template_groups
        WHERE template_groups.site_id = last.site_id AND generation = last.number
        ORDER BY template_groups.number
    ),
    (SELECT count(*) FROM memberships
     WHERE memberships.site_id = last.site_id AND generation = last.number
        AND group_number IS NULL)
FROM (
    SELECT DISTINCT ON (site_id) site_id, number, silhouette FROM generations
    WHERE CAST(:ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:ids AS bigint[]))
    ORDER BY site_id, number DESC
) AS last

-- service_counts --
-- Return the counts that monitoring exposes.
WITH last AS (
    SELECT site_id, max(number) AS generation FROM generations GROUP BY site_id
)
SELECT
    (SELECT count(*) FROM sites) AS sites,
    (SELECT count(*) FROM template_groups JOIN last USING (site_id, generation)) AS groups,
    (SELECT count(*) FROM memberships JOIN last USING (site_id, generation)
     WHERE group_number IS NULL) AS outliers,
    (SELECT count(*) FROM generations) AS generations,
    -- Superseded articles may have been removed.
    (SELECT CAST(coalesce(sum(revision), 0) AS bigint) FROM pages) AS articles

-- longest_wait_seconds --
-- Return the longest time for which a page has had no outcome, or 0 if all pages have one.
SELECT extract(epoch FROM now() - min(waiting_since)) FROM pages WHERE outcome IS NULL

-- oldest_seconds --
-- Return the age of the oldest open request, by kind of work; see `ServiceCounts`.
SELECT work, coalesce(CAST(extract(epoch FROM now() - since) AS float), 0)
FROM (
    SELECT 'relay' AS work, min(created_at) AS since FROM outbox WHERE lane IS NOT NULL
    UNION ALL SELECT 'compare', min(asked_at) FROM comparison_blocks
    UNION ALL
    SELECT 'extract', min(asked_at) FROM pages WHERE extracted_generation < generation
) AS oldest

-- count_waiting --
-- Return the number of pages that have no outcome yet, or are to be extracted again.
SELECT count(*) FROM pages
WHERE outcome IS NULL OR forced OR extracted_generation < generation

-- keys_of_sites --
-- Keys of sites.
SELECT key, id FROM sites WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY key

-- is_backlog_full --
-- Return whether pages without an outcome, or unpublished messages, reach a limit (0: none).
SELECT :most <= (
    SELECT count(*) FROM (
        SELECT FROM pages WHERE outcome IS NULL LIMIT :most
    ) AS pages
) OR :most <= (
    SELECT count(*) FROM (
        SELECT FROM outbox WHERE lane <> ALL (CAST(:repeated AS text[])) LIMIT :most
    ) AS messages
)

-- is_backlog_nearly_full --
-- Return whether pending pages or messages, including repeated ones, nearly reach a limit.
SELECT :most <= (
    SELECT count(*) FROM (
        SELECT FROM pages
        WHERE outcome IS NULL OR forced OR extracted_generation < generation LIMIT :most
    ) AS pages
) OR :most <= (
    SELECT count(*) FROM (SELECT FROM outbox WHERE lane IS NOT NULL LIMIT :most) AS messages
)

-- walled_sites --
-- Return the number of recent walls, by site, for sites where they are the majority.
SELECT site_id, count(*) FILTER (WHERE outcome = 'wall') AS walls FROM pages
WHERE asked_at > now() - CAST(:lately AS interval) AND outcome IS NOT NULL
GROUP BY site_id
HAVING count(*) FILTER (WHERE outcome = 'wall') >= :least
    AND 2 * count(*) FILTER (WHERE outcome = 'wall') > count(*)

-- doubts_of_sites --
-- Return the counts for the given sites (all if None) that have recent doubtful articles.
SELECT site_id, count(*), count(*) FILTER (WHERE confidence < :doubtful) FROM pages
WHERE outcome = 'article' AND asked_at > now() - CAST(:lately AS interval)
    AND (CAST(:ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:ids AS bigint[])))
GROUP BY site_id HAVING bool_or(confidence < :doubtful)

-- last_failures --
-- Return the latest failure of each given task that has failed, by task ID.
SELECT DISTINCT ON (task_id) task_id, failed_at, error, traceback FROM task_failures
WHERE task_id = ANY (CAST(:ids AS text[]))
ORDER BY task_id, id DESC

-- count_failures --
-- Return the number of failures in the last ``seconds``, by task name.
SELECT task, count(*) FROM task_failures
WHERE failed_at >= now() - make_interval(secs => :seconds)
GROUP BY task ORDER BY task
