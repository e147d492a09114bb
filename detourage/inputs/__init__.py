"""Read page messages from JSON lines, folders of HTML, and WARC archives."""

from detourage.inputs.files_and_folders import Origin, read_messages
from detourage.inputs.streams import SourceError

__all__ = ["Origin", "SourceError", "read_messages"]
