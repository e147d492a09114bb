"""Files of many articles, in each of the formats."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from worker.article.syndication import json_feed_frame, json_feed_item, ninjs
from worker.export.files import replaced, replacing, write_lines
from worker.export.formats import FileFormat, require_format


def write_articles(
    path: Path, form: FileFormat, messages: Iterable[dict[str, Any]], title: str = ""
) -> int:
    """Write article messages to a file, which is replaced only on success; return their number.

    Memory use does not depend on the number of messages. Text formats are compressed if the name
    ends in ``.gz``. ``title`` is the title of a JSON Feed.
    """
    if form == "parquet":
        require_format(form)
        from worker.export.arrow import write_parquet

        with replaced(path) as partial:
            return write_parquet(partial, messages)
    with replacing(path) as stream:
        if form == "jsonfeed":
            return _write_feed(stream, map(json_feed_item, messages), title)
        return write_lines(stream, map(ninjs, messages) if form == "ninjs" else messages)


def _write_feed(stream: IO[str], items: Iterable[dict[str, Any]], title: str) -> int:
    start, end = json_feed_frame(title)
    stream.write(start)
    written = 0
    for item in items:
        stream.write(",\n" if written else "\n")
        stream.write(json.dumps(item, ensure_ascii=False))
        written += 1
    stream.write(end)
    return written
