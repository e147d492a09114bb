"""Scores of the roles assigned to the lines of pages.

A record in ``roles.jsonl.gz`` has the ``corpus``, ``id`` and ``kind`` of a page, and its ``lines``
in page order, each with its ``role`` and its ``text``.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.scores.corpora import CorpusError
from benchmarks.evaluation.scores.matching import matching_blocks
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.words import words

ROLES_FILE = "roles.jsonl.gz"

ARTICLE_ROLES = frozenset(
    {"lead", "paragraph", "heading", "list_item", "quote", "table", "code", "qa"}
)
"""Roles of lines that belong to the article's text."""

MIXED_ROLES = "mixed"  # label of a line with two roles, which is not scored

SCORED_AS = {"comment_form": "comment"}
"""Labels that are scored as another role, because readers of articles need not distinguish them."""

SITE_ROLES = frozenset({"legal", "navigation", "share", "template"})
"""Roles that annotators could not distinguish reliably; they count as a single role in scores."""

CONFUSED_WITH = {"related": "template"}
"""Roles whose precision ignores lines that have the other given role, because annotators confused
the two: some labelled a list of other articles in a side column as ``related``, others as
``template``."""

MIN_SHARE_IN_TEXT = 0.5
"""Minimum share of a line's words that a text must contain to count as containing the line."""

DIGEST_DIGITS = 4
"""Hexadecimal digits of a digest, which are enough to align lines."""


@dataclass(frozen=True)
class LabelledPage:
    """A page whose lines are labelled with roles; `digests` identify the lines."""

    corpus: str
    id: str
    kind: str
    digests: tuple[str, ...]
    roles: tuple[str, ...]


def digest_of(text: str) -> str:
    """Return the digest that identifies a line by its text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_DIGITS]


def load_roles(path: Path) -> list[LabelledPage]:
    """Read a corpus of roles; raise CorpusError if the file is unreadable or invalid."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return [_page(json.loads(line)) for line in file if line.strip()]
    except (OSError, EOFError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"{path}: {error!r}") from error


def _page(record: Mapping[str, object]) -> LabelledPage:
    """Parse a record of the file of roles."""
    lines = record["lines"]
    if not isinstance(lines, list):
        raise TypeError("the key 'lines' must hold a list")
    return LabelledPage(
        str(record["corpus"]),
        str(record["id"]),
        str(record["kind"]),
        tuple(digest_of(line["text"]) for line in lines),
        tuple(SCORED_AS.get(line["role"], str(line["role"])) for line in lines),
    )


def align(labelled: LabelledPage, texts: Sequence[str]) -> list[str | None]:
    """Return the labelled role of each line, or None if the line matches no labelled line."""
    roles: list[str | None] = [None] * len(texts)
    digests = [digest_of(text) for text in texts]
    for start, first, size in matching_blocks(labelled.digests, digests):
        roles[first : first + size] = labelled.roles[start : start + size]
    return roles


def are_lines_in(text: str, lines: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return, for each line of a page, whether a text contains most of its words, in order."""
    words_by_line = [words(line) for line in lines]
    matched = np.zeros(sum(map(len, words_by_line)) + 1)
    for start, _, size in matching_blocks(
        [word for line in words_by_line for word in line], words(text)
    ):
        matched[start : start + size] = 1.0
    # Divide the matched words of each line, from cumulative sums, by the number of its words.
    sums = np.concatenate([[0.0], np.cumsum(matched)])
    ends = np.cumsum([0, *map(len, words_by_line)])
    counts = np.maximum(1, np.diff(ends))
    shares: npt.NDArray[np.float64] = (sums[ends[1:]] - sums[ends[:-1]]) / counts
    return shares > MIN_SHARE_IN_TEXT


@dataclass
class RoleScores:
    """Counts of the lines of pages by role.

    `right` is the number of pages whose text contains exactly the article's lines, and
    `nearly_right` the number with at most one line too many or too few. `kept` is the number of
    lines in the texts by role, and `found` the number of lines by true and assigned role.
    """

    pages: int = 0
    right: int = 0
    nearly_right: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(
        self,
        roles: Sequence[str | None],
        in_text: npt.NDArray[np.bool_],
        found: Sequence[str] | None = None,
    ) -> bool:
        """Count a page; return whether its text contains exactly the article's lines.

        `roles` are the true roles (None if unknown), and `found` the assigned roles.
        """
        wrong_lines = 0
        for index, role in enumerate(roles):
            if role is None or role == MIXED_ROLES:
                continue
            wrong_lines += (role in ARTICLE_ROLES) != bool(in_text[index])
            self.lines[role] += 1
            self.kept[role] += bool(in_text[index])
            if found is not None:
                self.found[role, found[index]] += 1
        self.pages += 1
        self.right += wrong_lines == 0
        self.nearly_right += wrong_lines <= 1
        return wrong_lines == 0

    @property
    def exact(self) -> float:
        """Share of pages whose text contains exactly the article's lines, in percent."""
        return 100 * self.right / max(1, self.pages)

    @property
    def nearly_exact(self) -> float:
        """Share of pages with at most one line too many or too few, in percent."""
        return 100 * self.nearly_right / max(1, self.pages)

    def share_kept(self, role: str) -> float:
        """Return the share of a role's lines that are in the text, in percent."""
        return 100 * self.kept[role] / max(1, self.lines[role])

    def prf(self, role: str) -> PRF:
        """Return the precision, recall and F1 of a role; all of `SITE_ROLES` count as one role.

        Precision ignores lines of the role that annotators confused with it (see `CONFUSED_WITH`).
        """
        scored_roles = SITE_ROLES if role in SITE_ROLES else {role}
        right = found = wanted = 0
        for (true, assigned), count in self.found.items():
            right += count * (true in scored_roles and assigned in scored_roles)
            found += count * (assigned in scored_roles and true != CONFUSED_WITH.get(role))
            wanted += count * (true in scored_roles)
        return PRF.of(right, found, wanted)

    def mean_f1(self, roles: Iterable[str]) -> float:
        """Return the mean F1 of the given roles, in percent."""
        scores = [self.prf(role).f1 for role in roles]
        return sum(scores) / max(1, len(scores))
