-- Comparisons in progress: a site's trees and unfinished blocks.

-- begin --
-- Record that the comparison of a site's trees has started.
INSERT INTO site_comparisons (site_id, site_version, tree_ids)
VALUES (:site_id, :version, CAST(:tree_ids AS bigint[]))

-- delete_comparisons --
-- Delete a site's comparison in progress, its reference sets, and all distances between its trees.
WITH trees AS (
    SELECT tree_id FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL
), comparison AS (
    DELETE FROM site_comparisons WHERE site_id = :site_id
), sets AS (
    DELETE FROM reference_sets WHERE site_id = :site_id
)
DELETE FROM distances
WHERE lower_tree_id IN (SELECT tree_id FROM trees) AND higher_tree_id IN (SELECT tree_id FROM trees)

-- count_planned --
-- Add to the number of comparisons planned for a site.
UPDATE sites SET pairs_planned = pairs_planned + :pairs WHERE id = :site_id

-- renew_late_blocks --
-- Mark overdue blocks as requested again, and return their IDs.
UPDATE comparison_blocks SET asked_at = now()
WHERE site_id = :site_id AND (
    asked_at <= now() - make_interval(secs => :patience)
    OR asked_at > now() + interval '1 minute'
)
RETURNING id

-- take_block --
-- Count an attempt to compare a block, and return the block; no row if the block is finished.
UPDATE comparison_blocks SET attempts = attempts + 1 WHERE id = :id
RETURNING id, site_id, reference_set_id, rows, columns, attempts

-- leave_rest --
-- Record that a task for the rest of a block was enqueued; return no row if the block is finished.
UPDATE comparison_blocks SET attempts = 0, asked_at = now() WHERE id = :id RETURNING id

-- lock_site --
-- Lock a site.
SELECT FROM sites WHERE id = :id FOR UPDATE

-- finish_block --
-- Delete a finished block; return whether it was the site's last, or no row if already deleted.
WITH finished AS (
    DELETE FROM comparison_blocks WHERE id = :id RETURNING site_id, pairs
)
UPDATE sites SET pairs_compared = pairs_compared + pairs
FROM finished WHERE sites.id = finished.site_id
RETURNING NOT EXISTS (
    SELECT FROM comparison_blocks AS others WHERE others.site_id = sites.id AND others.id <> :id
)

-- add_set --
-- Store a reference set if it does not exist.
INSERT INTO reference_sets (site_id, digest, tree_ids)
VALUES (:site_id, :digest, CAST(:tree_ids AS bigint[]))
ON CONFLICT (site_id, digest) DO NOTHING

-- id_of_set --
-- ID of a reference set.
SELECT id FROM reference_sets WHERE (site_id, digest) = (:site_id, :digest)

-- sets_of_site --
-- IDs and trees of a site's reference sets.
SELECT id, tree_ids FROM reference_sets WHERE site_id = :site_id ORDER BY id

-- load_nearest --
-- Stored nearest references of trees in a reference set.
SELECT tree_id, reference_id, distance FROM nearest_references
WHERE reference_set_id = :set_id AND tree_id = ANY (CAST(:ids AS bigint[]))

-- save_nearest --
-- Store the nearest references of trees that are not stored yet.
INSERT INTO nearest_references (reference_set_id, tree_id, reference_id, distance)
SELECT :set_id, * FROM unnest(
    CAST(:tree_ids AS bigint[]), CAST(:references AS bigint[]),
    CAST(:distances AS double precision[])
)
ON CONFLICT DO NOTHING
