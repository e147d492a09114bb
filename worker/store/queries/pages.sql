-- Pages, their sites and contents, and the receipts for their messages.

-- lock_sites --
-- Lock existing sites.
SELECT key, id FROM sites WHERE key = ANY(CAST(:keys AS text[]))
-- NO KEY lets a clustering, which may hold locks needed here, insert rows that refer to the site.
ORDER BY key FOR NO KEY UPDATE

-- add_sites --
-- Add sites, which locks them.
INSERT INTO sites (key) SELECT unnest(CAST(:keys AS text[]))
ON CONFLICT (key) DO NOTHING RETURNING key, id

-- touch_site --
-- Record that pages of a site changed.
UPDATE sites SET version = version + 1, changed_at = now() WHERE id = :site_id

-- sites_of --
-- Return the site IDs of pages, by page ID.
SELECT id, site_id FROM pages WHERE id = ANY (CAST(:ids AS bigint[]))

-- sites_named --
-- Sites with a given name; a key is the name, or begins with the name and an at sign.
SELECT id, key FROM sites
WHERE key = :name OR starts_with(key, CAST(:name AS text) || '@') ORDER BY id

-- key_of_site --
-- Key of a site.
SELECT key FROM sites WHERE id = :site_id

-- reprocessable_page_ids --
-- Pages of a site whose HTML is stored, except those joined to other pages.
SELECT id FROM pages
WHERE site_id = :site_id AND html_removed_at IS NULL AND outcome IS DISTINCT FROM 'joined'
ORDER BY id

-- pending_with_tree --
-- Pages of a site that have a tree and await extraction.
SELECT id FROM pages
WHERE site_id = :site_id AND tree_id IS NOT NULL AND html_removed_at IS NULL
    AND (outcome IS NULL OR forced OR extracted_generation < generation)
ORDER BY id

-- force_revisions --
-- Make the next extraction of these pages publish a revision, even if nothing changed.
UPDATE pages SET forced = true
WHERE id = ANY (CAST(:ids AS bigint[])) AND tree_id IS NOT NULL

-- contents --
-- Stored contents of pages.
SELECT page_id, compressed, object_url, is_text FROM page_contents
WHERE page_id = ANY (CAST(:page_ids AS bigint[]))

-- add_receipts --
-- Record the results of handling messages.
INSERT INTO receipts (message_id, result, reason, page_id)
SELECT * FROM jsonb_to_recordset(CAST(:receipts AS jsonb))
    AS new (message_id text, result text, reason text, page_id bigint)
