"""Two independent implementations of the tree edit distance, as references for the real one.

Both follow the definitions in the papers and share none of the kernel's optimisations: no pruning,
no classes of equal subtrees, no choice of side.
"""

from functools import cache

from detourage.html.tree import Tree

Forest = tuple["Node", ...]
Node = tuple[str, Forest]


def plain_distance(a: Tree, b: Tree) -> int:
    """Return the distance as in Zhang and Shasha (1989), figure 5."""
    l1, l2 = _leftmost_leaves(a), _leftmost_leaves(b)
    tree_distance = [[0] * len(b) for _ in range(len(a))]
    for i in _keyroots(l1):
        for j in _keyroots(l2):
            _forest_distances(a, b, i, j, l1, l2, tree_distance)
    return tree_distance[-1][-1]


def _leftmost_leaves(tree: Tree) -> list[int]:
    return [i - size + 1 for i, size in enumerate(tree.sizes.tolist())]


def _keyroots(leftmost: list[int]) -> list[int]:
    return sorted({leaf: i for i, leaf in enumerate(leftmost)}.values())


def _forest_distances(
    a: Tree, b: Tree, i: int, j: int, l1: list[int], l2: list[int], tree_distance: list[list[int]]
) -> None:
    rows, columns = i - l1[i] + 2, j - l2[j] + 2
    table = [[x + y for y in range(columns)] for x in range(rows)]
    for x in range(1, rows):
        u = l1[i] + x - 1
        for y in range(1, columns):
            v = l2[j] + y - 1
            best = min(table[x - 1][y], table[x][y - 1]) + 1
            if l1[u] == l1[i] and l2[v] == l2[j]:
                best = min(best, table[x - 1][y - 1] + (a.labels[u] != b.labels[v]))
                tree_distance[u][v] = best
            else:
                best = min(best, table[l1[u] - l1[i]][l2[v] - l2[j]] + tree_distance[u][v])
            table[x][y] = best


def distance_by_definition(a: Tree, b: Tree) -> int:
    """Return the distance by trying every removal and match of last roots; only for small trees."""
    return _distance((_node(a),), (_node(b),))


def _node(tree: Tree) -> Node:
    pending: list[tuple[Node, int]] = []
    for label, size in zip(tree.labels, tree.sizes.tolist(), strict=True):
        children: list[Node] = []
        covered = 1
        while covered < size:
            child, child_size = pending.pop()
            children.append(child)
            covered += child_size
        pending.append(((label, tuple(reversed(children))), size))
    return pending[0][0]


@cache
def _size(forest: Forest) -> int:
    return sum(1 + _size(children) for _, children in forest)


@cache
def _distance(f: Forest, g: Forest) -> int:
    if not f or not g:
        return _size(f) + _size(g)
    (label_f, children_f), (label_g, children_g) = f[-1], g[-1]
    return min(
        _distance(f[:-1] + children_f, g) + 1,
        _distance(f, g[:-1] + children_g) + 1,
        _distance(f[:-1], g[:-1]) + _distance(children_f, children_g) + (label_f != label_g),
    )
