-- Removal of expired data and of sites.

-- ungroup --
-- Delete everything that refers to more than one page of a site (version 0: no clustering).
WITH unversioned AS (UPDATE sites SET version = 0 WHERE id = :site_id),
tasks AS (DELETE FROM outbox WHERE site_id = :site_id AND task IS NOT NULL),
requests AS (DELETE FROM clustering_requests WHERE site_id = :site_id),
attempts AS (DELETE FROM clustering_attempts WHERE site_id = :site_id),
comparisons AS (DELETE FROM site_comparisons WHERE site_id = :site_id),
reference_trees AS (DELETE FROM reference_sets WHERE site_id = :site_id),
trees AS (DELETE FROM group_representatives WHERE site_id = :site_id),
groups AS (DELETE FROM template_groups WHERE site_id = :site_id),
changes AS (DELETE FROM design_changes WHERE site_id = :site_id),
members AS (DELETE FROM memberships WHERE site_id = :site_id)
DELETE FROM generations WHERE site_id = :site_id

-- lock_some_pages --
-- Lock some pages of a site.
SELECT id FROM pages WHERE site_id = :site_id ORDER BY id LIMIT :most FOR UPDATE

-- delete_pages --
-- Delete pages with everything that belongs to them.
DELETE FROM pages WHERE id = ANY (:ids)

-- delete_site --
-- Delete a site without pages.
DELETE FROM sites WHERE id = :site_id
