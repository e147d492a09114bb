-- The transactional outbox: messages are written in the transaction that causes them.

-- enqueue_in_turn --
-- Fragment: enqueue the tasks in `requested`, and give each a turn in its lane.
-- A task that replaces an earlier request keeps the turn of that request (`kept`). `withdrawn` has
-- the IDs of the entries that the same statement deletes. Turns below 0 are those of short queues,
-- which have one half of each lane; the other half is for backlogs. `:is_short` chooses the half;
-- if it is NULL, the length of the site's queue decides.
--
-- `placed` lists each new task with the number of its site's new tasks, how many of these keep a
-- turn, the last turn kept, and the task's place among these; those that keep a turn come first.
placed AS (
    SELECT *, count(*) OVER site AS new_tasks, count(kept) OVER site AS kept_turns,
        max(kept) OVER site AS last_kept,
        row_number() OVER (PARTITION BY task, site_id ORDER BY kept, number) AS place
    FROM requested WINDOW site AS (PARTITION BY task, site_id)
), in_half AS (
    -- The site's latest turn, and whether its tasks still make up a short queue.
    SELECT placed.*, greatest(own.last, last_kept) AS last, coalesce(
        :is_short, site_id IS NOT NULL AND new_tasks + own.number <= :short
            AND coalesce(greatest(own.last, last_kept), -1) < 0
    ) AS is_short
    FROM placed CROSS JOIN LATERAL (
        SELECT count(*) AS number, max(turn) AS last FROM (
            SELECT turn FROM outbox
            WHERE lane = placed.task AND outbox.site_id = placed.site_id
                AND id NOT IN (SELECT id FROM withdrawn)
            ORDER BY turn DESC LIMIT :short
        ) AS latest
    ) AS own
), served AS (
    -- The turn last served in each half of each lane.
    SELECT lane, max(turn) FILTER (WHERE is_short) AS short,
        max(turn) FILTER (WHERE NOT is_short) AS backlog
    FROM outbox_turns WHERE lane IN (SELECT task FROM requested) GROUP BY lane
), grown AS (
    -- Tasks of queues that are no longer short, except those that a relay is publishing.
    SELECT id, turn, lane, site_id FROM outbox
    WHERE CAST(:is_short AS boolean) IS NULL AND turn < 0
        AND (lane, site_id) IN (SELECT task, site_id FROM in_half WHERE NOT is_short AND last < 0)
        AND id NOT IN (SELECT id FROM withdrawn)
    FOR UPDATE SKIP LOCKED
), moved AS (
    -- Give these tasks turns after the one last served in the backlog half.
    UPDATE outbox SET turn = ranked.turn FROM (
        SELECT id, coalesce(served.backlog, 0)
            + row_number() OVER (PARTITION BY lane, site_id ORDER BY grown.turn, id) AS turn
        FROM grown LEFT JOIN served USING (lane)
    ) AS ranked
    WHERE outbox.id = ranked.id
), enqueued AS (
    INSERT INTO outbox (task, site_id, arguments, headers, turn)
    SELECT task, site_id, arguments, trace, CASE
        -- A turn is kept only in the half to which it belongs.
        WHEN (kept < 0) = is_short THEN kept
        -- Otherwise, the task comes after the site's other tasks and after the turn last served.
        -- Its place is counted without the tasks that keep their turns.
        ELSE CASE WHEN site_id IS NULL THEN 1 ELSE place END
            - CASE WHEN (last_kept < 0) = is_short THEN kept_turns ELSE 0 END
            + CASE
                WHEN is_short
                    THEN greatest(coalesce(served.short, :first), CASE WHEN last < 0 THEN last END)
                ELSE greatest(coalesce(served.backlog, 0), last) + (
                    SELECT count(*) FROM grown WHERE (lane, site_id) = (task, in_half.site_id)
                )
            END
    END
    FROM in_half LEFT JOIN served ON served.lane = task
    ORDER BY number
)

