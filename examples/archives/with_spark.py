"""Extract the articles of web archives with Spark, which shuffles the pages by site.

    python -m examples.archives.with_spark articles/ crawl-1.warc.gz crawl-2.warc.gz

Writes a folder of Parquet files. Requires: pip install 'detourage[arrow]' pyspark
"""

import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from examples.archives.pages import ARTICLES, PAGES, archived_pages, read_site


def load(paths: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the pages of archives."""
    for batch in paths:
        for path in batch["value"].to_pylist():
            yield from archived_pages(path)


def main(folder: str, *archives: str) -> None:
    """Extract the articles of archives: one task per archive, then one per site."""
    spark = SparkSession.builder.getOrCreate()
    paths = spark.createDataFrame([(path,) for path in archives], "value string")
    pages = paths.repartition(len(archives)).mapInArrow(load, from_arrow_schema(PAGES))
    articles = pages.groupBy("site").applyInArrow(read_site, from_arrow_schema(ARTICLES))
    articles.write.mode("overwrite").parquet(folder)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
