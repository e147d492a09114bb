"""Canonical URLs: recognition of the URLs that lead to the same article."""

from worker.addresses.form import canonical_form
from worker.addresses.page import (
    PageAddress,
    canonical_of,
    identity_of,
    variants_of,
    with_spelling,
)
from worker.addresses.reading import NOTHING_DECLARED, DeclaredUrls, read_declared
from worker.addresses.refusal import Refusal, refusal_of
from worker.addresses.same_page import (
    AddressRecord,
    Joining,
    agreement,
    joined,
    joining,
    names,
    speaking,
)
from worker.addresses.variants import MAX_ADDRESS, Kind, Target, are_other_parts

__all__ = [
    "MAX_ADDRESS",
    "NOTHING_DECLARED",
    "AddressRecord",
    "DeclaredUrls",
    "Joining",
    "Kind",
    "PageAddress",
    "Refusal",
    "Target",
    "agreement",
    "are_other_parts",
    "canonical_form",
    "canonical_of",
    "identity_of",
    "joined",
    "joining",
    "names",
    "read_declared",
    "refusal_of",
    "speaking",
    "variants_of",
    "with_spelling",
]
