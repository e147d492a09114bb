-- Page addresses, and the resolution of fetched URLs to stored pages.

-- row --
-- Fragment: an address with its targets.
addresses.*, (
    SELECT jsonb_agg(jsonb_build_array(target, kind, is_declared) ORDER BY number)
    FROM address_targets WHERE address_id = addresses.id
) AS targets

-- by_digest --
-- Addresses by site and digest.
SELECT {row} FROM addresses
JOIN unnest(CAST(:sites AS bigint[]), CAST(:digests AS text[])) AS wanted (site_id, digest)
    USING (site_id, digest)

-- by_digest_or_target --
-- Addresses by site and digest; for each, also up to ``most`` addresses that declare it a target.
{by_digest}
UNION ALL
SELECT {row} FROM addresses WHERE id IN (
    SELECT address_id
    FROM unnest(CAST(:sites AS bigint[]), CAST(:digests AS text[]))
        AS wanted (site_id, digest)
    CROSS JOIN LATERAL (
        SELECT address_id FROM address_targets
        WHERE (site_id, digest) = (wanted.site_id, wanted.digest)
        ORDER BY address_id LIMIT :most
    ) AS claimant
)

-- authoritative --
-- Authoritative addresses of pages.
SELECT {row} FROM addresses
WHERE page_id = ANY(CAST(:pages AS bigint[])) AND joined_at IS NULL
ORDER BY id

-- joined_before --
-- Pages that have joined another page, by site and URL.
SELECT id, site_id, url_digest FROM pages
JOIN unnest(CAST(:sites AS bigint[]), CAST(:digests AS text[]))
    AS wanted (site_id, url_digest) USING (site_id, url_digest)
WHERE outcome = 'joined'
ORDER BY id DESC

-- release_url --
-- Release the URL digest of a page, so that another page can take it.
UPDATE pages SET url_digest = url_digest || '-' || id
WHERE id = :page AND url_digest = ANY(CAST(:digests AS text[]))

-- add --
-- Fragment: add addresses with targets; the pages of the addresses are given by ID or in `added`.
added_addresses AS (
    INSERT INTO addresses
        (site_id, page_id, digest, address, spellings, kind, headlines, passages, read_at)
    SELECT site_id, coalesce(page_id, added.id), digest, address, spellings, kind, headlines,
        passages, read_at
    FROM jsonb_to_recordset(CAST(:addresses AS jsonb)) AS new (
        site_id bigint, page_id bigint, url_digest text, digest text, address text,
        spellings text[], kind text, headlines bigint[], passages bigint[], read_at timestamptz
    )
    LEFT JOIN added USING (site_id, url_digest)
    RETURNING id, site_id, digest
), added_targets AS (
    INSERT INTO address_targets (address_id, number, site_id, digest, target, kind, is_declared)
    SELECT coalesce(address_id, added_addresses.id), number, site_id, target_digest, target, kind,
        is_declared
    FROM jsonb_to_recordset(CAST(:targets AS jsonb)) AS new (
        site_id bigint, address_id bigint, digest text, number integer, target_digest text,
        target text, kind text, is_declared boolean
    )
    LEFT JOIN added_addresses USING (site_id, digest)
)

-- add_addresses --
-- Add addresses of stored pages, and targets of addresses.
WITH added AS (
    SELECT id, site_id, url_digest FROM pages WHERE false
), {add}
SELECT

-- delete_targets --
-- Delete the targets that addresses declare.
DELETE FROM address_targets WHERE address_id = ANY(CAST(:ids AS bigint[]))

-- save --
-- Update an address after a fetch.
UPDATE addresses
SET page_id = :page_id, spellings = :spellings, kind = :kind, headlines = :headlines,
    passages = :passages, read_at = :read_at
WHERE id = :id

-- set_authoritative --
-- Mark one address as authoritative, and all other addresses of the page as joined to it.
UPDATE addresses SET joined_at = CASE WHEN digest <> :authoritative_digest THEN now() END
WHERE page_id = :page AND (joined_at IS NULL) <> (digest = :authoritative_digest)

-- of_page --
-- Fragment: the addresses of a row of `pages`, in the form that `parse_page_addresses` reads.
(
    SELECT jsonb_agg(
        jsonb_build_array(address, kind, spellings, joined_at IS NULL) ORDER BY digest
    ) FROM addresses WHERE page_id = pages.id
)

-- addresses_by_page --
-- Addresses of pages.
SELECT id, {of_page} FROM unnest(CAST(:pages AS bigint[])) AS pages (id)

-- list_joined --
-- Addresses of a site that joined another address's page or have several spellings, newest first.
SELECT addresses.* FROM addresses JOIN sites ON sites.id = site_id
WHERE key = :key AND (joined_at IS NOT NULL OR cardinality(spellings) > 1)
ORDER BY addresses.id DESC LIMIT :limit
