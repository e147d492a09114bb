"""Pages that show nothing until a browser has run their programs."""

from collections.abc import Sequence
from dataclasses import replace

from models.roles import LineRole
from worker.content import Content, read_content
from worker.extraction import NeedsRenderingError, TemplateKnowledge
from worker.pages import PageError, parse_page
from worker.pages.encoding import decode
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


def read_rendered(
    browser: Browser,
    job: ExtractionJob,
    template: TemplateKnowledge | None,
    text_roles: Sequence[LineRole],
) -> Content:
    """Render a stored page, and read what a reader would see.

    The article's method begins with ``rendered-``, its XPath is that of the rendered document.

    Raises
    ------
    NoArticleError
        If there is no article after all; `NeedsRenderingError` if it cannot be rendered.
    """
    content = job.content
    html = decode(content, job.content_type).text if isinstance(content, bytes) else content
    try:
        page = parse_page(browser.render(html, job.url), job.url)
    except (RenderingError, PageError) as error:
        raise NeedsRenderingError(f"the page could not be rendered: {error}") from error
    content_shown = read_content(page, template, text_roles=text_roles, fetched_at=job.fetched_at)
    article = content_shown.article
    return replace(content_shown, article=replace(article, method=f"rendered-{article.method}"))
