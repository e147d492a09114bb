"""Versions of results. The code that computes the results is elsewhere: it is slow to import."""

from typing import Final

EXTRACTION_VERSION: Final = "48"
"""Version of the extraction results. Increment it with every change to the results, so that pages
are extracted again.

`tests/unit/reader/recorded.json` has digests of this version's results for generated pages.
"""
