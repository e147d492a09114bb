"""Pages as they are after a browser has run their programs (extra ``render``)."""

from worker.rendering.browser import Browser, RenderingError

__all__ = ["Browser", "RenderingError"]
