"""Terms and sources are bounded in number, and unrelated articles do not affect each other."""

from hypothesis import given
from hypothesis import strategies as st

from worker.events.clustering import (
    Event,
    event_of,
    independent_sources,
    leading_terms,
    no_counts,
    with_article,
)
from worker.events.terms import MAX_TERMS, terms_of

TEXTS = st.text(max_size=300)
ARTICLES = st.lists(st.tuples(st.integers(1, 6), st.sampled_from("abcdef")), max_size=20)


@given(st.none() | TEXTS, st.none() | TEXTS, TEXTS)
def test_any_text_has_bounded_terms_and_weights(
    title: str | None, lead: str | None, text: str
) -> None:
    terms = terms_of(title, lead, text)
    weights = no_counts().weights_of(terms)
    assert len(weights) == len(terms) <= MAX_TERMS
    assert len(with_article(weights, weights, 1)) == len(weights)
    assert all(-(2**31) <= term < 2**31 for term in leading_terms(weights))


@given(TEXTS, TEXTS, st.integers(1, 3))
def test_the_order_of_candidates_does_not_matter(one: str, other: str, site: int) -> None:
    counts = no_counts()
    article = counts.weights_of(terms_of(None, None, one))
    events = [
        Event(number, counts.weights_of(terms_of(None, None, text)), {2})
        for number, text in enumerate((one, other, one + other))
    ]
    assert event_of(article, "en", site, events) is event_of(article, "en", site, events[::-1])


@given(ARTICLES, st.randoms(use_true_random=False))
def test_sources_depend_neither_on_the_order_nor_on_copies(
    articles: list[tuple[int, str]], chance: object
) -> None:
    found = independent_sources(articles)
    shuffled = [*articles, *articles]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert independent_sources(shuffled) == found
    sites, stories = {site for site, _ in articles}, {story for _, story in articles}
    assert found <= min(len(sites), len(stories))
    assert (found > 0) == bool(articles)
