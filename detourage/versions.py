"""Versions that processes compare without importing the code to which they belong."""

from typing import Final

EXTRACTION_VERSION: Final = "39"
"""Version of the extraction results. Increment it with every change that affects them, so that
pages are extracted again.

`tests.unit.reader.recorded` holds this version's results for generated pages.
"""
