-- The queries of the inspector.

-- inspected_site --
-- Return a site with its page count and latest generation, or no row if it does not exist.
SELECT id, key, (SELECT count(*) FROM pages WHERE site_id = sites.id), coalesce(number, 0),
    created_at, method, silhouette
FROM sites LEFT JOIN generations ON site_id = sites.id
WHERE id = :site_id
ORDER BY number DESC NULLS LAST LIMIT 1

-- groups_of_generation --
-- Return the groups of a generation, largest first.
SELECT number, size, representative_id, url, template_groups.comment_pattern
FROM template_groups JOIN pages ON pages.id = representative_id
WHERE template_groups.site_id = :site_id AND template_groups.generation = :generation
ORDER BY size DESC, number

-- pages_in_no_group --
-- Count a site's pages in no group of a generation: outliers, waiting pages, pages without a tree.
SELECT count(*) FILTER (WHERE tree_id IS NOT NULL AND page_id IS NOT NULL
        AND group_number IS NULL),
    count(*) FILTER (WHERE tree_id IS NOT NULL AND page_id IS NULL),
    count(*) FILTER (WHERE tree_id IS NULL)
FROM pages
LEFT JOIN memberships ON page_id = pages.id AND memberships.generation = :generation
WHERE pages.site_id = :site_id

-- last_generations --
-- Return the latest ``limit`` generations of a site, oldest first.
SELECT number, created_at, method, silhouette, ARRAY(
    SELECT ARRAY[template_groups.number, size] FROM template_groups
    WHERE site_id = :site_id AND generation = last.number
    ORDER BY template_groups.number
)
FROM (
    SELECT * FROM generations WHERE site_id = :site_id ORDER BY number DESC LIMIT :limit
) AS last
ORDER BY number

-- references --
-- Largest set of references of a site.
SELECT tree_ids FROM reference_sets WHERE site_id = :site_id
ORDER BY cardinality(tree_ids) DESC, id DESC LIMIT 1

-- site_trees --
-- Oldest trees of a site.
SELECT DISTINCT tree_id FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL
ORDER BY tree_id LIMIT :limit

-- distances --
-- Distances among trees.
SELECT lower_tree_id, higher_tree_id, distance FROM distances
WHERE lower_tree_id = ANY (CAST(:tree_ids AS bigint[]))
    AND higher_tree_id = ANY (CAST(:tree_ids AS bigint[]))

-- tree_sizes --
-- Sizes of trees.
SELECT id, size FROM trees WHERE id = ANY (CAST(:tree_ids AS bigint[]))

-- trees_by_id --
-- IDs and packed trees.
SELECT id, packed FROM trees WHERE id = ANY (CAST(:tree_ids AS bigint[]))

-- site_quarantines --
-- Return which of the given sites are in quarantine, since when and why.
SELECT site_id, quarantined_at, number, error FROM clustering_attempts
WHERE quarantined_at IS NOT NULL AND site_id = ANY (CAST(:ids AS bigint[]))

-- pages_of_trees --
-- Return the pages of a site with the given trees, ordered by ID.
SELECT tree_id, id, url, group_number, role
FROM pages
LEFT JOIN memberships ON page_id = id AND memberships.generation = :generation
WHERE pages.site_id = :site_id AND tree_id = ANY(CAST(:tree_ids AS bigint[]))
ORDER BY id

-- pages_of_group --
-- Return the pages of a group (the outliers if ``number`` is NULL) with IDs above ``after``.
SELECT id, url, coalesce(fetched_at, received_at), outcome, pages.confidence, revision, role
FROM pages JOIN memberships ON page_id = id
WHERE memberships.site_id = :site_id AND memberships.generation = :generation
    AND group_number IS NOT DISTINCT FROM :number AND id > :after
ORDER BY id LIMIT :limit

-- knowledge_of --
-- Return the packed template knowledge learned from a page, and the time of learning.
SELECT packed, learned_at FROM page_knowledge WHERE page_id = :page_id

