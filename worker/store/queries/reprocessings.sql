-- State of the reprocessing of all sites: its progress, and when it may continue.

-- record_if_new --
-- Record a task; return a row only if it was not recorded before.
INSERT INTO followed_requests (task_id) VALUES (:task_id)
ON CONFLICT (task_id) DO NOTHING RETURNING id

-- begin --
-- Start a reprocessing of all existing sites; return its ID, or no row if one is in progress.
INSERT INTO reprocessings (stage, pages_per_minute, last_site_id)
SELECT :stage, :rate, coalesce(max(id), 0) FROM sites
ON CONFLICT DO NOTHING RETURNING id

-- lock_due --
-- Lock the reprocessing in progress if the rate allows another site.
SELECT id, stage, site_id, last_site_id FROM reprocessings
WHERE ended_at IS NULL AND resume_at <= now() FOR UPDATE SKIP LOCKED

-- next_site --
-- ID of the next site, or NULL if there is none.
SELECT min(id) FROM sites WHERE id > :after AND id <= :last

-- record_started_site --
-- Record that a site was started, and set when the rate allows the next one.
UPDATE reprocessings SET site_id = :site_id, pages = pages + :pages,
    resume_at = CASE WHEN pages_per_minute IS NULL THEN resume_at
        ELSE greatest(resume_at, now() - CAST(:catch_up AS interval))
            + :pages / pages_per_minute * interval '1 minute' END
WHERE id = :id

-- cancel --
-- Mark the reprocessing in progress, if any, as ended.
UPDATE reprocessings SET ended_at = now() WHERE ended_at IS NULL

-- progress --
-- Progress of the latest reprocessing.
SELECT stage, pages_per_minute,
    (SELECT count(*) FROM sites WHERE id <= site_id),
    (SELECT count(*) FROM sites WHERE id <= last_site_id),
    pages, ended_at IS NULL
FROM reprocessings ORDER BY id DESC LIMIT 1
