"""The history check finds errors and accepts permitted anomalies."""

from tests.faults.history import Delivery, Findings, check, digest_of

PAGE = "https://a.example/1"
OTHER = "https://a.example/2"


def delivery(revision: int, *, url: str = PAGE, name: str = "", text: str = "") -> Delivery:
    return Delivery(
        id=name or f"{url} {revision}",
        url=url,
        revision=revision,
        digest=digest_of(text or f"text {revision}"),
        redelivered=False,
    )


def checked(*history: Delivery, stored: tuple[Delivery, ...] | None = None) -> Findings:
    return check(
        history,
        {each.id: (each.url, each.revision) for each in (history if stored is None else stored)},
    )


def test_revisions_delivered_in_order_give_no_findings() -> None:
    first, second, other = delivery(1), delivery(2), delivery(1, url=OTHER)
    assert checked(first, other, second) == Findings(set(), set(), reordered=0, repeats=0)


def test_a_stored_revision_that_was_never_delivered_is_lost() -> None:
    first, second = delivery(1), delivery(2)
    assert checked(second, stored=(first, second)).lost == {(PAGE, 1)}
    assert checked(first, stored=(first, second)).lost == {(PAGE, 2)}
    assert checked(stored=(first,)).lost == {(PAGE, 1)}


def test_an_article_with_another_id_does_not_count_as_the_stored_revision() -> None:
    assert checked(delivery(1), stored=(delivery(1, name="restored"),)).lost == {(PAGE, 1)}


def test_a_revision_under_two_ids_is_doubled() -> None:
    assert checked(delivery(1, name="a"), delivery(1, name="b")).doubled == {(PAGE, 1)}


def test_a_repeat_with_another_text_is_doubled() -> None:
    found = checked(delivery(1), delivery(1, text="another"))
    assert (found.doubled, found.repeats) == ({(PAGE, 1)}, 1)


def test_an_id_used_for_two_revisions_or_pages_doubles_both() -> None:
    assert checked(delivery(1, name="a"), delivery(2, name="a")).doubled == {(PAGE, 1), (PAGE, 2)}
    both = delivery(1, name="a"), delivery(1, name="a", url=OTHER)
    assert checked(*both).doubled == {(PAGE, 1), (OTHER, 1)}


def test_a_lower_revision_after_a_higher_one_is_reordered() -> None:
    found = checked(delivery(1), delivery(3), delivery(2))
    assert (found.reordered, found.lost, found.repeats) == (1, set(), 0)
    assert checked(delivery(3), delivery(2), delivery(1)).reordered == 2
    assert checked(delivery(2, url=OTHER), delivery(1)).reordered == 0


def test_a_repeat_of_a_lower_revision_is_not_reordered() -> None:
    found = checked(delivery(1), delivery(2), delivery(1))
    assert found == Findings(set(), set(), reordered=0, repeats=1)
