"""Files in: page messages from JSON lines, folders of HTML, and WARC archives."""

from worker.sources.errors import SourceError
from worker.sources.messages import MAX_MESSAGE_BYTES
from worker.sources.reading import read_messages

__all__ = ["MAX_MESSAGE_BYTES", "SourceError", "read_messages"]
