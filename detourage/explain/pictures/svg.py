"""SVG elements as escaped strings."""

from html import escape


class Drawing(str):
    """SVG markup that templates do not escape again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def element(name: str, *children: str, **attributes: object) -> Drawing:
    """Write an element with escaped children and attributes, except those that are None.

    In attribute names, ``_`` is written as ``-``, and ``class_`` as ``class``.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Drawing) else escape(child) for child in children)
    return Drawing(f"<{name}{written}>{inside}</{name}>")


def picture(title: str, described: str, width: float, height: float, *children: str) -> Drawing:
    """Write a picture of at most this width, with a title and description for screen readers."""
    return element(
        "svg",
        element("title", title),
        element("desc", described),
        *children,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        role="group",
        class_="picture",
    )


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
