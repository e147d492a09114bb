-- Removal of expired data and of sites.

-- html_is_removable --
-- Condition: a page's HTML is old, no page is compared with it, and its outcome is final.
html_removed_at IS NULL
AND NOT (outcome IS NULL OR forced OR extracted_generation < pages.generation)
AND outcome NOT IN ('failed', 'needs-rendering')
AND EXISTS (
    SELECT FROM page_contents WHERE page_id = pages.id AND stored_at <= now() - :age
) AND NOT EXISTS (
    SELECT FROM template_groups JOIN memberships
        ON memberships.page_id = representative_id
        AND memberships.generation = template_groups.generation
    WHERE template_groups.site_id = pages.site_id
        AND template_groups.generation = (
            SELECT max(number) FROM generations WHERE site_id = pages.site_id
        )
        AND (representative_id = pages.id OR template_page_id = pages.id)
)

-- is_superseded --
-- Condition: an article is old, and its page has a later revision.
articles.revision < (SELECT revision FROM pages WHERE id = articles.page_id)
AND created_at <= now() - :age

-- membership_is_superseded --
-- Condition: a membership is from an earlier generation than its page's latest.
memberships.generation < (SELECT generation FROM pages WHERE id = page_id)

-- representative_is_superseded --
-- Condition: a tree represents a group of an earlier generation.
generation < (
    SELECT max(number) FROM generations WHERE site_id = group_representatives.site_id
)

-- tree_is_unused --
-- Condition: nothing refers to a tree, except its distances.
NOT EXISTS (SELECT FROM pages WHERE tree_id = trees.id)
AND NOT EXISTS (SELECT FROM group_representatives WHERE tree_id = trees.id)
AND NOT EXISTS (SELECT FROM site_comparisons WHERE trees.id = ANY (tree_ids))
AND NOT EXISTS (SELECT FROM reference_sets WHERE trees.id = ANY (tree_ids))

-- unused_objects --
-- Objects to which no page content refers.
SELECT url FROM unnest(CAST(:urls AS text[])) AS listed (url)
WHERE NOT EXISTS (SELECT FROM page_contents WHERE object_url = url)

-- lock_shard --
-- Lock a shard of the object store, unless another transaction has locked it to store a page.
SELECT pg_try_advisory_xact_lock(:class, :shard)

-- ungroup --
-- Delete a site's groups, comparisons and tasks; with version 0, the site is not clustered.
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

-- delete_some_pages --
-- Delete some pages of a site with everything that belongs to them.
DELETE FROM pages WHERE id IN (
    SELECT id FROM pages WHERE site_id = :site_id ORDER BY id LIMIT :most FOR UPDATE
)

-- delete_site --
-- Delete a site without pages.
DELETE FROM sites WHERE id = :site_id
