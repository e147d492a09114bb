"""What a page is: an article, a thread of a forum, a product, a list, a manual, a gallery."""

from worker.article.kinds.classifier import kinds_of, likeliest
from worker.article.kinds.evidence import Facts, kind_evidence

__all__ = ["Facts", "kind_evidence", "kinds_of", "likeliest"]
