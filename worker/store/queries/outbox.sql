-- The transactional outbox: messages are written in the transaction that causes them.

-- add_tasks --
-- Enqueue tasks of one kind, each with its site (or None) and its arguments.
WITH requested AS (
    SELECT *, row_number() OVER (PARTITION BY site_id ORDER BY number) AS place,
        count(*) OVER (PARTITION BY site_id) AS together
    FROM unnest(
        CAST(:sites AS bigint[]), CAST(:arguments AS text[]), CAST(:traces AS text[])
    ) WITH ORDINALITY AS requested (site_id, arguments, trace, number)
), halved AS (
    SELECT requested.*, own.last, coalesce(
        :is_short, site_id IS NOT NULL
            AND together + own.number <= :short AND coalesce(own.last, -1) < 0
    ) AS is_short
    FROM requested CROSS JOIN LATERAL (
        SELECT count(*) AS number, max(turn) AS last FROM (
            SELECT turn FROM outbox
            WHERE lane = :task AND outbox.site_id = requested.site_id
            ORDER BY turn DESC LIMIT :short
        ) AS latest
    ) AS own
), served AS (
    SELECT coalesce(max(turn) FILTER (WHERE is_short), :first) AS short,
        coalesce(max(turn) FILTER (WHERE NOT is_short), 0) AS backlog
    FROM outbox_turns WHERE lane = :task
), grown AS (
    -- Tasks of queues that are no longer short, except those that a relay is publishing.
    SELECT id, turn, site_id FROM outbox
    WHERE CAST(:is_short AS boolean) IS NULL AND lane = :task AND turn < 0 AND site_id IN (
        SELECT site_id FROM halved WHERE NOT is_short AND last < 0
    ) FOR UPDATE SKIP LOCKED
), moved AS (
    UPDATE outbox SET turn = served.backlog + ranked.place
    FROM served, (
        SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY turn, id) AS place
        FROM grown
    ) AS ranked
    WHERE outbox.id = ranked.id
)
INSERT INTO outbox (task, site_id, arguments, headers, turn)
SELECT :task, site_id, CAST(arguments AS jsonb), CAST(trace AS jsonb),
    CASE WHEN site_id IS NULL THEN 1 ELSE place END
    + CASE
        WHEN is_short THEN greatest(served.short, CASE WHEN last < 0 THEN last END)
        ELSE greatest(served.backlog, last)
            + (SELECT count(*) FROM grown WHERE grown.site_id = halved.site_id)
    END
FROM halved, served
ORDER BY number

-- take_next --
-- Lock and return the next entries of lanes, skipping entries locked by another relay.
SELECT asked.lane, entry.*
FROM unnest(CAST(:lanes AS text[]), CAST(:numbers AS integer[]), CAST(:shares AS integer[]))
    AS asked (lane, number, share)
CROSS JOIN LATERAL (
    WITH short AS (
        SELECT id, turn, coalesce(octet_length(body), 0) AS size FROM outbox
        WHERE lane = asked.lane AND turn < 0
        ORDER BY turn, id LIMIT asked.number FOR UPDATE SKIP LOCKED
    ), backlog AS (
        SELECT id, turn, coalesce(octet_length(body), 0) AS size FROM outbox
        WHERE lane = asked.lane AND turn >= 0
        ORDER BY turn, id LIMIT (SELECT asked.number - least(count(*), asked.share) FROM short)
        FOR UPDATE SKIP LOCKED
    ), taken AS (
        (SELECT * FROM short
         ORDER BY turn, id LIMIT (SELECT asked.number - count(*) FROM backlog))
        UNION ALL SELECT * FROM backlog
    ), sized AS (
        SELECT id, sum(size) OVER (ORDER BY turn, id) - size AS before FROM taken
    )
    SELECT id, task, arguments, exchange, routing_key, headers, message_id, body
    FROM sized JOIN outbox USING (id)
    WHERE before < :max_bytes
    ORDER BY turn, id
) AS entry

-- lanes_waiting --
-- Return the given lanes that have entries.
SELECT lane FROM unnest(CAST(:lanes AS text[])) AS asked (lane)
WHERE EXISTS (SELECT FROM outbox WHERE outbox.lane = asked.lane)

-- remove --
-- Remove entries confirmed by the broker, and record that their turns were served.
WITH removed AS (
    DELETE FROM outbox WHERE id = ANY (CAST(:ids AS bigint[])) RETURNING lane, turn
)
INSERT INTO outbox_turns (lane, is_short, turn)
SELECT lane, turn < 0, max(turn) FROM removed WHERE lane IS NOT NULL
GROUP BY lane, turn < 0
ORDER BY lane, turn < 0  -- Relays that remove entries of the same lanes lock them in one order.
ON CONFLICT (lane, is_short) DO UPDATE SET turn = excluded.turn
WHERE outbox_turns.turn < excluded.turn

-- refuse --
-- Set aside an entry that cannot be published, with the reason.
UPDATE outbox SET refused_at = now(), refusal = :refusal WHERE id = :id

-- is_refused --
-- Condition: an entry was set aside, and has the given message ID, if not NULL.
refused_at IS NOT NULL
AND (CAST(:message_id AS text) IS NULL OR message_id = :message_id)

-- refused --
-- Entries that were set aside, oldest first.
SELECT * FROM outbox WHERE {is_refused} ORDER BY id

-- retry_refused --
-- Give the entries that were set aside back to the relay.
UPDATE outbox SET refused_at = NULL, refusal = NULL WHERE {is_refused}

-- drop_refused --
-- Delete entries that were set aside.
DELETE FROM outbox WHERE {is_refused}

-- withdraw --
-- Remove a site's tasks by the values of one argument; return their turns by task and value.
DELETE FROM outbox
WHERE id IN (
    SELECT id FROM outbox
    WHERE lane = ANY(CAST(:tasks AS text[])) AND site_id = :site_id
        AND CAST(arguments ->> :argument AS bigint) = ANY(CAST(:values AS bigint[]))
    FOR UPDATE SKIP LOCKED
)
RETURNING task, CAST(arguments ->> :argument AS bigint), turn

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
-- Return the number of entries set aside.
SELECT count(*) FROM outbox WHERE lane IS NULL
