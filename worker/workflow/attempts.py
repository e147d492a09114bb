"""How often work is retried after its process died.

Each redelivery counts as an attempt. Except for clustering, whose attempts are spread over time,
the limits must be below `worker.messaging.topology.DELIVERY_LIMIT`, so that the service gives up
before the broker does.
"""

EXTRACTION_ATTEMPTS = 3
"""Maximum number of extractions of a page; after them its outcome is ``failed``."""

ASSIGNMENT_ATTEMPTS = 3
"""Maximum deliveries of a new page; after them it is an outlier. Only RabbitMQ counts them."""

COMPARISON_ATTEMPTS = 3
"""Maximum number of comparisons of a block; after them its trees count as not comparable.

The kernel bounds its memory, so none should fail; but no page may block its site.
"""

CLUSTERING_ATTEMPTS = 4
"""Maximum number of clusterings of a site that fail or die; after them clustering is disabled for
the site."""
