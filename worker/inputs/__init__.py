"""Files in: page messages from JSON lines, folders of HTML, and WARC archives."""

from worker.inputs.errors import SourceError
from worker.inputs.reading import read_messages

__all__ = ["SourceError", "read_messages"]
