import pytest

from detourage.addresses import read_declared, refusal_of
from detourage.html import Answer, parse_page
from tests.addressed import PLAIN
from tests.pages import article_html

URL = "https://www.example.org/town/bridge"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer(), None),
        (Answer(200), None),
        (Answer(203, URL), None),
        (Answer(304), "wall"),
        (Answer(401), "wall"),
        (Answer(404), "gone"),
        (Answer(410), "gone"),
        (Answer(451), "wall"),
        (Answer(503), "wall"),
        (Answer(200, "http://example.org/town/bridge/?utm_source=a"), None),
        (Answer(200, "https://www.example.org/town/bridge-opens"), None),
        (Answer(200, "https://news.example.org/bridge"), None),
        (Answer(200, "https://www.example.org/"), "gone"),
        (Answer(200, "https://www.other.example/town/bridge"), "gone"),
        (Answer(200, "https://www.example.org/account/log-in?to=bridge"), "wall"),
        (Answer(200, "https://consent.example.net/collect"), "wall"),
        (Answer(200, "https://www.example.org/consent-of-the-council"), None),
    ],
)
def test_status_and_redirects_take_precedence_over_the_content(
    answer: Answer, outcome: str | None
) -> None:
    refusal = refusal_of(URL, answer)
    assert (refusal.outcome if refusal is not None else None) == outcome
    is_removal = refusal is not None and refusal.is_removal
    assert is_removal is (answer.status in (404, 410))


def test_front_and_login_pages_that_were_requested_are_not_refusals() -> None:
    assert refusal_of("https://example.org/", Answer(200, "https://example.org/?a=1")) is None
    login = "https://example.org/login"
    assert refusal_of(login, Answer(200, f"{login}/form")) is None


@pytest.mark.parametrize(
    "extra",
    [
        '{"status": "404", "final_url": 7}',
        '{"status": 999, "final_url": "ftp://a.example/"}',
        '{"status": true, "final_url": null}',
        "{}",
    ],
)
def test_unvalidated_values_from_earlier_versions_are_ignored(extra: str) -> None:
    assert Answer.of(extra) == Answer()


def test_a_redirect_declares_its_target() -> None:
    page = parse_page(article_html(7), URL, answer=Answer(200, PLAIN))
    (target,) = read_declared(page).targets
    assert (target.address, target.is_declared) == (PLAIN, True)
    away = Answer(200, "https://evil.example.org/bridge")
    assert read_declared(parse_page(article_html(7), URL, answer=away)).targets == ()
