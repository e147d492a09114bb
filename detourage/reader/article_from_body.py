"""Construction of an article from its body."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from detourage.article import Article, ArticleEmbed, ArticleImage, ArticleMetadata, copy_with
from detourage.html import Page
from detourage.html.urls import base_of
from detourage.metadata import read_metadata
from detourage.reader import titles
from detourage.reader.blocks import blocks_of
from detourage.reader.found_body import FoundBody
from detourage.reader.languages import language_of
from detourage.reader.leading_images import leading_images
from detourage.reader.outline import Outline
from detourage.reader.titles import Titles
from detourage.text.token_counts import count_words

MAX_LEAD_BLOCKS = 5  # blocks at the start of a text among which its lead is searched for
MIN_LEAD_WORDS = 5  # words in a lead; a shorter text is a section name


def article_of(
    url: str,
    outline: Outline,
    other_titles: Sequence[Titles],
    body: FoundBody,
    template_lines: Collection[int] = frozenset(),
    headline: tuple[str | None, int | None] | None = None,
) -> Article:
    """Build an article; `other_titles` and `template_lines` are those of the page's template."""
    title, heading = headline or titles.headline(outline, body.container, url, other_titles)
    if heading is not None:
        body = replace(body, dropped=body.dropped | {heading})
    base = base_of(outline.root, url)
    blocks, media = blocks_of(outline, body, base, title)
    text = "\n\n".join(block.text for block in blocks)
    images = [medium for medium in media if isinstance(medium, ArticleImage)]
    placed = {image.url for image in images}
    leading = {
        image.url: copy_with(image, block=0)
        for image in leading_images(outline, body, heading, base)
        if image.url not in placed
    }
    lead = "\n".join(block.text for block in blocks[:MAX_LEAD_BLOCKS] if block.role == "lead")
    language = language_of(outline, text)
    metadata = read_metadata(
        outline,
        body,
        heading,
        url=url,
        title=title,
        language=language,
        template_lines=template_lines,
        text=text,
    )
    return Article(
        title=title,
        text=text,
        blocks=tuple(blocks),
        images=(*leading.values(), *images),
        embeds=tuple(medium for medium in media if isinstance(medium, ArticleEmbed)),
        language=language,
        method=body.method,
        xpath=outline.node(body.container).path(),
        confidence=round(body.confidence, 3),
        metadata=copy_with(metadata, lead=lead if count_words(lead) >= MIN_LEAD_WORDS else None),
        container=outline.node(body.container).index,
        heading=None if heading is None else outline.node(heading).index,
    )


def declared_by(page: Page) -> tuple[str | None, ArticleMetadata]:
    """Return the title and the metadata that a page declares, whether or not it has an article."""
    outline = Outline.of(page.flat)
    title, heading = titles.headline(outline, 0, page.url)
    body, language = FoundBody("", 0, lines=frozenset()), language_of(outline, "")
    metadata = read_metadata(outline, body, heading, url=page.url, title=title, language=language)
    return title, metadata
