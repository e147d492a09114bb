"""Pages that show nothing until a browser has run their programs."""

from collections.abc import Sequence
from dataclasses import replace

from models.roles import LineRole
from worker.article import NeedsRenderingError, TemplateKnowledge
from worker.article.reader import Content, read_content
from worker.html import Page, PageError, parse_page
from worker.html.encoding import decode
from worker.rendering import Browser, RenderingError
from worker.settings import Settings
from worker.store.extraction_jobs import ExtractionJob


def browser_of(settings: Settings) -> Browser | None:
    """Return the browser that is configured, None where there is none."""
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
    """Return a stored page as a reader would see it.

    Raises
    ------
    NeedsRenderingError
        If it cannot be rendered.
    """
    content = job.content
    html = decode(content, job.content_type).text if isinstance(content, bytes) else content
    try:
        return parse_page(browser.render(html, job.url), job.url)
    except (RenderingError, PageError) as error:
        raise NeedsRenderingError(f"the page could not be rendered: {error}") from error


def read_rendered(
    page: Page,
    job: ExtractionJob,
    template: TemplateKnowledge | None,
    text_roles: Sequence[LineRole],
) -> Content:
    """Read a page that was rendered.

    The article's method begins with ``rendered-``, its XPath is that of the rendered document.

    Raises
    ------
    NoArticleError
        If there is no article after all.
    """
    content = read_content(page, template, text_roles=text_roles, fetched_at=job.fetched_at)
    article = content.article
    return replace(content, article=replace(article, method=f"rendered-{article.method}"))
