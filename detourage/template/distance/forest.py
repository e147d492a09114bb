"""Trees that can be compared with each other by the native kernel."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import accumulate, chain, count
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from detourage.html.tree import Tree
from detourage.template.distance import _native

TOO_LARGE: Final = -1  # result for two trees that are too large to compare
NOT_COMPUTED: Final = -3  # result for two trees not compared because of the work limit

TASK_WORK = 5_000_000_000
"""Units of work (at most 1.25 s) after which a task starts no further comparison."""

MEMORY = 64 * 2**20  # default size in bytes of the cache of subtree distances

Way: TypeAlias = tuple[str, int, str, bool, bool, bool]
"""Options of the computation that affect its speed but not its result:

- the vector unit (one of ``_native.UNITS``);
- the number of bits per table cell, 16 or 32 (0 for the smallest sufficient);
- the paths by which trees are decomposed, "left" or "right" ("" for the cheaper of the two);
- whether parts that both trees have in common are cut off beforehand;
- whether tables are skipped if the lower and upper bounds of a distance are equal;
- whether tables are filled only near the diagonal if that is sufficient.
"""

Indices: TypeAlias = npt.NDArray[np.int32]

UNBOUNDED = np.iinfo(np.int32).max - 1  # limit for distances without a limit

ANY_WORK = np.iinfo(np.int64).max  # work limit for unlimited work

LABEL_COUNTS: Final = 256  # label counters per tree; labels beyond HTML's 110 may share a counter
THREAD_PAIRS = 64  # pairs that a thread compares at a time


class TreeTooLargeError(ValueError):
    """The trees are too large to compare (``MAX_PAIR_WORK``, ``MAX_PAIR_MEMORY`` in ``pair.c``)."""


class Forest:
    """Trees prepared for comparison, identified by index.

    `memory` is the size in bytes of the cache of subtree distances shared by all pairs; 0 for no
    cache. After comparisons of `work` units, `try_distances` returns `NOT_COMPUTED` instead of
    comparing. A unit takes at most 0.25 ns, and the units of a pair depend only on the pair. Tests
    and benchmarks set `way`, which does not affect the result.
    """

    def __init__(
        self,
        trees: Sequence[Tree],
        *,
        memory: int = 0,
        work: int = ANY_WORK,
        way: Way | None = None,
    ) -> None:
        starts = np.fromiter(accumulate(map(len, trees), initial=0), np.int64, len(trees) + 1)
        code_of = defaultdict[str, int](count().__next__)
        labels = chain.from_iterable(tree.labels for tree in trees)
        codes = np.fromiter(map(code_of.__getitem__, labels), np.int32, starts[-1])
        sizes = np.concatenate([np.empty(0, np.int32), *(tree.sizes for tree in trees)])
        self.lengths = np.diff(starts).astype(np.int32)
        self._codes = codes
        self._forest = _native.Forest(codes, sizes, starts, memory, work)
        self._way = way

    @property
    def work(self) -> int:
        """Upper bound of the number of units of work used so far."""
        return self._forest.work

    def distances(
        self, a: npt.ArrayLike, b: npt.ArrayLike, *, bound: int | None = None, threads: int = 1
    ) -> Indices:
        """Return the distances of trees a[i] and b[i]: ``bound + 1`` for those beyond ``bound``."""
        limit = UNBOUNDED if bound is None else min(bound, UNBOUNDED)
        compare = partial(self._compare, limit=limit)
        return self._checked(a, b, self._for_pairs(compare, a, b, threads))

    def try_distances(self, a: npt.ArrayLike, b: npt.ArrayLike, *, threads: int = 1) -> Indices:
        """Return the distances of the trees a[i] and b[i], or `TOO_LARGE` or `NOT_COMPUTED`."""
        return self._for_pairs(self._compare, a, b, threads)

    def lower_bounds(self, a: npt.ArrayLike, b: npt.ArrayLike) -> Indices:
        """Return lower bounds of the distances of the trees a[i] and b[i].

        A bound is the string edit distance of the two label sequences, in preorder or in postorder,
        whichever is larger.
        """
        return self._checked(a, b, self._for_pairs(self._forest.lower_bounds, a, b))

    def label_bounds(self, a: int, others: Indices) -> Indices:
        """Return lower bounds of the distances of a tree to others, faster than `lower_bounds`.

        An edit adds, removes or replaces one label, so the distance is at least the number of
        labels that the tree with more surplus labels has and the other lacks.
        """
        counts = self._label_counts
        differing = np.abs(counts[others] - counts[a]).sum(axis=1, dtype=np.int32)
        bounds: Indices = (differing + np.abs(self.lengths[others] - self.lengths[a])) // 2
        return bounds

    @cached_property
    def _label_counts(self) -> Indices:
        """Number of nodes by tree and label, in constant space per tree."""
        trees = np.repeat(np.arange(len(self.lengths)), self.lengths)
        counters = trees * LABEL_COUNTS + self._codes % LABEL_COUNTS
        counts = np.bincount(counters, minlength=len(self.lengths) * LABEL_COUNTS)
        return counts.reshape(-1, LABEL_COUNTS).astype(np.int32)

    def _compare(self, a: Indices, b: Indices, out: Indices, limit: int = UNBOUNDED) -> None:
        self._forest.distances(a, b, out, limit, self._way)

    def _for_pairs(
        self,
        function: Callable[[Indices, Indices, Indices], None],
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        threads: int = 1,
    ) -> Indices:
        """Call a function with slices of the pairs and of the result array, which is returned."""
        left = np.ascontiguousarray(a, np.int32)
        right = np.ascontiguousarray(b, np.int32)
        results = np.empty(left.shape, np.int32)

        def compute(start: int) -> None:
            part = slice(start, start + THREAD_PAIRS)
            function(left[part], right[part], results[part])

        starts = range(0, len(left), THREAD_PAIRS)
        if threads == 1:
            for start in starts:
                compute(start)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(compute, starts))
        return results

    def _checked(self, a: npt.ArrayLike, b: npt.ArrayLike, results: Indices) -> Indices:
        """Return the results; raise `TreeTooLargeError` if some trees are too large."""
        if (is_too_large := results == TOO_LARGE).any():
            raise self._too_large(np.asarray(a)[is_too_large][0], np.asarray(b)[is_too_large][0])
        return results

    def mapping(self, a: int, b: int) -> Indices:
        """Return the node of `b` that an optimal mapping assigns to each node of `a`, or -1."""
        mapped = np.empty(self.lengths[a], np.int32)
        if self._forest.mapping(a, b, mapped, self._way) < 0:
            raise self._too_large(a, b)
        return mapped

    def _too_large(self, a: int, b: int) -> TreeTooLargeError:
        nodes = f"{self.lengths[a]} and {self.lengths[b]} nodes"
        return TreeTooLargeError(f"too large to compare: trees of {nodes}")
