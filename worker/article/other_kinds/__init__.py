"""The content of a page that is no article: a shop's, a list, a manual, what a firm does."""

from worker.article.other_kinds.judging import is_read_again, judge_again

__all__ = ["is_read_again", "judge_again"]
