"""Averages of scores, their confidence intervals, and tests of the difference of two methods."""

import pytest

from benchmarks.evaluation.scores import (
    PageScores,
    bootstrap_interval,
    macro_average,
    paired_difference,
)

PAGE_SCORES = [
    PageScores("1", "big.example", "en", {"to": 100.0, "tm": 50.0}),
    PageScores("2", "big.example", "en", {"to": 100.0}),
    PageScores("3", "big.example", "en", {"to": 100.0}),
    PageScores("4", "small.example", "pl", {"to": 0.0}),
]


def test_either_pages_or_sites_have_equal_weight() -> None:
    assert macro_average(PAGE_SCORES) == {"to": 75.0, "tm": 50.0}
    assert macro_average(PAGE_SCORES, over="sites") == {"to": 50.0, "tm": 50.0}
    assert macro_average([]) == {}


SITES = [f"site{index % 20}" for index in range(200)]


def test_an_interval_contains_the_mean_and_is_reproducible() -> None:
    values = [float(index * 37 % 101) for index in range(200)]
    interval = bootstrap_interval(values, SITES, seed=1)
    assert interval.low < interval.mean < interval.high
    assert interval.mean == pytest.approx(sum(values) / 200)
    assert interval == bootstrap_interval(values, SITES, seed=1)
    wide = bootstrap_interval(values, SITES, seed=1, level=0.99)
    assert wide.low < interval.low
    assert interval.high < wide.high


def test_pages_of_a_site_are_resampled_together() -> None:
    values = [100.0 * (int(site[4:]) < 10) for site in SITES]
    page_names = [f"page{index}" for index in range(200)]
    by_site = bootstrap_interval(values, SITES)
    by_page = bootstrap_interval(values, page_names)
    assert by_site.high - by_site.low > 2 * (by_page.high - by_page.low)


def methods(sites: int, gain: float) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
    """Return the scores of two methods, the first better by `gain`, and the sites, all by page."""
    pages = {f"{site}/{page}": f"site{site}" for site in range(sites) for page in range(3)}
    worse = {page: float(sum(map(ord, page)) * 31 % 50) for page in pages}
    return {page: value + gain for page, value in worse.items()}, worse, pages


def test_the_significance_of_a_constant_gain_grows_with_the_number_of_sites() -> None:
    few = paired_difference(*methods(5, 2.0))
    assert few.mean == few.low == few.high == pytest.approx(2)
    # Of the 2^5 ways to swap the methods by site, two give at least the observed difference.
    assert few.p_value == 2 / 32
    assert (few.pages, few.sites) == (15, 5)
    many = paired_difference(*methods(40, 2.0))
    assert many.p_value < 0.001


def test_a_gain_on_one_site_of_many_is_not_significant() -> None:
    first, second, sites = methods(40, 0.0)
    first = {page: value + 30 * (sites[page] == "site7") for page, value in first.items()}
    difference = paired_difference(first, second, sites)
    assert difference.p_value > 0.3
    assert difference.low <= 0 < difference.mean
