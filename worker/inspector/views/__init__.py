"""The views, with one module per subject. The application serves all `REGISTRIES`."""

from worker.inspector.views import (
    articles,
    group,
    overview,
    page,
    pair,
    places,
    quarantine,
    reader,
    site,
    sites,
)

REGISTRIES = (
    articles.views,
    group.views,
    overview.views,
    page.views,
    pair.views,
    places.views,
    quarantine.views,
    reader.views,
    site.views,
    sites.views,
)
