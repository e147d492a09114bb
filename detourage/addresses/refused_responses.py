"""Responses with which a site refuses to show a page, recognised by their status or redirect."""

import re
from typing import Final, NamedTuple

from detourage.addresses.url_normalisation import canonical_form
from detourage.html import Response, site_of
from detourage.html.urls import split_url
from detourage.outcomes import PageOutcome

_STATUS_DETAIL: Final = "the site responded with status {}"
_REMOVAL_STATUSES: Final = (404, 410)  # the page does not exist, or no longer exists
# Host labels and path segments of pages shown before the requested one, such as log-ins
_GATES: Final = re.compile(
    r"log-?in|sign-?in|auth|oauth2?|sso|consent|captcha|challenge|paywall", re.IGNORECASE
)


class Refusal(NamedTuple):
    """A response that is not the requested page but, for example, a log-in or an error page.

    `is_removal` is true if the site explicitly reports the page as removed.
    """

    outcome: PageOutcome
    detail: str
    is_removal: bool = False


def refusal_of(url: str, response: Response) -> Refusal | None:
    """Return why a response is not the page at `url`, or None if it may be that page.

    Redirects within the site, except to a gate or the front page, may lead to the requested page.
    """
    status = response.status
    if status in _REMOVAL_STATUSES:
        return Refusal(PageOutcome.GONE, _STATUS_DETAIL.format(status), is_removal=True)
    if status is not None and not 200 <= status < 300:
        return Refusal(PageOutcome.WALL, _STATUS_DETAIL.format(status))
    return _redirect_refusal(url, response.final_url) if response.final_url is not None else None


def _redirect_refusal(url: str, final_url: str) -> Refusal | None:
    requested, final = canonical_form(url), canonical_form(final_url)
    if requested == final:
        return None
    if _gate_labels(final) - _gate_labels(requested):
        return Refusal(PageOutcome.WALL, f"redirected to {final}")
    if site_of(requested) != site_of(final):
        return Refusal(PageOutcome.GONE, f"redirected to another site, {final}")
    if is_front(final) and not is_front(requested):
        return Refusal(PageOutcome.GONE, f"redirected to the front page, {final}")
    return None


def _gate_labels(address: str) -> set[str]:
    parts = split_url(address)
    labels = [*(parts.hostname or "").split("."), *parts.path.split("/")]
    return {label.lower() for label in labels if _GATES.fullmatch(label)}


def is_front(address: str) -> bool:
    """Return whether a canonical URL belongs to a front page."""
    parts = split_url(address)
    return parts.path in {"", "/"} and not parts.query and not parts.fragment
