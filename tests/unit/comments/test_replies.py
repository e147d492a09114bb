"""The parents of replies, in the different markups by which pages show them."""

import pytest

from tests.unit.comments.comment_pages import NAMES, REMARKS, read

PARENTS = [None, 0, 1, 0, None]
"""Index of the comment to which each comment replies."""
DEPTHS = (0, 1, 2, 1, 0)
COMMENTS = "//*[@class='c' or starts-with(@class, 'c ')]"


def _content(number: int) -> str:
    return f"<b class='author'>{NAMES[number]}</b><p>{REMARKS[number]}</p>"


def nested(number: int, replies: str = "") -> str:
    return f'<li class="c"><div>{_content(number)}</div><ul>{replies}</ul></li>'


NESTED = nested(0, nested(1, nested(2)) + nested(3)) + nested(4)
LISTS = "{}<ul>{}<ul>{}</ul>{}</ul>{}".format(
    *(f'<div class="c">{_content(n)}</div>' for n in range(5))
)
REPLY_TO_NAME = "<small>in reply to <i>{name}</i></small>"
FLAT_MARKUP = [
    ('<div class="c depth-{depth}">', ""),
    ('<div class="c" data-depth="{depth}">', ""),
    ('<div class="c" style="margin-left: {pixels}px">', ""),
    ('<div class="c"><img src="s.gif" width="{pixels}">', ""),
    ('<div class="c" id="c{own}" data-parent-id="{parent}">', ""),
    ('<div class="c" id="c{own}">', '<a href="#c{parent}">in reply to</a>'),
    ('<div class="c">', REPLY_TO_NAME),
]
"""Markup of comments that are not nested: the opening tag, and what follows the text of a reply."""


def flat_comments(opening: str, answer: str) -> str:
    """Return the HTML of comments in markup of `FLAT_MARKUP`, whose two parts are given."""
    parts = []
    for number, (parent, depth) in enumerate(zip(PARENTS, DEPTHS, strict=True)):
        values = {
            "own": 500 + number,
            "parent": 0 if parent is None else 500 + parent,
            "depth": depth,
            "pixels": 20 * depth,
            "name": NAMES[parent or 0],
        }
        end = answer.format(**values) if parent is not None else ""
        parts.append(f"{opening.format(**values)}{_content(number)}{end}</div>")
    return "".join(parts)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (NESTED, COMMENTS),
        (NESTED, "//li/div"),
        (LISTS, COMMENTS),
        *((flat_comments(*each), COMMENTS) for each in FLAT_MARKUP),
    ],
    ids=[
        *("nested", "texts of nested", "separate lists", "class", "data", "margin"),
        *("picture", "ids", "links", "names"),
    ],
)
def test_replies_have_their_parents(body: str, path: str) -> None:
    comments = read(f"<section><ul>{body}</ul></section>", path)
    assert [comment.parent for comment in comments] == PARENTS
