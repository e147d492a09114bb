"""Versions that processes compare without importing what they belong to."""

from typing import Final

EXTRACTION_VERSION: Final = "31"
"""Version of the extraction's results. Raise it with every change, so that pages are extracted
again.

`tests.unit.article.recorded` holds the results for generated pages in this version.
"""