-- page_context --
-- Return a page's site, and its group in the generation of its latest or pending extraction.
SELECT key, stored_at, group_number, role, memberships.confidence,
    generations.created_at, generations.method, size, template_groups.comment_pattern,
    shared_lines, lines, template_page.id, template_page.url, template_page.content_type,
    template_page.content_digest
FROM pages
JOIN sites ON sites.id = pages.site_id
LEFT JOIN page_contents ON page_contents.page_id = pages.id
LEFT JOIN memberships
    ON (memberships.page_id, memberships.generation) = (pages.id, pages.generation)
LEFT JOIN generations
    ON (generations.site_id, generations.number) = (pages.site_id, pages.generation)
LEFT JOIN template_groups
    ON (template_groups.site_id, template_groups.generation, template_groups.number)
    = (memberships.site_id, memberships.generation, group_number)
LEFT JOIN pages AS template_page ON template_page.id = memberships.template_page_id
WHERE pages.id = :page_id

-- revisions_of --
-- Return the latest revisions, newest first, with messages for those in ``with_messages``.
SELECT revision, created_at,
    CASE WHEN revision = ANY (CAST(:with_messages AS integer[])) THEN message END AS message
FROM articles WHERE page_id = :page_id
ORDER BY revision DESC LIMIT :limit

-- last_article --
-- Return a page's latest article message, NULL if it has none; no row if there is no such page.
SELECT message FROM pages
LEFT JOIN articles ON (page_id, articles.revision) = (pages.id, pages.revision)
WHERE pages.id = :page_id

-- receipts_of --
-- Return the times and results of a page's messages, newest first.
SELECT received_at, result FROM receipts WHERE page_id = :page_id
ORDER BY id DESC LIMIT :limit

-- outcomes_of_group --
-- Return the outcomes of a group's pages, or of the outliers if ``number`` is NULL.
SELECT outcome, count(*), avg(pages.confidence)
FROM pages JOIN memberships ON page_id = id
WHERE memberships.site_id = :site_id AND memberships.generation = :generation
    AND group_number IS NOT DISTINCT FROM :number
GROUP BY outcome
ORDER BY count(*) DESC, outcome

-- containers_of --
-- Return the elements that contained the latest articles of pages, most frequent first.
SELECT message ->> 'method', message ->> 'xpath' AS xpath, count(*)
FROM articles JOIN pages ON (pages.id, pages.revision) = (page_id, articles.revision)
WHERE pages.id = ANY(CAST(:page_ids AS bigint[]))
GROUP BY 1, 2
ORDER BY count(*) DESC, xpath

-- sending_of --
-- Return when a message was refused (NULL if it still waits); no row if it has left the outbox.
SELECT refused_at FROM outbox WHERE message_id = :message_id LIMIT 1

-- counts --
-- Number of waiting pages, longest wait, and numbers of messages, sites and quarantined sites.
SELECT
    (SELECT count(*) FROM pages
     WHERE outcome IS NULL OR forced OR extracted_generation < generation),
    (SELECT extract(epoch FROM now() - min(waiting_since)) FROM pages WHERE outcome IS NULL),
    (SELECT count(*) FROM outbox WHERE lane IS NOT NULL),
    (SELECT count(*) FROM sites),
    (SELECT count(*) FROM clustering_attempts WHERE quarantined_at IS NOT NULL)

-- means --
-- Mean duration of each kind of work.
SELECT work, CAST(sum(seconds) / sum(number) AS float) FROM durations
GROUP BY work ORDER BY work

-- oldest --
-- Age of the oldest open request, by kind of work.
SELECT work, coalesce(CAST(extract(epoch FROM now() - since) AS float), 0)
FROM (
    SELECT 'relay' AS work, min(created_at) AS since FROM outbox WHERE lane IS NOT NULL
    UNION ALL SELECT 'compare', min(asked_at) FROM comparison_blocks
    UNION ALL
    SELECT 'extract', min(asked_at) FROM pages WHERE extracted_generation < generation
) AS oldest

