"""A small crawl of fictional news sites, made from word lists and page designs.

It shows what the worker does without any publisher's page, and measures it where the truth is
known: five languages, three templates to a design, one redesign, and noise in any dose.
"""

from worker.sample.crawl import SamplePage, generate, site_names, write_crawl

__all__ = ["SamplePage", "generate", "site_names", "write_crawl"]
