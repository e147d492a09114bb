"""Exports of articles with one file per day, in a folder that can be read as a partitioned table.

The file of a day is replaced or removed atomically. Readers therefore see each day as a whole, and
an export can be interrupted and repeated at any time.
"""

import fcntl
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from detourage.expected_errors import ExpectedError
from detourage.export.formats import SUFFIXES, FileFormat
from detourage.export.output_files import OutputError, partial_of, replacement_path, write_articles
from detourage.messages import ArticleMessage

DESCRIPTION = "_export.json"
"""Name of the file that describes the export. Table readers skip names that start with ``_``."""

_DAY = re.compile(r"day=(\d{4}-\d\d-\d\d)")  # subfolder of a day


def _with_partial(name: str) -> set[str]:
    return {name, partial_of(Path(name)).name}


_DAY_FILES = {name for suffix in SUFFIXES.values() for name in _with_partial(f"part-0000{suffix}")}
"""Names of a day's file, finished or partial, in all formats."""


class ExportFolderError(ExpectedError):
    """An export cannot be written to a folder; the message tells users why, and what to do."""


class DayFolder:
    """A folder with one file of articles per day, from one `site` or, if it is None, from all."""

    def __init__(self, path: Path, form: FileFormat, site: str | None) -> None:
        self._path = path
        self._format: FileFormat = form
        self._site = site
        self._file_name = f"part-0000{SUFFIXES[form]}"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Create or check the folder, and lock it for the duration of the context.

        Raise `ExportFolderError` if the folder contains anything but an export, or if another
        export has locked it.
        """
        description = self._path / DESCRIPTION
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            self._check_contents()
            if not description.exists():
                with replacement_path(description) as partial:
                    partial.write_text(json.dumps(self._description()) + "\n", encoding="utf-8")
            with description.open(encoding="utf-8") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._check_description(stream.read())
                yield
        except BlockingIOError as error:
            raise ExportFolderError(
                f"{self._path} is in use by another export: wait until that has ended"
            ) from error
        except OSError as error:
            raise OutputError(self._path, error) from error

    def replace(
        self, first: date, last: date, articles: Iterable[tuple[datetime, dict[str, Any]]]
    ) -> dict[date, int]:
        """Replace the days from ``first`` to ``last``; return the number of articles by day.

        ``articles`` are pairs of time and message, in chronological order.
        """
        counts: dict[date, int] = {}
        matches = map(_DAY.fullmatch, (entry.name for entry in self._path.iterdir()))
        old_days = sorted(date.fromisoformat(match[1]) for match in matches if match)
        for day, articles_of_day in groupby(articles, lambda each: each[0].astimezone(UTC).date()):
            file = self._file(day)
            file.parent.mkdir(exist_ok=True)
            messages = (ArticleMessage.in_order(message) for _, message in articles_of_day)
            counts[day] = write_articles(file, self._format, messages)
        for day in old_days:
            if first <= day <= last and day not in counts:
                file = self._file(day)
                file.unlink(missing_ok=True)
                partial_of(file).unlink(missing_ok=True)
                with suppress(OSError):
                    file.parent.rmdir()
        return counts

    def _description(self) -> dict[str, Any]:
        return {"contents": "articles", "format": self._format, "site": self._site}

    def _check_contents(self) -> None:
        """Raise `ExportFolderError` if the folder contains anything but the files of an export."""
        is_export = (self._path / DESCRIPTION).exists()
        for entry in sorted(self._path.iterdir()):
            if entry.name in _with_partial(DESCRIPTION):
                continue
            is_day = is_export and entry.is_dir() and _DAY.fullmatch(entry.name) is not None
            for path in sorted(entry.iterdir()) if is_day else [entry]:
                if not is_day or path.name not in _DAY_FILES:
                    raise ExportFolderError(
                        f"{self._path} contains {str(path.relative_to(self._path))!r}, which is"
                        " not part of an export: choose a new or empty folder"
                    )

    def _check_description(self, text: str) -> None:
        found = None
        with suppress(ValueError):
            found = json.loads(text)
        if found != self._description():
            raise ExportFolderError(
                f"{self._path} contains another export, {text.strip()}: use the same --format and"
                " --site, or choose a new or empty folder"
            )

    def _file(self, day: date) -> Path:
        return self._path / f"day={day}" / self._file_name
