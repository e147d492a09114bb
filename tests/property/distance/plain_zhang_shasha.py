"""Tree edit distance written from the definition, to check the real one against."""

from functools import cache

from worker.pages.tree import Tree

Forest = tuple["Node", ...]
Node = tuple[str, Forest]


def plain_distance(a: Tree, b: Tree) -> int:
    """Zhang and Shasha's recurrence on forests, memoised, with no table at all."""
    return _distance((_node(a),), (_node(b),))


def _node(tree: Tree) -> Node:
    pending: list[Node] = []
    sizes: list[int] = []
    for label, size in zip(tree.labels, tree.sizes.tolist(), strict=True):
        children: list[Node] = []
        covered = 1
        while covered < size:
            covered += sizes.pop()
            children.append(pending.pop())
        pending.append((label, tuple(reversed(children))))
        sizes.append(size)
    return pending[0]


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
