import pytest

from tests.unit.comments.comment_pages import NAMES, SAID, read

PARENTS = [None, 0, 1, 0, None]
DEPTHS = (0, 1, 2, 1, 0)


def _parents(
    body: str, path: str = "//*[@class='c' or starts-with(@class, 'c ')]"
) -> list[int | None]:
    return [comment.parent for comment in read(body, path)]


def _inside(number: int) -> str:
    return f"<b class='author'>{NAMES[number]}</b><p>{SAID[number]}</p>"


def test_nested_comments_are_replies() -> None:
    def nested(number: int, replies: str = "") -> str:
        return f'<li class="c"><div>{_inside(number)}</div><ul>{replies}</ul></li>'

    body = nested(0, nested(1, nested(2)) + nested(3)) + nested(4)
    assert _parents(f"<ul>{body}</ul>") == PARENTS
    assert _parents(f"<ul>{body}</ul>", "//li/div") == PARENTS


@pytest.mark.parametrize(
    "opening",
    [
        '<div class="c depth-{depth}">',
        '<div class="c" data-depth="{depth}">',
        '<div class="c" style="margin-left: {pixels}px">',
        '<div class="c"><span>level {depth}</span>',
        '<div class="c"><img src="s.gif" width="{pixels}">',
    ],
)
def test_depths_of_consecutive_comments(opening: str) -> None:
    body = "".join(
        f"{opening.format(depth=depth, pixels=20 * depth)}{_inside(number)}</div>"
        for number, depth in enumerate(DEPTHS)
    )
    assert _parents(body) == PARENTS


def test_replies_in_separate_lists() -> None:
    first, second, third, fourth, fifth = (f'<div class="c">{_inside(n)}</div>' for n in range(5))
    body = f"{first}<ul>{second}<ul>{third}</ul>{fourth}</ul>{fifth}"
    assert _parents(f"<section>{body}</section>") == PARENTS


@pytest.mark.parametrize(
    ("opening", "link"),
    [
        ('<div class="c" id="c{own}" data-parent-id="{parent}">', ""),
        ('<div class="c" id="c{own}">', '<a href="#c{parent}">in reply to</a>'),
    ],
)
def test_ids_of_the_parent_comments(opening: str, link: str) -> None:
    parts = []
    for number, parent in enumerate(PARENTS):
        ids = {"own": 500 + number, "parent": 0 if parent is None else 500 + parent}
        said = link.format(**ids) if parent is not None else ""
        parts.append(f"{opening.format(**ids)}{said}{_inside(number)}</div>")
    assert _parents("".join(parts)) == PARENTS


def test_the_name_of_the_parent_author() -> None:
    answered = {1: NAMES[0], 2: NAMES[1], 3: NAMES[0]}
    body = "".join(
        f'<div class="c">{_inside(number)}'
        + (f"<small>in reply to <i>{answered[number]}</i></small>" if number in answered else "")
        + "</div>"
        for number in range(5)
    )
    assert _parents(body) == PARENTS
