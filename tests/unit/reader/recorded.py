"""Recorded extraction results of generated pages: ``python -m tests.unit.reader.recorded``.

Stored pages are extracted again only if the extraction version is raised, so every change that
affects results must raise it. This record detects such changes.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from detourage.html import Page, parse_page
from detourage.reader import NoArticleError
from detourage.reader.article_values import json_values
from detourage.reader.content import read_content
from detourage.reader.page_model import MODEL
from detourage.text.shipped import shipped_bytes
from detourage.versions import EXTRACTION_VERSION
from examples.sample_crawl import SamplePage, generate

RECORDED = Path(__file__).with_name("recorded.json")
COMMAND = "python -m tests.unit.reader.recorded"

MODELS = (
    MODEL,
    ("detourage.reader.confidence", "model.json"),
    ("detourage.comments", "model.json"),
    ("detourage.comments", "certainty.json"),
)

_DIGITS_OF_CONFIDENCE = 3


@dataclass(frozen=True)
class Record:
    """Digests of generated pages, of all models and of the contents, by page URL."""

    version: str
    pages: str
    models: str
    contents: Mapping[str, str]


def record() -> Record:
    crawl = list(generate(pages_per_template=2, noise=1.0))
    models = [sha256(shipped_bytes(*file)).hexdigest() for file in MODELS]
    return Record(
        version=EXTRACTION_VERSION,
        pages=_digest([page.message for page in crawl]),
        models=_digest(models),
        contents=_contents(crawl),
    )


def recorded() -> Record:
    return Record(**json.loads(RECORDED.read_text(encoding="utf-8")))


def complaint(before: Record, now: Record) -> str | None:
    """Return instructions if the current results differ from the record, otherwise None."""
    differing = [url for url, digest in now.contents.items() if before.contents.get(url) != digest]
    if before.pages != now.pages:
        return f"The generated pages have changed: run `{COMMAND}`."
    if before.version != now.version:
        return f"Extraction version {now.version} is not recorded: run `{COMMAND}`."
    if not differing and before.models == now.models:
        return None
    what = (
        f"{len(differing)} of {len(now.contents)} pages give other content, {differing[0]} first"
        if differing
        else "a model has changed"
    )
    return (
        f"{what}, under the same extraction version ({now.version}): stored pages would"
        " keep the old results. If the change is intended, raise EXTRACTION_VERSION in"
        f" detourage/versions.py, then run `{COMMAND}`."
    )


def _contents(crawl: list[SamplePage]) -> dict[str, str]:
    """Extract each page, comparing it with the first page that has the same template."""
    firsts: dict[tuple[str, str], Page] = {}
    contents: dict[str, str] = {}
    for sample in crawl:
        message, gold = sample.message, sample.gold
        html = base64.b64decode(message["html_base64"])
        page = parse_page(html, message["url"], content_type=message["content_type"])
        first = firsts.setdefault((gold["site"], gold["template_class"]), page)
        contents[page.url] = _digest(_read(page, first if first is not page else None))
    return contents


def _read(page: Page, other: Page | None) -> Any:
    try:
        content = read_content(page, other, has_locations=False)
    except NoArticleError as error:
        return error.outcome
    confidence = round(content.confidence, _DIGITS_OF_CONFIDENCE)
    return {**json_values(content, page.url, ""), "confidence": confidence}


def _digest(value: Any) -> str:
    written = json.dumps(value, default=str, ensure_ascii=False, sort_keys=True)
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def main() -> None:
    """Store the current results, unless the version must be raised first."""
    now = record()
    said = complaint(recorded(), now) if RECORDED.exists() else None
    if said is not None and "raise EXTRACTION_VERSION" in said:
        raise SystemExit(said)
    RECORDED.write_text(json.dumps(asdict(now), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
