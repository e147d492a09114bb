"""Values that a page declares, independent of the vocabulary."""

import re
from dataclasses import dataclass, fields
from typing import Final, Self

ARTICLE_TYPE: Final = re.compile(r"(?:article|posting|report|story|review|recipe|creativework)$")
"""Pattern for declared types, in lower case, that make an item an article."""

PAGE_TYPE: Final = re.compile(r"(?:webpage|itempage)$")
"""Pattern for declared types, in lower case, that make an item the page itself."""


@dataclass(frozen=True)
class Record:
    """The unvalidated values from one source, in page order, each on a single line."""

    titles: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """Types of the described item in lower case, such as ``newsarticle`` and ``video.other``."""

    sites: tuple[str, ...] = ()
    """Names of the site and of the publisher."""

    access: tuple[str, ...] = ()
    """``free`` or ``paid``, if the source declares whether the article is free to read."""

    @classmethod
    def of(cls, values: dict[str, list[str]]) -> Self:
        """Build a record from lists of values keyed by field name, dropping duplicates."""
        return cls(**{name: tuple(dict.fromkeys(found)) for name, found in values.items()})

    def __add__(self, other: "Record") -> "Record":
        """Return the values of both records, those of the left operand first."""
        return Record(
            **{
                field.name: tuple(
                    dict.fromkeys((*getattr(self, field.name), *getattr(other, field.name)))
                )
                for field in fields(self)
            }
        )
