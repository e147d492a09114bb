"""One page explained: where it comes from, and how its explanation is shown."""

from worker.inspection.errors import ExplainingError
from worker.inspection.explained_html import to_html
from worker.inspection.explained_json import to_json
from worker.inspection.explained_text import to_terminal
from worker.inspection.subject import Subject, load_subject

__all__ = ["ExplainingError", "Subject", "load_subject", "to_html", "to_json", "to_terminal"]
