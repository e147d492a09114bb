"""One page explained: where it comes from, and how its explanation is shown."""

from worker.explaining.errors import ExplainingError
from worker.explaining.inputs import Subject, load_subject
from worker.explaining.overlay import to_html
from worker.explaining.structure import to_json
from worker.explaining.terminal import to_terminal

__all__ = ["ExplainingError", "Subject", "load_subject", "to_html", "to_json", "to_terminal"]
