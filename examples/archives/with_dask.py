"""Articles of web archives with Dask: pages are shuffled by site, then each site is read whole.

    python -m examples.archives.with_dask articles/ crawl-1.warc.gz crawl-2.warc.gz

Writes a folder of Parquet files. Requires: pip install 'detourage[arrow]' 'dask[dataframe]'
"""

import sys

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa

from examples.archives.pages import ARTICLES, PAGES, archived_pages, read_site


def to_data_frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as a data frame that keeps its Arrow types."""
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def load(path: str) -> pd.DataFrame:
    """Return the pages of an archive."""
    return to_data_frame(pa.Table.from_batches(archived_pages(path), PAGES))


def read_sites(pages: pd.DataFrame) -> pd.DataFrame:
    """Return the articles of the pages of whole sites."""
    tables = [
        read_site(pa.Table.from_pandas(site, PAGES, preserve_index=False))
        for _, site in pages.groupby("site")
    ]
    return to_data_frame(pa.concat_tables([ARTICLES.empty_table(), *tables]))


def main(folder: str, *archives: str) -> None:
    """Extract the articles of archives: one task per archive, then one per group of sites."""
    # Dask would otherwise convert the HTML, which is binary, to text.
    dask.config.set({"dataframe.convert-string": False})
    pages = dd.from_map(load, archives, meta=to_data_frame(PAGES.empty_table()))
    sites = pages.shuffle("site")
    articles = sites.map_partitions(read_sites, meta=to_data_frame(ARTICLES.empty_table()))
    # Threads would wait for each other, because extraction holds Python's interpreter lock.
    with dask.config.set(scheduler="processes"):
        articles.to_parquet(folder, schema=ARTICLES, write_index=False, compression="zstd")


if __name__ == "__main__":
    main(*sys.argv[1:])
