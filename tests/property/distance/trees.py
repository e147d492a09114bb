"""Random trees of the shapes that comparisons meet."""

from hypothesis import strategies as st

from worker.pages.tree import Tree

labels = st.sampled_from(["a", "b", "div", "p"])


@st.composite
def trees(draw: st.DrawFn, max_nodes: int = 14) -> Tree:
    """Trees between a chain and a star: each node hangs below one of the open ones."""
    depth = 0
    nodes = [(draw(labels), 0)]
    shape = draw(st.sampled_from(["any", "deep", "flat", "comb"]))
    for index in range(draw(st.integers(0, max_nodes - 1))):
        lowest = {"any": 1, "deep": max(1, depth), "flat": 1, "comb": max(1, depth)}[shape]
        highest = {"any": depth + 1, "deep": depth + 1, "flat": 2, "comb": depth + index % 2}[shape]
        depth = draw(st.integers(min(lowest, max(1, highest)), max(1, highest)))
        depth = min(depth, nodes[-1][1] + 1)
        nodes.append((draw(labels), depth))
    return Tree.from_preorder(nodes)
