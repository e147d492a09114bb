-- Requests and attempts to cluster sites; a site in quarantine is no longer clustered.

-- may_begin --
-- Condition: a site is not in quarantine, and the pause after its latest attempt is over.
clustering_attempts.quarantined_at IS NULL AND (
    clustering_attempts.began_at <= now() - {pause}
    OR clustering_attempts.began_at > now() + interval '1 minute'
)

-- pause --
-- Fragment: the pause after the latest attempt.
make_interval(secs => coalesce(
    (CAST(:pauses_seconds AS double precision[]))[clustering_attempts.number], 0
))

-- begin --
-- Delete the request for a site's clustering; count an attempt if the clustering may start now.
WITH taken AS (
    DELETE FROM clustering_requests WHERE site_id = :site_id
)
INSERT INTO clustering_attempts (site_id, number)
VALUES (:site_id, CASE WHEN :has_crashed THEN 2 ELSE 1 END)
ON CONFLICT (site_id) DO UPDATE
SET number = clustering_attempts.number + 1, began_at = now() WHERE {may_begin}
RETURNING number

-- record_requests --
-- Record that clustering was requested for sites.
INSERT INTO clustering_requests (site_id) SELECT unnest(CAST(:site_ids AS bigint[]))
ON CONFLICT (site_id) DO UPDATE SET asked_at = now()

-- delete_request --
-- Delete the clustering request of a site, since a worker has picked it up.
DELETE FROM clustering_requests WHERE site_id = :site_id

-- record_error --
-- Record a site's clustering error, delete the request, and count the attempt if not yet counted.
-- The whole error, with its traceback, is stored in `task_failures`.
WITH taken AS (
    DELETE FROM clustering_requests WHERE site_id = :site_id
)
INSERT INTO clustering_attempts (site_id, number, error) VALUES (:site_id, 1, left(:error, 500))
ON CONFLICT (site_id) DO UPDATE SET error = excluded.error

-- quarantine_site --
-- Put a site into quarantine, and subtract the attempt that was counted but not made.
UPDATE clustering_attempts SET number = number - 1, quarantined_at = now()
WHERE site_id = :site_id
RETURNING quarantined_at, number, error

-- finish --
-- Delete a site's request and attempts: no clustering is needed, or it waits for comparisons.
WITH taken AS (
    DELETE FROM clustering_requests WHERE site_id = :site_id
)
DELETE FROM clustering_attempts WHERE site_id = :site_id

-- delete_attempts --
-- Delete a site's attempts, which also ends its quarantine.
DELETE FROM clustering_attempts WHERE site_id = :site_id

-- growth --
-- Fragment: the number of pages assigned since the last clustering, of which those that fit a group
-- count as a quarter.
(
    SELECT count(*) - 0.75 * count(group_number) FROM memberships
    WHERE (site_id, generation) = (sites.id, last.number) AND confidence IS NOT NULL
)

-- fitting --
-- Fragment: the number of pages assigned to a group since the last clustering, or just arrived.
(
    SELECT count(group_number) FROM memberships
    WHERE (site_id, generation) = (sites.id, last.number) AND confidence IS NOT NULL
) + (
    SELECT count(*) FROM pages WHERE site_id = sites.id AND outcome IS NULL
        AND waiting_since > now() - make_interval(secs => :first_silence)
)

-- due --
-- Settled sites whose pages have changed since the last clustering: ID, whether new, page count.
-- A site is not clustered merely because time has passed if all changes are pages that fit a group.
SELECT sites.id, last.at IS NULL, (SELECT count(*) FROM pages WHERE site_id = sites.id)
FROM sites LEFT JOIN (
    SELECT site_id, max(site_version) AS version, max(number) AS number,
        max(created_at) FILTER (WHERE method <> :provisional) AS at
    FROM generations GROUP BY site_id
) AS last ON last.site_id = sites.id
LEFT JOIN (
    SELECT site_id, min(asked_at) AS oldest FROM comparison_blocks GROUP BY site_id
) AS blocks ON blocks.site_id = sites.id
LEFT JOIN clustering_requests AS requests ON requests.site_id = sites.id
WHERE sites.version > coalesce(last.version, 0)
    AND NOT EXISTS (
        SELECT FROM clustering_attempts WHERE site_id = sites.id AND NOT ({may_begin})
    )
    AND (requests.asked_at IS NULL OR (
        requests.asked_at <= now() - make_interval(secs => :patience)
        OR requests.asked_at > now() + interval '1 minute'
    ))
    AND (blocks.oldest IS NULL OR (
        blocks.oldest <= now() - make_interval(secs => :patience)
        OR blocks.oldest > now() + interval '1 minute'
    ))
    AND (
        changed_at > now() + interval '1 minute'
        OR changed_at <= now() - make_interval(secs => :silence)
            AND (last.at IS NULL OR {growth} >= :growth * (
                SELECT count(*) FROM pages WHERE site_id = sites.id
            ))
        -- New pages of a site with few pages may wait for its clustering.
        OR last.at <= now() - make_interval(secs => CASE
            WHEN :growth * (SELECT count(*) FROM pages WHERE site_id = sites.id) <= 1
            THEN :first_longest ELSE :longest END)
            AND sites.version - last.version > {fitting}
        OR last.at > now() + interval '1 minute'
        OR last.at IS NULL AND (
            :most > 0 AND ({progress.is_backlog_full})
            OR changed_at <= now() - make_interval(secs => :first_silence)
            OR (SELECT min(received_at) FROM pages WHERE site_id = sites.id)
                <= now() - make_interval(secs => :first_longest)
        )
    )
ORDER BY changed_at, sites.id
