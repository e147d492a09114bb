"""Weighted token trees for the first experiments of Deturck (2015, section 4.4.1).

Every word of a page is a leaf below the element that contains it. Two such trees are aligned by
tree edit distance; the words that the edit script changes are the text that differs.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from detourage.html import Tree
from detourage.html.visible_text import NO_TEXT
from detourage.text import words

WORD_MARK = "="  # first character of a token's label; element names never contain it

EditScript = Sequence[tuple[int | None, int | None]]
"""Pairs of postorder numbers, one per tree; one is None if a node is deleted or inserted."""


class TokenTree(NamedTuple):
    """A page represented by its elements and tokens.

    In `tree`, elements are labelled with their names, and tokens with their words. For each node of
    the tree in postorder, `holders` has the index of the parent element of a token, or -1 for an
    element. The other fields have a value per element in document order: `elements` themselves,
    `parents` (indices, -1 for the root), `tokens` (number of children that are tokens), and
    `offsets` (position in the page's code, in characters).
    """

    tree: Tree
    holders: Sequence[int]
    elements: Sequence[HtmlElement]
    parents: Sequence[int]
    tokens: Sequence[int]
    offsets: Sequence[int]

    def weights(self, other: "TokenTree", script: EditScript) -> list[int]:
        """Weight each element by the number of tokens below it that the script to `other` changes.

        A deleted or relabelled token adds one to its parent (algorithm 2 of the thesis); the
        weights are then propagated to the root (algorithm 3).
        """
        weights = [0] * len(self.elements)
        for node, counterpart in script:
            if node is None or self.holders[node] < 0:
                continue
            if counterpart is None or self.tree.labels[node] != other.tree.labels[counterpart]:
                weights[self.holders[node]] += 1
        for index in range(len(weights) - 1, 0, -1):
            weights[self.parents[index]] += weights[index]
        return weights

    def depths(self) -> list[int]:
        """Return the number of levels between each element and the root."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return depths

    def path_to_root(self, index: int) -> list[int]:
        """Return an element and its ancestors, ending with the root."""
        path = [index]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path

    def path_to_leaf(self, index: int) -> list[int]:
        """Return the path from an element to a leaf through the children with the most tokens."""
        richest_child: dict[int, int] = {}
        for child in range(index + 1, len(self.parents)):
            sibling = richest_child.get(self.parents[child])
            if sibling is None or self.tokens[child] > self.tokens[sibling]:
                richest_child[self.parents[child]] = child
        path = [index]
        while path[-1] in richest_child:
            path.append(richest_child[path[-1]])
        return path


def token_tree_of(document: HtmlElement) -> TokenTree:
    """Build the token tree of a parsed page."""
    nodes: list[tuple[str, int]] = []
    holders: list[int] = []
    elements: list[HtmlElement] = []
    parents: list[int] = []
    tokens: list[int] = []
    offsets: list[int] = []
    ancestors: list[int] = []
    position = 0  # in the page's code, as it would be written with double quotes
    skipped: HtmlElement | None = None
    walk = etree.iterwalk(document, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        text = node.tail
        if event == "start" and node.tag not in NO_TEXT:
            nodes.append((node.tag, len(ancestors)))
            holders.append(-1)
            parents.append(ancestors[-1] if ancestors else -1)
            ancestors.append(len(elements))
            elements.append(node)
            tokens.append(0)
            offsets.append(position)
            position += len(f"<{node.tag}>")
            position += sum(len(f' {name}="{value}"') for name, value in node.items())
            text = node.text
        elif event == "start":
            position += _code_length(node)
            skipped = node
            walk.skip_subtree()
            continue
        elif event != "end":
            position += _code_length(node)
        elif node is skipped:
            skipped = None
        else:
            ancestors.pop()
            position += len(f"</{node.tag}>")
        if ancestors and text:
            position += len(text)
            text_tokens = words.tokens(text)
            nodes.extend((WORD_MARK + token, len(ancestors)) for token in text_tokens)
            holders.extend(ancestors[-1] for _ in text_tokens)
            tokens[ancestors[-1]] += len(text_tokens)
    tree = Tree.from_preorder(nodes)
    return TokenTree(tree, _in_postorder(holders, nodes), elements, parents, tokens, offsets)


def _code_length(node: HtmlElement) -> int:
    return len(etree.tostring(node, encoding="unicode", with_tail=False))


def _in_postorder(values: Sequence[int], nodes: Sequence[tuple[str, int]]) -> list[int]:
    """Reorder the values of nodes from document order to postorder."""
    ordered: list[int] = []
    pending: list[int] = []
    for value, (_, depth) in zip(values, nodes, strict=True):
        while len(pending) > depth:
            ordered.append(pending.pop())
        pending.append(value)
    ordered.extend(reversed(pending))
    return ordered