-- add_tasks --
-- Enqueue tasks of one kind, each with its site (or NULL) and its arguments.
WITH withdrawn AS (
    SELECT id FROM outbox WHERE false
), requested AS (
    SELECT CAST(:task AS text) AS task, site_id, CAST(arguments AS jsonb) AS arguments,
        CAST(trace AS jsonb) AS trace, CAST(:turn AS bigint) AS kept, number
    FROM unnest(
        CAST(:sites AS bigint[]), CAST(:arguments AS text[]), CAST(:traces AS text[])
    ) WITH ORDINALITY AS requested (site_id, arguments, trace, number)
), {enqueue_in_turn}
SELECT

-- add_message --
-- Enqueue a plain message.
INSERT INTO outbox (exchange, routing_key, message_id, headers, body)
VALUES (:exchange, :routing_key, :message_id, CAST(:headers AS jsonb), :body)

-- assignments --
-- Fragment: record changes of `fetched` pages' sites; enqueue assignments for sites with groups.
withdrawn AS (
    SELECT id FROM outbox WHERE false
), touched AS (
    UPDATE sites SET version = version + changes, changed_at = now()
    FROM (SELECT site_id, count(*) AS changes FROM fetched WHERE is_changed GROUP BY 1) AS changed
    WHERE id = changed.site_id
    RETURNING id, version, EXISTS (
        SELECT FROM generations WHERE site_id = sites.id AND method <> 'provisional'
    ) AS has_groups
), requested AS (
    SELECT CAST(:task AS text) AS task, site_id,
        jsonb_build_object('page_id', page_id, 'site_version', version) AS arguments,
        trace, CAST(NULL AS bigint) AS kept, number
    FROM fetched JOIN touched ON touched.id = site_id
    WHERE is_assigned AND has_groups
), {enqueue_in_turn}

-- extractions --
-- Fragment: enqueue the extraction of pages with a generation, replacing a site's earlier requests.
withdrawn AS (
    DELETE FROM outbox WHERE id IN (
        SELECT id FROM outbox
        WHERE lane IN (:new_lane, :again_lane) AND site_id = CAST(:clustered_site AS bigint)
            AND CAST(arguments ->> 'page_id' AS bigint)
            = ANY (CAST(:extracted AS bigint[]) || CAST(:unchanged AS bigint[]))
        FOR UPDATE SKIP LOCKED
    )
    RETURNING id, lane, CAST(arguments ->> 'page_id' AS bigint) AS page_id, turn
), unchanged AS (
    UPDATE pages SET generation = :generation, extracted_generation = :generation
    WHERE id = ANY (CAST(:unchanged AS bigint[]))
), awaited AS (
    UPDATE pages SET generation = :generation, extracted_generation = :generation - 1,
        asked_at = now(), attempts = 0
    WHERE id = ANY (CAST(:extracted AS bigint[]))
        AND tree_id IS NOT NULL AND html_removed_at IS NULL
    RETURNING id, site_id, trace,
        CASE WHEN outcome IS NULL THEN :new_lane ELSE :again_lane END AS task
), requested AS (
    SELECT task, site_id,
        jsonb_build_object('page_id', awaited.id, 'generation', :generation) AS arguments,
        coalesce(trace, CAST(:trace AS jsonb)) AS trace, turn AS kept,
        row_number() OVER (ORDER BY awaited.id) AS number
    FROM awaited LEFT JOIN (
        SELECT lane, page_id, min(turn) AS turn FROM withdrawn GROUP BY lane, page_id
    ) AS former ON (lane, page_id) = (task, awaited.id)
), {enqueue_in_turn}

-- request_extractions --
-- Enqueue the extraction of pages with a generation.
WITH {extractions} SELECT

-- take_next --
-- Lock and return the next entries of lanes, skipping entries locked by another relay.
SELECT wanted.lane, entry.*
FROM unnest(CAST(:lanes AS text[]), CAST(:numbers AS integer[]), CAST(:shares AS integer[]))
    AS wanted (lane, number, share)
