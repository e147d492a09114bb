"""The views, with one module per subject, each of which registers its own routes."""

# ruff: noqa: F401
from inspector.views import (
    articles,
    group,
    locations,
    overview,
    page,
    pair,
    reader,
    site,
    sites,
)
