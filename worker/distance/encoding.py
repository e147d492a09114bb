"""Trees as the arrays of integers that the native kernel reads."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from worker.pages.tree import Tree


def label_codes(trees: Sequence[Tree]) -> list[npt.NDArray[np.int32]]:
    """Give the labels of several trees numbers: equal labels, equal numbers.

    Parameters
    ----------
    trees
        The trees that will be compared with each other.

    Returns
    -------
    list of ndarray of int32
        For each tree, the code of each node's label in postorder.
    """
    code_of: dict[str, int] = {}
    return [
        np.fromiter(
            (code_of.setdefault(label, len(code_of)) for label in tree.labels),
            dtype=np.int32,
            count=len(tree),
        )
        for tree in trees
    ]
