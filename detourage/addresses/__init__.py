"""Canonical URLs, and detection of URLs that lead to the same article."""

from detourage.addresses.declared_urls import NOTHING_DECLARED, DeclaredUrls, read_declared
from detourage.addresses.refused_responses import Refusal, refusal_of
from detourage.addresses.same_page import (
    AddressRecord,
    Joining,
    PageAddress,
    agreement,
    authoritative_record,
    canonical_of,
    decide_joining,
    find_joined,
    identity_of,
    variants_of,
    with_spelling,
)
from detourage.addresses.url_normalisation import canonical_form
from detourage.addresses.variants import Target, are_other_parts
from detourage.html.head import MAX_ADDRESS

__all__ = [
    "MAX_ADDRESS",
    "NOTHING_DECLARED",
    "AddressRecord",
    "DeclaredUrls",
    "Joining",
    "PageAddress",
    "Refusal",
    "Target",
    "agreement",
    "are_other_parts",
    "authoritative_record",
    "canonical_form",
    "canonical_of",
    "decide_joining",
    "find_joined",
    "identity_of",
    "read_declared",
    "refusal_of",
    "variants_of",
    "with_spelling",
]
