"""Rendering of pages by a browser that runs their scripts (extra ``render``)."""

from worker.rendering.browser import Browser, RenderingError

__all__ = ["Browser", "RenderingError"]
