-- Pages, their sites and contents, and the receipts for their messages.

-- lock_sites --
-- Lock existing sites.
SELECT key, id FROM sites WHERE key = ANY(CAST(:keys AS text[]))
ORDER BY key FOR UPDATE

-- add_sites --
-- Add sites, which locks them.
INSERT INTO sites (key) SELECT unnest(CAST(:keys AS text[]))
ON CONFLICT (key) DO NOTHING RETURNING key, id

-- touch_sites --
-- Record that pages of sites changed, and return the new states of the sites, by ID.
UPDATE sites SET version = version + 1, changed_at = now()
WHERE id = ANY (CAST(:ids AS bigint[]))
RETURNING id, version, EXISTS (
    SELECT FROM generations WHERE site_id = sites.id AND method <> 'provisional'
)

-- sites_of --
-- Return the site IDs of pages, by page ID.
SELECT id, site_id FROM pages WHERE id = ANY (CAST(:ids AS bigint[]))

-- force_revisions --
-- Make the next extraction of these pages publish a revision, even if nothing changed.
UPDATE pages SET forced = true
WHERE id = ANY (CAST(:ids AS bigint[])) AND tree_id IS NOT NULL

-- contents --
-- Stored contents of pages.
SELECT page_id, compressed, object_url, is_text FROM page_contents
WHERE page_id = ANY (CAST(:page_ids AS bigint[]))
