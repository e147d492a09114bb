"""Read page messages from JSON lines, folders of HTML, and WARC archives."""

from worker.inputs.errors import SourceError
from worker.inputs.html import Origin
from worker.inputs.reading import read_messages

__all__ = ["Origin", "SourceError", "read_messages"]
