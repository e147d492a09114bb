"""Writes the sample crawl and its gold standard: ``python -m detourage.sample DIR``."""

import sys
from pathlib import Path

from detourage.sample import write_crawl

if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit("usage: python -m detourage.sample DIR")
try:
    write_crawl(Path(sys.argv[1]))
except OSError as error:
    sys.exit(f"Error: {error.filename}: {error.strerror}")
