"""Rendering of pages that are empty until a browser has run their scripts."""

from dataclasses import replace

from worker.article import NeedsRenderingError
from worker.html import Page, PageError, parse_page
from worker.html.encoding import decode
from worker.rendering import Browser, RenderingError
from worker.settings import Settings
from worker.store.extraction_jobs import ExtractionJob


def browser_of(settings: Settings) -> Browser | None:
    """Return the configured browser, or None if there is none."""
    if settings.render_browser is None:
        return None
    return Browser(
        settings.render_browser,
        seconds=settings.render_seconds,
        memory_mib=settings.render_memory_mib,
        has_network=settings.render_network,
        is_sandboxed=settings.render_sandbox,
    )


def render(browser: Browser, job: ExtractionJob) -> Page:
    """Render a stored page as a reader would see it; raise NeedsRenderingError on failure."""
    content = job.content
    html = decode(content, job.content_type).text if isinstance(content, bytes) else content
    try:
        # Byte offsets into the rendered page mean nothing in the stored one.
        return replace(parse_page(browser.render(html, job.url), job.url), source=None)
    except (RenderingError, PageError) as error:
        raise NeedsRenderingError(f"the page could not be rendered: {error}") from error
