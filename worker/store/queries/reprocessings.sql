-- State of the reprocessing of all sites: its progress, and when it may continue.

-- is_new_request --
-- Record a task, and return whether the task is being handled for the first time.
INSERT INTO followed_requests (task_id) VALUES (:task_id)
ON CONFLICT (task_id) DO NOTHING RETURNING id

-- begin --
-- Start a reprocessing of all existing sites; return False if one is already in progress.
INSERT INTO reprocessings (stage, pages_per_minute, last_site_id)
SELECT :stage, :rate, coalesce(max(id), 0) FROM sites
ON CONFLICT DO NOTHING RETURNING id

-- next_site --
-- Return the next site; if there is none, mark the reprocessing as ended and return None.
SELECT min(id) FROM sites WHERE id > :after AND id <= :last

-- cancel --
-- End the reprocessing before its last site; return False if nothing is in progress.
UPDATE reprocessings SET ended_at = now() WHERE ended_at IS NULL

-- sites_until --
-- Number of sites up to a site.
SELECT count(*) FROM sites WHERE id <= :site_id
