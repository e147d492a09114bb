"""A small crawl of fictional news sites, generated from word lists and page designs.

The crawl demonstrates the service without any publisher's pages, and measures it against known
correct results. It has five languages, three templates per design, one redesign, and a configurable
amount of noise.
"""

from detourage.sample.crawl import SamplePage, generate, write_crawl

__all__ = ["SamplePage", "generate", "write_crawl"]
