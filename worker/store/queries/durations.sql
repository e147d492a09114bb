-- Durations of work, counted in the database so that all processes share the histograms.

-- count --
-- Add to the counts and total times of histogram buckets.
INSERT INTO durations (slot, work, at_most, number, seconds)
SELECT :slot, counted.*
FROM unnest(
    CAST(:work AS text[]), CAST(:at_most AS float[]), CAST(:number AS bigint[]),
    CAST(:seconds AS float[])
) AS counted (work, at_most, number, seconds),
    -- Do not wait for the disk: a crash may lose the last counts.
    set_config('synchronous_commit', 'off', true)
ON CONFLICT ON CONSTRAINT pk_durations DO UPDATE SET
    number = durations.number + excluded.number,
    seconds = durations.seconds + excluded.seconds

-- histograms --
-- Number and total time of the executions in each histogram bucket, by kind of work.
SELECT work, at_most, sum(number), sum(seconds)
FROM durations GROUP BY work, at_most ORDER BY work