CROSS JOIN LATERAL (
    -- Lock entries in both halves of the lane: first in short queues, up to the number wanted, then
    -- as many in backlogs as the share of the short queues permits.
    WITH short AS (
        SELECT id, turn, coalesce(octet_length(body), 0) AS size FROM outbox
        WHERE lane = wanted.lane AND turn < 0 AND id <> ALL (CAST(:published AS bigint[]))
        ORDER BY turn, id LIMIT wanted.number FOR UPDATE SKIP LOCKED
    ), backlog AS (
        SELECT id, turn, coalesce(octet_length(body), 0) AS size FROM outbox
        WHERE lane = wanted.lane AND turn >= 0 AND id <> ALL (CAST(:published AS bigint[]))
        ORDER BY turn, id LIMIT (SELECT wanted.number - least(count(*), wanted.share) FROM short)
        FOR UPDATE SKIP LOCKED
    ), taken AS (
        (SELECT * FROM short
         ORDER BY turn, id LIMIT (SELECT wanted.number - count(*) FROM backlog))
        UNION ALL SELECT * FROM backlog
    ), sized AS (
        -- The total size of the entries before each one.
        SELECT id, sum(size) OVER (ORDER BY turn, id) - size AS before FROM taken
    )
    SELECT id, task, arguments, exchange, routing_key, headers, message_id, body
    FROM sized JOIN outbox USING (id)
    WHERE before < :max_bytes
    ORDER BY turn, id
) AS entry

-- lanes_waiting --
-- Return the given lanes that have entries.
SELECT lane FROM unnest(CAST(:lanes AS text[])) AS wanted (lane)
WHERE EXISTS (SELECT FROM outbox WHERE outbox.lane = wanted.lane)

-- remove --
-- Remove entries confirmed by the broker, and record that their turns were served.
WITH removed AS (
    DELETE FROM outbox WHERE id = ANY (CAST(:ids AS bigint[])) RETURNING lane, turn
)
INSERT INTO outbox_turns (lane, is_short, turn)
SELECT lane, turn < 0, max(turn) FROM removed WHERE lane IS NOT NULL
GROUP BY lane, turn < 0
ORDER BY lane, turn < 0  -- Relays that lock the same lanes in different orders would deadlock.
ON CONFLICT (lane, is_short) DO UPDATE SET turn = excluded.turn
WHERE outbox_turns.turn < excluded.turn

-- refuse --
-- Quarantine an entry that cannot be published, with the reason.
UPDATE outbox SET refused_at = now(), refusal = :refusal WHERE id = :id

-- is_refused --
-- Condition: an entry is in the relay's quarantine, and has the given message ID, if not NULL.
refused_at IS NOT NULL
AND (CAST(:message_id AS text) IS NULL OR message_id = :message_id)

-- refused --
-- Entries in the relay's quarantine, oldest first.
SELECT * FROM outbox WHERE {is_refused} ORDER BY id

-- retry_refused --
-- Take entries out of the relay's quarantine, so that they are published again.
UPDATE outbox SET refused_at = NULL, refusal = NULL WHERE {is_refused} RETURNING id

-- drop_refused --
-- Delete entries in the relay's quarantine.
DELETE FROM outbox WHERE {is_refused} RETURNING id

-- is_waiting --
-- Return whether tasks of a kind, optionally for one site, are waiting to be published.
SELECT EXISTS (
    SELECT FROM outbox
    WHERE lane = :task AND (CAST(:site_id AS bigint) IS NULL OR site_id = :site_id)
)

-- sites_waiting --
-- Return the sites for which tasks of a kind are waiting to be published.
SELECT DISTINCT site_id FROM outbox WHERE lane = :task

-- count_refused --
-- Number of entries in the relay's quarantine.
SELECT count(*) FROM outbox WHERE lane IS NULL
