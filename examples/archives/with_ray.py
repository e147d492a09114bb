"""Articles of web archives with Ray Data: pages are shuffled by site, then each site is read whole.

    python -m examples.archives.with_ray articles/ crawl-1.warc.gz crawl-2.warc.gz

Writes a folder of Parquet files. Requires: pip install 'detourage[arrow]' 'ray[data]'
"""

import sys
from collections.abc import Iterator

import pyarrow as pa
import ray.data

from examples.archives.pages import archived_pages, read_site


def load(paths: pa.Table) -> Iterator[pa.Table]:
    """Yield the pages of archives."""
    for path in paths["item"].to_pylist():
        for batch in archived_pages(path):
            yield pa.Table.from_batches([batch])


def main(folder: str, *archives: str) -> None:
    """Extract the articles of archives: one task per archive, then one per site."""
    paths = ray.data.from_items(list(archives), override_num_blocks=len(archives))
    pages = paths.map_batches(load, batch_format="pyarrow", batch_size=1)
    # By default, Ray starts 200 tasks for a shuffle, which is more than a single machine can run.
    sites = pages.groupby("site", num_partitions=2 * len(archives))
    articles = sites.map_groups(read_site, batch_format="pyarrow")
    articles.write_parquet(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
