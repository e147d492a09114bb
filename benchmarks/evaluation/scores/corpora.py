"""Load corpora, which consist of pages and gold records.

A corpus is a folder with ``pages.jsonl.gz``, one page message per line as published by a crawler,
and ``gold.jsonl.gz``, one record per page. A page and its record have the same ``id``.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from benchmarks.evaluation.scores.markup import read_markup
from benchmarks.evaluation.scores.records import Comment, Gold

BODY_ONLY = frozenset({"fundus_body", "l3s_gn1", "wcxb", "zh_cwced"})
"""Corpora whose gold texts omit the headline; those of all other corpora begin with it."""

MIN_WORD_RECALL = 0.8
"""Minimum share of a gold text's words in its page; below it, the text belongs to another page."""


class CorpusError(ValueError):
    """The corpus cannot be read; the message names the file and line at fault."""


@dataclass(frozen=True)
class CorpusPage:
    """A fetched page in a corpus; `html` is a string if the crawler decoded it, otherwise bytes.

    `site` is the registrable domain, and `content_type` the HTTP header, or None if it was not
    stored.
    """

    id: str
    url: str
    site: str
    html: bytes | str
    content_type: str | None = None


@dataclass(frozen=True)
class Corpus:
    """Pages and gold records by ID, in the order of the files; `name` is that of the folder."""

    name: str
    pages: Mapping[str, CorpusPage]
    golds: Mapping[str, Gold]

    def scorable(self) -> list[Gold]:
        """Return the gold records that have a text, except texts that belong to another page.

        See `MIN_WORD_RECALL`. Records whose word recall is unknown are included.
        """
        return [
            gold
            for gold in self.golds.values()
            if gold.text
            and gold.text.strip()
            and (gold.word_recall is None or gold.word_recall >= MIN_WORD_RECALL)
        ]


def load_corpus(folder: Path, *, title_in_text: bool | None = None) -> Corpus:
    """Read the corpus in a folder.

    `title_in_text` states whether the gold texts begin with the headline; if it is None, the
    gold records decide or, if they do not state it, `BODY_ONLY`. Raise CorpusError if a file or
    line is invalid, if an ID occurs twice, or if a gold record has no page.
    """
    pages: dict[str, CorpusPage] = {}
    for place, record in _numbered_records(folder / "pages.jsonl.gz"):
        page = _page(record, place)
        if page.id in pages:
            raise CorpusError(f"{place}: duplicate page {page.id!r}")
        pages[page.id] = page
    golds = load_golds(folder / "gold.jsonl.gz", title_in_text=title_in_text)
    for name in golds:
        if name not in pages:
            raise CorpusError(f"gold.jsonl.gz: pages.jsonl.gz has no page {name!r}")
    return Corpus(folder.name, {name: pages[name] for name in pages if name in golds}, golds)


def load_golds(path: Path, *, title_in_text: bool | None = None) -> dict[str, Gold]:
    """Read gold records by ID from a file, one JSON object per line.

    The file is compressed if its name ends in ``.gz``; `title_in_text` is as in `load_corpus`.
    Raise CorpusError if the file or a line is invalid, or if an ID occurs twice.
    """
    corpus_default = path.parent.name not in BODY_ONLY
    golds: dict[str, Gold] = {}
    for place, record in _numbered_records(path):
        begins_with_title = (
            record.get("title_in_text", corpus_default) if title_in_text is None else title_in_text
        )
        gold = read_gold(record, title_in_text=begins_with_title, place=place)
        if gold.id in golds:
            raise CorpusError(f"{place}: duplicate gold record for {gold.id!r}")
        golds[gold.id] = gold
    if any(gold.comment_text for gold in golds.values()):
        return {name: _without_comments(gold) for name, gold in golds.items()}
    return golds


def _without_comments(gold: Gold) -> Gold:
    """Treat a gold record that does not mention comments as stating that there are none.

    Corpora that have the text of all comments as a whole follow this convention.
    """
    has_no_annotation = gold.comments is None and gold.comment_text is None
    return replace(gold, comment_text="") if has_no_annotation else gold


def read_gold(record: Mapping[str, Any], *, title_in_text: bool, place: str = "gold") -> Gold:
    """Read a decoded gold record; raise CorpusError, naming its `place`, if a field is invalid.

    Authors and date may have the keys of the article message, ``authors`` and ``published_at``.
    """
    try:
        markup = record.get("markup")
        comments = record.get("comments")
        recall = record.get("gold_token_recall_in_html", record.get("token_recall_in_html"))
        return Gold(
            id=str(record["id"]),
            site=str(record.get("site") or ""),
            language=str(record.get("language") or ""),
            text=_text(record, "text"),
            title_in_text=title_in_text,
            title=_text(record, "title"),
            blocks=None if markup is None else read_markup(markup),
            authors=_author_tuple(record.get("author", record.get("authors"))),
            date=_text(record, "date" if "date" in record else "published_at"),
            wanted=_snippets(record, "with"),
            unwanted=_snippets(record, "without"),
            comments=_comments(comments),
            comment_text=comments if isinstance(comments, str) else None,
            comment_snippets=_snippets(record, "comments"),
            template_class=_text(record, "template_class"),
            word_recall=None if recall is None else float(recall),
            kind=_text(record, "kind"),
            lead=_text(record, "lead"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"{place}: not a valid gold record ({error!r})") from error


def _numbered_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the JSON objects in a file, each with its place, such as ``gold.jsonl.gz, line 7``."""
    try:
        with open_text(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    place = f"{path.name}, line {number}"
                    try:
                        record = json.loads(line)
                    except (ValueError, RecursionError) as error:
                        raise CorpusError(f"{place}: {error}") from error
                    if not isinstance(record, dict):
                        raise CorpusError(f"{place}: not a JSON object")
                    yield place, record
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error


def open_text(path: Path) -> IO[str]:
    """Open a text file, compressed if its name ends in ``.gz``."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _page(record: Mapping[str, Any], place: str) -> CorpusPage:
    """Parse a page message, whose HTML may be text or bytes in Base64."""
    try:
        html: bytes | str
        if record.get("html_base64") is not None:
            html = base64.b64decode(record["html_base64"], validate=True)
        else:
            html = str(record["html"])
        return CorpusPage(
            id=str(record["id"]),
            url=str(record["url"]),
            site=str(record.get("site") or ""),
            html=html,
            content_type=record.get("content_type"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"{place}: not a page message ({error!r})") from error


def _text(record: Mapping[str, Any], field: str) -> str | None:
    value = record.get(field)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{field} is {type(value).__name__}, not text")
    return value


def _author_tuple(value: str | Sequence[str] | None) -> tuple[str, ...] | None:
    if not value:
        return None
    return (value,) if isinstance(value, str) else tuple(value)


def _snippets(record: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = record.get(field)
    if not isinstance(value, list) or not all(isinstance(snippet, str) for snippet in value):
        return ()
    return tuple(snippet for snippet in value if snippet.strip())


def _comments(value: object) -> tuple[Comment, ...] | None:
    """Read comments that are listed individually; return None if they are text or snippets."""
    if not isinstance(value, list) or any(isinstance(comment, str) for comment in value):
        return None
    return tuple(
        Comment(
            text=comment["text"],
            author=comment.get("author"),
            date=comment.get("date"),
            parent=comment.get("parent"),
        )
        for comment in value
    )
