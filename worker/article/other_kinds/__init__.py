"""The content of pages that are not articles: products, listings, manuals, company pages."""

from worker.article.other_kinds.judging import is_read_again, judge_again

__all__ = ["is_read_again", "judge_again"]