-- failures --
-- Number of recent failures, by task.
SELECT task, count(*) FROM task_failures
WHERE failed_at >= now() - make_interval(secs => :seconds)
GROUP BY task ORDER BY task

-- first_received --
-- Earliest time of receipt of the oldest pages, and the current time.
SELECT min(received_at), now()
FROM (SELECT received_at FROM pages ORDER BY id LIMIT :oldest) AS oldest

-- arrivals --
-- Numbers of pages, doubtful articles and revisions by time slot and outcome.
SELECT
    -- Pages older than `began` go into the first slot.
    date_bin(:width, greatest(received_at, :began), 'epoch') AS slot,
    coalesce(outcome, :pending), count(*),
    count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful), sum(revision)
FROM pages GROUP BY slot, outcome ORDER BY slot

-- last_changes --
-- Latest design changes.
SELECT site_id, key, noticed_at, since, new_share, outlier_share
FROM design_changes JOIN sites ON sites.id = site_id
ORDER BY noticed_at DESC, site_id LIMIT :limit

-- falling --
-- Sites whose recent articles have a lower confidence than before, or are mostly doubtful (dark).
SELECT falling.site_id, key, before, lately, articles, doubtful, is_dark
FROM (
    SELECT *, doubtful >= :min_doubtful AND 2 * doubtful > articles AS is_dark
    FROM (
        SELECT site_id, avg(confidence) FILTER (WHERE NOT is_recent) AS before,
            avg(confidence) FILTER (WHERE is_recent) AS lately,
            count(*) FILTER (WHERE is_recent) AS articles,
            count(*) FILTER (WHERE is_recent AND confidence < :doubtful) AS doubtful
        FROM (
            SELECT site_id, confidence, asked_at > now() - :recent_period AS is_recent
            FROM pages WHERE outcome = 'article'
        ) AS articles
        GROUP BY site_id
    ) AS of_site
    WHERE articles >= :min_doubtful AND lately IS NOT NULL
) AS falling
JOIN sites ON sites.id = falling.site_id
WHERE is_dark OR before - lately >= :min_fall
ORDER BY lately, falling.site_id LIMIT :limit

-- outcomes --
-- Numbers of pages by site and outcome: all pages, those extracted again, and doubtful articles.
SELECT site_id, coalesce(outcome, :pending) AS named, count(*),
    count(*) FILTER (
        WHERE outcome IS NOT NULL AND (forced OR extracted_generation < generation)
    ),
    count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful)
FROM pages WHERE site_id = ANY (CAST(:ids AS bigint[]))
GROUP BY site_id, outcome ORDER BY site_id, named

-- generations --
-- Latest generation of each site: silhouette, group sizes, and outliers.
SELECT site_id, number, silhouette,
    ARRAY(
        SELECT ARRAY[template_groups.number, size] FROM template_groups
        WHERE template_groups.site_id = last.site_id AND generation = last.number
        ORDER BY template_groups.number
    ),
    (SELECT count(*) FROM memberships
     WHERE memberships.site_id = last.site_id AND generation = last.number
        AND group_number IS NULL)
FROM (
    SELECT DISTINCT ON (site_id) site_id, number, silhouette FROM generations
    WHERE site_id = ANY (CAST(:ids AS bigint[]))
    ORDER BY site_id, number DESC
) AS last

-- changed_designs --
-- Start of the latest design change of each site.
SELECT DISTINCT ON (site_id) site_id, since FROM design_changes
WHERE site_id = ANY (CAST(:ids AS bigint[])) ORDER BY site_id, generation DESC

-- dark --
-- Sites whose recent articles are mostly doubtful.
SELECT site_id FROM pages
WHERE outcome = 'article' AND asked_at > now() - CAST(:recent_period AS interval)
    AND site_id = ANY (CAST(:ids AS bigint[]))
GROUP BY site_id
HAVING count(*) FILTER (WHERE confidence < :doubtful) >= :min_doubtful
    AND 2 * count(*) FILTER (WHERE confidence < :doubtful) > count(*)

