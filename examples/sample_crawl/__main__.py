"""Write the sample crawl and its gold standard to a folder; without one, write `SMALL_CRAWL`."""

import gzip
import sys
from pathlib import Path

from examples.sample_crawl import SMALL_CRAWL, small_crawl, write_crawl

if len(sys.argv) > 2 or sys.argv[-1].startswith("-"):
    sys.exit("usage: python -m examples.sample_crawl [DIR]")
try:
    if len(sys.argv) == 2:
        write_crawl(Path(sys.argv[1]))
    else:
        SMALL_CRAWL.write_bytes(gzip.compress(small_crawl(), mtime=0))
except OSError as error:
    sys.exit(f"Error: {error.filename}: {error.strerror}")
