"""Compare the mining of CommentsMiner with brute force: ``python -m benchmarks.comments.oracle``.

Random trees are mined, and all of their subtrees listed one by one
(`tests.property.papers.subtrees`); each tree on which these differ is printed.
"""

import argparse
import random

from tests.property.papers.subtrees import closed_subtrees, nested, random_tree
from worker.papers.commentsminer.mining import mine_tree


def main() -> None:
    """Print how many trees differ, and end with 1 where any does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=10_000, help="number of trees")
    parser.add_argument("--nodes", type=int, default=11, help="nodes of the largest")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    subtrees = differences = 0
    for _ in range(options.trees):
        labels, parents = random_tree(chance, options.nodes)
        expected = closed_subtrees(labels, parents)
        mined = {
            (nested(each.labels, each.parents), each.roots) for each in mine_tree(labels, parents)
        }
        subtrees += len(expected)
        if mined != expected:
            differences += 1
            print(labels, parents, mined ^ expected)
    print(f"{options.trees} trees, {subtrees} subtrees, {differences} differences")
    raise SystemExit(differences > 0)


if __name__ == "__main__":
    main()
