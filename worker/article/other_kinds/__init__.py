"""Content of pages that are not articles, such as products, listings and manuals."""

from worker.article.other_kinds.judging import is_read_again, judge_again

__all__ = ["is_read_again", "judge_again"]
