"""The canonical form of a URL is stable, and different for URLs of different pages."""

from urllib.parse import urlsplit

from hypothesis import given
from hypothesis import strategies as st

from detourage.addresses import are_other_parts, canonical_form
from detourage.addresses.variants import MAX_TARGETS, targets_by_form

PIECES = st.one_of(
    st.sampled_from(
        [
            *("http://", "https://", "HTTPS://", "a.example", "é.example", "m.", "[", "]"),
            *(":80", ":443", ":x", ":99999", "@", "/", "..", ".", "%2e", "%", "%2", "%%34", "#!"),
            *("?", "&", "=", "amp;", "utm_source", "sid", "jsessionid", ";", "(S(", "))", "#"),
            "#!",
            *("amp", "print", "-2.html", "page/2", "0123456789abcdef0123456", "\ud800", "\t", " "),
        ]
    ),
    st.text(max_size=5),
)
ADDRESSES = st.lists(PIECES, max_size=14).map(
    lambda pieces: "".join(["https://a.example", *pieces] if len(pieces) % 2 else pieces)
)
NAMES = st.sampled_from(["id", "p", "page", "Q", "a.b", "s"])
VALUES = st.text(alphabet="abcXYZ0129-_é/", max_size=12)
QUERIES = st.lists(st.tuples(NAMES, VALUES), max_size=5)
SEGMENTS = st.lists(st.sampled_from(["a", "A", "b-2", "news", "é", ""]), min_size=1, max_size=4)


@given(ADDRESSES)
def test_the_canonical_form_is_idempotent(url: str) -> None:
    form = canonical_form(url)
    assert canonical_form(form) == form
    assert form.isascii()
    assert not any(character.isspace() for character in form)


@given(ADDRESSES)
def test_the_original_of_a_variant_is_another_url_in_canonical_form(url: str) -> None:
    form = canonical_form(url)
    targets = targets_by_form(form)
    assert len(targets) <= MAX_TARGETS
    for target in targets:
        assert target.address != form
        assert canonical_form(target.address) == target.address
    assert not are_other_parts(form, form)


def address(segments: list[str], query: list[tuple[str, str]]) -> str:
    pairs = "&".join(f"{name}={value}" for name, value in query)
    return f"https://www.example.org/{'/'.join(segments)}?{pairs}"


@given(SEGMENTS, QUERIES, SEGMENTS, QUERIES)
def test_urls_of_different_pages_have_different_forms(
    path: list[str],
    query: list[tuple[str, str]],
    other_path: list[str],
    other_query: list[tuple[str, str]],
) -> None:
    url, other_url = address(path, query), address(other_path, other_query)
    have_one_form = urlsplit(canonical_form(url)) == urlsplit(canonical_form(other_url))
    assert have_one_form == (path == other_path and query == other_query)


@given(SEGMENTS, QUERIES, st.integers(0, 5))
def test_tracking_parameters_do_not_change_the_form_wherever_they_are(
    path: list[str], query: list[tuple[str, str]], place: int
) -> None:
    tracked = [*query[:place], ("utm_source", "x"), ("fbclid", "IwAR0"), *query[place:]]
    assert canonical_form(f"{address(path, tracked)}#part") == canonical_form(address(path, query))
