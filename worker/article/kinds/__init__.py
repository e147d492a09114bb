"""Classification of pages as articles, forum threads, products, listings, manuals or galleries."""

from worker.article.kinds.classifier import kinds_of, likeliest
from worker.article.kinds.evidence import Facts, kind_evidence

__all__ = ["Facts", "kind_evidence", "kinds_of", "likeliest"]