-- trends --
-- Numbers of pages, articles and doubtful articles in each bar of the trends of sites.
SELECT site_id, count(*), count(*) FILTER (WHERE outcome = 'article'),
    count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful)
FROM (
    SELECT sites.id AS site_id, outcome, confidence,
        ntile(:parts) OVER (PARTITION BY sites.id ORDER BY moment, newest.id) AS part
    FROM sites CROSS JOIN LATERAL (
        SELECT id, outcome, confidence, coalesce(fetched_at, received_at) AS moment
        FROM pages WHERE site_id = sites.id
        ORDER BY id DESC LIMIT :pages
    ) AS newest
    WHERE sites.id = ANY(CAST(:site_ids AS bigint[]))
) AS placed
GROUP BY site_id, part
ORDER BY site_id, part

-- next_ids --
-- Pages that meet the criteria that can be checked without articles.
SELECT id FROM pages
WHERE (CAST(:outcome AS text) IS NULL OR coalesce(outcome, :pending) = :outcome)
    AND (CAST(:since AS timestamptz) IS NULL OR received_at >= :since)
    AND (CAST(:until AS timestamptz) IS NULL OR received_at < :until)
    AND (CAST(:below AS float) IS NULL OR confidence < :below)
    AND (CAST(:above AS float) IS NULL OR confidence >= :above)
    AND (CAST(:site AS text) IS NULL OR site_id IN (
        SELECT id FROM sites WHERE strpos(lower(key), lower(:site)) > 0
    ))
    AND (CAST(:before AS bigint) IS NULL OR id < :before)
ORDER BY id DESC LIMIT :number

-- content_if_stored --
-- Stored content of a page: compressed, or the URL of an object.
SELECT compressed, object_url, is_text FROM page_contents WHERE page_id = :page_id

-- template_of --
-- Template knowledge learned from a page, if it still has the content with the given digest.
SELECT packed FROM page_knowledge
WHERE page_id = :id AND content_digest = :content_digest

-- part_selected --
-- Fragment: pages with their latest articles; without MATERIALIZED, all articles would be read.
WITH selected AS MATERIALIZED (
    SELECT pages.id, url, site_id, key, outcome, received_at, confidence, pages.revision, message
    FROM pages JOIN sites ON sites.id = site_id
    LEFT JOIN articles ON (page_id, articles.revision) = (pages.id, pages.revision)
    WHERE pages.id = ANY (CAST(:ids AS bigint[]))
)

-- part_matches --
-- Fragment: the condition that an article is in a language and matches a JSON path for its words.
(CAST(:language AS text) IS NULL OR starts_with(lower(message ->> 'language'), lower(:language)))
    AND (CAST(:path AS text) IS NULL OR jsonb_path_match(message, CAST(:path AS jsonpath)))

-- found --
-- Pages that meet all criteria, newest first.
{part_selected}
SELECT id, url, site_id, key, outcome, received_at, confidence, revision,
    message ->> 'title', message ->> 'language', left(message ->> 'lead', :lead)
FROM selected WHERE {part_matches} ORDER BY id DESC

-- texts --
-- Texts of the latest articles of pages.
{part_selected} SELECT id, message ->> 'text' FROM selected WHERE message IS NOT NULL

-- messages --
-- Article messages that meet all criteria, newest first.
{part_selected} SELECT message FROM selected WHERE message IS NOT NULL AND {part_matches} ORDER BY id DESC

-- part_last_receipts --
-- Fragment: the latest receipts.
(SELECT received_at, page_id FROM receipts ORDER BY id DESC LIMIT :max_receipts) AS last

-- receipt_rates --
-- Current time, number and period of the latest messages, and number of recent ones with a page.
SELECT now(), count(*), min(received_at), max(received_at),
    count(page_id) FILTER (WHERE received_at > now() - make_interval(secs => :seconds))
FROM {part_last_receipts}

-- article_rate --
-- Number of articles that were created in a period for pages of the latest messages.
SELECT count(*) FROM articles
WHERE created_at > now() - make_interval(secs => :seconds)
    AND page_id IN (SELECT page_id FROM {part_last_receipts})
