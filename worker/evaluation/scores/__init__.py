"""The measuring bench: how good extracted texts are, after three papers of 2015."""

from worker.evaluation.scores.agreement import Agreement, agreement, bag_of_words
from worker.evaluation.scores.averages import (
    Difference,
    Interval,
    PageScores,
    bootstrap_interval,
    macro_average,
    macro_average_by_language,
    macro_average_by_site,
    paired_difference,
)
from worker.evaluation.scores.cleaneval import MarkupScore, characters, text_and_markup, text_only
from worker.evaluation.scores.comments import CommentScore, comment_scores, score_comments
from worker.evaluation.scores.corpora import (
    Corpus,
    CorpusError,
    CorpusPage,
    load_corpus,
    load_golds,
    read_gold,
)
from worker.evaluation.scores.daniel import (
    DiseaseWatch,
    Event,
    TaskScore,
    load_diseases,
    marked_document,
    score_task,
    unmarked_document,
)
from worker.evaluation.scores.headlines import headline_of
from worker.evaluation.scores.limits import best_blocks, best_subtree
from worker.evaluation.scores.markup import read_markup, write_markup
from worker.evaluation.scores.matching import IMPLEMENTATION, matched_total, matching_blocks
from worker.evaluation.scores.metadata import SnippetCounts, score_metadata, score_snippets
from worker.evaluation.scores.names import Gazetteer, score_names
from worker.evaluation.scores.page import SCORES, score_page
from worker.evaluation.scores.prf import PRF
from worker.evaluation.scores.recognisers import Recogniser, recogniser_of
from worker.evaluation.scores.records import Comment, Gold, Prediction, TextBlock
from worker.evaluation.scores.rouge import rouge_lsum
from worker.evaluation.scores.statistics import TextStatistics
from worker.evaluation.scores.words import words

__all__ = [
    "IMPLEMENTATION",
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
