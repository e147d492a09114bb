"""Digests of the extraction results of generated pages, to detect changes of the results.

Stored pages are extracted again only if the extraction version is raised, so every change that
affects results must raise it. ``python -m tests.unit.reader.recorded`` updates the digests.
"""

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from detourage.html import Page, parse_page
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content
from detourage.reader.article_values import json_values
from detourage.reader.page_model import MODEL
from detourage.text.shipped import shipped_bytes
from detourage.versions import EXTRACTION_VERSION
from examples.sample_crawl import generate

RECORDED = Path(__file__).with_name("recorded.json")
COMMAND = "python -m tests.unit.reader.recorded"
MODELS = (MODEL, ("detourage.comments", "model.json"))

Record = Mapping[str, Any]
"""The extraction version, and digests: of all pages, of all models, and of each page's content."""


def record() -> Record:
    """Extract generated pages, comparing each with the first page of the same template."""
    crawl = list(generate(pages_per_template=2, noise=1.0))
    firsts: dict[tuple[str, str], Page] = {}
    contents: dict[str, str] = {}
    for sample in crawl:
        message, gold = sample.message, sample.gold
        html = base64.b64decode(message["html_base64"])
        page = parse_page(html, message["url"], content_type=message["content_type"])
        first = firsts.setdefault((gold["site"], gold["template_class"]), page)
        try:
            content = read_content(
                page, first if first is not page else None, include_locations=False
            )
            values = json_values(content, page.url, "")
            values = {**values, "confidence": round(content.confidence, 3)}
        except NoArticleError as error:
            contents[page.url] = _digest(error.outcome)
        else:
            contents[page.url] = _digest(values)
    return {
        "version": EXTRACTION_VERSION,
        "pages": _digest([page.message for page in crawl]),
        "models": _digest([sha256(shipped_bytes(*file)).hexdigest() for file in MODELS]),
        "contents": contents,
    }


def complaint(recorded: Record, current: Record) -> str | None:
    """Return advice if the current results differ from the recorded ones, otherwise None."""
    contents = current["contents"]
    differing = [url for url in contents if recorded["contents"].get(url) != contents[url]]
    if recorded["pages"] != current["pages"]:
        return f"The generated pages have changed: run `{COMMAND}`."
    if recorded["version"] != current["version"]:
        return f"Extraction version {current['version']} is not recorded: run `{COMMAND}`."
    if not differing and recorded["models"] == current["models"]:
        return None
    change = (
        f"{len(differing)} of {len(contents)} pages give other content, {differing[0]} first"
        if differing
        else "a model has changed"
    )
    return (
        f"{change}, under the same extraction version ({current['version']}): stored pages would"
        " keep the old results. If the change is intended, raise EXTRACTION_VERSION in"
        f" detourage/versions.py, then run `{COMMAND}`."
    )


def _digest(value: Any) -> str:
    serialised = json.dumps(value, default=str, ensure_ascii=False, sort_keys=True)
    return sha256(serialised.encode("utf-8", "surrogatepass")).hexdigest()[:16]


if __name__ == "__main__":
    # Store the current results, unless the version must be raised first.
    current = record()
    advice = complaint(json.loads(RECORDED.read_text()), current) if RECORDED.exists() else None
    if advice is not None and "raise EXTRACTION_VERSION" in advice:
        raise SystemExit(advice)
    RECORDED.write_text(json.dumps(current, indent=1) + "\n", encoding="utf-8")
