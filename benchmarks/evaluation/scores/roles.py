"""Scores of the roles that lines of pages are found to have.

A corpus of roles is a file ``roles.jsonl.gz``: a record a page with ``corpus`` and ``id`` (the
page itself is in that corpus, in the folder beside), ``kind`` and ``lines``, each with ``text``
and ``role``, in the order of the page.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.scores.corpora import CorpusError
from benchmarks.evaluation.scores.matching import matching_blocks
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.words import words

ROLES_FILE = "roles.jsonl.gz"

TEXT = frozenset({"lead", "paragraph", "heading", "list_item", "quote", "table", "code", "qa"})
"""Roles of the article's own text."""

MIXED = "mixed"
"""Label of a line that two roles share: nothing is scored of it."""

SAME_ROLE = {"comment_form": "comment"}
"""Labels that are one role for a reader of articles."""

OF_THE_SITE = frozenset({"legal", "navigation", "share", "template"})
"""Roles that labellers tell apart by taste, and so are one in scores."""

AMBIGUOUS = {"related": "template"}
"""Roles of which labellers gave some lines another one: those lines count neither for nor against.

A list of other articles in a column of the site is ``related`` to some, ``template`` to others.
"""

IN_TEXT = 0.5
"""Share of a line's words in a text from which the line is in it."""


@dataclass(frozen=True)
class LabelledPage:
    """A page whose lines have roles.

    Attributes
    ----------
    corpus, id
        Its corpus and its name there.
    kind
        What kind of page it is.
    texts, roles
        The lines, and the role of each.
    """

    corpus: str
    id: str
    kind: str
    texts: tuple[str, ...]
    roles: tuple[str, ...]


def load_roles(path: Path) -> list[LabelledPage]:
    """Read a corpus of roles.

    Raises
    ------
    CorpusError
        If the file cannot be read, or holds something else.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return [_page(json.loads(line)) for line in file if line.strip()]
    except (OSError, EOFError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"{path}: {error!r}") from error


def _page(record: Mapping[str, object]) -> LabelledPage:
    lines = record["lines"]
    if not isinstance(lines, list):
        raise TypeError("lines are no list")
    return LabelledPage(
        str(record["corpus"]),
        str(record["id"]),
        str(record["kind"]),
        tuple(str(line["text"]) for line in lines),
        tuple(SAME_ROLE.get(line["role"], str(line["role"])) for line in lines),
    )


def align(labelled: LabelledPage, texts: Sequence[str]) -> list[str | None]:
    """Give the lines of a page the roles of the labelled ones with the same text, in order.

    Parameters
    ----------
    labelled
        The labels.
    texts
        The lines as a parser finds them.

    Returns
    -------
    list of str or None
        A role for each line, None for one without a counterpart.
    """
    roles: list[str | None] = [None] * len(texts)
    for start, at, size in matching_blocks(labelled.texts, texts):
        roles[at : at + size] = labelled.roles[start : start + size]
    return roles


def lines_in(text: str, lines: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Say of each line of a page whether it is in a text, whose words come in the same order."""
    by_line = [words(line) for line in lines]
    matched = np.zeros(sum(map(len, by_line)) + 1)
    for start, _, size in matching_blocks([word for line in by_line for word in line], words(text)):
        matched[start : start + size] = 1.0
    sums = np.concatenate([[0.0], np.cumsum(matched)])
    ends = np.cumsum([0, *map(len, by_line)])
    counts = np.maximum(1, np.diff(ends))
    shares: npt.NDArray[np.float64] = (sums[ends[1:]] - sums[ends[:-1]]) / counts
    return shares > IN_TEXT


@dataclass
class RoleScores:
    """What became of the lines of pages, by their roles.

    Attributes
    ----------
    pages, right
        Number of pages, and of those that have exactly the article's lines in their text.
    lines, kept
        For each role the number of its lines, and of those that are in a text.
    found
        Pairs of a true role and the one found, with the number of lines.
    """

    pages: int = 0
    right: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(
        self,
        roles: Sequence[str | None],
        in_text: npt.NDArray[np.bool_],
        found: Sequence[str] | None = None,
    ) -> bool:
        """Count a page; say whether its text has exactly the article's lines.

        Parameters
        ----------
        roles
            The true role of each line, None where nobody said.
        in_text
            Whether each line is in the text.
        found
            The role that each was found to have.
        """
        is_right = True
        for place, role in enumerate(roles):
            if role is None or role == MIXED:
                continue
            is_right &= (role in TEXT) == bool(in_text[place])
            self.lines[role] += 1
            self.kept[role] += bool(in_text[place])
            if found is not None:
                self.found[role, found[place]] += 1
        self.pages += 1
        self.right += is_right
        return is_right

    @property
    def exact(self) -> float:
        """Share of the pages that have exactly the article's lines in their text, percent."""
        return 100 * self.right / max(1, self.pages)

    def share_kept(self, role: str) -> float:
        """Return the share of a role's lines that are in the text, in percent."""
        return 100 * self.kept[role] / max(1, self.lines[role])

    def prf(self, role: str) -> PRF:
        """Return precision, recall and F1 of a role; those `OF_THE_SITE` are one.

        Lines of a role that labellers took it for by turns, see `AMBIGUOUS`, are left out.
        """
        same = OF_THE_SITE if role in OF_THE_SITE else {role}
        both = sum(n for (true, found), n in self.found.items() if true in same and found in same)
        found = sum(
            n
            for (true, said), n in self.found.items()
            if said in same and true != AMBIGUOUS.get(role)
        )
        wanted = sum(n for (true, _), n in self.found.items() if true in same)
        return PRF.of(both, found, wanted)

    def mean_f1(self, roles: Iterable[str]) -> float:
        """Return the mean F1 of some roles, in percent."""
        scores = [self.prf(role).f1 for role in roles]
        return sum(scores) / max(1, len(scores))
