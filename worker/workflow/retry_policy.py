"""When work is tried again, and when it is abandoned; each redelivery counts as an attempt.

Except for clustering, whose attempts are spread over time, the limits must be below
`worker.messaging.topology.DELIVERY_LIMIT`, so that the service abandons the work before the broker
does.
"""

EXTRACTION_ATTEMPTS = 3
"""Maximum number of extraction attempts for a page, after which its outcome is ``failed``."""

ASSIGNMENT_ATTEMPTS = 3
"""Maximum number of deliveries of a new page's assignment, after which the page is an outlier; the
embedded broker, unlike RabbitMQ, does not count deliveries."""

COMPARISON_ATTEMPTS = 3
"""Maximum number of attempts to compare a block. After these, the block's trees count as not
comparable, so that no page blocks its site."""

JOINING_ATTEMPTS = 3
"""Maximum number of crashes while joining a part, after which it is ignored until it changes."""

CLUSTERING_ATTEMPTS = 4
"""Maximum number of failed attempts to cluster a site, including those whose process died, after
which the site is in quarantine and no longer clustered."""

CLUSTERING_PAUSES = (0, 1, 5)
"""Pauses after the first attempts to cluster a site, in clustering intervals. The second attempt is
immediate, since most crashes are unrelated to the site; later ones wait, since a memory shortage
may last minutes."""

LATE_AFTER_SECONDS = 600.0
"""Time after which unfinished work is enqueued again, since its message must have been lost: blocks
of comparisons, extractions, and clusterings that no worker has started. This time exceeds the
duration of most tasks, so that work that is merely late is not done twice."""
