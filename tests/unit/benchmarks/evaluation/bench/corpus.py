"""Small corpora of pages and their gold texts, and articles extracted from them."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.pages import ARTICLE


def write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """Write records to a compressed file of JSON lines, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)
    return path


def write_corpus(folder: Path, texts: Sequence[str], *, prefix: str = "site", **gold: Any) -> Path:
    """Write a corpus with a page for each text, which is also the page's gold text.

    The sites alternate between ``site-1.example`` and ``site-2.example``; `prefix` replaces
    ``site``. The keys of `gold` are added to all gold records.
    """
    pages, golds = [], []
    for number, text in enumerate(texts):
        page_keys = {"id": f"page-{number}", "site": f"{prefix}-{number % 2 + 1}.example"}
        html = base64.b64encode(text.encode()).decode()
        url = f"http://{page_keys['site']}/{number}"
        pages.append({"version": 1, **page_keys, "url": url, "html_base64": html})
        golds.append({**page_keys, "language": "en", "text": text} | gold)
    write_lines(folder / "pages.jsonl.gz", pages)
    write_lines(folder / "gold.jsonl.gz", golds)
    return folder


def article(number: int, text: str, **fields: Any) -> dict[str, Any]:
    """Return an article message for the page with the given number in a `write_corpus` corpus."""
    site = f"site-{number % 2 + 1}.example"
    block = {"type": "paragraph", "text": text, "start": 0, "end": len(text)}
    return {
        **ARTICLE,
        "id": f"article-{number}",
        "page_id": f"page-{number}",
        "url": f"http://{site}/{number}",
        "site": site,
        "text": text,
        "blocks": [block] if text else [],
    } | fields
