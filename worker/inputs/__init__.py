"""Read page messages from JSON lines, folders of HTML, and WARC archives."""

from worker.inputs.html import Origin
from worker.inputs.reading import read_messages
from worker.inputs.streams import SourceError

__all__ = ["Origin", "SourceError", "read_messages"]
