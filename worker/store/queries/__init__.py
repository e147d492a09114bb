"""The SQL statements of the store, which are text files, one for each subject.

Each statement has a description, and a name that is also its attribute name in `Statements`.
``{name}`` in a statement is replaced by the condition or fragment of that name in the same file,
and ``{subject.name}`` by one in another file.
"""

import re
from importlib.resources import files

from sqlalchemy import TextClause, text

_HEADING = re.compile(r"^-- (\w+) --\n-- .+\n", re.MULTILINE)  # name and description
_REFERENCE = re.compile(r"\{(?:(\w+)\.)?(\w+)\}")  # {name} or {subject.name}


class Statements:
    """The statements of one subject, built on first use."""

    def __init__(self, subject: str) -> None:
        file = files(__name__).joinpath(f"{subject}.sql")
        _, *sections = _HEADING.split(file.read_text(encoding="utf-8"))
        self.names = sections[::2]
        self._texts = dict(zip(self.names, sections[1::2], strict=True))
        if len(self._texts) < len(self.names):
            raise ValueError(f"{subject}.sql has two statements with the same name")

    def __getattr__(self, name: str) -> TextClause:
        if name.startswith("_") or name not in self._texts:
            raise AttributeError(name)
        statement = text(self.text_of(name))
        setattr(self, name, statement)
        return statement

    def text_of(self, name: str) -> str:
        """Return the text of a statement, condition or fragment, with all references replaced."""

        def referenced_text(found: re.Match[str]) -> str:
            return (Statements(found[1]) if found[1] else self).text_of(found[2])

        return _REFERENCE.sub(referenced_text, self._texts[name]).strip()
