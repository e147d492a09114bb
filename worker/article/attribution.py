"""What each column of the evidence adds to the decision on a line.

The contributions of A. Saabas ("Interpreting random forests", 2014), for boosted trees: on its
way down a tree a line meets splits, and at each of them the expected value changes; the change
is the split's column's. Expected is here the mean over the lines of the same page that reach a
node, so that nothing but the model and the page is needed, and what all of its lines have in
common explains none of them.
"""

import numpy as np
import numpy.typing as npt

from worker.inference import BoostedTrees, DecisionTree, Features, Rows

Contributions = npt.NDArray[np.float64]


def contributions(model: BoostedTrees, features: Features) -> tuple[float, Contributions]:
    """Take the log odds of rows apart.

    Parameters
    ----------
    model
        The classifier.
    features
        At least one row: the lines of one page.

    Returns
    -------
    mean : float
        Log odds of the mean row.
    parts : array
        Shape (rows, columns). ``mean + parts[i].sum()`` are the log odds of row ``i``.
    """
    rows = features.rows_for(model.columns)
    parts = np.zeros(rows.shape)
    mean = model.base
    for tree in model.trees:
        mean += _add(tree, rows, parts)
    return mean, parts


def _add(tree: DecisionTree, rows: Rows, parts: Contributions) -> float:
    """Add a tree's contributions, and return its mean."""
    values = np.zeros(len(rows))
    splits: list[tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]] = []
    reached = [(0, np.arange(len(rows)))]
    while reached:
        node, here = reached.pop()
        column = tree.column[node]
        if column < 0:
            values[here] = tree.value[node]
            continue
        goes_right = rows[here, column] > np.float32(tree.threshold[node])
        left, right = here[~goes_right], here[goes_right]
        if not len(left) or not len(right):
            reached.append((tree.right[node] if len(right) else tree.left[node], here))
            continue
        splits.append((column, left, right))
        reached += [(tree.left[node], left), (tree.right[node], right)]
    for column, left, right in splits:
        # As their means, in half the time.
        low = np.add.reduce(values[left]) / len(left)
        high = np.add.reduce(values[right]) / len(right)
        expected = (low * len(left) + high * len(right)) / (len(left) + len(right))
        parts[left, column] += low - expected
        parts[right, column] += high - expected
    return float(values.mean())
