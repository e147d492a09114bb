"""Versions of results, separate from the code that computes them, which is slow to import."""

from typing import Final

EXTRACTION_VERSION: Final = "44"
"""Version of the extraction results. Increment it with every change to the results, so that pages
are extracted again.

`tests.unit.reader.recorded` holds this version's results for generated pages.
"""
