"""Choice of the implementation that compares trees: native kernel or fallback."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from detourage.html.tree import Tree
from detourage.template.distance.fallback import AptedForest, warn_once

try:
    from detourage.template.distance.native import NativeForest
except ImportError:
    IMPLEMENTATION = "apted"
else:
    IMPLEMENTATION = "native"


Forest: TypeAlias = "NativeForest | AptedForest"
"""Trees that can be compared with each other, identified by index (see `NativeForest`)."""

ANY_WORK = np.iinfo(np.int64).max

TASK_WORK = 5_000_000_000
"""Units of work that a task may use before it stops starting comparisons; they take at most 1.25
s."""


def forest_of(trees: Sequence[Tree], *, memory: int = 0, work: int = ANY_WORK) -> Forest:
    """Prepare trees so that they can be compared with each other.

    `memory` is the size in bytes of the cache of subtree distances shared by all pairs; 0 for no
    cache. After `work` units, `Forest.try_distances` returns `LEFT` instead of comparing. A unit
    takes at most 0.25 ns; how many units a pair takes depends only on the pair.
    """
    if IMPLEMENTATION == "native":
        return NativeForest(trees, memory=memory, work=work)
    warn_once()
    return AptedForest(trees, work=work)
