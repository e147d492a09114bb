"""Elements of SVG as escaped strings."""

from html import escape


class Drawing(str):
    """SVG that was written: templates, too, take it as it is, where they escape all else."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def element(name: str, *children: str, **attributes: object) -> Drawing:
    """Write an element.

    Parameters
    ----------
    name
        Its name.
    children
        What is in it; text is escaped, a `Drawing` is not.
    attributes
        Its attributes, ``_`` for ``-`` and ``class_`` for ``class``; those that are None are left
        out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Drawing) else escape(child) for child in children)
    return Drawing(f"<{name}{written}>{inside}</{name}>")


def picture(title: str, described: str, width: float, height: float, *children: str) -> Drawing:
    """Write a picture with its name and what it shows, for who does not see it.

    It is as wide as its place allows, and at most as it says.
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
