"""An article joins the event that it resembles most, and no site determines other sites' events."""

from worker.events.clustering import (
    MAX_DOCUMENTS,
    MAX_OF_SITE,
    SAMPLED_AFTER,
    Event,
    TermCounts,
    event_of,
    independent_sources,
    leading_terms,
    no_counts,
    with_article,
)
from worker.events.terms import MAX_TERMS, terms_of

FLOOD = "river flood dam aldermouth evacuated valley rain sirens boats"
STRIKE = "union strike pay railway talks minister wages offer drivers"


def event(number: int, text: str, sites: set[int]) -> Event:
    return Event(number, no_counts().weights_of(terms_of(None, None, text)), sites)


def test_an_article_joins_the_event_that_it_resembles_most() -> None:
    events = [event(1, STRIKE, {1}), event(2, FLOOD, {1})]
    article = no_counts().weights_of(terms_of(None, None, "flood in the valley of aldermouth"))
    found = event_of(article, "en", 2, events)
    assert found is not None
    assert found.id == 2


def test_an_article_of_another_topic_begins_an_event() -> None:
    article = no_counts().weights_of(terms_of(None, None, "museum paintings canvas curator"))
    assert event_of(article, "en", 2, [event(1, STRIKE, {1}), event(2, FLOOD, {1})]) is None


def test_the_threshold_is_higher_on_the_same_site_and_lower_for_a_revision() -> None:
    # Three of the twelve words occur in the event, which gives a cosine of .29.
    text = "river flood dam a b c d e f g h i"
    article = no_counts().weights_of(terms_of(None, None, text))
    events = [event(1, FLOOD, {7})]
    assert event_of(article, "en", 8, events) is events[0]
    assert event_of(article, "en", 7, events) is None
    assert event_of(article, "en", 7, events, former=1) is events[0]


def test_words_of_many_documents_weigh_little() -> None:
    counts = no_counts()
    for site in range(20):
        counts = counts.with_document(terms_of(None, None, f"the flood{site}"), site)
    weights = counts.weights_of(terms_of(None, None, "the flood99"))["weight"]
    assert weights.max() > 20 * weights.min()


def test_counts_are_bounded_and_fade() -> None:
    terms = terms_of(None, None, "flood")
    counts = TermCounts(MAX_DOCUMENTS - 1, no_counts().with_document(terms, 1).counts * 1000)
    counts = counts.with_document(terms, 1)
    assert counts.documents == MAX_DOCUMENTS // 2
    assert counts.counts.max() == 1001 // 2


def test_a_flooding_site_is_counted_only_a_few_times() -> None:
    counts, counted = TermCounts(SAMPLED_AFTER, no_counts().counts, tuple(range(10, 40))), 0
    for number in range(200):
        if counts.counts_next(b"\x00", 1):
            counts = counts.with_document(terms_of(None, None, f"{FLOOD} {number}"), 1)
            counted += 1
    assert counted == MAX_OF_SITE
    assert counts.counts_next(b"\x00", 2)
    assert not counts.counts_next(b"\x01", 2)


def test_a_centroid_keeps_its_strongest_terms() -> None:
    counts = no_counts()
    centroid = counts.weights_of(terms_of(FLOOD, None, FLOOD))
    before = leading_terms(centroid)
    for number in range(5):
        stuffing = " ".join(f"w{number}x{place}" for place in range(500))
        added = counts.weights_of(terms_of(None, None, f"{FLOOD} {stuffing}"))
        centroid = with_article(centroid, added, number + 1)
    assert len(centroid) <= MAX_TERMS
    assert set(before) <= set(leading_terms(centroid))


def test_copies_and_further_articles_of_a_site_are_no_further_sources() -> None:
    assert independent_sources([]) == 0
    assert independent_sources([(1, "a"), (2, "a"), (3, "a")]) == 1
    assert independent_sources([(1, "a"), (1, "b"), (1, "c")]) == 1
    assert independent_sources([(1, "a"), (2, "b")]) == 2
    assert independent_sources([(1, "a"), (2, "a"), (3, "a"), (1, "b"), (1, "c")]) == 2


def test_sources_form_a_chain_of_any_length() -> None:
    # Site n has the stories n and n - 1, so that the last one moves all others.
    chain = [(site, f"{site + step:03}") for site in range(500) for step in (0, 1)]
    assert independent_sources([*chain, (500, "000")]) == 501
