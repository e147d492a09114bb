"""Evaluation scores, mostly from Deturck, Lejeune et al. and Daureu et al. (all 2015)."""

from benchmarks.evaluation.scores.agreement import Agreement, agreement, bag_of_words
from benchmarks.evaluation.scores.averages_and_significance import (
    Difference,
    Interval,
    PageScores,
    bootstrap_interval,
    macro_average,
    macro_average_by_language,
    macro_average_by_site,
    paired_difference,
)
from benchmarks.evaluation.scores.cleaneval import (
    MarkupScore,
    characters,
    text_and_markup,
    text_only,
)
from benchmarks.evaluation.scores.comments import CommentScore, comment_scores, score_comments
from benchmarks.evaluation.scores.corpora import (
    Corpus,
    CorpusError,
    CorpusPage,
    load_corpus,
    load_golds,
    read_gold,
)
from benchmarks.evaluation.scores.daniel import (
    DiseaseWatch,
    Event,
    TaskScore,
    load_diseases,
    marked_document,
    score_task,
    unmarked_document,
)
from benchmarks.evaluation.scores.headlines import headline_of
from benchmarks.evaluation.scores.limits import best_blocks, best_subtree
from benchmarks.evaluation.scores.markup import read_markup, write_markup
from benchmarks.evaluation.scores.matching import matched_total, matching_blocks
from benchmarks.evaluation.scores.metadata import SnippetCounts, score_metadata, score_snippets
from benchmarks.evaluation.scores.names import Gazetteer, score_names
from benchmarks.evaluation.scores.page import SCORES, score_page
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.recognisers import Recogniser, recogniser_of
from benchmarks.evaluation.scores.records import Comment, Gold, Prediction, TextBlock
from benchmarks.evaluation.scores.rouge import rouge_lsum
from benchmarks.evaluation.scores.text_sizes import TextStatistics
from benchmarks.evaluation.scores.words import words

__all__ = [
    "PRF",
    "SCORES",
    "Agreement",
    "Comment",
    "CommentScore",
    "Corpus",
    "CorpusError",
    "CorpusPage",
    "Difference",
    "DiseaseWatch",
    "Event",
    "Gazetteer",
    "Gold",
    "Interval",
    "MarkupScore",
    "PageScores",
    "Prediction",
    "Recogniser",
    "SnippetCounts",
    "TaskScore",
    "TextBlock",
    "TextStatistics",
    "agreement",
    "bag_of_words",
    "best_blocks",
    "best_subtree",
    "bootstrap_interval",
    "characters",
    "comment_scores",
    "headline_of",
    "load_corpus",
    "load_diseases",
    "load_golds",
    "macro_average",
    "macro_average_by_language",
    "macro_average_by_site",
    "marked_document",
    "matched_total",
    "matching_blocks",
    "paired_difference",
    "read_gold",
    "read_markup",
    "recogniser_of",
    "rouge_lsum",
    "score_comments",
    "score_metadata",
    "score_names",
    "score_page",
    "score_snippets",
    "score_task",
    "text_and_markup",
    "text_only",
    "unmarked_document",
    "words",
    "write_markup",
]
