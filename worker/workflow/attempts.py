"""How often a piece of work may end with its process before it is given up.

A message that is redelivered counts as an attempt. All but the clustering, whose attempts are
apart in time, must be fewer than `worker.messaging.topology.DELIVERY_LIMIT`: the last delivery
is the one that gives the work up, instead of the broker.
"""

EXTRACTION_ATTEMPTS = 3
"""Extractions of a page; after them its outcome is ``failed``."""

ASSIGNMENT_ATTEMPTS = 3
"""Deliveries of a new page; after them it is compared with no other. Only RabbitMQ counts them."""

COMPARISON_ATTEMPTS = 3
"""Comparisons of a block; after them its trees count as not comparable.

The kernel bounds its memory, so none should fail; but no page may block its site.
"""

CLUSTERING_ATTEMPTS = 4
"""Clusterings of a site, ended with their process or by an error; after them it is clustered no
more."""
