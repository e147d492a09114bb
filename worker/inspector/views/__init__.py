"""The views, a module for each subject; `REGISTRIES` is what the application serves."""

from worker.inspector.views import articles, overview, quarantine, sites

REGISTRIES = (overview.views, sites.views, articles.views, quarantine.views)
