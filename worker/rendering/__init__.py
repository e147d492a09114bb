"""Rendering of pages by a browser that runs their scripts, which needs the ``render`` extra."""

from worker.rendering.browser import Browser, RenderingError

__all__ = ["Browser", "RenderingError"]
