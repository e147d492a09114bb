"""Comments that a page does not display but contains in machine-readable form."""

from worker.article.scripts import program_state, structured_data
from worker.comments import Comment
from worker.comments.declared import comments_in_data, comments_in_state, may_hold_comments
from worker.html import Page
from worker.html.nodes import Node


def declared_comments(page: Page) -> tuple[Comment, ...]:
    """Read the comments in a page's JSON-LD, or failing that, in the state of its scripts."""
    scripts = [
        script
        for script in Node(page.flat, 0).iter("script")
        if script.text and may_hold_comments(script.text)
    ]
    declared = (each.value for each in structured_data(scripts))
    return comments_in_data(declared, page.url) or comments_in_state(
        (each.value for each in program_state(scripts)), page.url
    )
