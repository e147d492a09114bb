"""Texts that a page marks as comments, whatever the page model thinks of their wording.

Short comments read like quotations, and their classes may be hashes. But most pages name each
comment, or have a heading such as "6 comments" above them.
"""

import numpy as np

from detourage.html.class_name_splitting import split_words
from detourage.html.flat import Booleans, FlatDocument
from detourage.text.caches import cached_if_short
from detourage.text.words import word_set

MAX_HEADING = 40  # characters of a heading above comments
MAX_HEADINGS = 20  # headings above comments that are read per page
_NAMES = word_set("comment kommentar commentaire comentario commento komentarz reactie")
_OTHER_WORDS = word_set(
    "item box entry single wrapper wrap container block node row card reader user c js li new"
)
_INLINE = frozenset({"a", "b", "button", "em", "form", "i", "label", "p", "span", "svg"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HEADING_WORDS = word_set(
    "comment comments kommentar kommentare leserkommentare kommentarer kommentti kommentit"
    " commentaire commentaires réaction réactions comentario comentarios comentário comentários"
    " commento commenti reactie reacties komentarz komentarze komentarzy opinie komentář komentáře"
    " komentářů komentár komentáre komentari komentar hozzászólás hozzászólások komment kommentek"
    " comentariu comentarii σχόλιο σχόλια комментарий комментарии комментария комментариев коментар"
    " коментарі коментари коментара коментарів yorum yorumlar تعليق تعليقات التعليقات תגובה תגובות"
    " دیدگاه دیدگاه‌ها نظر نظرات टिप्पणी टिप्पणियाँ コメント 评论 評論 留言 댓글 ความคิดเห็น"
) | {"reader comments", "user comments", "bình luận"}
_AROUND_HEADING = (
    " （）件条條則则개\t\n\xa0()[]:：·•|/–—#+-.,0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९"
)


def marked_comments(page: FlatDocument) -> tuple[list[int], Booleans]:
    """Return elements marked as one comment each, and a mask of marked texts; computed once.

    An element is marked by its class, ID, tag or microdata. If none is, texts are marked by a
    heading above them, and an element below a heading with the number 1 is a comment.
    """
    return page.once(marked_comments, lambda: _marked_comments(page))


def _marked_comments(page: FlatDocument) -> tuple[list[int], Booleans]:
    names = [" ".join(each) for each in page.distinct_names]
    is_name = [
        ("omment" in each or "oment" in each or "eactie" in each)
        and any(map(_is_name, each.split()))
        for each in names
    ]
    is_named = np.array(is_name, np.bool_)[page.name_numbers]
    is_named |= page.having({tag for tag in page.distinct_tags if "-" in tag and _is_name(tag)})
    is_named &= ~page.having(_INLINE)
    for element, types in page.values("itemtype").items():
        is_named[element] |= types.rpartition("/")[2] in {"Comment", "UserComments"}
    comments = np.flatnonzero(is_named & (page.count_around(is_named) == 1)).tolist()
    if not comments:
        below = _below_headings(page)
        is_named[[*below]] = True
        comments = [element for element, count in below.items() if count and int(count) == 1]
    return comments, page.within(is_named)[page.text_parents]


def _below_headings(page: FlatDocument) -> dict[int, str]:
    """Return the siblings below headings above comments, with the number in the heading."""
    places = [
        place
        for place, text in enumerate(page.texts)
        if len(text) <= MAX_HEADING and _is_heading(text)
    ]
    found = dict[int, str]()
    for place in places[:MAX_HEADINGS]:
        element = int(page.text_parents[place])
        # The heading itself, with its count, but no other text
        while True:
            parent = int(page.parents[element])
            texts = page.texts[page.text_starts[parent] : page.text_ends[parent]]
            if parent < 0 or len(texts) > 3 or not _is_heading(" ".join(texts)):
                break
            element = parent
        texts = page.texts[page.text_starts[element] : page.text_ends[element]]
        count = "".join(filter(str.isdecimal, " ".join(texts)))
        rank = page.tags[element]
        sibling, end = int(page.ends[element]), int(page.ends[page.parents[element]])
        while sibling < end:
            tag = page.tags[sibling]
            if tag in _HEADINGS and (rank not in _HEADINGS or tag <= rank):
                break
            if page.text_starts[sibling] < page.text_ends[sibling]:
                found[sibling] = count
            sibling = int(page.ends[sibling])
    return found


def _is_heading(text: str) -> bool:
    return len(text) <= MAX_HEADING and text.strip(_AROUND_HEADING).lower() in _HEADING_WORDS


@cached_if_short(4096)
def _is_name(name: str) -> bool:
    words = split_words(name)
    return bool(words & _NAMES) and words <= _NAMES | _OTHER_WORDS


def innermost(page: FlatDocument, element: int) -> int:
    """Return the innermost element that has all texts of an element."""
    child = element + 1
    while child < page.ends[element]:
        if page.text_ends[child] == page.text_ends[element]:
            if page.text_starts[child] > page.text_starts[element]:
                break
            element, child = child, child + 1
        else:
            child = int(page.ends[child])
    return element
