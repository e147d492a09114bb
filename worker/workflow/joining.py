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
from detourage.pagination import Member, chain_of, is_contained_in, joined_values, urls_of
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
from worker.workflow.process import ProcessState

ARTICLES_PER_PART = 8
"""Maximum number of articles joined per part processed; further articles are joined when their own
pages are processed."""


def process_part(session: Session, state: ProcessState, page_id: int, version: int) -> int:
    """Publish the missing revisions of a part's articles, and return their number."""
    ids, found_all = parts.reach(session, page_id, lambda links: urls_of_links(from_json(links)))
    stored = parts.load_parts(session, ids)
    links = {each.page_id: from_json(each.links) for each in stored}
    written = [each for each in stored if each.size is not None and each.links]
    processed = revised = 0
    for each in sorted(written, key=lambda part: (part.page_id != page_id, part.page_id)):
        # Built again for each article, so that only one article's messages are in memory.
        members = {
            part.page_id: Member(
                part.page_id,
                part.url,
                links[part.page_id],
                partial(_message_of, session, part.page_id),
                part.size or 0,
            )
            for part in written
        }
        first = members[each.page_id]
        if each.joined_revision is None and not first.is_first:
            continue
        processed += 1
        if processed > ARTICLES_PER_PART:
            break
        revised += _revise(session, state, each, first, list(members.values()))
    # If all articles were joined, the other parts need not be processed.
    is_complete = found_all and processed <= ARTICLES_PER_PART
    seen = {each.page_id: each.version for each in stored} if is_complete else {}
    seen[page_id] = version
    versions = {"pages": list(seen), "versions": list(seen.values())}
    session.execute(parts.SQL.record_processed, versions)
    return revised


def _message_of(session: Session, page_id: int) -> dict[str, Any]:
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
    chain, is_in_whole = [first], _is_in_whole(session, first)
    if first.is_first and not is_in_whole:
        chain = chain_of(first, members)
    own = ArticleMessage.model_validate(first.message)
    leading = addresses.addresses_by_page(session, [first.page_id])[first.page_id]
    while True:
        wanted = _compose(session, own, chain, is_in_whole=is_in_whole)
        number = next_revision_number(stored.revision, state.settings.revisions_from)
        revision = new_revision(
            state,
            stored.page_id,
            message_as_revision(wanted, number, datetime.now(UTC), leading).to_json(),
            # The digest covers this page only, so that extracting it again without changes creates
            # no revision.
            reader_digest(own),
        )
        if len(chain) == 1 or len(revision.body) <= MAX_MESSAGE_BYTES:
            break
        # The broker would refuse the message, so publish as many parts as fit.
        chain = chain[: max(1, len(chain) * 3 // 4)]
    joined = {"first_id": first.page_id, "pages": [each.page_id for each in chain[1:]]}
    session.execute(parts.SQL.record_joined_pages, joined)
    last = session.scalar(parts.ARTICLE_OF, {"page_id": first.page_id})
    if last is not None and _digest(wanted) == _digest(ArticleMessage.model_validate(last)):
        return False
    session.execute(parts.SQL.record_revision, {"page_id": first.page_id, "revision": number})
    articles.save_revisions(session, [revision])
    return True


def _is_in_whole(session: Session, first: Member) -> bool:
    """Return whether the single-page version, which is stored, contains the text of a part."""
    address = first.links.whole
    if address is None:
        return False
    found = parts.find_pages(session, {first.page_id: [address]})
    whole_id = found.get(first.page_id, {}).get(address)
    if whole_id is None or whole_id == first.page_id:
        return False
    whole = session.scalar(parts.ARTICLE_OF, {"page_id": whole_id})
    return whole is not None and is_contained_in(first, whole)


def _compose(
    session: Session, own: ArticleMessage, chain: Sequence[Member], *, is_in_whole: bool
) -> ArticleMessage:
    """Return the article message of the first part with the texts of the other parts in a chain."""
    first = chain[0]
    declared = parts_of(first.links)
    if declared is None:
        return own
    places = urls_of(chain)
    wanted = [*places.values(), *urls_of_links(first.links)]
    found = {
        *parts.find_pages(session, {first.page_id: wanted}).get(first.page_id, ()),
        *(member.url for member in chain),
    }
    if len(chain) == 1:
        alone = with_missing(declared, found).model_copy(update={"held_by_whole": is_in_whole})
        return own.model_copy(update={"parts": alone})
    joined = declared.model_copy(
        update={
            "number": 1,
            "pages": [Part(number=number, url=url) for number, url in places.items()],
            "joined": [member.url for member in chain],
            "missing": [url for url in places.values() if url not in found],
        }
    )
    return ArticleMessage.model_validate(
        {**own.to_json(), **joined_values(chain), "parts": joined.model_dump()}
    )


def _digest(message: ArticleMessage) -> str:
    declared = message.parts.model_dump() if message.parts is not None else None
    text = reader_digest(message) + json.dumps(declared, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
