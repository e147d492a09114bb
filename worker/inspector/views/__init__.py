"""The views, with one module per subject. The application serves all `REGISTRIES`."""

from worker.inspector.views import (
    articles,
    group,
    locations,
    overview,
    page,
    pair,
    quarantine,
    reader,
    site,
    sites,
)

REGISTRIES = (
    articles.views,
    group.views,
    locations.views,
    overview.views,
    page.views,
    pair.views,
    quarantine.views,
    reader.views,
    site.views,
    sites.views,
)
