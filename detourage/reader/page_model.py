"""Model that predicts the role of each line of a page and the kind of the page in one pass."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from mmap import mmap
from typing import Any, Final, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from detourage.core import Network
from detourage.reader import phrases
from detourage.reader.captions import lines_under_images
from detourage.reader.found_body import FoundRole
from detourage.reader.knowledge import TemplateKnowledge
from detourage.reader.lines import Line, LineColumns, line_columns, lines_of
from detourage.reader.outline import Outline, rows
from detourage.reader.visibility import folded
from detourage.records import record
from detourage.roles import ALL_ROLES, TEXT_ROLES, Kind, LineRole
from detourage.text.shipped import mapped

OWN_ROLES: Final[tuple[LineRole, ...]] = (*TEXT_ROLES, "correction")
"""Roles of lines that belong to the page rather than to its template."""

MIN_UNSHARED = 0.5  # probability of being text for the likeliest line that no other page shares
MIN_REMOVABLE = 0.2
"""Minimum probability of `OWN_ROLES` for a line to be removed if other pages share it."""
LISTS: Final = frozenset({"table", "dl", "ul", "ol"})
"""Elements whose lines may all be chosen, however improbable (see `detourage.reader.body`)."""
MAX_SUPPLEMENT_SHARE = 0.3  # share of captions or corrections in the expected words of the text

Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class PageModel(NamedTuple):
    """A network and the names of its outputs, which are logits of lines' roles and pages' kinds."""

    roles: tuple[LineRole, ...]
    kinds: tuple[Kind, ...]
    network: Network

    @classmethod
    def from_bytes(cls, data: "bytes | mmap") -> Self:
        """Read a model file: a line of JSON, and the network; raise ValueError if it is damaged."""
        header = data[: data.find(b"\n") + 1]
        try:
            values: dict[str, Any] = json.loads(header)
            roles, kinds = tuple(values["roles"]), tuple(values["kinds"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a model file: {error!r}") from error
        unknown = sorted({*roles} - {*ALL_ROLES} | {*kinds} - {*get_args(Kind)})
        if unknown:
            raise ValueError(f"unknown roles or kinds: {', '.join(unknown)}")
        return cls(roles, kinds, Network(memoryview(data)[len(header) :]))

    def judge(
        self, page: Outline, knowledge: TemplateKnowledge | None = None, url: str = ""
    ) -> "JudgedPage":
        """Predict the roles and the kind of a page, given the knowledge about its template."""
        lines, columns = lines_of(page), line_columns(page)
        comparison = knowledge.compare(page) if knowledge is not None else None
        logits = self.network.judge(page.document, url, comparison)
        if len(logits.roles) != len(lines):
            raise RuntimeError("the compiled core does not match this version: install it again")
        if not lines:
            return JudgedPage(lines, columns, self.roles, np.empty((0, len(self.roles))), {})
        role_probabilities = softmax(logits.roles[:, : len(self.roles)].astype(np.float64))
        kind_probabilities = softmax(logits.kinds[None, : len(self.kinds)].astype(np.float64))[0]
        kinds = dict(zip(self.kinds, kind_probabilities.tolist(), strict=True))
        judged = JudgedPage(lines, columns, self.roles, role_probabilities, kinds)
        judged = judged.with_captions(lines_under_images(page)).with_corrections()
        return judged.without_shared(page, knowledge) if knowledge is not None else judged


@record
class JudgedPage:
    """The lines of a page with the predicted probability of each role and of each kind of page.

    `role_probabilities` has the shape (lines, roles), and its rows sum to 1. `kinds` is empty for a
    page without lines. `shared` are the numbers of lines assigned to the template because other
    pages have them too.
    """

    lines: Sequence[Line]
    columns: LineColumns
    roles: tuple[LineRole, ...]
    role_probabilities: Floats
    kinds: Mapping[Kind, float]
    shared: frozenset[int] = frozenset()

    @cached_property
    def is_shared(self) -> Booleans:
        """Mask of the `shared` lines."""
        return np.isin(self.columns.numbers, [*self.shared])

    @cached_property
    def probabilities(self) -> Floats:
        """Probability that each line belongs to the text, that is, has one of `TEXT_ROLES`."""
        return self.probability_of(TEXT_ROLES)

    def probability_of(self, roles: Collection[str]) -> Floats:
        """Return, for each line, the probability that it has one of the given roles."""
        columns = [role in roles for role in self.roles]
        return np.asarray(self.role_probabilities[:, columns].sum(axis=1), dtype=np.float64)

    def without_shared(self, page: Outline, knowledge: TemplateKnowledge) -> "JudgedPage":
        """Give the role ``template`` to the removable lines that other pages share.

        Headings above other text, such as "Ingredients", stay. If no other line is likely text, the
        shared text, such as a legal notice, may be the article itself, and the roles stay.
        """
        if not knowledge.shared and knowledge.removable is None:
            return self
        from detourage.reader.shared_lines import masked_digests

        is_likely = self.probability_of(OWN_ROLES) >= MIN_REMOVABLE
        # A list or accordion is only chosen if one of its lines is likely.
        flat, blocks = page.flat, self.columns.blocks
        before = np.searchsorted(np.sort(blocks[is_likely]), np.arange(len(flat.ends) + 1))
        is_chosen = (flat.having(LISTS) | folded(page)) & (before[flat.ends] > before[:-1])
        is_removable = is_likely | self.columns.is_prose & flat.within(is_chosen)[blocks]
        removable = masked_digests(page, is_removable)
        if knowledge.removable is not None:
            knowledge.removable.update(removable.values())
        is_shared = np.zeros(len(self.lines), np.bool_)
        is_shared[[place for place in removable if removable[place] in knowledge.shared]] = True
        is_text = self.probabilities >= MIN_UNSHARED
        is_own = is_text & ~is_shared
        if not (is_shared.any() and is_own.any()):
            return self
        is_shared &= ~(is_text & np.append(is_own[1:], False)) | self.columns.is_prose
        numbers = frozenset(self.columns.numbers[is_shared].tolist())
        return replace(self._with_role(is_shared, "template"), shared=numbers)

    def with_captions(self, captions: Collection[int]) -> "JudgedPage":
        """Treat lines as captions unless they make up much of the text, as in a picture gallery."""
        if not captions:
            return self
        return self._with_supplement(np.isin(self.columns.numbers, [*captions]), "caption")

    def with_corrections(self) -> "JudgedPage":
        """Treat lines that correct the article as such unless they make up much of the text."""
        is_own = self.probability_of(OWN_ROLES) >= MIN_REMOVABLE
        is_note = is_own & (self.columns.words <= phrases.MAX_WORDS)
        places = np.flatnonzero(is_note).tolist()
        found = phrases.Phrases.of_each([self.lines[place].text for place in places])
        is_note[places] = [each.found and each.is_correction for each in found]
        return self._with_supplement(is_note, "correction") if is_note.any() else self

    def _with_supplement(self, chosen: Booleans, role: LineRole) -> "JudgedPage":
        expected_words = self.probabilities * self.columns.words
        if expected_words[chosen].sum() > MAX_SUPPLEMENT_SHARE * expected_words.sum():
            return self
        return self._with_role(chosen, role)

    def _with_role(self, chosen: Booleans, role: LineRole) -> "JudgedPage":
        """Move the probability of `OWN_ROLES` to another role in the chosen lines."""
        probabilities = self.role_probabilities.copy()
        is_own = np.array([each in OWN_ROLES for each in self.roles], dtype=np.bool_)
        probabilities[np.ix_(chosen, is_own)] = 0.0
        probabilities[chosen, self.roles.index(role)] += self.probability_of(OWN_ROLES)[chosen]
        return replace(self, role_probabilities=probabilities)

    @property
    def kind(self) -> Kind:
        """Most probable kind of the page; an article if it has no lines."""
        return max(self.kinds, key=lambda kind: self.kinds[kind], default="article")

    def likeliest(
        self, places: npt.NDArray[np.int64], roles: Collection[LineRole]
    ) -> list[FoundRole]:
        """Return the most probable of the given roles for each of the given lines."""
        candidates = [index for index, role in enumerate(self.roles) if role in roles]
        probabilities = self.role_probabilities[places][:, candidates]
        best = [self.roles[candidates[column]] for column in probabilities.argmax(axis=1).tolist()]
        return rows(FoundRole, best, probabilities.max(axis=1, initial=0.0).tolist())


MODEL: Final = ("detourage.reader", "model.bin")  # Package and name of the shipped model file


@cache
def trained_model() -> PageModel:
    """Return the shipped model."""
    return PageModel.from_bytes(mapped(*MODEL))


def softmax(logits: Floats) -> Floats:
    """Return the class probabilities for each row of logits."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)
