"""Steps of joining the parts of an article that a site spreads across several pages."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from detourage.limits import MAX_MESSAGE_BYTES
from detourage.messages import ArticleMessage, Part
from detourage.pagination import Pagination
from detourage.pagination.joining_parts import (
    Member,
    chain_of,
    is_contained_in,
    joined_values,
    urls_of,
)
from detourage.reader.article_values import parts_of
from worker.store import addresses, articles, parts
from worker.store.parts import StoredPart
from worker.workflow.article_message import (
    message_as_revision,
    new_revision,
    next_revision_number,
    reader_digest,
)
from worker.workflow.article_parts import from_json, urls_of_links, with_missing
from worker.workflow.process_state import ProcessState

ARTICLES_PER_PART = 8
"""Maximum number of articles joined per part processed; further articles are joined when their own
pages are processed."""


def process_part(session: Session, state: ProcessState, page_id: int, version: int) -> int:
    """Publish changes of the articles to which a part belongs; return the number published."""
    ids, is_exhaustive = parts.reach(session, page_id, lambda row: urls_of_links(from_json(row)))
    stored = parts.load_parts(session, ids)
    links = {each.page_id: from_json(each.links) for each in stored}
    with_article = [each for each in stored if each.size is not None and each.links]
    processed = revised = 0
    for each in sorted(with_article, key=lambda part: (part.page_id != page_id, part.page_id)):
        # Built again for each article, so that only one article's messages are in memory.
        members = [_member(session, part, links[part.page_id]) for part in with_article]
        (first,) = (member for member in members if member.page_id == each.page_id)
        if each.joined_revision is None and not first.is_first:
            continue
        processed += 1
        if processed > ARTICLES_PER_PART:
            break
        revised += _revise(session, state, each, first, members)
    # If all articles were joined, the other parts need not be processed themselves.
    is_complete = is_exhaustive and processed <= ARTICLES_PER_PART
    seen = {each.page_id: each.version for each in stored} if is_complete else {}
    seen[page_id] = version
    versions = {"pages": list(seen), "versions": list(seen.values())}
    session.execute(parts.SQL.record_processed, versions)
    return revised


def _member(session: Session, part: StoredPart, links: Pagination) -> Member:
    load = partial(_load_message, session, part.page_id)
    return Member(part.page_id, part.url, links, load, part.size or 0)


def _load_message(session: Session, page_id: int) -> dict[str, Any]:
    message: dict[str, Any] = session.execute(parts.MESSAGE_OF, {"page_id": page_id}).scalar_one()
    return message


def _revise(
    session: Session,
    state: ProcessState,
    stored: StoredPart,
    first: Member,
    members: Sequence[Member],
) -> bool:
    """Publish an article with its parts, unless its latest revision has the same content."""
    chain, is_on_single_page = [first], _is_on_single_page(session, first)
    if first.is_first and not is_on_single_page:
        chain = chain_of(first, members)
    own = ArticleMessage.model_validate(first.message)
    page_addresses = addresses.addresses_by_page(session, [first.page_id])[first.page_id]
    number = next_revision_number(stored.revision, state.settings.revisions_from)
    # The digest is that of the first part alone, so that extracting this page again without changes
    # creates no revision.
    digest = reader_digest(own)
    while True:
        joined = _compose(session, own, chain, is_on_single_page)
        message = message_as_revision(joined, number, datetime.now(UTC), page_addresses).to_json()
        revision = new_revision(state, stored.page_id, message, digest)
        if len(chain) == 1 or len(revision.body) <= MAX_MESSAGE_BYTES:
            break
        # The broker would refuse the message, so publish as many parts as fit.
        chain = chain[: max(1, len(chain) * 3 // 4)]
    params = {"first_id": first.page_id, "pages": [each.page_id for each in chain[1:]]}
    session.execute(parts.SQL.record_joined_pages, params)
    latest = session.scalar(parts.ARTICLE_OF, {"page_id": first.page_id})
    if latest is not None and _digest(joined) == _digest(ArticleMessage.model_validate(latest)):
        return False
    session.execute(parts.SQL.record_revision, {"page_id": first.page_id, "revision": number})
    session.execute(articles.SQL.save_revisions, articles.revision_params([revision]))
    return True


def _is_on_single_page(session: Session, first: Member) -> bool:
    """Return whether a stored single-page version contains the text of the first part."""
    address = first.links.whole
    if address is None:
        return False
    found = parts.find_pages(session, {first.page_id: [address]})
    single_page_id = found.get(first.page_id, {}).get(address)
    if single_page_id is None or single_page_id == first.page_id:
        return False
    single_page = session.scalar(parts.ARTICLE_OF, {"page_id": single_page_id})
    return single_page is not None and is_contained_in(first, single_page)


def _compose(
    session: Session, own: ArticleMessage, chain: Sequence[Member], is_on_single_page: bool
) -> ArticleMessage:
    """Return the message of the first part of a chain, with the texts of the other parts."""
    first = chain[0]
    declared = parts_of(first.links)
    if declared is None:
        return own
    url_by_number = urls_of(chain)
    urls = [*url_by_number.values(), *urls_of_links(first.links)]
    stored_urls = {*parts.find_pages(session, {first.page_id: urls}).get(first.page_id, ())}
    stored_urls |= {member.url for member in chain}
    if len(chain) == 1:
        update = {"held_by_whole": is_on_single_page}
        unjoined = with_missing(declared, stored_urls).model_copy(update=update)
        return own.model_copy(update={"parts": unjoined})
    pages = [Part(number=number, url=url) for number, url in url_by_number.items()]
    missing = [url for url in url_by_number.values() if url not in stored_urls]
    joined_urls = [member.url for member in chain]
    replaced = {"number": 1, "pages": pages, "joined": joined_urls, "missing": missing}
    joined = declared.model_copy(update=replaced)
    values = {**own.to_json(), **joined_values(chain), "parts": joined.model_dump()}
    return ArticleMessage.model_validate(values)


def _digest(message: ArticleMessage) -> str:
    declared = message.parts.model_dump() if message.parts is not None else None
    text = reader_digest(message) + json.dumps(declared, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
