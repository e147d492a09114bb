"""SVG elements as escaped strings."""

from html import escape


class Drawing(str):
    """SVG markup, which templates do not escape again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def element(name: str, *children: str, **attributes: object) -> Drawing:
    """Write an element; text among its children is escaped, a `Drawing` is not.

    In the names of attributes, ``_`` stands for ``-`` and ``class_`` for ``class``; None omits one.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Drawing) else escape(child) for child in children)
    return Drawing(f"<{name}{written}>{inside}</{name}>")


def picture(title: str, described: str, width: float, height: float, *children: str) -> Drawing:
    """Write a picture with a title and a description for screen readers.

    It adapts to the available width, up to the given one.
    """
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
