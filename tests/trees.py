"""Trees in the bracket notation of the APTED programs by M. Pawlik and N. Augsten, with escapes."""

import re
from collections.abc import Iterator

from detourage.html.tree import Tree

_TOKENS = re.compile(r"\\[\\{}]|[{}]")

_ESCAPED = re.compile(r"\\([\\{}])")


def parse_brackets(text: str) -> Tree:
    r"""Read a tree in bracket notation, such as ``{a{b}{c}}``.

    A label is all text up to the next brace, including spaces, and may be empty. In a label,
    ``\{``, ``\}`` and ``\\`` represent a brace and a backslash.
    """
    return Tree.from_preorder(_nodes(text))


def format_brackets(tree: Tree) -> str:
    """Write a tree in bracket notation, the inverse of `parse_brackets`."""
    # Process the nodes from last to first, that is, from right to left in the text.
    pieces: list[str] = []
    open_nodes: list[tuple[int, str]] = []
    for node in range(len(tree) - 1, -1, -1):
        while open_nodes and open_nodes[-1][0] > node:
            pieces.append("{" + open_nodes.pop()[1])
        label = tree.labels[node].replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
        open_nodes.append((node - int(tree.sizes[node]) + 1, label))
        pieces.append("}")
    pieces.extend("{" + label for _, label in reversed(open_nodes))
    return "".join(reversed(pieces))


def _nodes(text: str) -> Iterator[tuple[str, int]]:
    """Yield the label and depth of each node in preorder."""
    depth = 0
    in_label = False
    end = 0
    for token in _TOKENS.finditer(text):
        brace = token.group()
        if brace[0] == "\\":
            continue
        between = text[end : token.start()]
        if in_label:
            yield _ESCAPED.sub(r"\1", between), depth - 1
        else:
            assert not between, f"text outside of a label: {between!r}"
        depth += 1 if brace == "{" else -1
        in_label = brace == "{"
        end = token.end()
    assert not depth, "a node is not closed, or closed twice"
