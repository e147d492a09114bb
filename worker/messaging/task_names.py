"""Names of the tasks, for senders, which need not import the tasks themselves."""

from typing import Final, Literal, get_args

ASSIGN: Final = "detourage.assign"
COMPARE: Final = "detourage.compare"
CLUSTER: Final = "detourage.cluster"
CLUSTER_DUE: Final = "detourage.cluster_due_sites"
EXTRACT: Final = "detourage.extract"
EXTRACT_AGAIN: Final = "detourage.extract_again"
EXTRACT_LATE: Final = "detourage.extract_late"
JOIN_PARTS: Final = "detourage.join_parts"
REPROCESS: Final = "detourage.reprocess"
REPROCESS_ALL: Final = "detourage.reprocess_all"
REPROCESS_DUE: Final = "detourage.reprocess_due"
PARSE: Final = "detourage.parse"
PRUNE: Final = "detourage.prune"

OTHERS: Final = "others"
"""Argument of a batched task that lists all pages but the first, each with its version. A task with
this argument, even if empty, is not batched again."""

BATCHED: Final = {EXTRACT: "generation", ASSIGN: "site_version"}
"""Tasks for several waiting pages at once, with the name of the argument for a page's version."""

PUBLISHED_AS: Final = {EXTRACT_AGAIN: EXTRACT}
"""Outbox lanes published under the name of another task. Pages that have an outcome wait in a
separate lane, so that pages without an outcome are extracted first."""

EXTRACTIONS: Final = (EXTRACT, EXTRACT_AGAIN)  # lanes of pages without an outcome, and with one

REPEATED: Final = (EXTRACT_AGAIN, PARSE)  # outbox lanes of pages that have been processed before

STAGE_OF_TASK: Final = {
    ASSIGN: "assign",
    COMPARE: "compare",
    CLUSTER: "cluster",
    CLUSTER_DUE: "cluster",
    EXTRACT: "extract",
    EXTRACT_LATE: "extract",
    JOIN_PARTS: "extract",
    REPROCESS: "reprocess",
    REPROCESS_ALL: "reprocess",
    REPROCESS_DUE: "reprocess",
    PARSE: "reprocess",
    PRUNE: "maintenance",
}

STAGES: Final = tuple(dict.fromkeys(STAGE_OF_TASK.values()))
"""Kinds of task. Each has its own queue, so that hosts can be dedicated to a stage."""

ReprocessStage = Literal["parse", "compare", "cluster", "extract"]
REPROCESS_STAGES: Final[tuple[ReprocessStage, ...]] = get_args(ReprocessStage)
PAGE_STAGES: Final = ("extract", "parse")  # stages from which a single page can be reprocessed
