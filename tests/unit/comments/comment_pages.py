"""Authors and texts of comments, and a function that reads them from a page."""

from collections.abc import Sequence

from detourage.comments.assembly import read_comments
from detourage.comments.comment import Comment
from detourage.html import parse_page

URL = "https://news.example/2024/05/story.html"

REMARKS = (
    "I have lived beside the river for thirty years and never saw the water so high.",
    "The council knew of the broken lock since March, and nobody did anything about it.",
    "Does anyone know whether the ferry goes again on Sunday?",
    "My cellar was full within an hour, and the pump had no current.",
    "Thanks to the neighbours from the mill who came with two boats and hot soup.",
)
NAMES = ("Mara Holm", "Jonas", "ferry_fan", "Old Miller", "Mara Holm")


def read(body: str, path: str, lang: str = "en") -> Sequence[Comment]:
    """Read the comments of a page, whose elements match the XPath expression `path`."""
    flat = parse_page(f'<html lang="{lang}"><body>{body}</body></html>', URL).flat
    return read_comments(flat, [*map(flat.elements.index, flat.root().xpath(path))], URL)
