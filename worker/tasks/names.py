"""Names of the tasks: all that a sender needs to know of them."""

from typing import Final, Literal, get_args

COMPARE: Final = "detourage.compare"
CLUSTER: Final = "detourage.cluster"
CLUSTER_DUE: Final = "detourage.cluster_due_sites"
EXTRACT: Final = "detourage.extract"
REPROCESS: Final = "detourage.reprocess"
PARSE: Final = "detourage.parse"

STAGE_OF_TASK: Final = {
    COMPARE: "compare",
    CLUSTER: "cluster",
    CLUSTER_DUE: "cluster",
    EXTRACT: "extract",
    REPROCESS: "reprocess",
    PARSE: "reprocess",
}
"""Stage, and so queue, of each task."""

ReprocessStage = Literal["parse", "compare", "cluster", "extract"]
"""Where a site's reprocessing can begin."""

REPROCESS_STAGES: Final[tuple[ReprocessStage, ...]] = get_args(ReprocessStage)
