import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.pages import ARTICLE


def write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)
    return path


def write_corpus(folder: Path, orders: Sequence[str], *, of: str = "site", **gold: Any) -> Path:
    """Write a corpus in which each page consists of a text, which is also its gold text.

    The pages alternate between ``site-1.example`` and ``site-2.example``; `of` replaces the prefix
    ``site``.
    """
    pages, golds = [], []
    for number, order in enumerate(orders):
        of_page = {"id": f"page-{number}", "site": f"{of}-{number % 2 + 1}.example"}
        html = base64.b64encode(order.encode()).decode()
        url = f"http://{of_page['site']}/{number}"
        pages.append({"version": 1, **of_page, "url": url, "html_base64": html})
        golds.append({**of_page, "language": "en", "text": order} | gold)
    write_lines(folder / "pages.jsonl.gz", pages)
    write_lines(folder / "gold.jsonl.gz", golds)
    return folder


def article(number: int, text: str, **fields: Any) -> dict[str, Any]:
    """Return an article message for the page with the given number of `write_corpus`."""
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
