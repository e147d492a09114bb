"""A small crawl of fictional news sites, generated from word lists and page designs.

It demonstrates the service without any publisher's pages, and measures it where the truth is known:
five languages, three templates per design, one redesign, and a configurable amount of noise.
"""

from worker.sample.crawl import SamplePage, generate, site_names, write_crawl

__all__ = ["SamplePage", "generate", "site_names", "write_crawl"]
