-- Trees and the distances between them; equal trees are stored once.

-- stored --
-- Fragment: the given trees; new ones are stored, the others locked until the transaction ends.
known_trees AS (
    -- Locked, so that they are not removed before pages refer to them.
    SELECT digest, id FROM trees WHERE digest = ANY (CAST(:digests AS text[]))
    ORDER BY digest FOR KEY SHARE
), added_trees AS (
    -- Transactions that insert the same rows in different orders would deadlock.
    INSERT INTO trees (digest, size, packed) SELECT * FROM unnest(
        CAST(:digests AS text[]), CAST(:sizes AS integer[]), CAST(:packed AS bytea[])
    ) AS new (digest, size, packed)
    WHERE digest NOT IN (SELECT digest FROM known_trees) ORDER BY digest
    -- Another transaction may have stored a tree meanwhile; only an update returns its ID.
    ON CONFLICT (digest) DO UPDATE SET size = excluded.size RETURNING digest, id
), stored_trees AS (
    SELECT * FROM known_trees UNION ALL SELECT * FROM added_trees
)

-- save_trees --
-- Store trees that are not stored yet; return the IDs of all by digest.
WITH {stored} SELECT * FROM stored_trees

-- load_trees --
-- Stored trees, in ascending order of ID.
SELECT id, packed FROM trees WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id

-- detach_trees --
-- Detach trees from their pages; return the site and the ID of each page.
WITH own AS (
    SELECT id FROM pages WHERE tree_id = ANY (CAST(:ids AS bigint[]))
    -- Transactions that lock the same pages in different orders would deadlock.
    ORDER BY id FOR UPDATE
)
UPDATE pages SET tree_id = NULL FROM own WHERE pages.id = own.id
RETURNING site_id, pages.id

-- remove_trees --
-- Delete trees.
DELETE FROM trees WHERE id = ANY (CAST(:ids AS bigint[]))

-- known_distances --
-- Stored distances between two sets of trees, by ordered pair of IDs.
SELECT lower_tree_id, higher_tree_id, distance FROM distances
WHERE lower_tree_id = ANY (CAST(:rows AS bigint[]))
        AND higher_tree_id = ANY (CAST(:columns AS bigint[]))
    OR lower_tree_id = ANY (CAST(:columns AS bigint[]))
        AND higher_tree_id = ANY (CAST(:rows AS bigint[]))

-- distances_among --
-- Stored distances among trees, by ordered pair of IDs.
SELECT lower_tree_id, higher_tree_id, distance FROM distances
WHERE lower_tree_id = ANY (CAST(:tree_ids AS bigint[]))
    AND higher_tree_id = ANY (CAST(:tree_ids AS bigint[]))

-- added_distances --
-- Fragment: store distances by ordered pair of tree IDs, without replacing stored ones.
added_distances AS (
    INSERT INTO distances (lower_tree_id, higher_tree_id, distance) SELECT * FROM unnest(
        CAST(:lower AS bigint[]), CAST(:higher AS bigint[]), CAST(:distances AS integer[])
    )
    ON CONFLICT DO NOTHING
)

-- save_distances --
-- Store distances by ordered pair of tree IDs, without replacing stored ones.
WITH {added_distances} SELECT
