"""Weighted token trees for the first experiments of Deturck (2015, section 4.4.1).

Every word of a page is a leaf below the element that contains it. Two such trees are aligned by
tree edit distance; the words that the edit script changes are the text that differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from detourage.html import Tree
from detourage.html.text import NO_TEXT
from detourage.text import words

WORD_MARK = "="
"""First character of a token's label; element names never contain it."""

EditScript = Sequence[tuple[int | None, int | None]]
"""Pairs of postorder numbers; None represents the missing node of a deletion or insertion."""


@dataclass(frozen=True)
class TokenTree:
    """A page represented by its elements and tokens.

    In `tree`, elements are labelled with their names, and tokens with their words. For each node
    in postorder, `holders` has the index of the element that contains it if it is a token, or -1
    if it is an element. The other fields are in document order, without `NO_TEXT`: `parents` (-1
    for the root), `tokens` (number directly below), and `offsets` (position in the code, in
    characters).
    """

    tree: Tree
    holders: Sequence[int]
    elements: Sequence[HtmlElement]
    parents: Sequence[int]
    tokens: Sequence[int]
    offsets: Sequence[int]

    def weights(self, other: "TokenTree", script: EditScript) -> list[int]:
        """Weigh the elements by how much of the text below them the edit script to `other` changes.

        A deleted or relabelled token adds one to its parent (algorithm 2 of the thesis); the
        weights are then propagated to the root (algorithm 3).
        """
        weights = [0] * len(self.elements)
        for mine, others in script:
            if mine is None or self.holders[mine] < 0:
                continue
            if others is None or self.tree.labels[mine] != other.tree.labels[others]:
                weights[self.holders[mine]] += 1
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
        richest: dict[int, int] = {}
        for child in range(index + 1, len(self.parents)):
            known = richest.get(self.parents[child])
            if known is None or self.tokens[child] > self.tokens[known]:
                richest[self.parents[child]] = child
        path = [index]
        while path[-1] in richest:
            path.append(richest[path[-1]])
        return path


def token_tree_of(document: HtmlElement) -> TokenTree:
    """Build the token tree of a parsed page."""
    nodes: list[tuple[str, int]] = []
    holders: list[int] = []
    elements: list[HtmlElement] = []
    parents: list[int] = []
    tokens: list[int] = []
    offsets: list[int] = []
    around: list[int] = []
    position = 0
    skipped: HtmlElement | None = None
    walk = etree.iterwalk(document, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        text = node.tail
        if event == "start" and node.tag not in NO_TEXT:
            nodes.append((node.tag, len(around)))
            holders.append(-1)
            parents.append(around[-1] if around else -1)
            around.append(len(elements))
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
            around.pop()
            position += len(f"</{node.tag}>")
        if around and text:
            position += len(text)
            words_of_text = words.tokens(text)
            nodes.extend((WORD_MARK + token, len(around)) for token in words_of_text)
            holders.extend(around[-1] for _ in words_of_text)
            tokens[around[-1]] += len(words_of_text)
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
