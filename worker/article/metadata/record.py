"""What a page declares of itself, whatever vocabulary it does so in."""

from dataclasses import dataclass, fields
from typing import Self


@dataclass(frozen=True)
class Record:
    """The values that one source gives, each field in the order of the page.

    Values are as the page writes them, on one line; nothing has been checked.

    Attributes
    ----------
    titles, descriptions, authors, sections, tags
        Of the article.
    published, modified
        Its dates.
    languages
        Of its text.
    addresses
        Its canonical address.
    kinds
        Types of the thing described, in lower case: ``newsarticle``, ``video.other``.
    sites
        Names of the site and of the publisher.
    access
        ``free`` and ``paid``, as far as the source says who may read it.
    """

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
    sites: tuple[str, ...] = ()
    access: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: dict[str, list[str]]) -> Self:
        """Make a record of lists by name of field; a value that comes twice counts once."""
        return cls(**{name: tuple(dict.fromkeys(found)) for name, found in values.items()})

    def __add__(self, other: "Record") -> "Record":
        """Return the values of both, these first."""
        return Record(
            **{
                field.name: tuple(
                    dict.fromkeys((*getattr(self, field.name), *getattr(other, field.name)))
                )
                for field in fields(self)
            }
        )
